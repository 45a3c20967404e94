"""The recorded process, on TensorFlow 1.13 and later: it runs the program and notes what its Sessions run.

`start` begins it; `sessions` notes what is run; `graphs` reads a graph; `starting` knows first values; `notes` holds
the notes and writes them.
"""
