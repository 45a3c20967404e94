"""tf.contrib.slim: the names of contrib.layers and contrib.framework's variables, with loops, data sets and nets."""
