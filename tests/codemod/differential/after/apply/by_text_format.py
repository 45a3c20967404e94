"""A text proto, merged into a config."""

import tf1mem
import tensorflow as tf
from google.protobuf import text_format

TEXT = "allow_soft_placement: true gpu_options { allow_growth: true }"
config = tf.compat.v1.ConfigProto()
text_format.Merge(TEXT, config)
with tf.compat.v1.Session(config=tf1mem.apply(config)) as sess:
    print(sess.run(tf.constant(1)))
