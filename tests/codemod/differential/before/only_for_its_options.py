"""A Session that is made only so that its options take effect."""

import tensorflow as tf

config = tf.ConfigProto()
config.gpu_options.allow_growth = True
tf.Session(config=config)
with tf.Session() as sess:
    print(sess.run(tf.constant(1)))
