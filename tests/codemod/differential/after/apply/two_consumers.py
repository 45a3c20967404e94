"""One config, used twice."""

import tf1mem
import tensorflow as tf

config = tf.compat.v1.ConfigProto(allow_soft_placement=True, gpu_options=tf.compat.v1.GPUOptions(allow_growth=True))


def train():
    with tf.compat.v1.Session(config=tf1mem.apply(config)) as sess:
        print(sess.run(tf.constant(1)))


def evaluate():
    with tf.compat.v1.Session(config=tf1mem.apply(config)) as sess:
        print(sess.run(tf.constant(2)))


train()
evaluate()
