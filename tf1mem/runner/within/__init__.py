"""A folder on the path of Pythons that a program starts; its `sitecustomize` is the first module that they import.

It imports nothing of tf1mem, since such a Python may be of any version and have no tf1mem.
"""
