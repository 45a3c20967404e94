"""A set_session of the program's own, which isn't taken for Keras's: its call stays."""

import tensorflow as tf


class Runner(object):
    def set_session(self, sess):
        self.sess = sess

    def start(self):
        tf.config.set_soft_device_placement(False)
        for gpu in tf.config.list_physical_devices("GPU"):
            tf.config.experimental.set_memory_growth(gpu, True)
        self.set_session(tf.compat.v1.Session())
        return self.sess.run(tf.constant(1))


print(Runner().start())
