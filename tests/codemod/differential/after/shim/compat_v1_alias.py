"""TensorFlow's own compat.v1, by an alias."""

import tf1mem.v1 as tf

tf.disable_v2_behavior()
config = tf.ConfigProto(allow_soft_placement=True)
config.gpu_options.allow_growth = True
with tf.Session(config=config) as sess:
    print(sess.run(tf.placeholder_with_default(1, [])))
