"""TensorFlow imported in a try, and version tests."""

try:
    import tensorflow as tf
except ImportError:
    tf = None

if tf is not None:
    config = tf.ConfigProto(log_device_placement=False)
    config.gpu_options.allow_growth = True
    session = tf.Session(config=config)
    print(session.run(tf.constant(1)))
