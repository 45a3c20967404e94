"""MonitoredTrainingSession."""

import tf1mem
import tensorflow as tf

config = tf.compat.v1.ConfigProto(allow_soft_placement=True)
config.gpu_options.allow_growth = True
step = tf.train.get_or_create_global_step()
bump = tf.assign_add(step, 1)
with tf.compat.v1.train.MonitoredTrainingSession(config=tf1mem.apply(config)) as sess:
    print(sess.run(bump))
