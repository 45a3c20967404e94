"""Keras's set_session by K, with the Session in a variable."""

import tf1mem
import tensorflow as tf

config = tf.compat.v1.ConfigProto(allow_soft_placement=True)
tf1mem.apply(config)
model = tf.keras.models.Sequential([tf.keras.layers.Dense(1, input_shape=(2,))])
print([weights.shape for weights in model.get_weights()])
