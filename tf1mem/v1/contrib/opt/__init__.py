"""Optimizers beside those of tf.train, and wrappers of optimizers, as tf.contrib.opt had them."""
