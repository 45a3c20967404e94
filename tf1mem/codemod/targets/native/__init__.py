"""Target native: a config, read from the source and planned whole, becomes TensorFlow 2's own calls."""
