"""GPU options in place, with growth and a fraction on one config, and Windows line ends."""

import tf1mem
import tensorflow as tf

config = tf.compat.v1.ConfigProto(
    gpu_options=tf.compat.v1.GPUOptions(allow_growth=True, per_process_gpu_memory_fraction=0.4),  # both
    allow_soft_placement=True,
)
with tf.compat.v1.Session(config=tf1mem.apply(config)) as sess:
    print(sess.run(tf.constant(1)))
