"""The targets: what each does to a module by itself, which the rules find as claims."""

from __future__ import annotations

from tf1mem.codemod.claims import Plan
from tf1mem.codemod.facts.module import Facts
from tf1mem.codemod.targets.native.plan import NativePlan
from tf1mem.codemod.targets.shim import ShimPlan

_PLANS = {"shim": ShimPlan, "apply": Plan, "native": NativePlan}


def plan(
    facts: Facts, to: str, codes: frozenset[str], gpu_memory_mib: int | None = None, for_graphs: bool = False
) -> Plan:
    """The plan of a target for a module.

    Args:
        facts: What is known of the module.
        to: The target: "shim", "apply" or "native".
        codes: The codes of the rules that are at work.
        gpu_memory_mib: The memory of a GPU, for which a fraction can be said as a limit; None where not known.
        for_graphs: Whether the program that the module is a part of switches TensorFlow 2's behavior off.
    """
    return _PLANS[to](facts, to, codes, gpu_memory_mib, for_graphs)
