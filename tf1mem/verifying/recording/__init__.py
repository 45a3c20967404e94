"""The recorded process, on TensorFlow 1.13 and later: it runs the program and records what its Sessions run.

`start` starts it; `sessions` records Sessions, and `eager` eager training; `graphs` reads a graph; `starting` handles
initial values of variables; `notes` collects the notes and writes them.
"""
