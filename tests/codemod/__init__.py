"""The codemod's tests; generating.py makes the names of TensorFlow that it knows."""
