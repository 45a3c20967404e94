"""A Session that is made only so that its options take effect."""

import tf1mem
import tensorflow as tf

config = tf.compat.v1.ConfigProto()
config.gpu_options.allow_growth = True
tf1mem.apply(config)
with tf.compat.v1.Session() as sess:
    print(sess.run(tf.constant(1)))
