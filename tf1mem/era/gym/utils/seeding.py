"""gym's random numbers: NumPy's older generator, seeded by a hash of the seed.

Source: gym 0.9 to 0.21, gym/utils/seeding.py.
"""

from __future__ import annotations

import hashlib
import os
from typing import Any

import numpy as np

from tf1mem.era.gym import error

_BYTES = 8  # the size of a seed
_WORD = 2**32  # RandomState takes a seed as a list of words of 32 bits


class Random(np.random.RandomState):
    """NumPy's older generator, with the method of the newer one by which gymnasium's environments draw integers."""

    def integers(
        self, low: Any, high: Any = None, size: Any = None, dtype: Any = np.int64, endpoint: bool = False
    ) -> Any:
        """Returns random integers, drawn by `randint`; the arguments are those of `numpy.random.Generator.integers`."""
        if endpoint:
            low, high = (0, low + 1) if high is None else (low, high + 1)
        return self.randint(low, high, size, dtype)

    def __reduce__(self) -> Any:
        return Random, (), self.get_state(legacy=False)


def np_random(seed: int | None = None) -> tuple[Any, int]:
    """Returns a new generator, and the seed that determines it.

    Args:
        seed: The seed, of which the lowest 64 bits count; None for a random one.

    Raises:
        gym.error.Error: The seed isn't a non-negative integer.
    """
    if seed is not None and not (isinstance(seed, (int, np.integer)) and seed >= 0):
        raise error.Error(f"Seed must be a non-negative integer or omitted, not {seed}")
    used = create_seed(seed)
    remaining, words = hash_seed(used), []
    while remaining:
        remaining, word = divmod(remaining, _WORD)
        words.append(word)
    generator = Random()
    generator.seed(words or [0])
    return generator, used


def hash_seed(seed: int | None = None, max_bytes: int = _BYTES) -> int:
    """Returns a hash of a seed, so that neighbouring seeds have unlike generators.

    Args:
        seed: The seed; None for a random one.
        max_bytes: The size of the hash in bytes.
    """
    text = str(create_seed(max_bytes=max_bytes) if seed is None else seed)
    return int.from_bytes(hashlib.sha512(text.encode()).digest()[:max_bytes], "little")


def create_seed(a: Any = None, max_bytes: int = _BYTES) -> int:
    """Returns a seed.

    Args:
        a: An integer or a text to make it from; None for a random one.
        max_bytes: The maximum size of the seed in bytes.
    """
    if a is None:
        return int.from_bytes(os.urandom(max_bytes), "little")
    if isinstance(a, str):
        data = a.encode()
        return int.from_bytes((data + hashlib.sha512(data).digest())[:max_bytes], "little")
    return int(a) & ((1 << 8 * max_bytes) - 1)
