"""Copying ops and variables from one graph to another, as tf.contrib.copy_graph had it."""
