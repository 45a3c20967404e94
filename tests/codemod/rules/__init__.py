"""The rules' own examples."""
