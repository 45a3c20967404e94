"""Reads the code cells of notebooks, and finds the lines in them that are IPython magics."""
