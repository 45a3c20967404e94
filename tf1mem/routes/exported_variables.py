"""Sets environment variables for settings that no call can make: growth under a limit, and the order of GPUs.

TensorFlow reads TF_FORCE_GPU_ALLOW_GROWTH when it creates the first GPU device (gpu_device.cc), so it has to stay set,
and child processes inherit it. CUDA reads CUDA_VISIBLE_DEVICES once, when it starts. It is set for that moment only, so
that child processes see the same GPUs as without tf1mem.
"""

from __future__ import annotations

import os
from typing import Any, Callable, Sequence

from tf1mem.machine import cuda, own_changes
from tf1mem.machine.runtime import CUDA_VISIBLE, FORCE_GROWTH


def _force_growth(tf: Any) -> Callable[[], None]:
    restore = _set(FORCE_GROWTH, "true")
    own_changes.forces_growth = True

    def undo() -> None:
        restore()
        own_changes.forces_growth = False

    return undo


def _cuda_order(tf: Any, gpus: Sequence[int]) -> Callable[[], None]:
    """Starts CUDA with the listed GPUs, in that order."""
    listed = os.environ.get(CUDA_VISIBLE)
    names = [name.strip() for name in listed.split(",")] if listed is not None else None
    restore = _set(CUDA_VISIBLE, ",".join(str(gpu) if names is None else names[gpu] for gpu in gpus))
    try:
        cuda.ask_here()
    finally:
        restore()
    own_changes.cuda_order = tuple(gpus)
    return lambda: None  # CUDA has read it, for good; the planner knows the order from here on


def _set(name: str, value: str) -> Callable[[], None]:
    """Sets a variable; returns a function that restores it."""
    before = os.environ.get(name)
    os.environ[name] = value

    def undo() -> None:
        if before is None:
            os.environ.pop(name, None)
        else:
            os.environ[name] = before

    return undo


ACTIONS = {"force_growth": _force_growth, "cuda_order": _cuda_order}
