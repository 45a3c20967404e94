"""Which environment variables are tf1mem's own: asked before what reads them is worth loading."""

from __future__ import annotations

# Says "false" where ops are not to take TensorFlow 1's seeds; tf1mem.v1 reads it, and no config holds it.
TF1_SEEDS = "TF1MEM_TF1_SEEDS"


def is_own(name: str) -> bool:
    """Whether a variable has tf1mem's prefix; not of those by which the simulator, the doctor and a run reach children.

    The doctor says the same in a process that tf1mem isn't imported in (`tf1mem/doctor/watch/within/variables.py`).
    """
    return name.startswith("TF1MEM_") and not name.startswith(("TF1MEM_SIM_", "TF1MEM_DOCTOR_", "TF1MEM_RUN_"))
