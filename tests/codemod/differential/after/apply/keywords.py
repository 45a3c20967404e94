"""Keywords alone, given in place."""

import tf1mem
import tensorflow as tf

with tf.compat.v1.Session(config=tf1mem.apply(tf.compat.v1.ConfigProto(allow_soft_placement=True, log_device_placement=False))) as sess:
    print(sess.run(tf.constant(1)))
