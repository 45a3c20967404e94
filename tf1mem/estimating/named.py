"""Loads a model or a step that a command line names, from a file or a module."""

from __future__ import annotations

import inspect
import os
import re
import sys
from importlib import import_module, util
from types import ModuleType
from typing import Any

from tf1mem.errors import SpecError, StepTypeError, meant
from tf1mem.estimating import keras_models

_SPEC = re.compile(r"((?:\d+(?:x\d+)*)?)(?::([a-z]\w*))?")


def load(reference: str) -> Any:
    """Imports a file or a module, and returns the object of a name in it.

    Args:
        reference: "FILE.py:NAME" or "MODULE:NAME"; the name may have dots.

    Raises:
        StepTypeError: The file, the module or the name doesn't exist.
    """
    where, _, name = reference.rpartition(":")
    if not where or not name:
        remedy = "Write it as train.py:build_model, or package.module:build_model"
        raise StepTypeError(reference, "names no model", remedy)
    sys.argv = [where]  # hides tf1mem's own flags from a module that parses flags when it is imported
    value: Any = _file(reference, where) if where.endswith(".py") else _module(reference, where)
    for part in name.split("."):
        if not hasattr(value, part):
            public = [each for each in vars(value) if not each.startswith("_")] if hasattr(value, "__dict__") else []
            raise StepTypeError(
                reference, f"there is no {part!r} in it", meant(part, public) or "Name a model, or a function"
            )
        value = getattr(value, part)
    return value


def step_and_specs(reference: str, value: Any, specs: tuple[Any, ...]) -> tuple[Any, ...]:
    """Returns the step and its specs. A function without arguments is called for the step, or for both.

    Args:
        reference: The object's name on the command line, for errors.
        value: The object, as `load` returns it.
        specs: The specs on the command line.

    Raises:
        StepTypeError: A function takes arguments, and there are no specs.
    """
    is_step = keras_models.is_model(value) or hasattr(value, "get_concrete_function")  # a tf.function
    if is_step or not callable(value):
        return (value, *specs)
    try:
        inspect.signature(value).bind()
    except TypeError as error:
        if specs:
            return (value, *specs)
        raise StepTypeError(
            reference,
            f"is a function whose inputs are unknown ({error})",
            "Give each one: --spec 32x784:float32 --spec 32:int32",
        ) from None
    result = value()
    return (*result, *specs) if isinstance(result, tuple) else (result, *specs)


def read_spec(text: str) -> tuple[tuple[int, ...], str]:
    """Parses a shape and a dtype: "32x784:float32", or "32x784" for the same; ":int32" is a scalar.

    Raises:
        SpecError: The text isn't a shape and a dtype.
    """
    read = _SPEC.fullmatch(text)
    if not text or read is None:
        raise SpecError(f"--spec {text}", "is not a shape and dtype", "Write it as 32x784:float32")
    shape, dtype = read.groups()
    return tuple(map(int, shape.split("x"))) if shape else (), dtype or "float32"


def _file(reference: str, path: str) -> ModuleType:
    if not os.path.isfile(path):
        raise StepTypeError(reference, f"there is no file {path}", "Name a file and what makes the model in it")
    sys.path.insert(0, os.path.dirname(os.path.abspath(path)))
    name = os.path.splitext(os.path.basename(path))[0]
    spec = util.spec_from_file_location(name, path)
    assert spec is not None
    assert spec.loader is not None  # the path ends in .py
    module = sys.modules[name] = util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def _module(reference: str, name: str) -> ModuleType:
    sys.path.insert(0, os.getcwd())
    try:
        return import_module(name)
    except ModuleNotFoundError as error:
        if error.name is None or not (name + ".").startswith(error.name + "."):
            raise  # a module that it imports is missing
        reason = f"there is no module {error.name}"
        raise StepTypeError(reference, reason, "Name one, or a file: train.py:build") from None
