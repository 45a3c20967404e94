"""Prints what Keras makes of Keras 1's calls, as JSON: a program for standalone Keras, run on both sides.

`python idioms.py > recorded.json` with Keras 2.2.5 and TensorFlow 1.15.5 records what the test compares with.
"""

# ruff: noqa: F405 - as programs of the time were written

import json
import sys

import numpy as np
from keras import backend as K
from keras import objectives
from keras.backend.tensorflow_backend import set_image_dim_ordering
from keras.constraints import maxnorm  # noqa: F401
from keras.engine.topology import Layer  # noqa: F401
from keras.layers import *  # noqa: F403
from keras.layers.convolutional import Convolution2D as OfFile  # noqa: F401
from keras.layers.core import Dense as DenseOfFile  # noqa: F401
from keras.models import Model
from keras.regularizers import l2  # noqa: F401
from keras.utils.np_utils import to_categorical

CALLS = """
Dense(output_dim=3, init="he_normal", W_regularizer=l2(0.5), b_regularizer=l2(0.25), W_constraint=maxnorm(2), bias=True)
Dense(3, init="uniform", bias=False, b_constraint=maxnorm(3), activation="relu")
Dense(3, init="normal")
Dense(3, init="zero")
Dense(3, init="one")
DenseOfFile(3, init="glorot_normal")
Convolution1D(4, 3, border_mode="same", subsample_length=2, init="lecun_uniform")
Convolution1D(nb_filter=4, filter_length=3, input_dim=5, input_length=7)
Convolution2D(32, 3, 3)
Convolution2D(32, 3, 5, border_mode="same", subsample=(2, 1), dim_ordering="tf", init="he_uniform", bias=False)
Convolution2D(nb_filter=8, nb_row=2, nb_col=3, W_regularizer=l2(0.5))
Convolution2D(8, 2, nb_col=3)
Convolution2D(8, nb_row=2, nb_col=3)
Convolution2D(8, (2, 3), padding="same")
OfFile(8, 2, 3, activation="tanh")
Conv2D(8, 2, 3, dim_ordering="default")
Convolution3D(4, 2, 3, 4, subsample=(1, 2, 1))
Convolution3D(nb_filter=4, kernel_dim1=1, kernel_dim2=2, kernel_dim3=3, border_mode="same")
Convolution3D(4, 2, 3, kernel_dim3=4)
Deconvolution2D(8, 2, 3, output_shape=(None, 4, 4, 8), subsample=(2, 2), border_mode="same")
Deconvolution2D(8, 2, 3, (None, 4, 4, 8))
SeparableConv2D(8, 3, 3, init="he_normal", border_mode="same", b_regularizer=l2(0.5))
LocallyConnected1D(4, 3, subsample_length=2)
LocallyConnected2D(4, 3, 2, subsample=(2, 2))
MaxPooling1D(pool_length=3, stride=2, border_mode="same")
AveragePooling1D(pool_length=3)
MaxPooling2D(pool_size=(3, 3), strides=(2, 2), border_mode="same", dim_ordering="tf")
MaxPooling2D((2, 3), border_mode="same")
AveragePooling2D(border_mode="same")
MaxPooling3D(border_mode="same", dim_ordering="default")
GlobalMaxPooling2D(dim_ordering="tf")
GlobalAveragePooling2D(dim_ordering="tf")
LSTM(output_dim=5, init="zero", inner_init="glorot_normal", inner_activation="sigmoid", dropout_W=0.5, dropout_U=0.5)
LSTM(5, forget_bias_init="one", consume_less="gpu", W_regularizer=l2(0.5), U_regularizer=l2(0.25), b_regularizer=l2(1))
LSTM(5, input_dim=3, input_length=7, consume_less="mem", forget_bias_init="one")
GRU(output_dim=5, inner_activation="sigmoid", dropout_W=0.25, consume_less="gpu")
SimpleRNN(output_dim=5, init="normal", inner_init="identity", dropout_U=0.5)
ConvLSTM2D(4, 3, 3, border_mode="same", inner_activation="sigmoid", dropout_W=0.25, forget_bias_init="one")
ConvLSTM2D(nb_filter=4, nb_row=3, nb_col=2, subsample=(2, 1), inner_init="glorot_uniform")
Dropout(p=0.25)
SpatialDropout1D(p=0.25)
SpatialDropout2D(p=0.25, dim_ordering="tf")
SpatialDropout3D(p=0.25)
GaussianNoise(sigma=0.5)
GaussianDropout(p=0.25)
Embedding(10, 4, init="normal", W_regularizer=l2(0.5), W_constraint=maxnorm(2), dropout=0.25)
BatchNormalization(mode=0, axis=-1, beta_init="one", gamma_init="zero")
PReLU(init="one")
LeakyReLU(0.25)
UpSampling1D(length=3)
UpSampling2D(size=(2, 3), dim_ordering="tf")
UpSampling3D(dim_ordering="tf")
ZeroPadding2D((1, 2), dim_ordering="tf")
ZeroPadding2D({"top_pad": 1, "left_pad": 2})
ZeroPadding3D(dim_ordering="tf")
Cropping2D(((1, 0), (2, 1)), dim_ordering="tf")
Cropping3D(dim_ordering="default")
AtrousConvolution1D(4, 3, atrous_rate=2, border_mode="same")
AtrousConvolution2D(4, 2, 3, atrous_rate=(2, 1), init="one")
MaxoutDense(3, nb_feature=2, W_regularizer=l2(0.5), b_constraint=maxnorm(2))
Highway(activation="tanh", init="he_normal", b_regularizer=l2(0.5), bias=False)
InputLayer((3,), input_dtype="float64")
BatchNormalization(mode=1)
Convolution2D(8, 2, 3, padding="same")
Dense(3, init="one", kernel_initializer="zeros")
Dense(3, no_such_argument=1)
"""

SCALES = {
    "GlorotNormal": (1.0, "fan_avg", "normal"),
    "GlorotUniform": (1.0, "fan_avg", "uniform"),
    "HeNormal": (2.0, "fan_in", "normal"),
    "HeUniform": (2.0, "fan_in", "uniform"),
    "LecunUniform": (1.0, "fan_in", "uniform"),
}


def made(call):
    try:
        layer = eval(call)
    except (TypeError, ValueError) as error:
        return "ValueError" if isinstance(error, ValueError) else "TypeError"
    config = layer.get_config()
    return {name: plain(config[name]) for name in sorted(config) if name not in ("name", "dtype")}


def plain(value):
    """Returns a value of a config, without what Keras's versions spell differently in initializers and regularizers."""
    if not isinstance(value, dict):
        return value
    name, config = value["class_name"], dict(value["config"], seed=None, dtype=None)
    if name in SCALES:
        name, config = "VarianceScaling", dict(config, **dict(zip(("scale", "mode", "distribution"), SCALES[name])))
    if name == "L2":
        name, config["l1"] = "L1L2", 0.0
    return [name, {key: config[key] for key in sorted(config)}]


def maxout_and_highway():
    """Returns the output and gradients of layers that Keras 2 no longer documented."""
    words = Input((4,))
    x = Flatten()(Embedding(5, 2)(words))
    x = MaxoutDense(5, nb_feature=3, W_regularizer="l2")(x)
    model = Model(input=words, output=Highway(activation="tanh")(Highway(bias=False)(x)))
    weights = np.random.RandomState(2)
    model.set_weights([weights.uniform(-1, 1, value.shape) for value in model.get_weights()])
    data = np.arange(12).reshape(3, 4) % 5
    # Not by training: with 1.15.5, Keras 2.2.5 may read weights for gradients after it has updated them.
    gradients = K.gradients(K.sum(K.square(model.output)), model.trainable_weights[1:])
    values = K.function([words], [model.output, *gradients])([data])
    return [np.ravel(value).tolist() for value in values]


class Decaying(Recurrent):
    """A recurrent layer as programs derived them, with a constant for all steps."""

    def __init__(self, units, **kwargs):
        self.units = units
        super().__init__(**kwargs)
        self.state_spec = InputSpec(shape=(None, units))

    def build(self, input_shape):
        first = input_shape[0] if isinstance(input_shape, list) else input_shape
        self.input_spec[0] = InputSpec(shape=tuple(first))
        self.states = [None]
        if self.stateful:
            self.reset_states()
        self.kernel = self.add_weight(shape=(3, self.units), initializer="ones", name="kernel")
        self.decay = self.add_weight(shape=(self.units, self.units), initializer="ones", name="decay")
        self.built = True

    def preprocess_input(self, inputs, training=None):
        return K.dot(inputs, self.kernel)

    def get_constants(self, inputs, training=None):
        return [K.constant(0.5)]

    def step(self, inputs, states):
        output = K.tanh(inputs + states[1] * K.dot(states[0], self.decay))
        return output, [output]


def recurrent():
    """Returns outputs of a derived recurrent layer, by the arguments of its constructor."""
    data = np.random.RandomState(3).uniform(-1, 1, (2, 4, 3))
    data[1, :2] = 0.0
    weights = [np.random.RandomState(4).uniform(-1, 1, shape) for shape in ((3, 2), (2, 2))]
    results = {}
    for text in ("return_sequences=True", "go_backwards=True, return_state=True", "unroll=True", "stateful=True"):
        layer = eval(f"Decaying(2, {text})")
        inputs = Input(batch_shape=(2, 4, 3))
        model = Model(input=inputs, output=layer(Masking()(inputs)))
        layer.set_weights(weights)
        first = model.predict(data)
        second = model.predict(data)
        if layer.stateful:
            layer.reset_states()
        values = [*(first if isinstance(first, list) else [first]), np.ravel(second), model.predict(data)]
        results[text] = [np.ravel(value).tolist() for value in values]
    inputs, state = Input((4, 3)), Input((2,))
    layer = Decaying(2)
    model = Model(input=[inputs, state], output=layer(inputs, initial_state=state))
    layer.set_weights(weights)
    results["initial_state"] = model.predict([data, np.ones((2, 2))]).tolist()
    results["config"] = sorted(set(layer.get_config()) - {"dtype", "name", "trainable"})
    return results


def trained():
    """Returns the losses and outputs of a small model, built and trained by Keras 1's calls."""
    set_image_dim_ordering("tf")
    picture = Input((6, 6, 1))
    x = Convolution2D(2, 3, 3, subsample=(2, 2), border_mode="same", init="one", activation="tanh")(picture)
    x = Flatten()(MaxPooling2D((2, 2), border_mode="same")(x))
    model = Model(input=picture, output=Dense(output_dim=3, init="one", activation="softmax")(x))
    weights = np.random.RandomState(0)
    model.set_weights([weights.uniform(-1, 1, value.shape) for value in model.get_weights()])
    model.compile("sgd", objectives.mean_squared_error)
    data = np.random.RandomState(1).uniform(size=(8, 6, 6, 1))
    labels = to_categorical(np.arange(8) % 3, 3)

    def batches():
        while True:
            for start in (0, 4):
                yield data[start : start + 4], labels[start : start + 4]

    first = model.fit(data, labels, batch_size=4, nb_epoch=2, shuffle=False, verbose=0)
    second = model.fit_generator(
        batches(), samples_per_epoch=2, nb_epoch=2, validation_data=batches(), nb_val_samples=2, verbose=0, max_q_size=1
    )
    losses = first.history["loss"] + second.history["loss"] + second.history["val_loss"]
    losses += [model.evaluate_generator(batches(), val_samples=2)]
    outputs = model.predict_generator(batches(), val_samples=2, nb_worker=1, pickle_safe=False)
    return {"losses": [float(loss) for loss in losses], "outputs": outputs.tolist()}


if __name__ == "__main__":
    calls = {call: made(call) for call in CALLS.strip().splitlines()}
    result = {"calls": calls, "trained": trained(), "maxout_and_highway": maxout_and_highway()}
    result["recurrent"] = recurrent()
    json.dump(result, sys.stdout, indent=1, sort_keys=True, default=lambda value: value.tolist())
