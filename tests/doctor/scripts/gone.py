"""A TensorFlow 1 program, whose names TensorFlow 2 lacks."""

import tensorflow as tf

config = tf.ConfigProto()
config.gpu_options.allow_growth = True
with tf.Session(config=config) as session:
    print(session.run(tf.constant(2.0)))
