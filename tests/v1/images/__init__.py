"""Keras's transformations of images and texts, compared with those of TensorFlow 1.15.5."""
