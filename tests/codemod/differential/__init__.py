"""Runs programs before and after the codemod on TensorFlow, and compares the settings that TensorFlow gets.

before/          the original programs; each builds, passes on or uses a config in a different way
after/           the programs that the codemod writes, a folder for each target
observed.py      runs a program in a process, and records the settings that TensorFlow gets
observing.py     runs observed.py in a fork of a Python that has imported TensorFlow
shapes.py        lists the programs, and the known differences of some
recording.py     writes after/, records the settings on TensorFlow 1.15.5, and checks both
recorded.json    the recorded settings
"""
