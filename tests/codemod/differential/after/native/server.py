"""A server, and a Session by its address."""

import tensorflow as tf

for gpu in tf.config.list_physical_devices("GPU"):
    tf.config.experimental.set_memory_growth(gpu, True)
config = tf.compat.v1.ConfigProto(allow_soft_placement=True)
config.gpu_options.allow_growth = True
server = tf.compat.v1.train.Server({"local": ["localhost:0"]}, protocol="grpc", config=config, start=True)
with tf.compat.v1.Session(server.target, config=config) as sess:
    print(sess.run(tf.constant(1)))
