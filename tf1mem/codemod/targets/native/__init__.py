"""Target native: replaces a ConfigProto by TensorFlow 2's own calls (`tf.config`), as a whole or not at all."""
