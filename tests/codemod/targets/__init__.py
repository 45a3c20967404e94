"""What the targets make of a module."""
