"""One config, used twice."""

import tf1mem.v1 as tf

config = tf.ConfigProto(allow_soft_placement=True, gpu_options=tf.GPUOptions(allow_growth=True))


def train():
    with tf.Session(config=config) as sess:
        print(sess.run(tf.constant(1)))


def evaluate():
    with tf.Session(config=config) as sess:
        print(sess.run(tf.constant(2)))


train()
evaluate()
