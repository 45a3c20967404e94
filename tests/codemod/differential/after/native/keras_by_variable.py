"""Keras's set_session by K, with the Session in a variable."""

import tensorflow as tf

tf.config.set_soft_device_placement(True)
model = tf.keras.models.Sequential([tf.keras.layers.Dense(1, input_shape=(2,))])
print([weights.shape for weights in model.get_weights()])
