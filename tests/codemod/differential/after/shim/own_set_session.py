"""A set_session of the program's own, which isn't taken for Keras's: its call stays."""

import tf1mem.v1 as tf


class Runner(object):
    def set_session(self, sess):
        self.sess = sess

    def start(self):
        config = tf.ConfigProto()
        config.gpu_options.allow_growth = True
        self.set_session(tf.Session(config=config))
        return self.sess.run(tf.constant(1))


print(Runner().start())
