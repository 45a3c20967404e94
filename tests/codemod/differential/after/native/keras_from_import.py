"""Keras's set_session by its own name, imported in a function."""

import tf1mem
import tensorflow as tf


def limit_memory(fraction):

    gpu_options = tf.compat.v1.GPUOptions(per_process_gpu_memory_fraction=fraction)
    tf1mem.apply(tf.compat.v1.ConfigProto(gpu_options=gpu_options))


limit_memory(0.25)
model = tf.keras.models.Sequential([tf.keras.layers.Dense(1, input_shape=(2,))])
print([weights.shape for weights in model.get_weights()])
