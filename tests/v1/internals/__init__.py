"""The names that TensorFlow 1 had in its own modules, `tensorflow.python.…`, and their places today."""
