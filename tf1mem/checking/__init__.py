"""Will an old program run here? What would stop it, what `tf1mem run` repairs, and how its GPU settings are given.

Nothing of the program is run, and no TensorFlow is imported: files are read by the codemod's facts, and held against
what is installed. It needs Python 3.10 and `pip install tf1mem[codemod]`.
"""
