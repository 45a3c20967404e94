"""Small whole programs of TensorFlow 1, in the shapes of well-known repositories: they train to 1.15.5's numbers.

untouched/     the programs; each prints a line in each step, and takes the number of steps
recording.py   records what they print on TensorFlow 1.15.5, in recorded.json
"""
