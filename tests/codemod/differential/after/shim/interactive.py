"""An InteractiveSession."""

import tf1mem.v1 as tf

config = tf.ConfigProto()
config.gpu_options.per_process_gpu_memory_fraction = 0.3
sess = tf.InteractiveSession(config=config)
print(tf.constant(1).eval())
sess.close()
