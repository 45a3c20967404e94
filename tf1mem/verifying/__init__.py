"""`tf1mem verify`: one program on TensorFlow 1.15.5 and on the TensorFlow that is installed, held side by side.

Each side is a process that records what its Sessions run (`recording`). What the two differ by is held against what the
old side differs by from itself when its first weights are moved by one unit in the last place (`comparing`), and the
first op that computes otherwise is found by walking both graphs (`walking`).
"""
