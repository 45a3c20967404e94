"""Keywords alone, given in place."""

import tensorflow as tf

tf.config.set_soft_device_placement(True)
with tf.compat.v1.Session() as sess:
    print(sess.run(tf.constant(1)))
