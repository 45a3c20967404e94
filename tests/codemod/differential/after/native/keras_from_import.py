"""Keras's set_session by its own name, imported in a function."""

import tensorflow as tf


def limit_memory(fraction):
    from tensorflow.keras.backend import set_session

    gpu_options = tf.GPUOptions(per_process_gpu_memory_fraction=fraction)
    set_session(tf.Session(config=tf.ConfigProto(gpu_options=gpu_options)))


limit_memory(0.25)
model = tf.keras.models.Sequential([tf.keras.layers.Dense(1, input_shape=(2,))])
print([weights.shape for weights in model.get_weights()])
