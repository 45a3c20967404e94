"""Keywords from a dict."""

import tf1mem
import tensorflow as tf

opts = {"intra_op_parallelism_threads": 2, "inter_op_parallelism_threads": 1, "allow_soft_placement": True}
config = tf.compat.v1.ConfigProto(**opts)
with tf.compat.v1.Session(config=tf1mem.apply(config)) as sess:
    print(sess.run(tf.constant(1)))
