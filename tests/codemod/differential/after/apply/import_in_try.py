"""TensorFlow imported in a try, and version tests."""

import tf1mem
try:
    import tensorflow as tf
except ImportError:
    tf = None

if tf is not None:
    config = tf.compat.v1.ConfigProto(log_device_placement=False)
    config.gpu_options.allow_growth = True
    session = tf.compat.v1.Session(config=tf1mem.apply(config))
    print(session.run(tf.constant(1)))
