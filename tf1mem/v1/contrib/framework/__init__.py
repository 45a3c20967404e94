"""tf.contrib.framework: scopes of default arguments, variables and their checkpoints, small checks of tensors."""
