"""A server, and a Session by its address."""

import tensorflow as tf

config = tf.ConfigProto(allow_soft_placement=True)
config.gpu_options.allow_growth = True
server = tf.train.Server({"local": ["localhost:0"]}, protocol="grpc", config=config, start=True)
with tf.Session(server.target, config=config) as sess:
    print(sess.run(tf.constant(1)))
