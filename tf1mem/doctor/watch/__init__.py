"""Watched runs of a script: its own process writes a record of what it does."""
