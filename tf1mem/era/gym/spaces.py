"""gym's spaces, made from gymnasium's: seeded as in gym, and a Box contains arrays of any dtype."""

from __future__ import annotations

import sys
from collections import OrderedDict
from typing import Any

import gymnasium.spaces as gymnasium_spaces
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

Space = gymnasium_spaces.Space


def _seed(space: Any, seed: Any = None) -> Any:
    """Seeds a space, at random if the seed is None; returns a list with the seed that it got."""
    space._np_random, used = seeding.np_random(seed)
    return [used]


def _generator(space: Any) -> Any:
    """Returns the space's random generator; `prng.np_random` if that was seeded and the space wasn't, as in gym 0.9."""
    return (
        prng.np_random if prng.is_seeded and space._np_random is None else gymnasium_spaces.Space.np_random.fget(space)
    )


class Box(gymnasium_spaces.Box):  # type: ignore[misc]
    """Arrays within limits.

    Args:
        low: The lower limits, an array of the space's shape; or one number for all elements.
        high: The upper limits, in the same form.
        shape: The space's shape; None for that of the limits.
        dtype: The dtype of samples; float32 if None.
    """

    seed = _seed
    np_random = property(_generator)

    def __init__(self, low: Any = None, high: Any = None, shape: Any = None, dtype: Any = None) -> None:
        low, high = (np.asarray(limit) if isinstance(limit, (list, tuple)) else limit for limit in (low, high))
        super().__init__(low, high, None if shape is None else tuple(shape), np.float32 if dtype is None else dtype)

    def contains(self, x: Any) -> bool:
        """Returns True if an array or a list has the space's shape and lies within its limits, whatever its dtype."""
        x = np.asarray(x)
        return bool(x.shape == self.shape and np.all(x >= self.low) and np.all(x <= self.high))


class Discrete(gymnasium_spaces.Discrete):  # type: ignore[misc]
    """The integers from 0 to n - 1."""

    seed = _seed
    np_random = property(_generator)

    def __init__(self, n: Any, *args: Any, **arguments: Any) -> None:
        super().__init__(n, *args, **arguments)
        self.n = int(n)  # json and shapes don't take NumPy's integers

    def sample(self, *args: Any, **arguments: Any) -> int:
        """Returns a random integer of the space."""
        return int(super().sample(*args, **arguments))


class MultiDiscrete(gymnasium_spaces.MultiDiscrete):  # type: ignore[misc]
    """Several discrete spaces."""

    seed = _seed
    np_random = property(_generator)


class MultiBinary(gymnasium_spaces.MultiBinary):  # type: ignore[misc]
    """Arrays of zeros and ones."""

    seed = _seed
    np_random = property(_generator)


class Tuple(gymnasium_spaces.Tuple):  # type: ignore[misc]
    """A tuple of spaces."""

    def seed(self, seed: Any = None) -> Any:
        """Seeds each space with the same seed."""
        for space in self.spaces:
            space.seed(seed)


class Dict(gymnasium_spaces.Dict):  # type: ignore[misc]
    """A dict of spaces."""

    def seed(self, seed: Any = None) -> Any:
        """Seeds each space with the same seed."""
        for space in self.spaces.values():
            space.seed(seed)


# The classes that replace gymnasium's base classes of the same names.
_KINDS = (Box, Discrete, MultiDiscrete, MultiBinary, Tuple, Dict)


def as_gym_space(space: Any) -> Any:
    """Turns a space of gymnasium, and the spaces in it, into gym's, in place; returns the space."""
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
    """Returns a Box with the largest finite number of its dtype in place of infinite limits, as in gym."""
    greatest = np.finfo(space.dtype).max
    return Box(np.maximum(space.low, -greatest), np.minimum(space.high, greatest), dtype=space.dtype)


def flatdim(space: Any) -> int:
    """Returns the number of elements of a space's flattened values.

    Raises:
        NotImplementedError: gym can't flatten values of this kind of space.
    """
    inner = _inner(space)
    if inner is not None:
        return sum(flatdim(part) for _, part in inner)
    if isinstance(space, gymnasium_spaces.Discrete):
        return int(space.n)
    _check_array(space)
    return int(np.prod(space.shape))


def flatten(space: Any, x: Any) -> Any:
    """Returns a value of a space as a vector.

    The vector is float32 for a Box and a Discrete, and has the value's dtype for other spaces. (gymnasium returns the
    space's dtype, and a unit vector for each number of a MultiDiscrete.)

    Raises:
        NotImplementedError: gym can't flatten values of this kind of space.
    """
    inner = _inner(space)
    if inner is not None:
        return np.concatenate([flatten(part, x[key]) for key, part in inner])
    if isinstance(space, gymnasium_spaces.Discrete):
        unit = np.zeros(space.n, np.float32)
        unit[x] = 1
        return unit
    _check_array(space)
    return np.asarray(x, np.float32 if isinstance(space, gymnasium_spaces.Box) else None).flatten()


def unflatten(space: Any, x: Any) -> Any:
    """Returns the value of a space from its vector, as `flatten` returns it.

    Raises:
        NotImplementedError: gym can't flatten values of this kind of space.
    """
    inner = _inner(space)
    if inner is not None:
        ends = np.cumsum([flatdim(part) for _, part in inner])[:-1]
        values = [unflatten(part, each) for (_, part), each in zip(inner, np.split(x, ends))]
        if isinstance(space, gymnasium_spaces.Tuple):
            return tuple(values)
        return OrderedDict((key, value) for (key, _), value in zip(inner, values))
    if isinstance(space, gymnasium_spaces.Discrete):
        return int(np.nonzero(x)[0][0])
    _check_array(space)
    return np.asarray(x, np.float32 if isinstance(space, gymnasium_spaces.Box) else None).reshape(space.shape)


def flatten_space(space: Any) -> Any:
    """Returns the box of a space's flattened values.

    Raises:
        NotImplementedError: gym can't flatten values of this kind of space.
    """
    inner = _inner(space)
    if inner is not None:
        boxes = [flatten_space(part) for _, part in inner]
        return Box(np.concatenate([box.low for box in boxes]), np.concatenate([box.high for box in boxes]))
    if isinstance(space, gymnasium_spaces.Box):
        return Box(space.low.flatten(), space.high.flatten())
    if isinstance(space, gymnasium_spaces.MultiDiscrete):
        return Box(np.zeros_like(space.nvec), space.nvec)
    return Box(low=0, high=1, shape=(flatdim(space),))


def _inner(space: Any) -> Any:
    """Returns the spaces in a tuple or a dict, each with its key; None for any other space."""
    if isinstance(space, gymnasium_spaces.Tuple):
        return list(enumerate(space.spaces))
    return list(space.spaces.items()) if isinstance(space, gymnasium_spaces.Dict) else None


def _check_array(space: Any) -> None:
    if not isinstance(space, (gymnasium_spaces.Box, gymnasium_spaces.MultiBinary, gymnasium_spaces.MultiDiscrete)):
        raise NotImplementedError(f"gym has no flattened form of {space!r}")


def __getattr__(name: str) -> Any:
    # A file of gym's package, such as gym.spaces.box, is this module.
    if is_file("spaces", name):
        return sys.modules[__name__]
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
