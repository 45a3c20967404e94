"""TensorFlow imported in functions."""


def main():
    import tf1mem.v1 as tf

    config = tf.ConfigProto()
    config.gpu_options.visible_device_list = str(0)
    with tf.Session(config=config) as sess:
        print(sess.run(tf.constant(1)))


main()
