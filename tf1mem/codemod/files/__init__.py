"""The Python in files of any kind, and the way back: notebooks, Markdown, reStructuredText."""
