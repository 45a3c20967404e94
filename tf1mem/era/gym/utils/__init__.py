"""gym's utilities that programs use."""

from __future__ import annotations

from gymnasium.utils import EzPickle, colorize

from tf1mem.era.gym.utils import seeding

__all__ = ["EzPickle", "colorize", "seeding"]
