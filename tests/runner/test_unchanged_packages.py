"""A program that stops in an installed package, written for TensorFlow 1, is told to have it rewritten as well."""

from __future__ import annotations

import logging
import sys
from importlib import import_module
from types import ModuleType

import pytest

from tf1mem.runner.territory import Territory
from tf1mem.runner.unchanged_packages import follow_keras, remark

# The layers of a library, whose packages import one another; `plain` imports no TensorFlow.
LIBRARIES = {
    "old_bert/__init__.py": "from .model import build\n",
    "old_bert/model.py": "import keras, plain\nfrom old_layers import attention\n\n"
    "def build(use):\n    return attention(use)\n",
    "old_layers.py": "import keras\nfrom keras import layers\nimport tf_keras, tensorflow_probability\n\n"
    "def attention(use):\n    return exec(use, globals())\n",
    "plain.py": "import old_unrelated\n\ndef fail(error):\n    raise error\n",
    "old_unrelated.py": "import tensorflow\n",
}
FLAGS = "add --with-package old_bert --with-package old_layers"


@pytest.fixture
def program(tmp_path, monkeypatch):
    """Returns a function that runs a program of the libraries above, and returns its error and its own files."""
    site = tmp_path / "site-packages"
    for name, text in {**LIBRARIES, "../own.py": "def call(function, *args):\n    return function(*args)\n"}.items():
        path = site / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    for folder in (site, tmp_path):
        monkeypatch.syspath_prepend(str(folder))
    keras = ModuleType("keras")
    for name, module in {"keras": keras, "keras.layers": ModuleType("keras.layers")}.items():
        monkeypatch.setitem(sys.modules, name, module)
    keras.layers = sys.modules["keras.layers"]  # type: ignore[attr-defined]
    for name in ("tf_keras", "tensorflow_probability", "tensorflow"):
        monkeypatch.setitem(sys.modules, name, ModuleType(name))
    added = [name.partition("/")[0].replace(".py", "") for name in [*LIBRARIES, "own.py"]]

    def run(module, function, *args):
        for name in [name for name in sys.modules if name.partition(".")[0] in added]:
            monkeypatch.delitem(sys.modules, name)
        try:
            import_module("own").call(lambda: getattr(import_module(module), function)(*args))
        except Exception as error:
            return error
        raise AssertionError("the program ended")

    return run, Territory(str(tmp_path))


def test_the_packages_to_rewrite_are_named(program):
    run, territory = program
    error = run("old_bert", "build", "keras.engine")
    assert isinstance(error, AttributeError)
    text = remark(error, territory)
    assert "stopped in an installed package, old_layers." in text
    assert text.endswith(FLAGS)
    # A package that is rewritten already is the program's own.
    rewritten = Territory(territory.root, ["old_bert"])
    assert remark(error, rewritten).endswith("was written for TensorFlow 1 or Keras 2, add --with-package old_layers")


@pytest.mark.parametrize(
    ("error", "in_tensorflow", "has_remark"),
    [
        ("ImportError('', name='keras.engine')", False, True),
        ("ImportError('', name='h5py')", False, False),
        ("ValueError()", False, False),
        ("RuntimeError('of eager execution')", True, True),
        ("TypeError()", True, True),
        ("OSError()", True, False),
    ],
)
def test_only_errors_by_what_tensorflow_lacks(program, error, in_tensorflow, has_remark):
    run, territory = program
    names = "{'__name__': 'tensorflow.python.ops'}" if in_tensorflow else "globals()"
    caught = run("old_bert", "build", f'exec("raise {error}", {names})')
    assert remark(caught, territory)[-len(FLAGS) :] == (FLAGS if has_remark else "")
    # `plain` imports no TensorFlow itself.
    assert remark(run("plain", "fail", ImportError("", name="keras.engine")), territory) == ""


def test_an_installed_package_that_imports_keras_3(program, monkeypatch, caplog):
    _, territory = program
    keras = ModuleType("keras")

    def imported_by(module, filename):
        exec(compile("follow_keras(territory, keras)", filename, "exec"),
             {"__name__": module, "follow_keras": follow_keras, "territory": territory, "keras": keras})  # fmt: skip
        return [record.getMessage() for record in caplog.records]

    site = f"{territory.root}/site-packages"
    keras.__version__ = "2.15.0"  # type: ignore[attr-defined]
    with caplog.at_level(logging.WARNING, "tf1mem"):
        assert imported_by("old_bert.model", f"{site}/old_bert/model.py") == []
        keras.__version__ = "3.15.0"  # type: ignore[attr-defined]
        assert imported_by("own", f"{territory.root}/own.py") == []
        (text,) = imported_by("old_bert.model", f"{site}/old_bert/model.py")
    assert text.startswith("old_bert, an installed package, imports Keras 3")
    assert text.endswith(FLAGS)
