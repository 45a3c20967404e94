"""Records what TensorFlow 1.15.5 does with GPU settings, and compares every other TensorFlow with it.

An entry is a ConfigProto, a machine, CUDA_VISIBLE_DEVICES and a sequence of allocations. A way is one of `TF1` (a plain
Session), `apply`, `v1` and `run`. An observation is what an entry's program reserved, or how its config was refused.
The truth is the observation of every entry on TensorFlow 1.15.5.

entries.py       the class of an entry
grid.py          the drawn entries, and by_hand.py those that no drawing makes
traps.py         entries whose program does something before its config, such as an eager op
programs/        the programs that run in a TensorFlow process, one for each way
cases.py         runs entries as cases, in forks or each in a separate process
simulator.py     the simulated GPUs that a case runs on
observing.py     makes an observation of a program's notes and the driver's trace
rules.py         the changes in TensorFlow itself since 1.15.5, and the observation to expect after them
comparing.py     compares an observation with the truth
recording.py     the script that records the truth, and checks it
truth.json       the truth
results.py       the results, a file for each version and way
table.py         the table of results: version x setting x way, for the terminal and the guide
"""
