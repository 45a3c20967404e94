"""Descriptions of simulated GPUs: their size and name, and the memory in use by processes outside of the simulation."""

from __future__ import annotations

import operator
import re
import uuid
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any, Callable, Iterable, Sequence, Union

from tf1mem.errors import SimulationError
from tf1mem.gpusim import cards
from tf1mem.settings.units import UNITS, size

MOST_GPUS = 16
# The properties that a card's name determines, besides the memory.
FIGURES = ("multiprocessors", "clock_khz", "memory_clock_khz", "memory_bus_bits")
DEFAULT_BYTES = 16 * 2**30
# Volta: known to every CUDA from 10.0, which TensorFlow 1.14 was built with, to 12.9.
DEFAULT_COMPUTE_CAPABILITY = (7, 0)
DEFAULT_NAME = "Simulated GPU"

# A process has 128 TiB of address space, into which a GPU's memory is mapped.
_MOST_BYTES = 64 * 2**40
_MOST_NAME = 63  # NVML_DEVICE_NAME_BUFFER_SIZE of the oldest NVML, less the closing zero
_SPELLINGS = {unit.lower(): unit for unit in UNITS}
_UNITS = {"b": 1, **{unit.lower(): count for unit, count in UNITS.items()}}
_SIZE = re.compile(r"([0-9]+(?:\.[0-9]+)?) ?([A-Za-z]*)")
_PCI_BUS_ID = re.compile(r"[0-9a-f]{4}:[0-9a-f]{2}:[0-9a-f]{2}\.0")
_UUID = re.compile(r"GPU(-[0-9a-f]{8})(-[0-9a-f]{4}){3}-[0-9a-f]{12}")
# Fixed, so that a GPU has the same UUID on every machine and CUDA_VISIBLE_DEVICES can name it.
_UUID_NAMESPACE = uuid.UUID("5d2f8e1c-6f0b-5a39-9c1e-74f1316d0a11")


@dataclass(frozen=True)
class SimulatedGpu:
    """One simulated GPU.

    Attributes:
        total_bytes: The memory in bytes, as `cuDeviceTotalMem` returns it. All of it can be allocated.
        name: The name, as `cuDeviceGetName` returns it.
        used_bytes: The bytes in use by processes outside of the simulation from the start.
        compute_capability: The major and minor number, such as (7, 0).
        pci_bus_id: The PCI bus id, such as "0000:01:00.0"; by default from the GPU's number on the machine.
        uuid: The UUID, such as "GPU-6b0d7bd5-…"; by default from the GPU's number on the machine.
        multiprocessors: The number of multiprocessors. Here and in the next three attributes, 0 stands for the figure
            of a card of the same compute capability.
        clock_khz: The multiprocessors' clock rate in kHz.
        memory_clock_khz: The memory's clock rate in kHz.
        memory_bus_bits: The width of the memory's bus in bits.
        context_bytes: The bytes that each context takes, and so each process that starts CUDA on the GPU. A real
            driver takes some hundred MiB, by card and version; 0 leaves the whole GPU to allocations.

    Raises:
        SimulationError: No GPU can have such a value.
    """

    total_bytes: int = DEFAULT_BYTES
    name: str = DEFAULT_NAME
    used_bytes: int = 0
    compute_capability: tuple[int, int] = DEFAULT_COMPUTE_CAPABILITY
    pci_bus_id: str = ""
    uuid: str = ""
    multiprocessors: int = 0
    clock_khz: int = 0
    memory_clock_khz: int = 0
    memory_bus_bits: int = 0
    context_bytes: int = 0

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
        if not 0 <= self.context_bytes <= self.total_bytes:
            raise SimulationError(
                f"a context of {size(self.context_bytes)} on a simulated GPU",
                f"the GPU has {size(self.total_bytes)}",
                "Give at most its size",
            )
        if not (0 < len(self.name) <= _MOST_NAME and self.name.isascii() and self.name.isprintable()):
            raise SimulationError(
                f"a simulated GPU named {self.name!r}",
                "no driver reports such a name",
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
        for field in FIGURES:
            if not 0 <= getattr(self, field) < 2**31:
                raise SimulationError(
                    f"{field}={getattr(self, field)!r} of a simulated GPU", "is out of range", "Give 0 to 2147483647"
                )


Gpus = Union[int, str, SimulatedGpu, Sequence[Union[str, SimulatedGpu]]]
Sizes = Union[int, str, Sequence[Union[int, str]], None]


def lineup(gpus: Gpus, used: Sizes = None, context: Sizes = None) -> tuple[SimulatedGpu, ...]:
    """Returns the GPUs of one simulated machine, with PCI bus ids and UUIDs filled in.

    Args:
        gpus: The number of default GPUs; or one or several GPUs, each a `SimulatedGpu` or text for `parse`.
        used: The memory in use on each GPU from the start, or a list with one entry per GPU, in bytes or as text for
            `parse_size`. By default the GPUs' own `used_bytes`.
        context: The memory that each context takes of a GPU, in the same forms. By default the GPUs' own
            `context_bytes`.

    Returns:
        1 to 16 GPUs.

    Raises:
        SimulationError: There are no GPUs or too many, no GPU can have such a value, or two have the same PCI bus id
            or UUID.
    """
    if isinstance(gpus, int):
        kinds: list[SimulatedGpu] = [SimulatedGpu()] * gpus if 0 < gpus <= MOST_GPUS else []
        count = gpus
    else:
        listed = [gpus] if isinstance(gpus, (str, SimulatedGpu)) else list(gpus)
        count = len(listed)
        kinds = [parse(gpu) if isinstance(gpu, str) else gpu for gpu in listed[:MOST_GPUS]]
    if not 0 < count <= MOST_GPUS:
        raise SimulationError(f"{count} simulated GPUs", f"a machine has 1 to {MOST_GPUS}", "Ask for that many")
    placed = [
        replace(
            kind,
            used_bytes=others_bytes,
            context_bytes=context_bytes,
            pci_bus_id=kind.pci_bus_id or f"0000:{index + 1:02x}:00.0",
            uuid=kind.uuid or f"GPU-{uuid.uuid5(_UUID_NAMESPACE, str(index))}",
        )
        for index, (kind, others_bytes, context_bytes) in enumerate(
            zip(
                kinds,
                _of_each("used memory", used, [gpu.used_bytes for gpu in kinds]),
                _of_each("contexts", context, [gpu.context_bytes for gpu in kinds]),
            )
        )
    ]
    for noun, names in ("PCI bus id", [gpu.pci_bus_id for gpu in placed]), ("UUID", [gpu.uuid for gpu in placed]):
        for duplicate in (name for name in names if names.count(name) > 1):
            raise SimulationError(f"the {noun} {duplicate}", "two GPUs have it", "Give each its own")
    return tuple(placed)


def parse(text: str) -> SimulatedGpu:
    """Returns the GPU that a text describes.

    Args:
        text: A size or a card's name, and optional further values: "8GiB", "RTX 3090",
            "16GiB,name=Tesla V100,cc=7.0,pci=…,uuid=…".

    Raises:
        SimulationError: The text has another form, no card or several have this name, or no GPU can have such a value.
    """
    first, *parts = text.split(",")
    gpu = _of_size_or_card(first)
    names = set()
    for part in parts:
        key, equals, value = part.partition("=")
        key = key.strip()
        if not equals or key not in _KEYS:
            raise SimulationError(
                f"the GPU {text!r}",
                f"{part!r} is not a property of a GPU",
                "After its size or card, write any of name=…, cc=…, context=…, pci=…, uuid=…",
            )
        if key in names:
            raise SimulationError(f"the GPU {text!r}", f"{key} is given twice", "Give it once")
        names.add(key)
        gpu = _KEYS[key](gpu, value.strip())
    return gpu


def _of_size_or_card(text: str) -> SimulatedGpu:
    """Returns the GPU that a size such as "8GiB", or a card's name, describes."""
    size_match = _SIZE.fullmatch(text.strip())
    if size_match and size_match.group(2).lower() in _UNITS:
        return SimulatedGpu(parse_size(text))
    card = cards.find(text)
    if card is None:
        if size_match or not text.strip():
            return SimulatedGpu(parse_size(text))  # raises an error that names the missing part
        raise cards.unknown(text)
    return SimulatedGpu(
        int(parse_amount(card.memory)),
        card.name,
        compute_capability=_compute_capability(card.compute_capability),
        **{figure: getattr(card, figure) for figure in FIGURES},
    )


def parse_size(text: str) -> int:
    """Returns a size in bytes, from text.

    Args:
        text: A number and its unit: "8GiB", "512MiB", "1.5GiB", "8589934593B". The units are powers of two.

    Raises:
        SimulationError: The text isn't a size, has no unit or an ambiguous one (GB, G), or isn't a whole number of
            bytes.
    """
    count = parse_amount(text)
    if count.denominator != 1:
        raise SimulationError(f"the size {text!r}", "is not a whole number of bytes", "Write it in bytes, with B")
    return int(count)


def parse_amount(text: str) -> Fraction:
    """Returns a size like `parse_size`, but also one that isn't a whole number of bytes, such as "2.7GiB".

    Raises:
        SimulationError: The text isn't a size, or has no unit or an ambiguous one (GB, G).
    """
    match = _SIZE.fullmatch(text.strip())
    if match is None:
        raise SimulationError(f"the size {text!r}", "is not a size", "Write it as 8GiB, 512MiB or 8589934593B")
    number, unit = Fraction(match.group(1)), match.group(2).lower()
    if unit not in _UNITS:
        raise _ambiguous(text, match.group(1), unit)
    return number * _UNITS[unit]


def _ambiguous(text: str, number: str, unit: str) -> SimulationError:
    """Returns the error for a size whose unit is missing, or could be a power of two or of ten."""
    power = ["k", "m", "g", "t"].index(unit[0]) + 1 if unit in _AMBIGUOUS else 0
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


_AMBIGUOUS = {prefix + ending for prefix in "kmgt" for ending in ("", "b", "i")}


def _of_each(option: str, sizes: Sizes, default: list[int]) -> list[int]:
    """Returns a size in bytes for each GPU.

    Args:
        option: The subject of the sizes, for an error message: "used memory".
        sizes: One for all GPUs, one for each, or None.
        default: The GPUs' own sizes.
    """
    if sizes is None:
        return default
    each = list(sizes) if isinstance(sizes, Iterable) and not isinstance(sizes, str) else [sizes] * len(default)
    if len(each) != len(default):
        raise SimulationError(
            f"{option} of {len(each)} GPUs",
            f"the machine has {len(default)}",
            "Give it once for all GPUs, or once for each",
        )
    return [_bytes_of(option, size) for size in each]


def _bytes_of(option: str, amount: Any) -> int:
    """Returns a size in bytes, from a number of bytes or text for `parse_size`."""
    if isinstance(amount, str):
        return parse_size(amount)
    try:
        if not isinstance(amount, bool):
            return operator.index(amount)  # NumPy's integers, too
    except TypeError:
        pass
    raise SimulationError(
        f"{option} of {amount!r}", "that is not a size", "Give a whole number of bytes, or text such as '300MiB'"
    )


def _compute_capability(value: str) -> tuple[int, int]:
    match = re.fullmatch(r"([0-9]{1,2})\.([0-9])", value)
    if match is None:
        raise SimulationError(
            f"compute capability {value!r}", "is not one", "Write it with a point, such as 7.0 or 8.6"
        )
    return int(match.group(1)), int(match.group(2))


_KEYS: dict[str, Callable[[SimulatedGpu, str], SimulatedGpu]] = {
    "name": lambda gpu, value: replace(gpu, name=value),
    "cc": lambda gpu, value: replace(gpu, compute_capability=_compute_capability(value)),
    "context": lambda gpu, value: replace(gpu, context_bytes=parse_size(value)),
    "pci": lambda gpu, value: replace(gpu, pci_bus_id=value.lower()),
    "uuid": lambda gpu, value: replace(gpu, uuid=value),
}
