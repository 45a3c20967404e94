"""A helper that returns a Session, with its config as a default argument."""

import tensorflow as tf


def make_session(config=tf.ConfigProto(allow_soft_placement=True)):
    return tf.Session(config=config)


sess = make_session()
with sess.as_default():
    print(tf.constant(1).eval())
