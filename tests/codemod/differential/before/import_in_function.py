"""TensorFlow imported in functions."""


def main():
    import tensorflow as tf

    config = tf.ConfigProto()
    config.gpu_options.visible_device_list = str(0)
    with tf.Session(config=config) as sess:
        print(sess.run(tf.constant(1)))


main()
