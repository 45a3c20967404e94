"""gym's spaces: gymnasium's, whose samples follow gym's seeds, and which contain values of any floating type."""

from __future__ import annotations

import sys
from collections import OrderedDict
from typing import Any

import gymnasium.spaces as today
import numpy as np

from tf1mem.era.gym import prng
from tf1mem.era.gym.files import is_file
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
    "flatten_space",
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


def flatdim(space: Any) -> int:
    """Returns the number of elements of a space's flattened values.

    Raises:
        NotImplementedError: gym has no such space.
    """
    inner = _inner(space)
    if inner is not None:
        return sum(flatdim(part) for _, part in inner)
    if isinstance(space, today.Discrete):
        return int(space.n)
    _check_array(space)
    return int(np.prod(space.shape))


def flatten(space: Any, x: Any) -> Any:
    """Returns a value of a space as a vector: of a box and a discrete space with 32 bits.

    gymnasium returns a vector of the space's own dtype, and turns each number of a MultiDiscrete into a unit vector.

    Raises:
        NotImplementedError: gym has no such space.
    """
    inner = _inner(space)
    if inner is not None:
        return np.concatenate([flatten(part, x[key]) for key, part in inner])
    if isinstance(space, today.Discrete):
        unit = np.zeros(space.n, np.float32)
        unit[x] = 1
        return unit
    _check_array(space)
    return np.asarray(x, np.float32 if isinstance(space, today.Box) else None).flatten()


def unflatten(space: Any, x: Any) -> Any:
    """Returns the value of a space that `flatten` has turned into a vector.

    Raises:
        NotImplementedError: gym has no such space.
    """
    inner = _inner(space)
    if inner is not None:
        ends = np.cumsum([flatdim(part) for _, part in inner])[:-1]
        values = [unflatten(part, each) for (_, part), each in zip(inner, np.split(x, ends))]
        if isinstance(space, today.Tuple):
            return tuple(values)
        return OrderedDict((key, value) for (key, _), value in zip(inner, values))
    if isinstance(space, today.Discrete):
        return int(np.nonzero(x)[0][0])
    _check_array(space)
    return np.asarray(x, np.float32 if isinstance(space, today.Box) else None).reshape(space.shape)


def flatten_space(space: Any) -> Any:
    """Returns the box of a space's flattened values.

    Raises:
        NotImplementedError: gym has no such space.
    """
    inner = _inner(space)
    if inner is not None:
        boxes = [flatten_space(part) for _, part in inner]
        return Box(np.concatenate([box.low for box in boxes]), np.concatenate([box.high for box in boxes]))
    if isinstance(space, today.Box):
        return Box(space.low.flatten(), space.high.flatten())
    if isinstance(space, today.MultiDiscrete):
        return Box(np.zeros_like(space.nvec), space.nvec)
    return Box(low=0, high=1, shape=(flatdim(space),))


def _inner(space: Any) -> Any:
    """Returns the spaces in a tuple or a dict, each with its key; None for any other space."""
    if isinstance(space, today.Tuple):
        return list(enumerate(space.spaces))
    return list(space.spaces.items()) if isinstance(space, today.Dict) else None


def _check_array(space: Any) -> None:
    if not isinstance(space, (today.Box, today.MultiBinary, today.MultiDiscrete)):
        raise NotImplementedError(f"gym has no flattened form of {space!r}")


def __getattr__(name: str) -> Any:
    if is_file("spaces", name):
        return sys.modules[__name__]
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
