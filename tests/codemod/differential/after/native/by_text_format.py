"""A text proto, merged into a config."""

import tensorflow as tf
from google.protobuf import text_format

TEXT = "allow_soft_placement: true gpu_options { allow_growth: true }"
config = tf.ConfigProto()
text_format.Merge(TEXT, config)
with tf.Session(config=config) as sess:
    print(sess.run(tf.constant(1)))
