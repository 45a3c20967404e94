"""An empty config, then attributes; a Session in a variable."""

import tf1mem
import tensorflow as tf

config = tf.compat.v1.ConfigProto()
config.gpu_options.allow_growth = True
sess = tf.compat.v1.Session(config=tf1mem.apply(config))
total = tf.reduce_sum(tf.constant([[1.0, 2.0]]), reduction_indices=1)
print(sess.run(total))
sess.close()
