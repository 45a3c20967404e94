"""contrib.learn's estimators, and what they are made of."""
