"""Layers, with the variables, scopes and collections of TensorFlow 1: what tf.contrib.layers has."""
