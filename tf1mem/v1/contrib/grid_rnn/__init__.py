"""tf.contrib.grid_rnn: cells that are a grid of cells, one along each dimension."""
