"""A Session of its own graph, and one by an address."""

import tensorflow as tf

graph = tf.Graph()
with graph.as_default():
    one = tf.constant(1)
config = tf.ConfigProto(device_count={"CPU": 1})
with tf.Session(graph=graph, config=config) as sess:
    print(sess.run(one))
with tf.Session("", graph, config=config) as sess:
    print(sess.run(one))
