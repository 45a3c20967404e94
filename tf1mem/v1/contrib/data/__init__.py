"""Transformations of data sets that tf.data has under other names, or can say in a line."""
