"""Running a script watched: what it does in its own process stands in a record."""
