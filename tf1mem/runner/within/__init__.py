"""A folder on the path of a program's Python processes; its `sitecustomize` is the first module that they import.

It imports nothing of tf1mem, since such a process may run any version of Python, without tf1mem.
"""
