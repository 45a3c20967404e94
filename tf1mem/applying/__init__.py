"""The effects: a plan carried out in this process, and the report of it."""
