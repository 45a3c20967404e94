"""A config, and a field of it, under an if."""

import sys

import tf1mem
import tensorflow as tf

GROW = len(sys.argv) > 0
if GROW:
    config = tf.compat.v1.ConfigProto(allow_soft_placement=True)
    if config.allow_soft_placement:
        config.gpu_options.allow_growth = True
else:
    config = None
with tf.compat.v1.Session(config=tf1mem.apply(config) if config is not None else None) as sess:
    print(sess.run(tf.constant(1)))
