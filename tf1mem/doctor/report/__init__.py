"""What the doctor says: pages for a person, and JSON."""
