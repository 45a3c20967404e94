"""Which environment variables are tf1mem's own: asked before what reads them is worth loading."""

from __future__ import annotations

# Says "false" where ops are not to take TensorFlow 1's seeds; tf1mem.v1 reads it, and no config holds it.
TF1_SEEDS = "TF1MEM_TF1_SEEDS"


def is_own(name: str) -> bool:
    """Returns True for a variable with tf1mem's prefix, but not for those that reach children of tf1mem's commands.

    The doctor says the same in a process that tf1mem isn't imported in (`tf1mem/doctor/watch/within/variables.py`).
    """
    others = ("TF1MEM_SIM_", "TF1MEM_DOCTOR_", "TF1MEM_RUN_", "TF1MEM_VERIFY_")
    return name.startswith("TF1MEM_") and not name.startswith(others)
