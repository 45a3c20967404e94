"""A Session with a graph of its own, and a Session whose target is passed by position."""

import tensorflow as tf

graph = tf.Graph()
with graph.as_default():
    tensor = tf.constant(1)
tf.config.set_soft_device_placement(False)
with tf.compat.v1.Session(graph=graph) as sess:
    print(sess.run(tensor))
with tf.compat.v1.Session("", graph) as sess:
    print(sess.run(tensor))
