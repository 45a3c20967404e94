"""Writes Python 2 as equivalent Python 3: `tf1mem codemod --python3`."""
