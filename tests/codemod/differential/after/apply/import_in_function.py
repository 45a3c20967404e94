"""TensorFlow imported in functions."""


def main():
    import tf1mem
    import tensorflow as tf

    config = tf.compat.v1.ConfigProto()
    config.gpu_options.visible_device_list = str(0)
    with tf.compat.v1.Session(config=tf1mem.apply(config)) as sess:
        print(sess.run(tf.constant(1)))


main()
