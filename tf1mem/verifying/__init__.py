"""`tf1mem verify`: compares a program on TensorFlow 1.15.5, the old side, with the installed TensorFlow, the new side.

Each side is a process that records what its Sessions run (`recording`). To measure the effect of rounding, the old side
also runs with its initial weights moved by one unit in the last place. A difference between the sides that is much
larger than this effect counts (`comparing`). Then the graphs of both sides are searched for the first op that computes
a different result from inputs that agree (`walking`).
"""
