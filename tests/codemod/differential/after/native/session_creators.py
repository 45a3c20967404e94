"""MonitoredSession with a creator, and SingularMonitoredSession."""

import tensorflow as tf

tf.config.set_soft_device_placement(False)
tf.config.threading.set_intra_op_parallelism_threads(2)
tf.train.get_or_create_global_step()
tensor = tf.constant(1)
with tf.train.MonitoredSession(session_creator=tf.compat.v1.train.ChiefSessionCreator()) as sess:
    print(sess.run(tensor))
with tf.compat.v1.train.SingularMonitoredSession() as sess:
    print(sess.run(tensor))
