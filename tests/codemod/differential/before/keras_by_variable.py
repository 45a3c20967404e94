"""Keras's set_session by K, with the Session in a variable."""

import tensorflow as tf
from tensorflow.keras import backend as K

config = tf.ConfigProto(allow_soft_placement=True)
sess = tf.Session(config=config)
K.set_session(sess)
model = tf.keras.models.Sequential([tf.keras.layers.Dense(1, input_shape=(2,))])
print([weights.shape for weights in model.get_weights()])
