"""Steps that the command line of `tf1mem estimate` names; tested without TensorFlow."""

from __future__ import annotations

import sys

import pytest

from tf1mem.errors import SpecError, StepTypeError
from tf1mem.estimating import named

CODE = """
import sys
argv = sys.argv
from beside import size

class Net:
    def step(self, images):
        return images

net = Net()

def build():
    return net.step

def with_specs():
    return net.step, ((size, 784), "float32")

def step(images, labels, rate=0.1):
    return images
"""


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.setattr(sys, "argv", ["tf1mem", "estimate"])
    monkeypatch.setattr(sys, "path", list(sys.path))
    monkeypatch.setattr(sys, "modules", dict(sys.modules))
    monkeypatch.chdir(tmp_path)
    (tmp_path / "sub").mkdir()
    (tmp_path / "sub" / "beside.py").write_text("size = 32\n")
    (tmp_path / "sub" / "train.py").write_text(CODE)
    (tmp_path / "wrong.py").write_text("import nowhere_at_all\n")
    return tmp_path


def test_in_a_file_and_in_a_module(folder):
    assert named.load("sub/train.py:argv") == ["sub/train.py"]
    step = named.load("sub/train.py:net.step")
    assert step("images") == "images"
    assert named.load("sub.beside:size") == 32


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("train.py", "train.py: names no model. Write it as train.py:build_model"),
        ("nowhere.py:build", "there is no file nowhere.py"),
        ("nowhere.models:build", "there is no module nowhere"),
        ("sub/train.py:biuld", "there is no 'biuld' in it. Did you mean build?"),
        ("sub/train.py:net.shape", "there is no 'shape' in it. Name a model, or a function"),
    ],
)
def test_a_missing_name_is_an_error(folder, name, message):
    with pytest.raises(StepTypeError) as caught:
        named.load(name)
    assert message in str(caught.value)


def test_an_import_error_of_the_module_is_passed_on(folder):
    with pytest.raises(ModuleNotFoundError, match="nowhere_at_all") as caught:
        named.load("wrong:build")
    assert not isinstance(caught.value, StepTypeError)


def test_a_function_that_returns_a_step_is_called(folder):
    images, more = ((32, 784), "float32"), ((32,), "int32")
    train = {name: named.load("sub/train.py:" + name) for name in ("net", "build", "with_specs", "step")}
    assert named.step_and_specs("", train["build"], ())[1:] == ()
    assert named.step_and_specs("", train["build"], (images,))[1:] == (images,)
    assert named.step_and_specs("", train["with_specs"], (more,))[1:] == (images, more)
    assert named.step_and_specs("", train["step"], (images, more)) == (train["step"], images, more)
    assert named.step_and_specs("", train["net"], ()) == (train["net"],)
    with pytest.raises(StepTypeError, match=r"is a function whose inputs are unknown \(missing .*images"):
        named.step_and_specs("train.py:step", train["step"], ())


@pytest.mark.parametrize(
    ("text", "spec"),
    [
        ("32x784:int32", ((32, 784), "int32")),
        ("32x784", ((32, 784), "float32")),
        ("7", ((7,), "float32")),
        (":bool", ((), "bool")),
    ],
)
def test_specs(text, spec):
    assert named.read_spec(text) == spec


@pytest.mark.parametrize("text", ["", "x", "32x", "32,784", "32x784:", "32x784:Float", "-1x3"])
def test_an_invalid_spec_is_an_error(text):
    with pytest.raises(SpecError, match="is not a shape and dtype"):
        named.read_spec(text)
