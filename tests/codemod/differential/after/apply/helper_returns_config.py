"""A helper that returns a config."""

import tf1mem
import tensorflow as tf


def get_config(growth=True):
    config = tf.compat.v1.ConfigProto(log_device_placement=False)
    config.gpu_options.allow_growth = growth
    return config


with tf.compat.v1.Session(config=tf1mem.apply(get_config())) as sess:
    print(sess.run(tf.constant(1)))
