"""A Supervisor's Sessions."""

import tf1mem
import tensorflow as tf

config = tf.compat.v1.ConfigProto(allow_soft_placement=True)
config.gpu_options.allow_growth = True
tensor = tf.constant(1)
supervisor = tf.train.Supervisor(logdir=None)
with supervisor.managed_session(config=tf1mem.apply(config)) as sess:
    print(sess.run(tensor))
sess = tf.train.Supervisor(logdir=None).prepare_or_wait_for_session(config=tf1mem.apply(config))
print(sess.run(tensor))
