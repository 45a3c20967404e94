"""Calls of standalone Keras's backend whose results differ from tf.keras's today, or that it lacks.

    PYTHON backend.py > backend.json

PYTHON has TensorFlow 1.15.5 and Keras 2.3.1. The values are JSON: a call -> dtype, shape and entries of its result.
"""

import json
import sys

import numpy as np
from keras import backend as K
from keras.backend import common, load_backend, tensorflow_backend
from keras.backend.common import _EPSILON, normalize_data_format
from keras.layers import Input, UpSampling2D
from keras.models import Model


def some(*shape):
    return (np.sin(np.arange(np.prod(shape)) * 1.7) * 0.9).reshape(shape).astype("float32")


def shares(*shape):
    values = np.abs(some(*shape))
    return values / values.sum(axis=-1, keepdims=True)


IMAGES, MATRIX = K.variable(some(2, 3, 4, 3)), K.variable(some(3, 3))
STEPS, VOLUMES = K.variable(some(2, 5, 3)), K.variable(some(1, 2, 2, 2, 3))
CLASSES = shares(2, 6, 4)
CLASSES[0, :4] = [[0, 1, 0, 0], [0, 0.9, 0.1, 0], [0.1, 0.2, 0.1, 0.6], [0, 0.8, 0.2, 0]]
CLASSES, LENGTHS = K.variable(CLASSES), K.constant([4, 5], dtype="int32")
INTEGERS = K.constant([1, 2], dtype="int32")
FIRST, LAST = "channels_first", "channels_last"


def separable(data_format, **arguments):
    channels = 3 if data_format == LAST else 5
    kernels = K.variable(some(2, channels, 2)), K.variable(some(1, 2 * channels, 4))
    return K.separable_conv1d(STEPS, *kernels, data_format=data_format, **arguments)


def transposed(data_format, channels, shape):
    kernel = K.variable(some(2, 2, 2, 4, channels))
    return K.conv3d_transpose(VOLUMES, kernel, shape, (2, 2, 2), padding="same", data_format=data_format)


def normalized(axis):
    shape = (1, 3, 1, 1) if axis == 1 else (3,)
    mean = K.variable(np.arange(3.0).reshape(shape))
    return K.batch_normalization(IMAGES, mean, K.variable(np.full(shape, 2.0)), None, None, axis=axis)


def decoded(index=0, **arguments):
    return K.ctc_decode(CLASSES, LENGTHS, **arguments)[0][index]


def upsampled(data_format):
    x = Input((3, 4, 3))
    model = Model(x, UpSampling2D((2, 3), data_format=data_format, interpolation="bilinear")(x))
    return K.constant(model.predict(some(2, 3, 4, 3)))


def updated():
    x, total = K.placeholder((2,)), K.variable(np.zeros(2))
    add = K.function([x, K.learning_phase()], [x + total], updates=[(total, total + x)])
    return K.constant(np.array([add([np.array([1.0, 2.0]), 0])[0] for _ in range(2)]))


def predicates():
    x = K.placeholder((2, 3))
    answers = [
        [K.is_placeholder(x), K.is_tensor(x), tensorflow_backend.is_symbolic(x), tensorflow_backend.is_variable(x)],
        [
            K.is_placeholder(MATRIX),
            K.is_tensor(MATRIX),
            tensorflow_backend.is_symbolic(MATRIX),
            tensorflow_backend.is_variable(MATRIX),
        ],
        [
            K.is_placeholder(x + 1),
            K.is_tensor(x + 1),
            tensorflow_backend.is_symbolic(x + 1),
            tensorflow_backend.is_variable(x + 1),
        ],
        [
            K.is_tensor(some(2)),
            K.symbolic(predicates) is predicates,
            K.eager(predicates) is predicates,
            tensorflow_backend._is_tf_1(),
        ],
        [
            K.epsilon() == _EPSILON,
            common.floatx is not None,
            load_backend._BACKEND == "tensorflow",
            tensorflow_backend.py_any([]),
        ],
        [normalize_data_format(None) == LAST, K.normalize_data_format("Channels_First") == FIRST, 0, 0],
    ]
    return K.constant(np.array(answers, dtype="float32"))


def in_order():
    total = K.variable(0.0)
    with K.control_dependencies([K.update_add(total, 2.0)]):
        return K.identity(total)


CALLS = {
    "zeros_like": lambda: K.zeros_like(INTEGERS),
    "ones_like": lambda: K.ones_like(INTEGERS),
    "ones_like int64": lambda: K.ones_like(MATRIX, dtype="int64"),
    "eye": lambda: K.eye((2, 3)),
    "eye int32": lambda: K.eye(2, dtype="int32"),
    "tile": lambda: K.tile(MATRIX, 2),
    "tile all": lambda: K.tile(MATRIX, (2, 1)),
    "tile by tensor": lambda: K.tile(MATRIX, K.constant([2, 1], dtype="int32")),
    "arange to tensor": lambda: K.arange(K.constant(3, dtype="int32")),
    "arange to negative": lambda: K.arange(K.constant(-3, dtype="int32"), dtype="float32"),
    "arange": lambda: K.arange(0, 2, 0.5, dtype="float32"),
    "bias_add first": lambda: K.bias_add(MATRIX, K.variable(some(3)), FIRST),
    "bias_add": lambda: K.bias_add(MATRIX, K.variable(some(3))),
    "bias_add images": lambda: K.bias_add(IMAGES, K.variable(some(3)), FIRST),
    "batch_normalization 1": lambda: normalized(1),
    "batch_normalization -1": lambda: normalized(-1),
    "softmax of a vector": lambda: K.softmax(K.variable(some(4))),
    "switch rows": lambda: K.switch(K.constant([True, False, True]), MATRIX, -MATRIX),
    "switch entries": lambda: K.switch(K.greater(MATRIX, 0.0), MATRIX, -MATRIX),
    "ctc_decode greedy": decoded,
    "ctc_decode beams": lambda: decoded(greedy=False),
    "ctc_decode merged": lambda: decoded(1, greedy=False, merge_repeated=True, top_paths=2),
    "ctc_decode probabilities": lambda: K.ctc_decode(CLASSES, LENGTHS, False, 5)[1],
    "resize_images nearest": lambda: K.resize_images(IMAGES, 2, 3, FIRST),
    "resize_images first": lambda: K.resize_images(IMAGES, 2, 3, FIRST, interpolation="bilinear"),
    "resize_images last": lambda: K.resize_images(IMAGES, 2, 3, LAST, interpolation="bilinear"),
    "UpSampling2D first": lambda: upsampled(FIRST),
    "UpSampling2D last": lambda: upsampled(LAST),
    "slice": lambda: K.slice(STEPS, (0, 1, 0), (1, 2, -1)),
    "logsumexp": lambda: K.logsumexp(STEPS, axis=[0, 1], keepdims=True),
    "size": lambda: K.size(STEPS),
    "separable_conv1d last": lambda: separable(LAST),
    "separable_conv1d first": lambda: separable(FIRST),
    "separable_conv1d strides": lambda: separable(LAST, strides=(2,), padding="same"),
    "separable_conv1d dilation": lambda: separable(LAST, dilation_rate=2),
    "conv3d_transpose last": lambda: transposed(LAST, 3, (1, 4, 4, 4, 4)),
    "conv3d_transpose first": lambda: transposed(FIRST, 2, (1, 4, 4, 4, 6)),
    "function": updated,
    "is_": predicates,
    "control_dependencies": in_order,
}

if __name__ == "__main__":
    results = {}
    for call, make in CALLS.items():
        value = np.asarray(K.eval(make()))
        results[call] = [str(value.dtype), list(value.shape), value.astype(float).round(5).ravel().tolist()]
    json.dump(results, sys.stdout, indent=0)
