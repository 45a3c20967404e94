"""gym's environments: by id, and the classes of those that gymnasium has, by name."""

from __future__ import annotations

from importlib import import_module
from typing import Any

from tf1mem.era.gym.core import class_of
from tf1mem.era.gym.envs.registration import make, register, registry, spec

__all__ = ["make", "register", "registry", "spec"]

_FILES = ("classic_control", "toy_text", "box2d", "mujoco")


def __getattr__(name: str) -> Any:
    """Returns a class of an environment, such as `CartPoleEnv`: gymnasium's, with gym's way of calling."""
    for file in _FILES:
        try:
            kind = getattr(import_module(f"gymnasium.envs.{file}"), name)
        except (ImportError, AttributeError):
            continue
        return globals().setdefault(name, class_of(kind))
    raise AttributeError(f"gymnasium has no environment {name!r}")
