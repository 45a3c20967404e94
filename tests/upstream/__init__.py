"""TensorFlow's own tests, from a checkout of its sources, on simulated GPUs: a check by hand.

__main__.py   runs files of a checkout, and counts the outcomes of their tests
watched.py    runs one of them in a process of its own, and writes down each test as it begins and ends
"""
