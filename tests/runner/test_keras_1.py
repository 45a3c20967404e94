"""Programs for Keras 1 and standalone Keras 2, compared with what Keras 2.2.5 made of them on TensorFlow 1.15.5."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

FOLDER = Path(__file__).parent / "keras_1"

OTHERS = """
import warnings

import keras
import tensorflow as tf
from keras import backend as K
from keras.layers import Dense, Input, TimeDistributedDense, merge
from keras.layers.merge import concatenate
from keras.models import Model
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


@pytest.fixture(scope="module")
def sides():
    done = subprocess.run(
        [sys.executable, "-m", "tf1mem", "run", str(FOLDER / "idioms.py")],
        capture_output=True,
        check=False,
        timeout=600,
    )
    assert done.returncode == 0, done.stderr.decode()
    return json.loads((FOLDER / "recorded.json").read_text()), json.loads(done.stdout)


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


def test_the_rest_and_what_is_refused(bench):
    bench.write({"main.py": OTHERS})
    done = bench.tf1mem("run", "main.py")
    assert done.code == 0, done.err
    assert "Theano's ordering" in done.out
    assert "no such mode" in done.out
