"""Each shape of TF1 program, before and after the codemod, run by TensorFlow.

before/          the programs: each a shape of building, passing on or consuming a config
after/           what the codemod makes of them, a folder for each target
observed.py      runs a program inside a process of TensorFlow, and writes down which settings TensorFlow was given
observing.py     the other side: a Python that has imported TensorFlow once and forks for each program
shapes.py        the programs, and what TensorFlow itself makes different about some
recording.py     the script that writes what is in after/, records what TensorFlow 1.15.5 does with all, and checks it
recorded.json    what it did
"""
