"""The tests on every TensorFlow that tf1mem is tested on (tf1mem/machine/versions.py).

selection.py   which tests a TensorFlow gets: what each needs, and where it says something new
__main__.py    makes the environments, and runs the tests in them side by side
summary.py     what it came to
"""
