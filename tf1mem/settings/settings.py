"""Reads a config of any shape into `Settings`, and checks it.

Reading has no side effects. A dict and a ConfigProto as text need no TensorFlow; a ConfigProto message has its own
descriptor; bytes are parsed by the installed TensorFlow's ConfigProto.
"""

from __future__ import annotations

import itertools
import os
from dataclasses import dataclass, replace
from dataclasses import field as dataclass_field
from typing import TYPE_CHECKING, Any, Iterator, Mapping

from tf1mem.errors import NotAConfigError, SettingError, SettingTypeError, UnknownFieldError
from tf1mem.machine.versions import SPAN
from tf1mem.settings import fields, files, protos
from tf1mem.settings.checks import check
from tf1mem.settings.field_names import SOFT, VISIBLE
from tf1mem.settings.text_proto import DEEPEST, TextProto
from tf1mem.settings.values import (
    VirtualDevices,
    assignment,
    glimpse,
    is_default,
    parse_visible,
    refuse_two_spellings,
    shortened,
    snake_case,
    typed,
)

if TYPE_CHECKING:
    from tf1mem.settings.proto_types import ConfigProto

_ACCEPTED = (
    "Give a tf.ConfigProto, a tf.GPUOptions, a dict in the shape of ConfigProto, its serialized bytes, "
    "or the path of a .pbtxt, .json or .yaml file"
)


@dataclass(frozen=True)
class Settings:
    """The checked settings of a config.

    Attributes:
        values: The dotted names of the fields that differ from ConfigProto's defaults -> their values. Enums are
            names; `virtual_devices` is a tuple of `VirtualDevices`; a message that is passed on whole is text.
        spelled_defaults: Fields that a dict or a file spells out with their default value; a ConfigProto can't
            distinguish a default from a field left out.
        tf1_defaults: True if an absent soft placement means off, as in a ConfigProto and in TensorFlow 1. False for
            plain names, dicts, JSON, YAML and environment variables: TensorFlow decides then.
        unknown: Fields of the ConfigProto that its class doesn't know, as "message#number".
        serialized: The serialized ConfigProto, if the settings were read from one.
        tree: The dict, with fields as TF1 spells them, if the settings were read from one.
        text: The text, if the settings were read from a ConfigProto as text.
    """

    values: Mapping[str, Any]
    spelled_defaults: tuple[str, ...] = ()
    unknown: tuple[str, ...] = ()
    tf1_defaults: bool = True
    serialized: bytes | None = dataclass_field(default=None, compare=False, repr=False)
    tree: Mapping[str, Any] | None = dataclass_field(default=None, compare=False, repr=False)
    text: str | None = dataclass_field(default=None, compare=False, repr=False)

    @classmethod
    def of(cls, config: Any) -> Settings:
        """Reads a config of any accepted shape.

        Args:
            config: A ConfigProto, GPUOptions, dict, serialized bytes, path, `Settings`, or None for TF1's defaults.

        Returns:
            The config's settings.

        Raises:
            NotAConfigError: `config` is none of these.
            SettingError: TensorFlow 1 refuses or ignores a value.
            UnknownFieldError: A dict or file names a field that no ConfigProto has.
            ConfigFileError: A file is missing, empty, binary or broken.
            TensorFlowNotFoundError: There is no TensorFlow to parse bytes.
        """
        if isinstance(config, Settings):
            return config
        if config is None:
            return cls({}, tree={})
        if isinstance(config, Mapping):
            return _from_dict(config)
        if protos.is_message(config):
            return _from_proto(config)
        if isinstance(config, (bytes, bytearray)):
            return _from_proto(protos.parse_bytes(bytes(config)))
        if isinstance(config, (str, os.PathLike)):
            return read(config)
        what = "the class " + config.__name__ if isinstance(config, type) else glimpse(config)
        raise NotAConfigError(what, "is not a config", _ACCEPTED)

    def get(self, path: str, default: Any = None) -> Any:
        """Returns the value of a field, or `default` if it has ConfigProto's default."""
        return self.values.get(path, default)

    @property
    def visible_gpus(self) -> tuple[int, ...] | None:
        """The GPUs of `visible_device_list`, in its order, or None for all of them."""
        text = self.values.get(VISIBLE)
        return parse_visible(text) if text else None

    @property
    def soft_placement(self) -> bool | None:
        """True if ops move to where they have a kernel, False if not, None if TensorFlow decides."""
        if SOFT in self.values:
            return True
        return False if self.tf1_defaults or SOFT in self.spelled_defaults else None

    def to_proto(self) -> ConfigProto:
        """Returns the settings as a new ConfigProto of the installed TensorFlow.

        Raises:
            TensorFlowNotFoundError: No TensorFlow is installed.
            SettingError: The installed TensorFlow lacks a field, or refuses a value.
        """
        if self.serialized is not None:
            config: ConfigProto = protos.parse_bytes(self.serialized)
        elif self.text is not None:
            config = protos.parse_text(self.text)
        else:
            config = protos.from_tree(self.tree or {})
        if self.soft_placement is None:
            protos.leave_placement(config)
        return config


def read(path: str | os.PathLike[str]) -> Settings:
    """Reads settings from a file.

    Args:
        path: A `.pbtxt` (ConfigProto as text), `.json`, `.yaml` or `.yml` file in the shape of ConfigProto.

    Returns:
        The settings, which `tf1mem.apply` and `tf1mem.plan` take.

    Raises:
        ConfigFileError: The file is missing, empty, binary, broken or of another kind.
        SettingError: TensorFlow 1 refuses or ignores a value.
    """
    loaded = files.load(path)
    try:
        if isinstance(loaded, TextProto):
            return _from_text(loaded)
        return Settings.of(loaded)
    except (SettingError, SettingTypeError) as error:
        raise type(error)(f"{files.named(path)}: {error.asked}", error.wrong, error.remedy) from error


# --- from a dict -----------------------------------------------------------------------------------------------


# No real config is as large. A dict that contains parts of itself many times over, or itself, is.
_LARGEST = 10_000


def _check_size(tree: Mapping[str, Any]) -> None:
    """Refuses a dict that would take long to read, or never end, before any other function reads it."""
    waiting: list[tuple[Any, int]] = [(tree, 0)]
    for seen in itertools.count():
        if not waiting:
            return
        value, depth = waiting.pop()
        if depth > DEEPEST or seen > _LARGEST:
            raise SettingError(
                "the settings",
                f"are nested more than {DEEPEST} deep" if depth > DEEPEST else f"hold more than {_LARGEST} values",
                "Write them in the shape of ConfigProto; check that no part contains itself",
            )
        parts = value.values() if isinstance(value, Mapping) else value if isinstance(value, (list, tuple)) else ()
        waiting += [(part, depth + 1) for part in itertools.islice(parts, _LARGEST + 1)]


def _from_dict(tree: Mapping[str, Any]) -> Settings:
    _check_size(tree)
    return replace(_from_tree(tree), tf1_defaults=False)


def _from_text(proto: TextProto) -> Settings:
    _check_size(proto.tree)
    return replace(_from_tree(proto.tree), text=proto.text)


def _from_tree(tree: Mapping[str, Any]) -> Settings:
    values: dict[str, Any] = {}
    defaults: list[str] = []
    plain: dict[str, Any] = {}
    for path, value in _leaves(tree, "", plain):
        row = fields.FIELDS[path]
        checked = typed(row, value)
        if is_default(row, checked):
            defaults.append(path)
        else:
            values[path] = checked
    check(values)
    return Settings(values, tuple(defaults), tree=plain)


def _leaves(tree: Mapping[Any, Any], prefix: str, plain: dict[str, Any]) -> Iterator[tuple[str, Any]]:
    """Yields the leaf fields of a dict in the shape of ConfigProto; fills `plain` with the dict as TF1 spells it."""
    names: set[str] = set()
    for key, value in tree.items():
        if not isinstance(key, str):
            raise UnknownFieldError(glimpse(key), "is not the name of a field", "Name fields as ConfigProto does")
        path = prefix + key
        known = path if path in fields.FIELDS or path in fields.MESSAGES else prefix + snake_case(key)
        name = known[len(prefix) :]
        refuse_two_spellings(prefix, name, names)
        names.add(name)
        if known in fields.FIELDS:
            if value is None:
                continue  # YAML's "allow_growth:" with nothing after it
            plain[name] = value
            yield known, value
        elif known in fields.MESSAGES:
            if value is None:
                continue
            if not isinstance(value, Mapping):
                raise SettingTypeError(assignment(known, value), "is a message", "Give it a dict of its fields")
            plain[name] = {}
            yield from _leaves(value, known + ".", plain[name])
        else:
            raise UnknownFieldError(
                shortened(path),
                f"no ConfigProto of TensorFlow {SPAN} has this field",
                fields.nearest_field(shortened(path)),
            )


# --- from a ConfigProto ----------------------------------------------------------------------------------------


def _from_proto(message: Any) -> Settings:
    proto = protos.as_config(message)
    values: dict[str, Any] = {}
    for path, value in protos.set_leaves(proto):
        values[path] = _split_gpus(value) if path.endswith("experimental.virtual_devices") else value
    check(values)
    return Settings(
        values,
        unknown=protos.unknown_fields(proto),
        tf1_defaults=not protos.leaves_placement(message),
        serialized=proto.SerializeToString(),
    )


def _split_gpus(messages: Any) -> tuple[VirtualDevices, ...]:
    names = VirtualDevices.__dataclass_fields__
    return tuple(VirtualDevices(*(tuple(getattr(entry, name, ())) for name in names)) for entry in messages)
