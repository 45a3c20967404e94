"""Growth and a fraction at once: memory grows as needed, but never beyond a share of the GPU."""
import tensorflow as tf

flags = tf.app.flags
flags.DEFINE_float("gpu_fraction", 0.4, "Upper bound on the share of GPU memory to use.")
flags.DEFINE_boolean("allow_growth", True, "Take memory as it is needed.")
FLAGS = flags.FLAGS


def main(_):
    config = tf.ConfigProto(
        allow_soft_placement=True,
        gpu_options=tf.GPUOptions(
            per_process_gpu_memory_fraction=FLAGS.gpu_fraction,
            allow_growth=FLAGS.allow_growth))

    with tf.Graph().as_default(), tf.Session(config=config) as sess:
        images = tf.random_normal([16, 32, 32, 3], seed=0)
        filters = tf.get_variable("filters", [3, 3, 3, 8], initializer=tf.glorot_uniform_initializer(seed=0))
        conv = tf.nn.relu(tf.nn.conv2d(images, filters, strides=[1, 1, 1, 1], padding="SAME"))
        pooled = tf.nn.max_pool(conv, ksize=[1, 2, 2, 1], strides=[1, 2, 2, 1], padding="SAME")
        sess.run(tf.global_variables_initializer())
        print("conv features:", sess.run(pooled).shape)
        tf.logging.set_verbosity(tf.logging.INFO)
        tf.logging.info("gpu_fraction=%s allow_growth=%s", FLAGS.gpu_fraction, FLAGS.allow_growth)
        for device in sess.list_devices():
            print("%-50s %8d MiB" % (device.name, device.memory_limit_bytes / 1024 / 1024))


if __name__ == "__main__":
    tf.app.run()
