"""Records what TensorFlow 1.15.5 does with GPU settings, and compares every other TensorFlow with it.

grid.py          the entries: a ConfigProto, a machine, CUDA_VISIBLE_DEVICES and a sequence of allocations
traps.py         the classic traps: what comes before the config, or beside it
programs/        what runs inside a TensorFlow process, one program for each way
cases.py         running cases, in forks or each in a process of its own
simulator.py     the simulated GPUs that a case runs on
observing.py     from a program's notes and the driver's trace to an observation
rules.py         what TensorFlow itself changed since 1.15.5, and what is expected in its place
comparing.py     an observation against the truth
recording.py     the script that records the truth, and checks it
truth.json       the truth
table.py         version x setting x way, for people and for the guide
"""
