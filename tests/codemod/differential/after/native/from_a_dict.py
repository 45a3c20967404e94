"""Keywords from a dict."""

import tensorflow as tf

tf.config.set_soft_device_placement(True)
tf.config.threading.set_intra_op_parallelism_threads(2)
tf.config.threading.set_inter_op_parallelism_threads(1)
with tf.compat.v1.Session() as sess:
    print(sess.run(tf.constant(1)))
