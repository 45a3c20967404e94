"""The tutorials."""
