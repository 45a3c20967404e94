"""The arguments of `estimate`: each form of a dense tensor's spec, batch sizes, and their errors."""

from __future__ import annotations

from collections import namedtuple

import numpy as np
import pytest

from tf1mem.errors import SpecError
from tf1mem.estimating import estimate, request, specs
from tf1mem.estimating.specs import Spec

tf = pytest.importorskip("tensorflow")


@pytest.mark.parametrize(
    ("value", "shape", "dtype"),
    [
        (((2, 3), "float32"), (2, 3), "float32"),
        (([2, None], np.int64), (2, None), "int64"),
        (((), bool), (), "bool"),
        ((tf.TensorShape([4]), tf.float16), (4,), "float16"),
        (tf.TensorSpec([5, None], tf.int32), (5, None), "int32"),
        (tf.TensorSpec(None, tf.float32), None, "float32"),
        (np.zeros((2, 2), np.uint8), (2, 2), "uint8"),
        (0.5, (), "float32"),
        (True, (), "bool"),
    ],
)
def test_every_form_of_a_spec(value, shape, dtype):
    spec = specs.read_spec(tf, value, "spec 1")
    assert (spec.shape, spec.dtype) == (shape, dtype)


def test_the_values_of_an_array_are_kept():
    assert specs.read_spec(tf, np.array([1, 2]), "spec 1").values.tolist() == [1, 2]


def test_structures_of_specs():
    read = specs.read_spec(tf, {"a": [((1,), "int32"), ((2,), "int32")], "b": ((3,), "bool")}, "spec 1")
    assert read == {"a": [Spec((1,), "int32"), Spec((2,), "int32")], "b": Spec((3,), "bool")}
    assert [leaf.shape for leaf in specs.leaves(read)] == [(1,), (2,), (3,)]
    assert specs.mapped(read, lambda leaf: leaf.dtype) == {"a": ["int32", "int32"], "b": "bool"}


def test_a_namedtuple_of_specs():
    Pair = namedtuple("Pair", "left right")
    read = specs.read_spec(tf, Pair(((1,), "int32"), ((2,), "bool")), "spec 1")
    assert read == Pair(Spec((1,), "int32"), Spec((2,), "bool"))
    assert specs.mapped(read, lambda leaf: leaf.dtype) == Pair("int32", "bool")


@pytest.mark.parametrize("size", ["32", 2.5, True, 0, -1])
def test_a_batch_size_is_a_whole_number(size):
    with pytest.raises(SpecError, match="is not a batch"):
        estimate(None, batch_size=size)


@pytest.mark.parametrize(
    ("text", "line"),
    [
        ("ValueError: in user code:\n\n    File x\n\n    KeyError: 'mine'\n", "KeyError: 'mine'"),
        ("ValueError: called\n\n\x1b[1mOdd input\x1b[0m\n\nArguments received by call():\n  • x", "Odd input"),
    ],
)
def test_the_decisive_line_of_a_traced_function_s_error(text, line):
    assert request._decisive_line(text) == line


@pytest.mark.parametrize(
    "value", ["float32", (2, 3), [4, None], object(), ((2, 3), "no such type"), ((2,), tf.resource)]
)
def test_an_invalid_spec_is_an_error_with_an_example(value):
    with pytest.raises(SpecError, match=r"spec 1.*\(\(32, 224, 224, 3\), 'float32'\)"):
        specs.read_spec(tf, value, "spec 1")


def test_an_open_dimension_is_an_error_with_a_remedy():
    with pytest.raises(SpecError, match=r"dimension 0 is unknown.*\(\(32, 784\), 'float32'\)"):
        specs.checked(Spec((None, 784), "float32"), "spec 1")
    with pytest.raises(SpecError, match="shape isn't known"):
        specs.checked(Spec(None, "float32"), "spec 1")
    with pytest.raises(SpecError, match="negative"):
        specs.checked(Spec((-1,), "float32"), "spec 1")
