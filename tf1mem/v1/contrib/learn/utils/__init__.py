"""contrib.learn's exports."""
