"""GPU options in a variable of their own."""

import tf1mem.v1 as tf

gpu_options = tf.GPUOptions(per_process_gpu_memory_fraction=0.8)
sess = tf.Session(config=tf.ConfigProto(gpu_options=gpu_options))
print(sess.run(tf.constant(1)))
