"""tf.contrib.distribute: strategies that are told how many GPUs there are."""
