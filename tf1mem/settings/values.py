"""Checks the type of a field's value, and normalises it for `Settings`."""

from __future__ import annotations

import itertools
import math
import reprlib
from dataclasses import dataclass
from typing import Any, Container, Mapping, Sequence

from tf1mem.errors import SettingError, SettingTypeError, UnknownFieldError
from tf1mem.settings.field_names import VISIBLE
from tf1mem.settings.fields import Field


@dataclass(frozen=True)
class VirtualDevices:
    """The logical devices that one physical GPU is split into.

    Attributes:
        memory_limit_mb: The size of each, in MiB; empty for one device of the GPU's whole memory.
        priority: The stream priority of each, or empty.
        device_ordinal: The position of each among all logical devices, or empty.
    """

    memory_limit_mb: tuple[float, ...] = ()
    priority: tuple[int, ...] = ()
    device_ordinal: tuple[int, ...] = ()

    def __str__(self) -> str:
        return "[{}]".format(", ".join(f"{limit:g}" for limit in self.memory_limit_mb))


def parse_visible(text: str) -> tuple[int, ...]:
    """Parses a `visible_device_list`, spaces allowed.

    Raises:
        SettingError: An entry isn't a number, is negative, or is there twice.
    """
    gpus: dict[int, None] = {}
    for entry in text.split(","):
        word = entry.strip()
        if not (word.isdigit() and word.isascii() and len(word) < 10):
            raise SettingError(
                assignment(VISIBLE, text),
                f"{word[:40]!r} is not the number of a GPU",
                "List GPUs by number, counted within CUDA_VISIBLE_DEVICES, such as '0,1'",
            )
        gpu = int(word)
        if gpu in gpus:
            raise SettingError(
                assignment(VISIBLE, text),
                f"GPU {gpu} appears twice in it",
                "List each GPU once; to split one GPU use gpu_options.experimental.virtual_devices",
            )
        gpus[gpu] = None
    return tuple(gpus)


_LONGEST = 80  # characters of a value or a name in an error

# Kind of a field -> the type of its value, the error and the remedy, for kinds without a function of their own below.
_SHAPES: dict[str, tuple[Any, str, str]] = {
    "bool": (bool, "is not a boolean", "Give it true or false"),
    "int": (int, "is not a whole number", "Give it a whole number"),
    "float": ((int, float), "is not a number", "Give it a number such as 0.4, without quotes"),
    "string": (str, "is not a string", "Put it in quotes"),
    "strings": ((list, tuple), "is not a list", "Give it a list"),
    "messages": ((list, tuple), "is not a list", "Give it a list"),
    "message": (Mapping, "is a message", "Give it a dict of its fields"),
}


def assignment(path: str, value: Any) -> str:
    """Returns a field and its value, "path=value", for an error message; a long value is shortened."""
    return f"{path}={glimpse(value)}"


class _Brief(reprlib.Repr):
    """A repr of limited length, for values of any size and depth."""

    def __init__(self) -> None:
        super().__init__()
        self.maxlevel = 4
        self.maxdict = self.maxlist = self.maxtuple = self.maxset = self.maxfrozenset = self.maxdeque = 30
        self.maxstring = self.maxlong = self.maxother = 2 * _LONGEST

    def repr_int(self, value: int, level: int) -> str:
        """Returns a number, or its size in bits: Python refuses more than 4,300 digits, or takes long for them."""
        bits = value.bit_length()
        return repr(value) if bits <= 3 * _LONGEST else f"<a number of {bits} bits>"

    def repr_dict(self, value: dict[Any, Any], level: int) -> str:
        """Returns a dict in its own order."""
        if level <= 0:
            return "{...}"
        parts = [
            f"{self.repr1(key, level - 1)}: {self.repr1(inner, level - 1)}"
            for key, inner in itertools.islice(value.items(), self.maxdict)
        ]
        return "{{{}}}".format(", ".join(parts + ["..."] * (len(value) > self.maxdict)))

    def repr_bytes(self, value: bytes, level: int) -> str:
        """Returns the first bytes."""
        return repr(value[:_LONGEST])

    repr_bytearray = repr_bytes


def glimpse(value: Any) -> str:
    """Returns the beginning of a value's repr, for an error message."""
    try:
        return shortened(_Brief().repr(value))
    except Exception:  # a class's own repr may fail
        return f"a {type(value).__name__}"


def shortened(text: str) -> str:
    """Returns the beginning of a user's text, for an error message."""
    return text if len(text) <= _LONGEST else text[:_LONGEST] + "…"


def listed(values: Sequence[Any]) -> str:
    """Returns the first values of a user's list, for an error message; it reads no more than it shows."""
    return shortened(", ".join(map(str, itertools.islice(values, _LONGEST))) + ("…" if len(values) > _LONGEST else ""))


def refuse_two_spellings(where: str, name: str, among: Container[str]) -> None:
    """Refuses a field that the message has already by another spelling of its name.

    Args:
        where: The message's dotted name with a dot at its end, or "".
        name: The field's name as TF1 spells it.
        among: The fields of the message read before it.

    Raises:
        SettingError: The field is among them.
    """
    if name in among:
        raise SettingError(shortened(where + name), "appears twice, in two spellings", "Write it once")


# Maps, whose keys the user chooses; they aren't names of fields.
_MAPS = frozenset(("parameter_map", "tasks", "attr"))


def check_spellings(where: str, value: Any) -> None:
    """Refuses two spellings of one field in a message that is passed on whole, however deep.

    Args:
        where: The message's dotted name.
        value: The message as a dict of its fields, or a list of such messages.

    Raises:
        SettingError: A field is there twice.
    """
    waiting: list[tuple[str, Any, bool]] = [(where, value, False)]
    while waiting:
        here, part, is_map = waiting.pop()
        if isinstance(part, Mapping):
            names: set[str] = set()
            for key, inner in part.items():
                name = str(key) if is_map else snake_case(str(key))
                refuse_two_spellings(here + ".", name, names)
                names.add(name)
                waiting.append((f"{here}.{name}", inner, not is_map and name in _MAPS))
        elif isinstance(part, (list, tuple)):
            waiting += [(here, inner, False) for inner in part]


def typed(row: Field, value: Any) -> Any:
    """Returns the value as `Settings` stores it.

    Raises:
        SettingError: The value isn't one of the field's.
        SettingTypeError: The value is of another type.
    """
    setting = assignment(row.path, value)
    if row.kind == "enum":
        return _enum(row, value)
    if row.kind == "map":
        return _device_counts(row, value)
    if row.path.endswith("virtual_devices"):
        return _virtual_devices(row, value)
    shape, wrong, remedy = _SHAPES[row.kind]
    if not isinstance(value, shape) or (isinstance(value, bool) and row.kind != "bool"):
        raise SettingTypeError(setting, wrong, remedy)
    if row.kind == "int" and not -(2**63) <= value < 2**63:
        raise SettingError(setting, "does not fit into the field", "Give it a smaller number")
    if row.kind == "float":
        try:
            return float(value)
        except OverflowError:
            raise SettingError(setting, "does not fit into the field", "Give it a smaller number") from None
    if row.kind in ("messages", "message"):
        check_spellings(row.path, value)
    if row.kind in ("strings", "messages"):
        return tuple(str(item) for item in value)
    if row.kind == "message":
        return str(dict(value)) if value else "(set, empty)"
    return value


def _enum(row: Field, value: Any) -> str:
    setting = assignment(row.path, value)
    if isinstance(value, str) and value in row.names:
        return value
    # The numbers of these two enums aren't the positions of their names.
    numbers = {"global_jit_level": (0, -1, 1, 2), "opt_level": (0, -1)}.get(row.name, tuple(range(len(row.names))))
    if isinstance(value, int) and not isinstance(value, bool) and value in numbers:
        return row.names[numbers.index(value)]
    raise SettingError(setting, "is not one of its values", "Give it one of " + ", ".join(row.names))


def _device_counts(row: Field, value: Any) -> dict[str, int]:
    setting = assignment(row.path, value)
    if not isinstance(value, Mapping):
        raise SettingTypeError(setting, "is not a dict", "Give it a dict such as {'GPU': 0}")
    for device_type, count in value.items():
        if not isinstance(device_type, str) or not isinstance(count, int) or isinstance(count, bool):
            raise SettingTypeError(setting, "does not map names to whole numbers", "Give it a dict such as {'GPU': 0}")
    return dict(value)


def _virtual_devices(row: Field, value: Any) -> tuple[VirtualDevices, ...]:
    """Returns the checked value of `virtual_devices`: one entry for each GPU."""
    setting = assignment(row.path, value)
    if not isinstance(value, (list, tuple)):
        raise SettingTypeError(setting, "is not a list", "Give it one entry for each GPU")
    out = []
    for entry in value:
        if not isinstance(entry, Mapping):
            raise SettingTypeError(setting, "an entry is not a dict", "Write {'memory_limit_mb': [2048, 2048]}")
        parts: dict[str, Any] = {}
        for key, numbers in entry.items():
            name = key if key in VirtualDevices.__dataclass_fields__ else snake_case(str(key))
            if name not in VirtualDevices.__dataclass_fields__:
                raise UnknownFieldError(
                    shortened(f"{row.path}.{key}"),
                    "no such field",
                    "It has memory_limit_mb, priority and device_ordinal",
                )
            refuse_two_spellings(row.path + ".", name, parts)
            sizes = numbers if isinstance(numbers, (list, tuple)) else [numbers]
            for number in sizes:
                if not isinstance(number, (int, float)) or isinstance(number, bool):
                    raise SettingTypeError(setting, f"{glimpse(number)} is not a number", "Give sizes in MiB")
            parts[name] = tuple(_number(number, name == "memory_limit_mb") for number in sizes)
        out.append(VirtualDevices(**parts))
    return tuple(out)


def _number(value: float, fractional: bool) -> float:
    """Returns a number as protobuf stores it; one that doesn't fit becomes infinite, which the checks refuse."""
    try:
        return float(value) if fractional or not math.isfinite(value) else int(value)
    except OverflowError:
        return math.inf


def is_default(row: Field, value: Any) -> bool:
    """Returns True if a value is ConfigProto's default for the field."""
    if row.kind == "enum":
        return bool(value == row.names[0])
    return value in (False, 0, 0.0, "") or value in ((), {})


def snake_case(key: str) -> str:
    """Converts `allowGrowth`, protobuf's spelling in JSON, to `allow_growth`."""
    return "".join("_" + letter.lower() if letter.isupper() else letter for letter in key)
