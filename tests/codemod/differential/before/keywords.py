"""Keywords alone, given in place."""

import tensorflow as tf

with tf.Session(config=tf.ConfigProto(allow_soft_placement=True, log_device_placement=False)) as sess:
    print(sess.run(tf.constant(1)))
