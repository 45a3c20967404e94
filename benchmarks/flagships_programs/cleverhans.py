"""Runs cleverhans' tutorial with TensorFlow on the data of `flagships_data.mnist`, instead of a download."""

import tempfile

tempfile.tempdir = "data"  # where the tutorial looks for MNIST

from cleverhans_tutorials.mnist_tutorial_tf import mnist_tutorial  # noqa: E402

mnist_tutorial(train_end=640, test_end=64, nb_epochs=3, batch_size=64, nb_filters=8)
