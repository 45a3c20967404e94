"""GPU options in a variable of their own."""

import tf1mem
import tensorflow as tf

gpu_options = tf.compat.v1.GPUOptions(per_process_gpu_memory_fraction=0.8)
sess = tf.compat.v1.Session(config=tf1mem.apply(tf.compat.v1.ConfigProto(gpu_options=gpu_options)))
print(sess.run(tf.constant(1)))
