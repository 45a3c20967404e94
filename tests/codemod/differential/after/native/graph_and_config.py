"""A Session of its own graph, and one by an address."""

import tensorflow as tf

graph = tf.Graph()
with graph.as_default():
    one = tf.constant(1)
tf.config.set_soft_device_placement(False)
with tf.compat.v1.Session(graph=graph) as sess:
    print(sess.run(one))
with tf.compat.v1.Session("", graph) as sess:
    print(sess.run(one))
