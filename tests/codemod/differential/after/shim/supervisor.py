"""A Supervisor's Sessions."""

import tf1mem.v1 as tf

config = tf.ConfigProto(allow_soft_placement=True)
config.gpu_options.allow_growth = True
one = tf.constant(1)
supervisor = tf.train.Supervisor(logdir=None)
with supervisor.managed_session(config=config) as sess:
    print(sess.run(one))
sess = tf.train.Supervisor(logdir=None).prepare_or_wait_for_session(config=config)
print(sess.run(one))
