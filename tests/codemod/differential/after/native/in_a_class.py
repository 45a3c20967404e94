"""A config and a Session in attributes of a class."""

import tf1mem
import tensorflow as tf


class Model(object):
    def __init__(self, fraction=0.5):
        self.config = tf.compat.v1.ConfigProto(allow_soft_placement=True)
        self.config.gpu_options.per_process_gpu_memory_fraction = fraction
        self.sess = tf.compat.v1.Session(config=tf1mem.apply(self.config))

    def run(self):
        return self.sess.run(tf.constant(1))


print(Model().run())
