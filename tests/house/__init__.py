"""The house: its rooms, their order, and the ways that CONTRIBUTING tells."""
