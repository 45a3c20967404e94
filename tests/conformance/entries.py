"""An entry of the grid: settings, a machine, and allocations that show the effect of the settings."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Mapping

GIB, MIB = 2**30, 2**20

# The outcomes by `tf1mem.apply` and eager ops.
AS_TF1 = "as TensorFlow 1"
LATE = "RuntimeAlreadyStarted"
ORDER_LOST = "as TensorFlow 1, or GPUs in their own order and a warning"

# Machine -> the sizes of its GPUs, in bytes. They are small, since TensorFlow's records of its regions grow with them;
# two are larger than 2 GiB, since from there on TensorFlow leaves more of a GPU free.
MACHINES = {
    "two alike": (1 * GIB, 1 * GIB),
    "two sizes": (1536 * MIB, 768 * MIB),
    "10,000 MB": (10_000 * 10**6,),
    "odd bytes": (2_576_980_379, 1_610_612_737),
    "one GPU": (1536 * MIB,),
}


@dataclass(frozen=True)
class Entry:
    """One entry of the grid.

    Attributes:
        name: The entry's values, in words.
        config: A ConfigProto, as a dict in its shape.
        gpus: The sizes of the machine's GPUs, in bytes.
        visible: CUDA_VISIBLE_DEVICES, or None to leave it unset.
        allocations: The allocations: pairs of a logical GPU and bytes. The last one must be refused.
        values: The values drawn, by factor; None for an entry written by hand.
        earlier_steps: The steps of the program before its config, in order: see programs/allocating.py.
        effective_config: The config that takes effect, if an earlier step makes it another than `config`.
        apply_outcome: The expected outcome by `tf1mem.apply` and eager ops, one of the constants above.
    """

    name: str
    config: dict[str, Any]
    gpus: tuple[int, ...]
    visible: str | None
    allocations: tuple[tuple[int, int], ...]
    values: Mapping[str, str] | None = None
    earlier_steps: tuple[tuple[str, Any], ...] = ()
    effective_config: dict[str, Any] | None = None
    apply_outcome: str = AS_TF1

    @property
    def reserves(self) -> int:
        """Returns about how many bytes of the GPUs the entry takes."""
        options = self.config.get("gpu_options", {})
        if options.get("per_process_gpu_memory_fraction", 0) > 0:
            return int(sum(self.gpus) * options["per_process_gpu_memory_fraction"])
        devices = options.get("experimental", {}).get("virtual_devices", [])
        limits = sum(size for entry in devices for size in entry["memory_limit_mb"])
        return int(limits * MIB) if limits else sum(self.gpus)


def allocations_for(caps: list[int], whole: bool) -> tuple[tuple[int, int], ...]:
    """Returns allocations: a little on each logical GPU; then most of what each may take; then too much.

    Args:
        caps: The most that each logical GPU may take, in MiB.
        whole: True if the caps are whole GPUs. Versions leave different parts of a whole GPU free; the allocations are
            small enough for all.
    """
    if not caps:
        return ((0, 3 * MIB),)  # no GPU: refused
    allocations = [(gpu, 3 * MIB) for gpu in range(len(caps))]
    for gpu, cap in enumerate(caps):
        allocations += [(gpu, _share(cap * (0.55 if whole else 1), share)) for share in (0.3, 0.2, 0.2)]
    return (*allocations, (len(caps) - 1, _share(caps[-1], 1 if whole else 0.3)))


def mib(*gpus: int) -> list[int]:
    """Returns the sizes of GPUs in MiB, from bytes."""
    return [size // MIB for size in gpus]


def _share(whole_pages_mib: float, share: float) -> int:
    """Returns a share of a number of MiB, in bytes, rounded down to whole KiB."""
    return int(whole_pages_mib * share * 2**10) * 2**10
