"""A config, and a field of it, under an if."""

import sys

import tensorflow as tf

GROW = len(sys.argv) > 0
if GROW:
    config = tf.ConfigProto(allow_soft_placement=True)
    if config.allow_soft_placement:
        config.gpu_options.allow_growth = True
else:
    config = None
with tf.Session(config=config) as sess:
    print(sess.run(tf.constant(1)))
