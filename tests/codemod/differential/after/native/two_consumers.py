"""One config, used twice."""

import tensorflow as tf

for gpu in tf.config.list_physical_devices("GPU"):
    tf.config.experimental.set_memory_growth(gpu, True)
tf.config.set_soft_device_placement(True)


def train():
    with tf.compat.v1.Session() as sess:
        print(sess.run(tf.constant(1)))


def evaluate():
    with tf.compat.v1.Session() as sess:
        print(sess.run(tf.constant(2)))


train()
evaluate()
