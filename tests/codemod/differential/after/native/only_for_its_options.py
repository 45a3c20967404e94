"""A Session that is made only so that its options take effect."""

import tensorflow as tf

for gpu in tf.config.list_physical_devices("GPU"):
    tf.config.experimental.set_memory_growth(gpu, True)
with tf.compat.v1.Session() as sess:
    print(sess.run(tf.constant(1)))
