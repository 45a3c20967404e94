"""A config for eager ops."""

import tf1mem
import tensorflow as tf

config = tf.compat.v1.ConfigProto(allow_soft_placement=True)
config.gpu_options.allow_growth = True
tf1mem.apply(config)
tf.enable_eager_execution()
print(tf.reduce_sum([1, 2], keep_dims=True).numpy())
