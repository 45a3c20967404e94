"""The targets: each one's own changes to a module, which the rules see as claims."""

from __future__ import annotations

from tf1mem.codemod.claims import TargetPlan
from tf1mem.codemod.facts.module import Facts
from tf1mem.codemod.targets.native.plan import NativePlan
from tf1mem.codemod.targets.shim import ShimPlan

_PLANS = {"shim": ShimPlan, "apply": TargetPlan, "native": NativePlan}


def plan(
    facts: Facts, to: str, codes: frozenset[str], gpu_memory_mib: int | None = None, for_graphs: bool = False
) -> TargetPlan:
    """Returns the plan of a target for a module.

    Args:
        facts: The module's facts.
        to: The target: "shim", "apply" or "native".
        codes: Codes of the active rules.
        gpu_memory_mib: Memory of a GPU in MiB, by which a fraction becomes a limit; None if unknown.
        for_graphs: True if the program that the module belongs to switches TensorFlow 2's behavior off.
    """
    return _PLANS[to](facts, to, codes, gpu_memory_mib, for_graphs)
