"""A folder that Pythons have on their path which a program starts: its `sitecustomize` is the first thing they run.

It stands by itself, since such a Python may be of any version and have no tf1mem.
"""
