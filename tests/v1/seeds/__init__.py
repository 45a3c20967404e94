"""The same seeds, the same numbers: how many ops calls make, and what graphs draw."""
