"""Measures how many bytes of a simulated GPU calls take that have no config, wherever the settings come from."""
