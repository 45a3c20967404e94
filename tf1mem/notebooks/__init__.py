"""Notebooks: their code cells, and which of their lines are IPython's."""
