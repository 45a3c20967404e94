"""Keras's set_session, with a Session that exists for it alone."""

import tf1mem
import tf1mem.v1 as tf

config = tf.ConfigProto()
config.gpu_options.allow_growth = True
tf1mem.apply(config)
model = tf.keras.models.Sequential([tf.keras.layers.Dense(1, input_shape=(2,))])
print([weights.shape for weights in model.get_weights()])
