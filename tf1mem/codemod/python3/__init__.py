"""Python 2 written as Python 3 that does the same: what `tf1mem codemod --python3` does to a file."""
