"""Measures the bytes of a simulated GPU that calls without a config reserve, for each source of settings."""
