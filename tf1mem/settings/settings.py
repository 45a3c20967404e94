"""What is asked: a config of any shape, read and checked into `Settings`.

Reading has no side effects. A dict needs no TensorFlow; a ConfigProto brings its own description; bytes and text protos
are parsed by the installed TensorFlow's ConfigProto.
"""

from __future__ import annotations

import difflib
import math
import os
from dataclasses import dataclass
from dataclasses import field as dataclass_field
from typing import Any, Iterator, Mapping

from tf1mem.errors import SettingError, SettingTypeError, UnknownFieldError
from tf1mem.settings import fields, protos

FRACTION = "gpu_options.per_process_gpu_memory_fraction"
GROWTH = "gpu_options.allow_growth"
VISIBLE = "gpu_options.visible_device_list"
VIRTUAL = "gpu_options.experimental.virtual_devices"
SOFT = "allow_soft_placement"
LOG = "log_device_placement"
COUNT = "device_count"

# A million times a GPU's memory is nobody's wish, and its bytes overflow TensorFlow's arithmetic.
_LARGEST_FRACTION = 1e6

_ACCEPTED = (
    "Give a tf.ConfigProto, a tf.GPUOptions, a dict in the shape of ConfigProto, its serialized bytes, "
    "or the path of a .pbtxt, .json or .yaml file"
)


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


@dataclass(frozen=True)
class Settings:
    """The settings that a config asks for, checked, every field accounted for.

    Attributes:
        values: The settings that differ from ConfigProto's defaults, by the dotted name of the field. Enums are
            their names; `virtual_devices` is a tuple of `VirtualDevices`; a message that is passed on whole is text.
        spelled_defaults: Fields that were written out with their default value (a dict or a file can; a ConfigProto
            cannot tell a default from a field left out).
        unknown: Fields the ConfigProto holds without knowing them, as "message#number".
        serialized: The ConfigProto itself, when it came as one.
        tree: The dict it was read from, when it came as one, with fields as TF1 spells them.
    """

    values: Mapping[str, Any]
    spelled_defaults: tuple[str, ...] = ()
    unknown: tuple[str, ...] = ()
    serialized: bytes | None = dataclass_field(default=None, compare=False, repr=False)
    tree: Mapping[str, Any] | None = dataclass_field(default=None, compare=False, repr=False)

    @classmethod
    def of(cls, config: Any) -> Settings:
        """Reads a config of any accepted shape.

        Args:
            config: A ConfigProto, GPUOptions, dict, serialized bytes, path, `Settings`, or None for TF1's defaults.

        Returns:
            The settings it asks for.

        Raises:
            SettingTypeError: It is none of these.
            SettingError: A value is one that TensorFlow 1 refuses or ignores.
            UnknownFieldError: A dict or file names a field that no ConfigProto has.
            ConfigFileError: A file is missing, empty, binary or broken.
            TensorFlowNotFoundError: Bytes or a text proto, and no TensorFlow to parse them.
        """
        if isinstance(config, Settings):
            return config
        if config is None:
            return cls.of({})
        if isinstance(config, Mapping):
            return _from_dict(config)
        if protos.is_message(config):
            return _from_proto(protos.as_config(config))
        if isinstance(config, (bytes, bytearray)):
            return _from_proto(protos.as_config(protos.parse_bytes(bytes(config))))
        if isinstance(config, (str, os.PathLike)):
            return read(config)
        what = "the class " + config.__name__ if isinstance(config, type) else repr(config)
        raise SettingTypeError(what, "is not a config", _ACCEPTED)

    def get(self, path: str, default: Any = None) -> Any:
        """The value of a field, or `default` where it has ConfigProto's own default."""
        return self.values.get(path, default)

    @property
    def visible_gpus(self) -> tuple[int, ...] | None:
        """The GPUs of `visible_device_list`, in its order, or None for all of them."""
        text = self.values.get(VISIBLE)
        return parse_visible(text) if text else None

    def to_proto(self) -> Any:
        """The same settings as a new ConfigProto of the installed TensorFlow.

        Raises:
            TensorFlowNotFoundError: There is none.
            SettingError: The installed TensorFlow has no such field, or it does not take the value.
        """
        if self.serialized is not None:
            return protos.parse_bytes(self.serialized)
        return protos.from_tree(self.tree or {})


def read(path: Any) -> Settings:
    """Reads settings from a file.

    Args:
        path: A `.pbtxt` (ConfigProto as text), `.json`, `.yaml` or `.yml` file in the shape of ConfigProto.

    Returns:
        The settings, which `tf1mem.apply` and `tf1mem.plan` take.

    Raises:
        ConfigFileError: The file is missing, empty, binary, broken or of another kind.
        SettingError: It asks for something that TensorFlow 1 refuses or ignores.
        TensorFlowNotFoundError: It is a `.pbtxt` and no TensorFlow is installed to parse it.
    """
    from tf1mem.settings import files

    loaded = files.load(path)
    try:
        return Settings.of(loaded)
    except (SettingError, SettingTypeError) as error:
        raise type(error)(f"{os.fspath(path)}: {error.asked}", error.wrong, error.remedy) from error


def parse_visible(text: str) -> tuple[int, ...]:
    """Parses a `visible_device_list`, spaces allowed.

    Raises:
        SettingError: An entry is no number, is negative, or stands twice.
    """
    gpus: list[int] = []
    for entry in text.split(","):
        word = entry.strip()
        if not (word.isdigit() and word.isascii() and len(word) < 10):
            raise SettingError(
                f"{VISIBLE}={text[:80]!r}",
                f"{word[:40]!r} is not the number of a GPU",
                "List GPUs by number, counted within CUDA_VISIBLE_DEVICES, such as '0,1'",
            )
        gpu = int(word)
        if gpu in gpus:
            raise SettingError(
                f"{VISIBLE}={text!r}",
                f"GPU {gpu} stands in it twice",
                "List each GPU once; to split one GPU use gpu_options.experimental.virtual_devices",
            )
        gpus.append(gpu)
    return tuple(gpus)


# --- from a dict -----------------------------------------------------------------------------------------------


def _from_dict(tree: Mapping[str, Any]) -> Settings:
    values: dict[str, Any] = {}
    defaults: list[str] = []
    plain: dict[str, Any] = {}
    for path, value in _leaves(tree, "", plain):
        row = fields.FIELDS[path]
        checked = _typed(row, value)
        if _is_default(row, checked):
            defaults.append(path)
        else:
            values[path] = checked
    _check(values)
    return Settings(values, tuple(defaults), tree=plain)


def _leaves(tree: Mapping[Any, Any], prefix: str, plain: dict[str, Any]) -> Iterator[tuple[str, Any]]:
    """The leaf fields of a dict in the shape of ConfigProto; fills `plain` with the same, as TF1 spells it."""
    for key, value in tree.items():
        if not isinstance(key, str):
            raise UnknownFieldError(repr(key), "is not the name of a field", "Name fields as ConfigProto does")
        path = prefix + key
        known = path if path in fields.FIELDS or path in fields.MESSAGES else prefix + _snake(key)
        name = known[len(prefix) :]
        if known in fields.FIELDS:
            if value is None:
                continue  # YAML's "allow_growth:" with nothing after it
            if name in plain:
                raise SettingError(known, "stands there twice, in two spellings", "Write it once")
            plain[name] = value
            yield known, value
        elif known in fields.MESSAGES:
            if value is None:
                continue
            if not isinstance(value, Mapping):
                raise SettingTypeError(f"{known}={value!r}", "is a message", "Give it a dict of its fields")
            plain.setdefault(name, {})
            yield from _leaves(value, known + ".", plain[name])
        else:
            raise UnknownFieldError(
                path, "no ConfigProto of TensorFlow 1.13 to 2.22 has this field", nearest_field(path)
            )


def _snake(key: str) -> str:
    """`allowGrowth` as `allow_growth`: protobuf's JSON spells fields so."""
    return "".join("_" + letter.lower() if letter.isupper() else letter for letter in key)


def nearest_field(path: str) -> str:
    """A question that names the field nearest to one that doesn't exist."""
    name = path.rsplit(".", 1)[-1]
    everything = [*fields.FIELDS, *sorted(fields.MESSAGES)]
    same_name = [known for known in everything if known.rsplit(".", 1)[-1] == name]
    close = same_name or difflib.get_close_matches(path, everything, 1, 0.5)
    if not close:
        short = {known.rsplit(".", 1)[-1]: known for known in reversed(everything)}
        close = [short[match] for match in difflib.get_close_matches(name, list(short), 1, 0.5)]
    return f"Did you mean {close[0]}?" if close else "See tf1mem/settings/fields.py for the fields there are"


def _typed(row: fields.Field, value: Any) -> Any:
    """The value as `Settings` holds it, or an error that names the field."""
    asked = f"{row.path}={value!r}"
    if row.kind == "bool":
        if isinstance(value, bool):
            return value
        raise SettingTypeError(asked, "is not a truth value", "Give it true or false")
    if row.kind == "int":
        if isinstance(value, int) and not isinstance(value, bool):
            if -(2**63) <= value < 2**63:
                return value
            raise SettingError(asked, "does not fit into the field", "Give it a smaller number")
        raise SettingTypeError(asked, "is not a whole number", "Give it a whole number")
    if row.kind == "float":
        if isinstance(value, (int, float)) and not isinstance(value, bool):
            try:
                return float(value)
            except OverflowError:
                raise SettingError(asked[:80], "does not fit into the field", "Give it a smaller number") from None
        raise SettingTypeError(asked, "is not a number", "Give it a number such as 0.4, without quotes")
    if row.kind == "string":
        if isinstance(value, str):
            return value
        raise SettingTypeError(asked, "is not a string", "Put it in quotes")
    if row.kind == "enum":
        return _enum(row, value)
    if row.kind == "map":
        return _device_counts(row, value)
    if row.path.endswith("virtual_devices"):
        return _virtual_devices(row, value)
    if row.kind in ("strings", "messages"):
        if isinstance(value, (list, tuple)):
            return tuple(str(item) for item in value)
        raise SettingTypeError(asked, "is not a list", "Give it a list")
    if isinstance(value, Mapping):
        return str(dict(value)) if value else "(set, empty)"
    raise SettingTypeError(asked, "is a message", "Give it a dict of its fields")


def _enum(row: fields.Field, value: Any) -> str:
    asked = f"{row.path}={value!r}"
    if isinstance(value, str) and value in row.names:
        return value
    # These two enums number their names otherwise than by position.
    numbers = {"global_jit_level": (0, -1, 1, 2), "opt_level": (0, -1)}.get(row.name, tuple(range(len(row.names))))
    if isinstance(value, int) and not isinstance(value, bool) and value in numbers:
        return row.names[numbers.index(value)]
    raise SettingError(asked, "is not one of its values", "Give it one of " + ", ".join(row.names))


def _device_counts(row: fields.Field, value: Any) -> dict[str, int]:
    asked = f"{row.path}={value!r}"
    if not isinstance(value, Mapping):
        raise SettingTypeError(asked, "is not a dict", "Give it a dict such as {'GPU': 0}")
    for device_type, count in value.items():
        if not isinstance(device_type, str) or not isinstance(count, int) or isinstance(count, bool):
            raise SettingTypeError(asked, "does not map names to whole numbers", "Give it a dict such as {'GPU': 0}")
    return dict(value)


def _virtual_devices(row: fields.Field, value: Any) -> tuple[VirtualDevices, ...]:
    asked = f"{row.path}={value!r}"
    if not isinstance(value, (list, tuple)):
        raise SettingTypeError(asked, "is not a list", "Give it one entry for each GPU")
    out = []
    for entry in value:
        if not isinstance(entry, Mapping):
            raise SettingTypeError(asked, "an entry is not a dict", "Write {'memory_limit_mb': [2048, 2048]}")
        parts: dict[str, Any] = {}
        for key, numbers in entry.items():
            name = key if key in VirtualDevices.__dataclass_fields__ else _snake(str(key))
            if name not in VirtualDevices.__dataclass_fields__:
                raise UnknownFieldError(
                    f"{row.path}.{key}",
                    "no such field",
                    "It has memory_limit_mb, priority and device_ordinal",
                )
            listed = numbers if isinstance(numbers, (list, tuple)) else [numbers]
            for number in listed:
                if not isinstance(number, (int, float)) or isinstance(number, bool):
                    raise SettingTypeError(asked, f"{number!r} is not a number", "Give sizes in MiB")
            parts[name] = tuple(_number(number, name == "memory_limit_mb") for number in listed)
        out.append(VirtualDevices(**parts))
    return tuple(out)


def _number(value: float, fractional: bool) -> float:
    """A number as protobuf holds it; one that doesn't fit is infinite, which the checks refuse."""
    try:
        return float(value) if fractional or not math.isfinite(value) else int(value)
    except OverflowError:
        return math.inf


def _is_default(row: fields.Field, value: Any) -> bool:
    if row.kind == "enum":
        return bool(value == row.names[0])
    return value in (False, 0, 0.0, "") or value in ((), {})


# --- from a ConfigProto ----------------------------------------------------------------------------------------


def _from_proto(proto: Any) -> Settings:
    values: dict[str, Any] = {}
    for path, value in protos.set_leaves(proto):
        values[path] = _split_gpus(value) if path.endswith("experimental.virtual_devices") else value
    _check(values)
    return Settings(values, unknown=protos.unknown_fields(proto), serialized=proto.SerializeToString())


def _split_gpus(messages: Any) -> tuple[VirtualDevices, ...]:
    names = VirtualDevices.__dataclass_fields__
    return tuple(VirtualDevices(*(tuple(getattr(entry, name, ())) for name in names)) for entry in messages)


# --- checks that need no machine -------------------------------------------------------------------------------


def _check(values: dict[str, Any]) -> None:
    fraction = values.get(FRACTION, 0.0)
    if not 0 <= fraction <= _LARGEST_FRACTION:
        raise SettingError(
            f"{FRACTION}={fraction!r}",
            "is not a share of a GPU's memory",
            "Give a number above 0, such as 0.4; above 1 means managed memory, and 0 all memory",
        )
    if VISIBLE in values:
        if not values[VISIBLE].strip():
            del values[VISIBLE]
        else:
            values[VISIBLE] = ",".join(str(gpu) for gpu in parse_visible(values[VISIBLE]))
    for device_type, count in values.get(COUNT, {}).items():
        if count < 0:
            raise SettingError(
                f"{COUNT}={{{device_type!r}: {count}}}",
                "is negative",
                "Give the number of devices to use; 0 hides them",
            )
    _check_virtual(values)


def _check_virtual(values: Mapping[str, Any]) -> None:
    virtual = values.get(VIRTUAL, ())
    limits = [limit for entry in virtual for limit in entry.memory_limit_mb]
    asked = "{}={}".format(VIRTUAL, ", ".join(str(entry) for entry in virtual))
    for limit in limits:
        if not math.isfinite(limit) or limit < 1:
            raise SettingError(
                asked,
                f"a limit of {limit:g} MiB leaves no memory",
                "Give each limit as 1 MiB or more",
            )
    if limits and FRACTION in values:
        raise SettingError(
            f"{asked} with {FRACTION}={values[FRACTION]:g}",
            "TensorFlow refuses the two together (InvalidArgumentError)",
            "Leave the fraction out: the virtual devices' limits say how much memory is used",
        )
    for entry in virtual:
        for name in ("priority", "device_ordinal"):
            given = getattr(entry, name)
            if any(not -(2**31) <= number < 2**31 for number in given):
                raise SettingError(asked, f"a {name} does not fit into the field", "Give a smaller number")
            if given and len(given) != len(entry.memory_limit_mb):
                raise SettingError(
                    asked,
                    f"{len(given)} {name} for {len(entry.memory_limit_mb)} limits",
                    f"Give {name} once for each memory_limit_mb, or not at all",
                )
    listed = values.get(VISIBLE)
    if virtual and listed and len(parse_visible(listed)) != len(virtual):
        raise SettingError(
            asked,
            f"{len(virtual)} entries, but {VISIBLE}={listed!r} names {len(parse_visible(listed))} GPUs",
            "Give one entry of virtual_devices for each visible GPU",
        )
