"""Names of tf1mem's own environment variables, in a module that loads faster than `environment`, which reads them."""

from __future__ import annotations

import re

# "false" keeps ops from taking TensorFlow 1's seeds; tf1mem.v1 reads it, and no config has a field for it.
TF1_SEEDS = "TF1MEM_TF1_SEEDS"
# The version that programs see as `tf.__version__`; tf1mem.v1 reads it.
TF_VERSION = "TF1MEM_TF_VERSION"


def is_version(text: str) -> bool:
    """Returns True for a version as TensorFlow spells its own, such as "1.15.5" or "1.15.0-rc3"."""
    return re.fullmatch(r"\d+(\.\w+)+(-\w+)?", text) is not None


def is_own(name: str) -> bool:
    """Returns True for a variable that a user sets for tf1mem: one with its prefix.

    The variables by which tf1mem's commands pass something to their child processes don't count.

    `tf1mem/doctor/watch/within/set_variables.py` repeats this for processes that don't import tf1mem.
    """
    others = ("TF1MEM_SIM_", "TF1MEM_DOCTOR_", "TF1MEM_RUN_", "TF1MEM_VERIFY_")
    return name.startswith("TF1MEM_") and not name.startswith(others)
