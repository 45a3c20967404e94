"""TensorFlow 1's own modules, `tensorflow.python.…`: what programs found there, and where it is now."""
