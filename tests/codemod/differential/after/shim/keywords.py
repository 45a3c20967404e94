"""Keywords alone, given in place."""

import tf1mem.v1 as tf

with tf.Session(config=tf.ConfigProto(allow_soft_placement=True, log_device_placement=False)) as sess:
    print(sess.run(tf.constant(1)))
