"""What a command line names: a model, or a step, in a file or a module."""

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


def load(asked: str) -> Any:
    """What is called so in a file or a module, which is run for it as it is when it is imported.

    Args:
        asked: "FILE.py:NAME" or "MODULE:NAME"; the name may have dots.

    Raises:
        StepTypeError: There is nothing of that name.
    """
    where, _, name = asked.rpartition(":")
    if not where or not name:
        raise StepTypeError(asked, "names no model", "Write it as train.py:build_model, or package.module:build_model")
    sys.argv = [where]  # what reads flags when it is imported finds none of tf1mem's
    found: Any = _file(asked, where) if where.endswith(".py") else _module(asked, where)
    for part in name.split("."):
        if not hasattr(found, part):
            public = [each for each in vars(found) if not each.startswith("_")] if hasattr(found, "__dict__") else []
            raise StepTypeError(
                asked, f"there is no {part!r} in it", meant(part, public) or "Name a model, or a function"
            )
        found = getattr(found, part)
    return found


def made(asked: str, thing: Any, specs: tuple[Any, ...]) -> tuple[Any, ...]:
    """The step and its specs; a function that needs no arguments is called, and gives them, or the step alone.

    Args:
        asked: How it was named, for an error.
        thing: What was found there.
        specs: The specs that were given with it.

    Raises:
        StepTypeError: A function takes arguments, and no specs are given.
    """
    is_step = keras_models.is_model(thing) or hasattr(thing, "get_concrete_function")  # a tf.function
    if is_step or not callable(thing):
        return (thing, *specs)
    try:
        inspect.signature(thing).bind()
    except TypeError as error:
        if specs:
            return (thing, *specs)
        raise StepTypeError(
            asked,
            f"is a step whose tensors are not said ({error})",
            "Say each: --spec 32x784:float32 --spec 32:int32",
        ) from None
    given = thing()
    return (*given, *specs) if isinstance(given, tuple) else (given, *specs)


def read_spec(text: str) -> tuple[tuple[int, ...], str]:
    """A shape and a dtype: "32x784:float32", or "32x784" for the same; ":int32" is a scalar.

    Raises:
        SpecError: It is none.
    """
    read = _SPEC.fullmatch(text)
    if not text or read is None:
        raise SpecError(f"--spec {text}", "is no shape and dtype", "Write it as 32x784:float32")
    shape, dtype = read.groups()
    return tuple(map(int, shape.split("x"))) if shape else (), dtype or "float32"


def _file(asked: str, path: str) -> ModuleType:
    if not os.path.isfile(path):
        raise StepTypeError(asked, f"there is no file {path}", "Name one, and what in it makes the model")
    sys.path.insert(0, os.path.dirname(os.path.abspath(path)))
    name = os.path.splitext(os.path.basename(path))[0]
    spec = util.spec_from_file_location(name, path)
    assert spec is not None
    assert spec.loader is not None  # the path ends in .py
    module = sys.modules[name] = util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def _module(asked: str, name: str) -> ModuleType:
    sys.path.insert(0, os.getcwd())
    try:
        return import_module(name)
    except ModuleNotFoundError as error:
        if error.name is None or not (name + ".").startswith(error.name + "."):
            raise  # something that it imports
        raise StepTypeError(asked, f"there is no module {error.name}", "Name one, or a file: train.py:build") from None
