"""gym's spaces: gymnasium's, whose samples follow gym's seeds, and which contain values of any floating type."""

from __future__ import annotations

from typing import Any

import gymnasium.spaces as today
import numpy as np
from gymnasium.spaces.utils import flatdim, flatten, unflatten

from tf1mem.era.gym import prng
from tf1mem.era.gym.utils import seeding

__all__ = [
    "Box",
    "Dict",
    "Discrete",
    "MultiBinary",
    "MultiDiscrete",
    "Space",
    "Tuple",
    "flatdim",
    "flatten",
    "prng",
    "unflatten",
]

Space = today.Space


def _seed(space: Any, seed: Any = None) -> Any:
    """Seeds a space; returns a list with its seed."""
    space._np_random, used = seeding.np_random(seed)
    return [used]


def _generator(space: Any) -> Any:
    return prng.np_random if prng.is_seeded and space._np_random is None else today.Space.np_random.fget(space)


class Box(today.Box):  # type: ignore[misc]
    """Arrays within limits."""

    seed = _seed
    np_random = property(_generator)

    def __init__(self, low: Any = None, high: Any = None, shape: Any = None, dtype: Any = None) -> None:
        low, high = (np.asarray(limit) if isinstance(limit, (list, tuple)) else limit for limit in (low, high))
        super().__init__(low, high, None if shape is None else tuple(shape), np.float32 if dtype is None else dtype)

    def contains(self, x: Any) -> bool:
        """Returns True if an array or a list is in the space."""
        x = np.asarray(x)
        return bool(x.shape == self.shape and np.all(x >= self.low) and np.all(x <= self.high))


class Discrete(today.Discrete):  # type: ignore[misc]
    """The integers from 0 to n - 1."""

    seed = _seed
    np_random = property(_generator)

    def __init__(self, n: Any, *args: Any, **arguments: Any) -> None:
        super().__init__(n, *args, **arguments)
        self.n = int(n)  # json and shapes don't take NumPy's integers

    def sample(self, *args: Any, **arguments: Any) -> int:
        """Returns a random integer of the space."""
        return int(super().sample(*args, **arguments))


class MultiDiscrete(today.MultiDiscrete):  # type: ignore[misc]
    """Several discrete spaces."""

    seed = _seed
    np_random = property(_generator)


class MultiBinary(today.MultiBinary):  # type: ignore[misc]
    """Arrays of zeros and ones."""

    seed = _seed
    np_random = property(_generator)


class Tuple(today.Tuple):  # type: ignore[misc]
    """A tuple of spaces."""

    def seed(self, seed: Any = None) -> Any:
        """Seeds each space alike."""
        for space in self.spaces:
            space.seed(seed)


class Dict(today.Dict):  # type: ignore[misc]
    """A dict of spaces."""

    def seed(self, seed: Any = None) -> Any:
        """Seeds each space alike."""
        for space in self.spaces.values():
            space.seed(seed)


_KINDS = (Box, Discrete, MultiDiscrete, MultiBinary, Tuple, Dict)


def as_gym_space(space: Any) -> Any:
    """Turns a space of gymnasium into one of gym, in place, with the spaces in it; returns it."""
    for kind in _KINDS:
        if type(space) in kind.__bases__:
            space.__class__ = kind
            if kind is Discrete:
                space.n = int(space.n)
    inner = getattr(space, "spaces", ())
    for part in inner.values() if isinstance(inner, dict) else inner:
        as_gym_space(part)
    return space


def without_infinity(space: Any) -> Any:
    """Returns a box whose limits are finite: the largest numbers in place of infinity, as in gym."""
    greatest = np.finfo(space.dtype).max
    return Box(np.maximum(space.low, -greatest), np.minimum(space.high, greatest), dtype=space.dtype)
