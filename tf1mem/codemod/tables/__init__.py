"""Tables of TensorFlow's names, by version."""
