"""A config for eager ops."""

import tensorflow as tf

config = tf.ConfigProto(allow_soft_placement=True)
config.gpu_options.allow_growth = True
tf.enable_eager_execution(config=config)
print(tf.reduce_sum([1, 2], keep_dims=True).numpy())
