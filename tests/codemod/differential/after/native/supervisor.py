"""A Supervisor's Sessions."""

import tensorflow as tf

tf.config.set_soft_device_placement(True)
for gpu in tf.config.list_physical_devices("GPU"):
    tf.config.experimental.set_memory_growth(gpu, True)
tensor = tf.constant(1)
supervisor = tf.train.Supervisor(logdir=None)
with supervisor.managed_session() as sess:
    print(sess.run(tensor))
sess = tf.train.Supervisor(logdir=None).prepare_or_wait_for_session()
print(sess.run(tensor))
