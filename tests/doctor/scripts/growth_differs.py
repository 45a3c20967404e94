"""Sets growth for one GPU of two."""

import tensorflow as tf

gpus = tf.config.experimental.list_physical_devices("GPU")
tf.config.experimental.set_memory_growth(gpus[0], True)


def build():
    return tf.random.uniform([8])


build()
