"""What can be decided by the bytes alone, before anything is parsed."""
