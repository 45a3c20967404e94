"""Simulated GPUs: a substitute for the CUDA driver, on which TensorFlow's own allocator runs without a GPU.

Programs import `simulation`, `Simulation`, `SimulatedGpu`, `MeasuredGpu`, `read_trace` and `Event` from here. These are
loaded when first used; the other names below this package are not public.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from tf1mem.gpusim.gpus import SimulatedGpu
    from tf1mem.gpusim.launching import Simulation, simulation
    from tf1mem.gpusim.measured import MeasuredGpu
    from tf1mem.gpusim.trace import Event
    from tf1mem.gpusim.trace import read as read_trace

__all__ = ["Event", "MeasuredGpu", "SimulatedGpu", "Simulation", "read_trace", "simulation"]

# Public name -> its module and its name there.
_HOMES = {
    "Event": ("trace", "Event"),
    "MeasuredGpu": ("measured", "MeasuredGpu"),
    "SimulatedGpu": ("gpus", "SimulatedGpu"),
    "Simulation": ("launching", "Simulation"),
    "read_trace": ("trace", "read"),
    "simulation": ("launching", "simulation"),
}


def __getattr__(name: str) -> Any:
    if name in _HOMES:
        module, attribute = _HOMES[name]
        return getattr(import_module("tf1mem.gpusim." + module), attribute)
    raise AttributeError(f"module 'tf1mem.gpusim' has no attribute {name!r}")
