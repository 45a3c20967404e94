"""gym 0.9's generator, from which all spaces drew. Here spaces without a seed do, once the generator has one."""

from __future__ import annotations

from typing import Any

from tf1mem.era.gym.utils.seeding import Random

np_random = Random()
is_seeded = False


def seed(seed: Any = None) -> None:
    """Seeds the generator."""
    global is_seeded
    np_random.seed(seed)
    is_seeded = True
