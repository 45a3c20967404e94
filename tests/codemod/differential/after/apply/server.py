"""A server, and a Session by its address."""

import tf1mem
import tensorflow as tf

config = tf.compat.v1.ConfigProto(allow_soft_placement=True)
config.gpu_options.allow_growth = True
server = tf.compat.v1.train.Server({"local": ["localhost:0"]}, protocol="grpc", config=tf1mem.apply(config), start=True)
with tf.compat.v1.Session(server.target, config=tf1mem.apply(config)) as sess:
    print(sess.run(tf.constant(1)))
