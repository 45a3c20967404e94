"""MonitoredSession with a creator, and SingularMonitoredSession."""

import tf1mem
import tensorflow as tf

config = tf.compat.v1.ConfigProto(intra_op_parallelism_threads=2)
tf.train.get_or_create_global_step()
tensor = tf.constant(1)
with tf.train.MonitoredSession(session_creator=tf.compat.v1.train.ChiefSessionCreator(config=tf1mem.apply(config))) as sess:
    print(sess.run(tensor))
with tf.compat.v1.train.SingularMonitoredSession(config=tf1mem.apply(config)) as sess:
    print(sess.run(tensor))
