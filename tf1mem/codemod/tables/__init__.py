"""What TensorFlow's names are in which version."""
