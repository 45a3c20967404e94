"""tf.contrib.training: hyperparameters, loops that train and evaluate, queues that bucket and sample."""
