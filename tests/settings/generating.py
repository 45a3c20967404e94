"""Writes `tf1mem/settings/proto_types.pyi`: the types of ConfigProto and its messages, from the table of fields.

Usage: python -m tests.settings.generating

tests/settings/test_fields.py compares the table with the descriptors of every TensorFlow.
"""

from __future__ import annotations

from textwrap import indent
from typing import Iterable

from tests.processes.environment import ROOT
from tf1mem.settings.fields import FIELDS, MESSAGES, Field

STUB = ROOT / "tf1mem" / "settings" / "proto_types.pyi"

HEAD = '''\
"""The types of ConfigProto and its messages, with the fields of every TensorFlow. Editors and type checkers read them.

Made by `python -m tests.settings.generating`: don't edit.
"""

from typing import Any, Generic, Iterable, Mapping, MutableMapping, MutableSequence, Sequence, TypeVar, Union

from google.protobuf.message import Message

_T = TypeVar("_T")
_M = TypeVar("_M")
_Value = Union[int, str]  # of an enum: its number or its name

class _Messages(Generic[_T], Sequence[_T]):
    """A repeated field of messages."""

    def add(self, **fields: Any) -> _T: ...
    def append(self, value: _T) -> None: ...
    def extend(self, values: Iterable[_T]) -> None: ...
    def __delitem__(self, index: Union[int, slice]) -> None: ...
    def __getitem__(self, index: Any) -> Any: ...
    def __len__(self) -> int: ...

class _Message:
    """The methods of every message."""

    DESCRIPTOR: Any
    def ByteSize(self) -> int: ...
    def Clear(self) -> None: ...
    def ClearField(self, field_name: str) -> None: ...
    def CopyFrom(self: _M, other_msg: _M) -> None: ...
    def HasField(self, field_name: str) -> bool: ...
    def ListFields(self) -> Sequence[Any]: ...
    def MergeFrom(self: _M, other_msg: _M) -> None: ...
    def MergeFromString(self, serialized: bytes) -> int: ...
    def ParseFromString(self, serialized: bytes) -> int: ...
    def SerializeToString(self, *, deterministic: bool = ...) -> bytes: ...
    def SetInParent(self) -> None: ...
    @classmethod
    def FromString(cls: type[_M], s: bytes) -> _M: ...
'''
_SCALARS = {"bool": "bool", "int": "int", "float": "float", "string": "str", "enum": "int"}
_IN_INIT = {**_SCALARS, "enum": "_Value"}
# Path of a field -> the class of its message; a dot in the name is that of a nested class.
_CLASSES = {
    "gpu_options.experimental": "GPUOptions.Experimental",
    "gpu_options": "GPUOptions",
    "graph_options.optimizer_options": "OptimizerOptions",
    "graph_options.rewrite_options.auto_parallel": "AutoParallelOptions",
    "graph_options.rewrite_options.scoped_allocator_opts": "ScopedAllocatorOptions",
    "graph_options.rewrite_options.inter_optimizer_verifier_config": "VerifierConfig",
    "graph_options.rewrite_options": "RewriterConfig",
    "graph_options": "GraphOptions",
    "experimental": "ConfigProto.Experimental",
    "": "ConfigProto",
}
# Path of a field -> the path of another field with the same message.
_SAME = {
    "pluggable_device_options": "gpu_options",
    "pluggable_device_options.experimental": "gpu_options.experimental",
    "graph_options.rewrite_options.post_optimization_verifier_config": (
        "graph_options.rewrite_options.inter_optimizer_verifier_config"
    ),
}
# Class -> its enums, which have the methods Name() and Value().
_ENUMS = {
    "OptimizerOptions": ("Level", "GlobalJitLevel"),
    "RewriterConfig": ("Toggle", "CpuLayout", "NumIterationsType", "MemOptType"),
    "VerifierConfig": ("Toggle",),
    "ConfigProto.Experimental": ("MlirBridgeRollout",),
}
_VIRTUAL_DEVICES = "GPUOptions.Experimental.VirtualDevices"


def text() -> str:
    """Returns the stub."""
    assert set(MESSAGES) | {""} == set(_CLASSES) | set(_SAME)
    nested = {name for name in _CLASSES.values() if "." in name}
    classes = []
    for path, name in _CLASSES.items():
        if name not in nested:
            inner = next(((other, its) for other, its in _CLASSES.items() if its.startswith(name + ".")), None)
            classes.append(_class(path, name, "" if inner is None else _class(inner[0], inner[1], "")))
    return "\n".join([HEAD, *classes])


def _class(path: str, name: str, inner: str) -> str:
    base = "Message" if name == "ConfigProto" else "_Message"
    lines = [f"class {name.rpartition('.')[2]}({base}):"]
    if name == "GPUOptions.Experimental":
        inner = VIRTUAL
    if inner:
        lines += [indent(inner, "    ").rstrip(), ""]
    fields = list(_fields(path))
    enums = [row.names for row, _, _ in fields if row is not None and row.kind == "enum"]
    lines += [f"    {value}: int" for value in dict.fromkeys(value for names in enums for value in names)]
    lines += [f"    {enum}: Any" for enum in _ENUMS.get(name, ())]
    lines.append("    def __init__(")
    lines.append("        self,")
    lines.append("        *,")
    lines += [f"        {field}: Union[{type_}, None] = ...," for _, field, (_, type_) in fields]
    lines.append("    ) -> None: ...")
    for row, field, (read, _) in fields:
        if row is None or row.kind in ("map", "strings", "messages", "message"):
            lines += ["    @property", f"    def {field}(self) -> {read}: ..."]
        else:
            lines.append(f"    {field}: {read}")
    return "\n".join(lines) + "\n"


def _fields(path: str) -> Iterable[tuple[Field | None, str, tuple[str, str]]]:
    """Yields a message's fields: the row, or None for a nested message; the name; the types to read and to set."""
    prefix = path + "." if path else ""
    written = set()
    for field, row in FIELDS.items():
        if not field.startswith(prefix):
            continue
        name, _, deeper = field[len(prefix) :].partition(".")
        if name in written:
            continue
        written.add(name)
        if deeper:
            message = _CLASSES[_SAME.get(prefix + name, prefix + name)]
            yield None, name, (message, f"Union[{message}, Mapping[str, Any]]")
        else:
            yield row, name, _types(row)


def _types(row: Field) -> tuple[str, str]:
    if row.kind == "map":
        return "MutableMapping[str, int]", "Mapping[str, int]"
    if row.kind == "strings":
        return "MutableSequence[str]", "Iterable[str]"
    if row.path.endswith("experimental.virtual_devices"):
        return f"_Messages[{_VIRTUAL_DEVICES}]", f"Iterable[{_VIRTUAL_DEVICES}]"
    if row.kind == "messages":
        return "_Messages[Any]", "Iterable[Any]"
    if row.kind == "message":
        return "Any", "Any"
    return _SCALARS[row.kind], _IN_INIT[row.kind]


VIRTUAL = """\
class VirtualDevices(_Message):
    def __init__(
        self,
        *,
        memory_limit_mb: Union[Iterable[float], None] = ...,
        priority: Union[Iterable[int], None] = ...,
        device_ordinal: Union[Iterable[int], None] = ...,
    ) -> None: ...
    @property
    def memory_limit_mb(self) -> MutableSequence[float]: ...
    @property
    def priority(self) -> MutableSequence[int]: ...
    @property
    def device_ordinal(self) -> MutableSequence[int]: ...
"""

if __name__ == "__main__":
    STUB.write_text(text(), encoding="utf-8")
