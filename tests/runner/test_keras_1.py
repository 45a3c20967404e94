"""Programs for Keras 1 and standalone Keras 2, compared with what Keras 2.2.5 made of them on TensorFlow 1.15.5."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from tests.marks import NEEDS_KERAS_2
from tests.processes.environment import LIMIT_S
from tf1mem.machine.tensorflow import installed_version

pytestmark = [
    pytest.mark.skipif(installed_version().major < 2, reason="on TensorFlow 1, Keras stays as it is"),
    NEEDS_KERAS_2,
]

FOLDER = Path(__file__).parent / "keras_1"

OTHERS = """
import abc
import copy
import pickle
import warnings

import h5py
import keras
import numpy as np
import tensorflow as tf
from keras import backend as K
from keras.engine.training_utils import make_batches
from keras.layers import Dense, Input, TimeDistributedDense, merge
from keras.layers.merge import concatenate
from keras.engine import saving, topology
from keras.models import Input as Input_of_models, Model
from keras.optimizers import rmsprop
from keras.utils.visualize_util import plot

assert tf.keras.layers.Conv2D(32, 3, 3).strides == (3, 3)
assert keras.layers.Conv2D(32, 3, 3).strides == (1, 1)
try:
    tf.keras.layers.Dense(output_dim=3)
except TypeError:
    pass
else:
    raise AssertionError


class Derived(Dense):
    def __init__(self, *args, **kwargs):
        super().__init__(*args, **kwargs)


x = Input((4,))
own, dense = Derived(3)(x), tf.keras.layers.Dense(3)
assert isinstance(dense, Dense) and type(Dense(3)) is type(dense) and issubclass(Derived, Dense)
with warnings.catch_warnings(record=True) as shown:
    warnings.simplefilter("default")
    for _ in range(3):
        Dense(output_dim=3)
[warning] = shown
assert warning.filename == __file__ and "Dense(units=3)" in str(warning.message), warning
shapes = {mode: K.int_shape(merge([own, dense(x)], mode=mode)) for mode in ("sum", "concat", "dot", "cos", "max")}
assert shapes == {"sum": (None, 3), "concat": (None, 6), "dot": (None, 1), "cos": (None, 1), "max": (None, 3)}, shapes
assert K.int_shape(TimeDistributedDense(5, init="one", input_shape=(2, 4))(Input((2, 4)))) == (None, 2, 5)
model = Model(input=x, output=own)
assert isinstance(model, keras.Model) and isinstance(model, tf.keras.Model)
again = keras.models.Model.from_config(model.get_config(), custom_objects={"Derived": Derived})
assert isinstance(again.layers[1], Derived)


class SkipsDense(Dense):
    def __init__(self, units, **kwargs):
        super(Dense, self).__init__(**kwargs)
        self.units = units

    def build(self, shape):
        self.kernel = self.add_weight((int(shape[-1]), self.units), initializer="ones", name="kernel")
        self.built = True

    def call(self, inputs):
        return K.dot(inputs, self.kernel)

    def get_config(self):
        return dict(super(Dense, self).get_config(), units=self.units)


class SkipsConv2D(keras.layers.Conv2D):
    def __init__(self, filters, kernel_size, **kwargs):
        super(keras.layers.Conv2D, self).__init__(rank=2, filters=filters, kernel_size=kernel_size, **kwargs)


class OfKeras1(Dense, abc.ABC):
    def __init__(self, n):
        super(OfKeras1, self).__init__(output_dim=n, init="one", name="of_keras_1")

    def get_config(self):
        return {"n": self.units}


class OldCall(Dense):
    def __init__(self, n):
        Dense.__init__(self, output_dim=n)


class Inherits(Dense):
    pass


class Functional(Model):
    def __init__(self, x, y):
        super(Functional, self).__init__(input=x, output=y)


class Subclassed(Model):
    def __init__(self):
        super(Subclassed, self).__init__()
        self.dense = Inherits(output_dim=3)

    def call(self, inputs):
        return self.dense(inputs)


# A model that Keras 2.2.5 saved with h5py 2, by saving.py: its config and names are bytes in HDF5.
saved = keras.models.load_model(SAVED)
for _ in range(2):
    assert np.allclose(saved.predict(np.ones((1, 3, 2))), 1.0030178, atol=1e-4)
    saved.set_weights([0 * weight for weight in saved.get_weights()])
    saved.load_weights(SAVED)
assert (keras.__version__, tf.keras.__version__) == ("2.2.5", "2.2.4-tf")

skipping = Functional(x, [SkipsDense(3)(x), OfKeras1(3)(x), OldCall(2)(x)])
assert np.array_equal(skipping.predict(np.ones((1, 4)))[0], [[4, 4, 4]])
assert [K.int_shape(output)[-1] for output in skipping.outputs] == [3, 3, 2]
classes = {kind.__name__: kind for kind in (SkipsDense, OfKeras1, OldCall)}
again = Model.from_config(Model(x, skipping.outputs[:2]).get_config(), custom_objects=classes)
assert [type(layer) for layer in again.layers[1:]] == [SkipsDense, OfKeras1]
assert Subclassed().predict(np.ones((1, 4))).shape == (1, 3)
assert K.int_shape(SkipsConv2D(2, 3)(Input((5, 5, 1)))) == (None, 3, 3, 2)
for kind in (SkipsDense, OfKeras1, Inherits, Dense):
    assert pickle.loads(pickle.dumps(kind)) is kind and issubclass(kind, (Dense, tf.keras.layers.Dense))
assert isinstance(Inherits(3), Dense) and not isinstance(dense, SkipsDense)

# Names of Keras's own files, attributes of tensors, pickled models.
shape = own._keras_shape
own._keras_shape = (None, 7)
assert (shape, own._keras_shape, hasattr(K.constant(1.0), "_keras_shape")) == ((None, 3), (None, 7), False)
assert K.tensorflow_backend._get_available_gpus() == []
assert make_batches(10, 4) == [(0, 4), (4, 8), (8, 10)]
net = keras.models.Sequential([Dense(3, input_dim=2), Dense(1)])
net.compile(rmsprop(lr=0.01), "mse")
assert (Input_of_models, rmsprop) == (Input, keras.optimizers.RMSprop)
data = np.random.rand(8, 2), np.random.rand(8, 1)
net.train_on_batch(*data)
assert keras.models.model_from_yaml(net.to_yaml()).get_config() == net.get_config()
assert (net.uses_learning_phase, Model(x, keras.layers.Dropout(0.5)(own)).uses_learning_phase) == (False, True)
copies = [pickle.loads(pickle.dumps(net)), copy.deepcopy(net)] if PICKLES else []
net.save_weights("weights.h5")
with h5py.File("weights.h5", "r") as file:
    for module in (saving, topology):
        blank = keras.models.Sequential.from_config(net.get_config())
        module.load_weights_from_hdf5_group(file, blank.layers)
        assert all(map(np.array_equal, blank.get_weights(), net.get_weights()))
for _ in range(2):  # the optimizer's state is copied, too
    assert len({float(each.train_on_batch(*data)) for each in (net, *copies)}) == 1

# What libraries of that time import, set and ask for.
from keras.engine.topology import Container, Network, to_list
from keras.initializers import _compute_fans
from keras.layers.convolutional import K as K_of_file, _Conv, conv_utils
from keras.layers.core import activations, has_arg
from keras.layers.cudnn_recurrent import CuDNNLSTM
from keras.layers.pooling import _GlobalPooling2D
from keras.optimizers import clip_norm
from keras.utils.layer_utils import convert_all_kernels_in_model

class Ones(_Conv):
    def __init__(self, filters, **kwargs):
        super(Ones, self).__init__(2, filters, 3, kernel_initializer="ones", **kwargs)

class GlobalMax(_GlobalPooling2D):
    def call(self, inputs):
        return K.max(inputs, axis=[1, 2])

images = keras.models.Sequential([Ones(2, input_shape=(5, 5, 1)), GlobalMax()])
assert images.predict(np.ones((1, 5, 5, 1))).tolist() == [[9, 9]] and isinstance(images, (Container, Network))
assert K_of_file is K and activations is keras.activations and has_arg(_Conv.call, "inputs") and to_list(1) == [1]
assert (_compute_fans((3, 3, 2, 4)), conv_utils.normalize_tuple(3, 2, "size")) == ((18, 36), (3, 3))
clipped = K.eval(clip_norm(K.constant([3.0, 4.0]), 1.0, K.constant(5.0)))
assert np.allclose(clipped, [0.6, 0.8]), clipped
kernel = Dense(1)
flipped = keras.models.Sequential([keras.layers.Conv2D(1, (1, 2), input_shape=(1, 2, 1)), kernel])
flipped.layers[0].set_weights([np.array([1.0, 2.0]).reshape(1, 2, 1, 1), np.zeros(1)])
convert_all_kernels_in_model(flipped)
assert flipped.layers[0].get_weights()[0].ravel().tolist() == [2, 1]
kernel.name = flipped.name = "renamed"
assert [layer.name for layer in flipped.layers][1:] == [flipped.name] == ["renamed"]
masked = [keras.layers.Embedding(6, 3, mask_zero=True, input_length=4), keras.layers.Dropout(0.5), keras.layers.LSTM(3)]
masked = keras.models.Sequential(masked)
assert masked.predict(np.ones((2, 4))).shape == (2, 3)
anchors = keras.layers.Lambda(lambda each: tf.Variable([[1.0, 2.0]], name="anchors") + 0 * each)(Input((2,)))
assert K.int_shape(anchors) == (None, 2) and CuDNNLSTM is keras.layers.CuDNNLSTM

class Chosen(keras.layers.Layer):
    # TensorFlow doesn't know the shapes of its outputs; that of the last one is stated wrongly.
    def call(self, inputs):
        columns = tf.boolean_mask(inputs, inputs[0] > 0, axis=1)
        return [tf.py_func(lambda array: array[:, :2], [inputs], tf.float32), columns, columns + 0]

    def compute_output_shape(self, shape):
        return [(shape[0], 2), (None, 4), (None, 1)]

    def compute_mask(self, inputs, mask=None):
        return [None] * 3

numbers = Input((4,))
first, second, third = Chosen()(numbers)
doubled = keras.layers.Lambda(lambda each: each * 2)(second)
itself = lambda each: tf.py_func(lambda array: array, [each], tf.float32)
called = keras.layers.Lambda(itself, output_shape=(4,))(numbers)
assert [K.int_shape(each)[1] for each in (first, second, third, doubled, called)] == [2, 4, 1, 4, 4]
dense = [Dense(1, kernel_initializer="ones")(each) for each in (first, doubled, called)]
summed = keras.layers.Lambda(lambda each: tf.reduce_sum(each, 1))(third)
values = Model(numbers, [*dense, summed]).predict(np.ones((1, 4)))
assert [value.ravel().tolist() for value in values] == [[2], [8], [4], [4]]
if NODES:
    node = masked.layers[1]._inbound_nodes[0]
    assert [len(each) for each in (node.input_tensors, node.output_tensors, node.inbound_layers)] == [1, 1, 1]
    assert keras.models.clone_model(masked).count_params() == masked.count_params()
assert K.int_shape(masked.layers[0].output) == masked.layers[0].output_shape == (None, 4, 3)

for refused in (
    lambda: keras.layers.MaxPooling2D(dim_ordering="th"),
    lambda: K.set_image_dim_ordering("th"),
    lambda: merge([own, own], mode="other"),
):
    try:
        refused()
    except ValueError as error:
        print(error)
    else:
        raise AssertionError
"""


# The values of `function` are those of Keras 2.2.5 on TensorFlow 1.15.5; Keras 2.3 takes lists apart.
BACKEND = """
from keras import backend as K

x, y = K.placeholder((2,)), K.placeholder(())
double = K.function([x, y], [x * 2.0 + y])
assert double([[1, 2], 3])[0].tolist() == [5, 7]
assert double.outputs[0].shape == (2,)
assert [callable(each) for each in (
    K.control_flow_ops.cond, K.ctc.ctc_loss, K.tf_ops.convert_to_tensor, K.tensor_array_ops.TensorArray,
    K.moving_averages.assign_moving_average, K.tensorflow_backend.tf_math_ops.cast, K.tf_state_ops.assign,
    K.functional_ops.scan, K.tf_image_ops.resize_bilinear, K.device_lib.list_local_devices,
)] == [True] * 10
K.set_epsilon(1e-3)
assert K.common._EPSILON == 1e-3
K.set_epsilon(1e-7)
assert K.common._EPSILON == 1e-7
for call in (lambda: K.slice(x, [0, 0], [1, 1]), lambda: K.tile(x, [1, 2]), lambda: K.normalize_data_format("last")):
    try:
        call()
    except ValueError as error:
        assert "main.py" in str(error), error
    else:
        raise AssertionError
for file, word in (("theano", "Theano"), ("cntk", "CNTK"), ("numpy", "own tests")):
    for load in (
        lambda: exec(f"from keras.backend import {file}_backend"),
        lambda: exec(f"import keras.backend.{file}_backend"),
    ):
        try:
            load()
        except ImportError as error:
            assert word in str(error), error
        else:
            raise AssertionError(file)
    assert not hasattr(K, file + "_backend")
try:
    K.no_such_name
except AttributeError as error:
    assert str(error).startswith("keras.backend.no_such_name, at "), error
"""


@pytest.fixture(scope="module")
def sides():
    return json.loads((FOLDER / "recorded.json").read_text()), json.loads(_printed("idioms.py"))


def _printed(program):
    """Returns what a program prints by `tf1mem run`."""
    done = subprocess.run(
        [sys.executable, "-m", "tf1mem", "run", str(FOLDER / program)],
        capture_output=True,
        check=False,
        timeout=LIMIT_S,
    )
    assert done.returncode == 0, done.stderr.decode()
    return done.stdout


def test_calls_make_the_layers_of_then(sides):
    recorded, now = sides
    differing = {}
    for call, config in recorded["calls"].items():
        ours = now["calls"][call]
        if isinstance(config, dict) and isinstance(ours, dict):
            ours = {name: ours.get(name) for name in config}
        if ours != config:
            differing[call] = (config, ours)
    assert not differing


def test_a_model_trains_to_the_numbers_of_then(sides):
    recorded, now = (side["trained"] for side in sides)
    assert now["losses"] == pytest.approx(recorded["losses"], rel=1e-5)
    for output, other in zip(now["outputs"], recorded["outputs"]):
        assert output == pytest.approx(other, abs=1e-5)


def test_maxout_and_highway_layers_compute_the_numbers_of_then(sides):
    recorded, now = (side["maxout_and_highway"] for side in sides)
    for output, other in zip(now, recorded):
        assert output == pytest.approx(other, abs=1e-5)


def test_derived_recurrent_layers_compute_the_numbers_of_then(sides):
    recorded, now = (side["recurrent"] for side in sides)
    assert now.pop("config") == recorded.pop("config")
    assert {each: len(now[each]) for each in now} == {each: len(recorded[each]) for each in recorded}
    for arguments, values in recorded.items():
        for value, other in zip(now[arguments], values):
            assert value == pytest.approx(other, abs=1e-5), arguments


def test_the_backend_computes_the_values_of_then():
    recorded, now = json.loads((FOLDER / "backend.json").read_text()), json.loads(_printed("backend.py"))
    assert list(now) == list(recorded)
    differing = [
        (call, then, now[call])
        for call, then in recorded.items()
        if now[call][:2] != then[:2] or now[call][2] != pytest.approx(then[2], abs=1e-4)
    ]
    assert not differing


def test_the_backend_takes_lists_as_values_and_refuses_other_backends(bench):
    bench.write({"main.py": BACKEND})
    done = bench.tf1mem("run", "main.py")
    assert done.code == 0, done.err


def test_further_idioms_work_and_theano_s_ordering_is_refused(bench):
    pickles = installed_version().release >= (2, 5)  # older models hold objects that can't be pickled
    program = OTHERS.replace("SAVED", repr(str(FOLDER / "saved.h5"))).replace("PICKLES", repr(pickles))
    program = program.replace("NODES", repr(installed_version().release >= (2, 4)))  # older ones run by their nodes
    bench.write({"main.py": program})
    done = bench.tf1mem("run", "main.py")
    assert done.code == 0, done.err
    assert "Theano's ordering" in done.out
    assert "no such mode" in done.out
