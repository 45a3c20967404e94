"""Environment variables, for what no call says: growth under a limit, and the order of GPUs.

TensorFlow reads TF_FORCE_GPU_ALLOW_GROWTH when it makes the first GPU device (gpu_device.cc), so it has to stay set
and child processes inherit it. CUDA reads CUDA_VISIBLE_DEVICES once, when it starts: it is set for that moment only,
so that child processes see what they would have seen.
"""

from __future__ import annotations

import os
from typing import Any, Callable, Sequence

NAME = "environment"

CALLS: dict[str, str] = {}

_FORCE_GROWTH = "TF_FORCE_GPU_ALLOW_GROWTH"
_CUDA_VISIBLE = "CUDA_VISIBLE_DEVICES"
_order: tuple[int, ...] | None = None
_we_force = False


def cuda_order() -> tuple[int, ...] | None:
    """The GPUs, by their numbers before, that CUDA was started with; None where tf1mem did not choose them."""
    return _order


def outside(names: Sequence[str]) -> dict[str, str]:
    """The environment variables among `names` that are set, without what this route set itself."""
    return {
        name: os.environ[name] for name in names if name in os.environ and not (name == _FORCE_GROWTH and _we_force)
    }


def _force_growth(tf: Any) -> Callable[[], None]:
    global _we_force
    restore = _set(_FORCE_GROWTH, "true")
    _we_force = True

    def undo() -> None:
        global _we_force
        restore()
        _we_force = False

    return undo


def _cuda_order(tf: Any, gpus: Sequence[int]) -> Callable[[], None]:
    """Starts CUDA with some GPUs, in an order."""
    global _order
    from tf1mem.machine import cuda as driver

    listed = os.environ.get(_CUDA_VISIBLE)
    names = [name.strip() for name in listed.split(",")] if listed is not None else None
    restore = _set(_CUDA_VISIBLE, ",".join(str(gpu) if names is None else names[gpu] for gpu in gpus))
    try:
        driver.ask_here()
    finally:
        restore()
    _order = tuple(gpus)
    return lambda: None  # CUDA has read it, for good; the planner knows the order from here on


def _set(name: str, value: str) -> Callable[[], None]:
    before = os.environ.get(name)
    os.environ[name] = value

    def undo() -> None:
        if before is None:
            os.environ.pop(name, None)
        else:
            os.environ[name] = before

    return undo


ACTIONS = {"force_growth": _force_growth, "cuda_order": _cuda_order}
