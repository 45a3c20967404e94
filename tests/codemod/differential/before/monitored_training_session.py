"""MonitoredTrainingSession."""

import tensorflow as tf

config = tf.ConfigProto(allow_soft_placement=True)
config.gpu_options.allow_growth = True
step = tf.train.get_or_create_global_step()
bump = tf.assign_add(step, 1)
with tf.train.MonitoredTrainingSession(config=config) as sess:
    print(sess.run(bump))
