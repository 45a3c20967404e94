"""A helper that returns a Session, with its config as a default argument."""

import tf1mem
import tensorflow as tf


def make_session(config=tf.compat.v1.ConfigProto(allow_soft_placement=True)):
    return tf.compat.v1.Session(config=tf1mem.apply(config))


sess = make_session()
with sess.as_default():
    print(tf.constant(1).eval())
