"""Makes Sessions with different lists of GPUs after a call of tf.config; then allocates too much memory."""

import tensorflow as tf

v1 = tf.compat.v1
tf.config.experimental.set_memory_growth(tf.config.experimental.list_physical_devices("GPU")[0], True)


def session(gpus, fraction):
    options = v1.GPUOptions(visible_device_list=gpus, per_process_gpu_memory_fraction=fraction)
    return v1.Session(config=v1.ConfigProto(gpu_options=options))


with tf.Graph().as_default():
    shape = v1.placeholder(tf.int32, [1])
    filled = tf.fill(shape, 1.0)
    first = session("0", 0.125)
    try:
        session("1", 0.5)
    except tf.errors.OpError as error:
        print(type(error).__name__)
    first.run(filled, {shape: [2**29]})
