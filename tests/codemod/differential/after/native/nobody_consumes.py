"""A config that nobody is given: it stays dead."""

import tensorflow as tf

config = tf.compat.v1.ConfigProto()
config.gpu_options.per_process_gpu_memory_fraction = 0.1
with tf.compat.v1.Session() as sess:
    print(sess.run(tf.constant(1)))
