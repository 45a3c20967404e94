"""An empty config, then attributes; a Session in a variable."""

import tensorflow as tf

tf.config.set_soft_device_placement(False)
for gpu in tf.config.list_physical_devices("GPU"):
    tf.config.experimental.set_memory_growth(gpu, True)
sess = tf.compat.v1.Session()
total = tf.reduce_sum(tf.constant([[1.0, 2.0]]), reduction_indices=1)
print(sess.run(total))
sess.close()
