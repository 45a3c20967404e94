"""MonitoredSession with a creator, and SingularMonitoredSession."""

import tf1mem.v1 as tf

config = tf.ConfigProto(intra_op_parallelism_threads=2)
tf.train.get_or_create_global_step()
tensor = tf.constant(1)
with tf.train.MonitoredSession(session_creator=tf.train.ChiefSessionCreator(config=config)) as sess:
    print(sess.run(tensor))
with tf.train.SingularMonitoredSession(config=config) as sess:
    print(sess.run(tensor))
