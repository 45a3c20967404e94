"""A Supervisor's Sessions."""

import tf1mem.v1 as tf

config = tf.ConfigProto(allow_soft_placement=True)
config.gpu_options.allow_growth = True
tensor = tf.constant(1)
supervisor = tf.train.Supervisor(logdir=None)
with supervisor.managed_session(config=config) as sess:
    print(sess.run(tensor))
sess = tf.train.Supervisor(logdir=None).prepare_or_wait_for_session(config=config)
print(sess.run(tensor))
