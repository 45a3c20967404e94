"""Decides whether an old program runs here: what would stop it, what `tf1mem run` repairs, and its GPU settings.

Nothing of the program is run, and TensorFlow isn't imported: the codemod's facts of each file are compared with the
installed versions. It needs Python 3.10 and `pip install tf1mem[cli]`.
"""
