"""TensorFlow's own tests, from a checkout of its sources, on simulated GPUs: a check by hand.

__main__.py   runs test files of a checkout, and counts the outcomes of their tests
watched.py    runs one test file in a process, and records each test as it begins and ends
"""
