"""tf.contrib.rnn: cells, their wrappers, and stacked bidirectional nets."""
