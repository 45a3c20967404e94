"""tf.contrib.nn: dropout for self-normalizing nets, losses over samples of classes, and a softplus with a scale."""
