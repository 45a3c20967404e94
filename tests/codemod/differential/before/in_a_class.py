"""A config and a Session in attributes of a class."""

import tensorflow as tf


class Model(object):
    def __init__(self, fraction=0.5):
        self.config = tf.ConfigProto(allow_soft_placement=True)
        self.config.gpu_options.per_process_gpu_memory_fraction = fraction
        self.sess = tf.Session(config=self.config)

    def run(self):
        return self.sess.run(tf.constant(1))


print(Model().run())
