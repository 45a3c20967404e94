"""Runs the tests on every TensorFlow in the table of tf1mem/machine/versions.py.

selection.py   the table of test files, each with the TensorFlows that run it
__main__.py    makes the environments, and runs the tests in them side by side
summary.py     the summary of the results
"""
