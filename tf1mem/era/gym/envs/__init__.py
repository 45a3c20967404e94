"""gym's environments: by id, and the classes of those that gymnasium has, by name."""

from __future__ import annotations

import inspect
import sys
from importlib import import_module
from typing import Any

from tf1mem.era.gym.core import gym_class
from tf1mem.era.gym.envs.registration import make, register, registry, spec
from tf1mem.era.gym.files import is_file
from tf1mem.errors import MissingPackageError

__all__ = ["make", "register", "registry", "spec"]

_FILES = ("classic_control", "toy_text", "box2d", "mujoco")


def __getattr__(name: str) -> Any:
    """Returns a class of an environment, such as `CartPoleEnv`: gymnasium's, with gym's API."""
    if is_file("envs", name):
        return sys.modules[__name__]
    if name == "rendering":
        raise MissingPackageError(
            "gym.envs.classic_control.rendering",
            "gymnasium draws with pygame, so its windows aren't pyglet's",
            "Copy the file rendering.py from gym 0.15 into the program, and: pip install 'pyglet<1.6'",
        )
    for file in _FILES:
        try:
            kind = getattr(import_module(f"gymnasium.envs.{file}"), name)
        except (ImportError, AttributeError):
            continue
        if inspect.ismodule(kind):
            return sys.modules[__name__]  # the classes of all files are here
        new = gym_class(kind) if inspect.isclass(kind) else kind  # type: ignore[arg-type]
        return globals().setdefault(name, new)
    raise AttributeError(f"gymnasium has no environment {name!r}")
