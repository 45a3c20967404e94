"""A config for eager ops."""

import tensorflow as tf

tf.config.set_soft_device_placement(True)
for gpu in tf.config.list_physical_devices("GPU"):
    tf.config.experimental.set_memory_growth(gpu, True)
tf.compat.v1.enable_eager_execution()
print(tf.reduce_sum([1, 2], keep_dims=True).numpy())
