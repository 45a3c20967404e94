"""The environment variables of a test's program."""

from __future__ import annotations

import functools
import os
from contextlib import suppress
from importlib.util import find_spec
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
# After this many seconds a test's program has hung: some take minutes on a slow machine with other tests beside them.
LIMIT_S = 1200

# Prefixes of the variables that are settings of tf1mem, TensorFlow or CUDA, and of pytest's own.
_PREFIXES = ("TF1MEM_", "TF_", "TF2_", "CUDA_", "NVIDIA_", "XLA_", "PYTEST_")


def clean(*, simulator: bool = False, **more: str) -> dict[str, str]:
    """Returns this process's environment without variables that are settings; Python finds the checkout's tf1mem first.

    Args:
        simulator: True to let a process find the simulator's libraries in place of CUDA's, which is decided when the
            process starts. The variables with the GPUs can be set later, before CUDA starts.
        more: Further variables.
    """
    environment = {name: value for name, value in os.environ.items() if not name.startswith(_PREFIXES)}
    if simulator:
        from tf1mem.gpusim.build import library_folder

        environment["LD_LIBRARY_PATH"] = _first(library_folder(), environment.get("LD_LIBRARY_PATH"))
        _compile_values()
    environment["PYTHONPATH"] = _first(ROOT, environment.get("PYTHONPATH"))
    # OpenBLAS starts a thread for each core, which a forked process would lack.
    quiet = {"TF_CPP_MIN_LOG_LEVEL": "3", "PYTHONIOENCODING": "utf-8", "OPENBLAS_NUM_THREADS": "1"}
    return {**environment, **quiet, **more}


@functools.lru_cache(maxsize=None)
def _compile_values() -> None:
    """Compiles the library that computes simulated GPUs' values with this TensorFlow, if the cache doesn't have it.

    Otherwise the first program compiles it within its test's limit of time, and in a matrix of new environments it also
    waits for the compilers of the others: minutes on a slow machine.
    """
    from tf1mem.errors import SimulatorNotBuiltError
    from tf1mem.gpusim import values_library
    from tf1mem.machine.modules import PACKAGES

    for package in PACKAGES:  # the second has the libraries of 1.15 and 2.0
        spec = find_spec(package)
        folder = Path(spec.origin).parent if spec is not None and spec.origin else ROOT
        for library in folder.glob("libtensorflow_framework.so.[12]"):
            with suppress(SimulatorNotBuiltError):  # a program that needs it says so
                values_library.library(library)


def _first(path: Path, others: str | None) -> str:
    """Returns a search path that begins with `path`."""
    return os.pathsep.join(filter(None, [str(path), others]))
