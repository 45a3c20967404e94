"""A Session with a graph of its own, and a Session whose target is passed by position."""

import tensorflow as tf

graph = tf.Graph()
with graph.as_default():
    tensor = tf.constant(1)
config = tf.ConfigProto(device_count={"CPU": 1})
with tf.Session(graph=graph, config=config) as sess:
    print(sess.run(tensor))
with tf.Session("", graph, config=config) as sess:
    print(sess.run(tensor))
