"""Keywords from a dict."""

import tensorflow as tf

opts = {"intra_op_parallelism_threads": 2, "inter_op_parallelism_threads": 1, "allow_soft_placement": True}
config = tf.ConfigProto(**opts)
with tf.Session(config=config) as sess:
    print(sess.run(tf.constant(1)))
