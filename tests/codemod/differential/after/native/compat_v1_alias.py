"""TensorFlow's own compat.v1, by an alias."""

import tensorflow.compat.v1 as tf

tf.disable_v2_behavior()
tf.config.set_soft_device_placement(True)
for gpu in tf.config.list_physical_devices("GPU"):
    tf.config.experimental.set_memory_growth(gpu, True)
with tf.Session() as sess:
    print(sess.run(tf.placeholder_with_default(1, [])))
