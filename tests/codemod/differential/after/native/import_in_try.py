"""TensorFlow imported in a try, and version tests."""

try:
    import tensorflow as tf
except ImportError:
    tf = None

if tf is not None:
    tf.config.set_soft_device_placement(False)
    for gpu in tf.config.list_physical_devices("GPU"):
        tf.config.experimental.set_memory_growth(gpu, True)
    session = tf.compat.v1.Session()
    print(session.run(tf.constant(1)))
