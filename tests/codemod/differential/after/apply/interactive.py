"""An InteractiveSession."""

import tf1mem
import tensorflow as tf

config = tf.compat.v1.ConfigProto()
config.gpu_options.per_process_gpu_memory_fraction = 0.3
sess = tf.compat.v1.InteractiveSession(config=tf1mem.apply(config))
print(tf.constant(1).eval())
sess.close()
