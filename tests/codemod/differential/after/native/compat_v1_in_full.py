"""TensorFlow's own compat.v1, spelled out."""

import tf1mem
import tensorflow as tf

tf.compat.v1.disable_eager_execution()
gpu_options = tf.compat.v1.GPUOptions(per_process_gpu_memory_fraction=0.6, allow_growth=True)
sess = tf.compat.v1.Session(config=tf1mem.apply(tf.compat.v1.ConfigProto(gpu_options=gpu_options)))
print(sess.run(tf.constant(1)))
