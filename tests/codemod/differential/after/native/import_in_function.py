"""TensorFlow imported in functions."""


def main():
    import tensorflow as tf

    tf.config.set_soft_device_placement(False)
    gpus = tf.config.list_physical_devices("GPU")
    if gpus:
        tf.config.set_visible_devices(gpus[0], "GPU")
    with tf.compat.v1.Session() as sess:
        print(sess.run(tf.constant(1)))


main()
