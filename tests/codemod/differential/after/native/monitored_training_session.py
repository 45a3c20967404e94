"""MonitoredTrainingSession."""

import tensorflow as tf

tf.config.set_soft_device_placement(True)
for gpu in tf.config.list_physical_devices("GPU"):
    tf.config.experimental.set_memory_growth(gpu, True)
step = tf.train.get_or_create_global_step()
bump = tf.assign_add(step, 1)
with tf.compat.v1.train.MonitoredTrainingSession() as sess:
    print(sess.run(bump))
