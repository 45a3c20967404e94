"""Writes saved.h5, a model of standalone Keras, and prints its output: run with Keras 2.2.5 on TensorFlow 1.15.5."""

import numpy as np
from keras.layers import LSTM, Dense, Input
from keras.models import Model

x = Input((3, 2))
model = Model(x, Dense(1, kernel_regularizer="l2")(LSTM(3)(x)))
model.set_weights([np.cos(np.arange(weight.size)).reshape(weight.shape) for weight in model.get_weights()])
model.compile("rmsprop", "mse")
model.save("saved.h5")
print(model.predict(np.ones((1, 3, 2))))
