"""Calls of functions, with their flags, count the ops that TensorFlow 1.15.5 made."""

from __future__ import annotations

import inspect
import subprocess
import sys
from importlib import import_module
from importlib.util import find_spec

import pytest

from tests.processes.environment import ROOT, clean
from tf1mem.machine.tensorflow import installed_version
from tf1mem.v1 import _op_table
from tf1mem.v1._exact_counts import more_ops, rules
from tf1mem.v1._op_counts import Count, Counter
from tf1mem.v1._seeds import _place

from .counting import RECORDED, as_json, expanded
from .targets import PUBLIC_CALLS

# Functions, and parts of calls, that are counted again in CI, since they are called in many ways.
COUNTED = (
    "BatchNormalization(scale=False)(im",
    "ConvLSTM2D(4, 3)(tf.placeholder",
    "Conv2DTranspose(",
    "layer BatchNormalization",
    "layer Flatten",
    "alpha_dropout",
    "batch_dot",
    "categorical_accuracy",
    "contrib.image",
    "image.central_crop",
    "image.crop_to_bounding_box",
    "keras.activations.softmax",
    "keras.backend.sqrt",
    "keras.losses.MeanSquaredError(",
    "keras.regularizers",
    "noisy_linear_cosine_decay",
    "tensorflow.python.keras",
    "linalg.expm",
    "python.data.ops.dataset_ops:DatasetV1._make_initializable_iterator",
    "python.data.ops.readers:ParallelInterleaveDataset.__init__",
    "python.ops.array_ops:one_hot",
    "python.ops.array_ops:sparse_placeholder",
    "python.ops.confusion_matrix:confusion_matrix",
    "reduce_logsumexp(input_tensor",
    "reduce_logsumexp([",
    ".shape[1] - 1",
    "tf.gradients(tf.while_loop(",
    "tf.gradients([f(), f()]",
    "tf.gather(rv",
)


@pytest.mark.skipif(installed_version().release < (2, 21), reason="counted once, on the newest")
@pytest.mark.skipif(not find_spec("tf_keras"), reason="layers need tf_keras")
def test_calls_count_the_recorded_ops():
    done = subprocess.run(
        [sys.executable, "-m", "tests.v1.seeds.counting", "--check", *COUNTED], cwd=str(ROOT), env=clean(),
        stdout=subprocess.PIPE, encoding="utf-8", check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stdout


def test_the_calls_of_a_pattern():
    assert expanded("f(«x|u»«|, 1»)") == ["f(x)", "f(x, 1)", "f(u)", "f(u, 1)"]


def test_each_exact_rule_has_recorded_calls():
    calls = RECORDED.read_text("utf-8")
    for name in {**more_ops(None), **more_ops(None, keras=True)}:
        assert PUBLIC_CALLS[name] in calls, name


@pytest.mark.skipif(installed_version().release < (2, 4), reason="the rules are for TensorFlow 2.4 and later")
def test_rules_take_the_arguments_by_their_names():
    tf, version = import_module("tf1mem.v1"), installed_version()
    exact = more_ops(version)
    checked = []
    for name, rule in {**rules(version), **exact}.items():
        owner, leaf = (None, "") if " " in name else _place(tf, name)
        function = getattr(owner, leaf, None)
        if function is not None:
            arguments = dict.fromkeys(inspect.signature(function).parameters)
            inspect.signature(rule).bind(*((0, None) if name in exact else ()), **arguments)
            checked.append(name)
    assert {*exact} <= {*checked}


BOTH = [Count(ops=8, tf1_ops=6, per_variable=True), Count(ops=10, tf1_ops=8, per_variable=True)]


@pytest.mark.parametrize(
    ("counts", "own", "more"),
    [
        ([Count(ops=10, tf1_ops=8)], 10, -2),
        ([Count(ops=10, tf1_ops=8)], 50, -2),
        ([Count(ops=5, tf1_ops=4, per_variable=True)], 50, -10),
        (BOTH, 24, -6),
        (BOTH, 20, -4),
        (BOTH, 28, -6),
    ],
)
def test_the_correction_of_a_row(counts, own, more):
    counter = Counter({"f": counts}, lambda: None)
    assert counter.correction("f", "", None, own) == more


def test_the_table_has_the_form_that_counting_writes():
    assert _op_table.PATH.read_text("utf-8") == as_json(_op_table.read())
