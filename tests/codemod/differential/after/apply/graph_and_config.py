"""A Session with a graph of its own, and a Session whose target is passed by position."""

import tf1mem
import tensorflow as tf

graph = tf.Graph()
with graph.as_default():
    tensor = tf.constant(1)
config = tf.compat.v1.ConfigProto(device_count={"CPU": 1})
with tf.compat.v1.Session(graph=graph, config=tf1mem.apply(config)) as sess:
    print(sess.run(tensor))
with tf.compat.v1.Session("", graph, config=tf1mem.apply(config)) as sess:
    print(sess.run(tensor))
