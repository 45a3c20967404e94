"""Reads and creates ConfigProtos as protocol buffers, with any protobuf runtime that a TensorFlow works with."""

from __future__ import annotations

import hmac
import json
from multiprocessing import current_process
from typing import Any, Iterator, Mapping, Sequence

from tf1mem.errors import NotAConfigError, SettingError
from tf1mem.machine.tensorflow import import_tensorflow
from tf1mem.settings import fields
from tf1mem.settings.values import assignment, shortened

# If a config is changed for TensorFlow (GPUs renumbered for CUDA's order, caps rounded to whole pages), it carries the
# original values in a field number that no ConfigProto uses, so that applying it again has the same effect. TensorFlow
# skips unknown fields. Each such field is signed with the key that this process shares with its multiprocessing
# children: in a config from elsewhere a field of that number could hide a setting, so it counts as unknown there.
_ORIGINAL_VISIBLE = 536870911  # the largest possible field number
_ORIGINAL_MEMORY = 536870910
_LEFT_PLACEMENT = 536870909
# Field number -> the bytes before the field's length: the number, and wire type 2, for a length and bytes.
_TAGS = {
    _ORIGINAL_VISIBLE: b"\xfa\xff\xff\xff\x0f",
    _ORIGINAL_MEMORY: b"\xf2\xff\xff\xff\x0f",
    _LEFT_PLACEMENT: b"\xea\xff\xff\xff\x0f",
}
_SIGNATURE = 64  # characters


def renumber(config: Any, visible: str) -> None:
    """Replaces the `visible_device_list` of a config, and stores the original in it."""
    note = f"{visible}>{config.gpu_options.visible_device_list}"
    config.gpu_options.visible_device_list = visible
    config.MergeFromString(_field(_ORIGINAL_VISIBLE, note))


def with_memory(config: Any, fraction: float, limits: Sequence[Sequence[float]], visible: str | None = None) -> Any:
    """Returns a config with other caps on GPU memory, which stores the original caps, too.

    Args:
        config: The config; it isn't changed.
        fraction: The `per_process_gpu_memory_fraction`, or 0 for none.
        limits: The `memory_limit_mb` of each of the `virtual_devices`, whose other fields stay.
        visible: A new `visible_device_list`, or None to keep it.

    Returns:
        A new config, or `config` itself if it has these caps already.
    """
    changed = type(config)()
    changed.CopyFrom(config)
    original = _memory(changed)
    _set_memory(changed, fraction, limits, original[2] if visible is None else visible)
    if _memory(changed) == original:
        return config
    changed.MergeFromString(_field(_ORIGINAL_MEMORY, json.dumps([_memory(changed), original])))
    return changed


def leave_placement(config: Any) -> None:
    """Marks a config so that TensorFlow decides on soft placement unless it is set; ConfigProto has no field for it."""
    config.MergeFromString(_field(_LEFT_PLACEMENT, "allow_soft_placement"))


def leaves_placement(message: Any) -> bool:
    """Returns True if TensorFlow decides on soft placement unless it is set."""
    return _LEFT_PLACEMENT in _notes(message)


def _memory(config: Any) -> list[Any]:
    options = config.gpu_options
    limits = [list(entry.memory_limit_mb) for entry in options.experimental.virtual_devices]
    return [options.per_process_gpu_memory_fraction, limits, options.visible_device_list]


def _set_memory(config: Any, fraction: float, limits: Sequence[Sequence[float]], visible: str) -> None:
    options = config.gpu_options
    options.per_process_gpu_memory_fraction = fraction
    options.visible_device_list = visible
    if not limits:
        options.experimental.ClearField("virtual_devices")
        if not options.experimental.ListFields():
            options.ClearField("experimental")
    for place, sizes in enumerate(limits):
        entries = options.experimental.virtual_devices
        entry = entries[place] if place < len(entries) else entries.add()
        entry.memory_limit_mb[:] = sizes


def _field(number: int, note: str) -> bytes:
    """Returns the serialized form of an unknown field of a message."""
    data = _signature(number, note) + note.encode("ascii")
    size, length = len(data), b""
    while size > 127:
        length += bytes([size & 127 | 128])
        size >>= 7
    return _TAGS[number] + length + bytes([size]) + data


def _signature(number: int, note: str) -> bytes:
    key = bytes(current_process().authkey)
    return hmac.new(key, f"tf1mem {number} {note}".encode(), "sha256").hexdigest().encode("ascii")


def _notes(config: Any) -> dict[int, str]:
    """Returns the original values that a config carries, field number -> text."""
    notes = {}
    for unknown in _unknown(config):
        if unknown.field_number in _TAGS and isinstance(unknown.data, bytes):
            note = unknown.data[_SIGNATURE:].decode("ascii", "replace")
            if hmac.compare_digest(unknown.data[:_SIGNATURE], _signature(unknown.field_number, note)):
                notes[unknown.field_number] = note
    return notes


def _restored(config: Any) -> Any:
    """Returns a config as it was before `renumber` and `with_memory`, for values that haven't been changed since."""
    notes = _notes(config)
    if not notes:
        return config
    serialized = config.SerializeToString()
    for number, note in notes.items():
        serialized = serialized.replace(_field(number, note), b"")
    restored = type(config).FromString(serialized)
    if _ORIGINAL_VISIBLE in notes:
        here, _, before = notes[_ORIGINAL_VISIBLE].partition(">")
        if restored.gpu_options.visible_device_list == here:
            restored.gpu_options.visible_device_list = before
    if _ORIGINAL_MEMORY in notes:
        changed, original = json.loads(notes[_ORIGINAL_MEMORY])
        now = _memory(restored)
        if now[:2] == changed[:2]:
            _set_memory(restored, original[0], original[1], original[2] if now[2] == changed[2] else now[2])
    return restored


def is_message(value: Any) -> bool:
    """Returns True for a protocol buffer message, False for a message class."""
    return hasattr(value, "DESCRIPTOR") and hasattr(value, "ListFields") and not isinstance(value, type)


def as_config(message: Any) -> Any:
    """Returns a ConfigProto from a ConfigProto or GPUOptions.

    Raises:
        NotAConfigError: The message is of another type.
    """
    kind = message.DESCRIPTOR.full_name
    if kind == "tensorflow.ConfigProto":
        return _restored(message)
    if kind == "tensorflow.GPUOptions":
        return config_class()(gpu_options=message)
    raise NotAConfigError(
        "a " + kind, "is not a config", "Give a tf.ConfigProto, or the tf.GPUOptions that goes into one"
    )


def config_class() -> Any:
    """Returns the installed TensorFlow's ConfigProto class."""
    return import_tensorflow().compat.v1.ConfigProto


def parse_bytes(data: bytes) -> Any:
    """Parses a serialized ConfigProto.

    Raises:
        SettingError: The bytes aren't a ConfigProto.
    """
    config = config_class()()
    try:
        config.ParseFromString(data)
    except Exception as error:  # protobuf's DecodeError moved between its versions
        raise SettingError(
            f"{len(data)} bytes",
            f"are not a serialized ConfigProto ({error})",
            "Give what config.SerializeToString() returned",
        ) from error
    return config


def parse_text(text: str) -> Any:
    """Parses a ConfigProto as text.

    Raises:
        TensorFlowNotFoundError: No TensorFlow is installed.
        SettingError: The text isn't a ConfigProto, or the installed TensorFlow lacks a field of it.
    """
    config = config_class()()  # first: without TensorFlow there may be no protobuf either
    from google.protobuf import text_format

    try:
        return text_format.Parse(text, config)
    except text_format.ParseError as error:
        raise SettingError(
            "the settings", f"the installed TensorFlow doesn't accept them as a ConfigProto ({error})", "Correct them"
        ) from error


def from_tree(tree: Mapping[str, Any]) -> Any:
    """Creates a ConfigProto from a dict in its shape.

    Raises:
        TensorFlowNotFoundError: No TensorFlow is installed.
        SettingError: The installed TensorFlow lacks a field, or refuses a value.
    """
    config = config_class()()  # first: without TensorFlow there may be no protobuf either
    from google.protobuf import json_format

    _refuse_newer(tree, config.DESCRIPTOR, "")
    try:
        json_format.ParseDict(_with_lists(tree), config)
    except json_format.Error as error:
        raise SettingError("the settings", shortened(str(error)), "Write them in the shape of ConfigProto") from error
    return config


def _with_lists(tree: Any) -> Any:
    """Returns the dict with single values of repeated fields, such as `memory_limit_mb: 2048`, as lists."""
    if isinstance(tree, Mapping):
        return {
            key: [value]
            if key in ("memory_limit_mb", "priority", "device_ordinal") and not isinstance(value, (list, tuple))
            else _with_lists(value)
            for key, value in tree.items()
        }
    if isinstance(tree, (list, tuple)):
        return [_with_lists(item) for item in tree]
    return tree


def _refuse_newer(tree: Mapping[str, Any], descriptor: Any, prefix: str) -> None:
    """Raises an error if a dict has a field that the installed TensorFlow's ConfigProto lacks."""
    for key, value in tree.items():
        known = descriptor.fields_by_name.get(key)
        if known is None:
            row = fields.field(prefix + key)
            raise SettingError(
                assignment(prefix + key, value),
                f"the ConfigProto of the installed TensorFlow lacks this field (TensorFlow {row.since} has it)",
                "Leave it out here",
            )
        if prefix + key in fields.MESSAGES and isinstance(value, Mapping):
            _refuse_newer(value, known.message_type, prefix + key + ".")


def set_leaves(message: Any, prefix: str = "") -> Iterator[tuple[str, Any]]:
    """Yields the dotted name and the value of each field that is set in a ConfigProto.

    Enums are names, maps are dicts, virtual devices are messages, other messages of the table are text.
    """
    for descriptor, value in message.ListFields():
        path = prefix + descriptor.name
        row = fields.FIELDS.get(path)
        if row is None and descriptor.message_type is not None and not _is_repeated(descriptor):
            yield from set_leaves(value, path + ".")
        elif path.endswith("experimental.virtual_devices"):
            yield path, value
        elif descriptor.message_type is not None and descriptor.message_type.GetOptions().map_entry:
            yield path, dict(value)
        elif descriptor.message_type is not None:
            yield path, tuple(map(_one_line, value)) if _is_repeated(descriptor) else _one_line(value)
        elif descriptor.enum_type is not None:
            names = descriptor.enum_type.values_by_number
            yield path, names[value].name if value in names else str(value)
        else:
            yield path, tuple(value) if _is_repeated(descriptor) else value


def _is_repeated(descriptor: Any) -> bool:
    """Returns True for a repeated field; the newest protobuf deprecates `label`, older ones lack `is_repeated`."""
    if hasattr(type(descriptor), "is_repeated"):
        return bool(descriptor.is_repeated)
    return bool(descriptor.label == descriptor.LABEL_REPEATED)


def _one_line(message: Any) -> str:
    return " ".join(str(message).split()) or "(set, empty)"


def unknown_fields(message: Any, prefix: str = "") -> tuple[str, ...]:
    """Returns the fields of a message that its class doesn't know, because a newer TensorFlow wrote it.

    Returns:
        Each field as "path#number", such as "gpu_options.experimental#42".
    """
    here = prefix.rstrip(".") or "ConfigProto"
    paths = [f"{here}#{unknown.field_number}" for unknown in _unknown(message)]
    for descriptor, value in message.ListFields():
        if descriptor.message_type is None or descriptor.message_type.GetOptions().map_entry:
            continue
        for part in value if _is_repeated(descriptor) else [value]:
            paths += unknown_fields(part, prefix + descriptor.name + ".")
    return tuple(paths)


def _unknown(message: Any) -> Any:
    try:
        from google.protobuf.unknown_fields import UnknownFieldSet
    except ImportError:  # protobuf before 4.21
        return message.UnknownFields()
    return UnknownFieldSet(message)


def copy_field(source: Any, target: Any, path: str) -> None:
    """Copies one field, by its dotted path, from a message to another of the same type."""
    head, _, below = path.partition(".")
    if below:
        copy_field(getattr(source, head), getattr(target, head), below)
        return
    target.ClearField(head)
    descriptor = source.DESCRIPTOR.fields_by_name[head]
    if descriptor.message_type is not None or _is_repeated(descriptor):
        part = type(source)()
        part.CopyFrom(source)
        for name in source.DESCRIPTOR.fields_by_name:
            if name != head:
                part.ClearField(name)
        target.MergeFrom(part)
    else:
        setattr(target, head, getattr(source, head))
