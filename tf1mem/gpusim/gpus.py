"""Simulated GPUs as they are asked for: their size, their names, and how much of them others have taken."""

from __future__ import annotations

import re
import uuid
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Callable, Sequence, Union

from tf1mem.errors import SimulationError
from tf1mem.settings.units import size

MOST_GPUS = 16
DEFAULT_BYTES = 16 * 2**30
# Volta: known to every CUDA from 10.0, which TensorFlow 1.14 was built with, to 12.9.
DEFAULT_COMPUTE_CAPABILITY = (7, 0)
DEFAULT_NAME = "Simulated GPU"

# A process has 128 TiB of addresses; what lies on a GPU is mapped into them.
_MOST_BYTES = 64 * 2**40
_MOST_NAME = 63  # NVML_DEVICE_NAME_BUFFER_SIZE of the oldest NVML, less the closing zero
_UNITS = {"b": 1, "kib": 2**10, "mib": 2**20, "gib": 2**30, "tib": 2**40}
_SPELLINGS = {"b": "B", "kib": "KiB", "mib": "MiB", "gib": "GiB", "tib": "TiB"}
_SIZE = re.compile(r"([0-9]+(?:\.[0-9]+)?) ?([A-Za-z]*)")
_PCI_BUS_ID = re.compile(r"[0-9a-f]{4}:[0-9a-f]{2}:[0-9a-f]{2}\.0")
_UUID = re.compile(r"GPU(-[0-9a-f]{8})(-[0-9a-f]{4}){3}-[0-9a-f]{12}")
# The same on every machine and in every run, so that CUDA_VISIBLE_DEVICES can name a GPU by it.
_UUID_NAMESPACE = uuid.UUID("5d2f8e1c-6f0b-5a39-9c1e-74f1316d0a11")


@dataclass(frozen=True)
class SimulatedGpu:
    """One simulated GPU.

    Attributes:
        total_bytes: Its memory, as `cuDeviceTotalMem` tells it. All of it can be allocated.
        name: As `cuDeviceGetName` tells it.
        used_bytes: What processes outside of the simulation have taken of it from the start.
        compute_capability: Major and minor.
        pci_bus_id: Such as "0000:01:00.0"; empty for the one that goes with its place in the machine.
        uuid: Such as "GPU-6b0d7bd5-…"; empty for the one that goes with its place in the machine.

    Raises:
        SimulationError: A value that no GPU can have.
    """

    total_bytes: int = DEFAULT_BYTES
    name: str = DEFAULT_NAME
    used_bytes: int = 0
    compute_capability: tuple[int, int] = DEFAULT_COMPUTE_CAPABILITY
    pci_bus_id: str = ""
    uuid: str = ""

    def __post_init__(self) -> None:
        if not 0 < self.total_bytes <= _MOST_BYTES:
            raise SimulationError(
                f"a simulated GPU of {self.total_bytes:,} bytes",
                "its size is out of range",
                f"Give it 1 byte to {size(_MOST_BYTES)}",
            )
        if not 0 <= self.used_bytes <= self.total_bytes:
            raise SimulationError(
                f"{size(self.used_bytes)} used of a simulated GPU",
                f"the GPU has {size(self.total_bytes)}",
                "Give at most its size",
            )
        if not (0 < len(self.name) <= _MOST_NAME and self.name.isascii() and self.name.isprintable()):
            raise SimulationError(
                f"a simulated GPU named {self.name!r}",
                "no driver tells such a name",
                f"Give 1 to {_MOST_NAME} printable ASCII characters",
            )
        if not (1 <= self.compute_capability[0] <= 99 and 0 <= self.compute_capability[1] <= 9):
            raise SimulationError(
                "compute capability {}.{}".format(*self.compute_capability),
                "no GPU has it",
                "Give one such as 7.0 or 8.6",
            )
        if self.pci_bus_id and not _PCI_BUS_ID.fullmatch(self.pci_bus_id):
            raise SimulationError(
                f"the PCI bus id {self.pci_bus_id!r}", "is not one", "Write it as 0000:01:00.0, in lower case"
            )
        if self.uuid and not _UUID.fullmatch(self.uuid):
            raise SimulationError(
                f"the UUID {self.uuid!r}",
                "is not a GPU's",
                "Write it as GPU-12345678-1234-1234-1234-123456789abc, in lower case",
            )


Asked = Union[int, str, SimulatedGpu, Sequence[Union[str, SimulatedGpu]]]
Used = Union[int, str, Sequence[Union[int, str]], None]


def lineup(gpus: Asked, used: Used = None) -> tuple[SimulatedGpu, ...]:
    """The GPUs of one simulated machine, each with its place: PCI bus id and UUID filled in.

    Args:
        gpus: How many of the default kind; or a GPU, or several, each a `SimulatedGpu` or text that `parse` takes.
        used: What others have taken: of each GPU, or a list with one entry for each. In bytes, or text that
            `parse_size` takes. By default what the GPUs themselves say.

    Returns:
        1 to 16 GPUs.

    Raises:
        SimulationError: None or too many, a value that no GPU can have, or the same PCI bus id or UUID twice.
    """
    if isinstance(gpus, int):
        kinds: list[SimulatedGpu] = [SimulatedGpu()] * gpus if 0 < gpus <= MOST_GPUS else []
        count = gpus
    else:
        several = [gpus] if isinstance(gpus, (str, SimulatedGpu)) else list(gpus)
        count = len(several)
        kinds = [parse(gpu) if isinstance(gpu, str) else gpu for gpu in several[:MOST_GPUS]]
    if not 0 < count <= MOST_GPUS:
        raise SimulationError(f"{count} simulated GPUs", f"a machine has 1 to {MOST_GPUS}", "Ask for that many")
    placed = [
        replace(
            kind,
            used_bytes=taken,
            pci_bus_id=kind.pci_bus_id or f"0000:{index + 1:02x}:00.0",
            uuid=kind.uuid or f"GPU-{uuid.uuid5(_UUID_NAMESPACE, str(index))}",
        )
        for index, (kind, taken) in enumerate(zip(kinds, _used_of_each(used, kinds)))
    ]
    for what, names in ("PCI bus id", [gpu.pci_bus_id for gpu in placed]), ("UUID", [gpu.uuid for gpu in placed]):
        for twice in (name for name in names if names.count(name) > 1):
            raise SimulationError(f"the {what} {twice}", "two GPUs have it", "Give each its own")
    return tuple(placed)


def parse(text: str) -> SimulatedGpu:
    """Reads a GPU from text.

    Args:
        text: A size, and what else is to be said of it: "8GiB", "16GiB,name=Tesla V100,cc=7.0,pci=…,uuid=…".

    Raises:
        SimulationError: It says something else, or a value that no GPU can have.
    """
    first, *rest = text.split(",")
    gpu = SimulatedGpu(parse_size(first))
    said = set()
    for part in rest:
        key, equals, value = part.partition("=")
        key = key.strip()
        if not equals or key not in _KEYS:
            raise SimulationError(
                f"the GPU {text!r}",
                f"{part!r} says nothing about a GPU",
                "After its size, write any of name=…, cc=…, pci=…, uuid=…",
            )
        if key in said:
            raise SimulationError(f"the GPU {text!r}", f"{key} is said twice", "Say it once")
        said.add(key)
        gpu = _KEYS[key](gpu, value.strip())
    return gpu


def parse_size(text: str) -> int:
    """Reads a size in bytes from text.

    Args:
        text: A number and its unit: "8GiB", "512MiB", "1.5GiB", "8589934593B". The units are powers of two.

    Raises:
        SimulationError: No size, no unit, a unit that means two things (GB, G), or a part of a byte.
    """
    count = parse_amount(text)
    if count.denominator != 1:
        raise SimulationError(f"the size {text!r}", "is not a whole number of bytes", "Write it in bytes, with B")
    return int(count)


def parse_amount(text: str) -> Fraction:
    """As `parse_size`, of what need not be a whole number of bytes, as "2.7GiB": a limit to compare with.

    Raises:
        SimulationError: No size, no unit, or a unit that means two things (GB, G).
    """
    found = _SIZE.fullmatch(text.strip())
    if found is None:
        raise SimulationError(f"the size {text!r}", "is not a size", "Write it as 8GiB, 512MiB or 8589934593B")
    number, unit = Fraction(found.group(1)), found.group(2).lower()
    if unit not in _UNITS:
        raise _unclear(text, found.group(1), unit)
    return number * _UNITS[unit]


def _unclear(text: str, number: str, unit: str) -> SimulationError:
    """What to say of a size whose unit is missing, or could be a power of two or of ten."""
    power = ["k", "m", "g", "t"].index(unit[0]) + 1 if unit in _UNCLEAR else 0
    if not power:
        return SimulationError(
            f"the size {text!r}",
            f"there is no unit {unit!r}" if unit else "it has no unit",
            f"Write {number}GiB, {number}MiB or {number}B",
        )
    binary, decimal = Fraction(number) * 1024**power, Fraction(number) * 1000**power
    return SimulationError(
        f"the size {text!r}",
        f"{text.strip()[len(number) :].strip()} can mean powers of two or of ten",
        "Write {}{} ({:,} bytes) or {}B".format(number, _SPELLINGS[unit[0] + "ib"], int(binary), int(decimal)),
    )


_UNCLEAR = {prefix + rest for prefix in "kmgt" for rest in ("", "b", "i")}


def _used_of_each(used: Used, gpus: Sequence[SimulatedGpu]) -> list[int]:
    if used is None:
        return [gpu.used_bytes for gpu in gpus]
    each = [used] * len(gpus) if isinstance(used, (int, str)) else list(used)
    if len(each) != len(gpus):
        raise SimulationError(
            f"used memory of {len(each)} GPUs",
            f"the machine has {len(gpus)}",
            "Give it once for all GPUs, or once for each",
        )
    return [parse_size(size) if isinstance(size, str) else size for size in each]


def _with_compute_capability(gpu: SimulatedGpu, value: str) -> SimulatedGpu:
    found = re.fullmatch(r"([0-9]{1,2})\.([0-9])", value)
    if found is None:
        raise SimulationError(
            f"compute capability {value!r}", "is not one", "Write it with a point, such as 7.0 or 8.6"
        )
    return replace(gpu, compute_capability=(int(found.group(1)), int(found.group(2))))


_KEYS: dict[str, Callable[[SimulatedGpu, str], SimulatedGpu]] = {
    "name": lambda gpu, value: replace(gpu, name=value),
    "cc": _with_compute_capability,
    "pci": lambda gpu, value: replace(gpu, pci_bus_id=value.lower()),
    "uuid": lambda gpu, value: replace(gpu, uuid=value),
}
