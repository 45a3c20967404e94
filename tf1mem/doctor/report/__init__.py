"""The doctor's reports: text pages and JSON."""
