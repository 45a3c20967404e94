"""Names that TensorFlow 2 has, and names that its own files have lost since TensorFlow 1.

The data is generated from TensorFlow 1.15.5 and 2.21 themselves by tests/names/generating.py: TensorFlow 2.21
without legacy Keras and the Estimator, which aren't installed with it.
"""

from __future__ import annotations

from functools import lru_cache
from typing import NamedTuple

from tf1mem.names.rows import sections

# The TensorFlow version of the table, as remarks name it.
VERSION = "2.21"
# Modules that aren't in the table: TensorFlow's files beside its API, and raw ops, which are the same everywhere.
_CLOSED = frozenset("core compiler tools lite raw_ops dtensor tsl xla include compat version".split())


class _Table(NamedTuple):
    names: dict[str, frozenset[str]]
    members: dict[str, frozenset[str]]
    files: dict[str, frozenset[str]]


@lru_cache(maxsize=1 << 14)  # the same few thousand names are in all files of a tree
def lacking(dotted: str) -> str:
    """Returns the outermost part of a dotted name that TensorFlow 2 lacks; "" if it lacks none, as far as is known.

    Args:
        dotted: Name without "tensorflow", such as "compat.v1.layers.dense", "python.framework.ops.Tensor" or
            "data.Iterator.from_structure".
    """
    home = ""
    while dotted.startswith(("compat.v1.", "compat.v2.")):
        home = "compat.v1" if dotted.startswith("compat.v1.") else ""
        dotted = dotted[len("compat.v1.") :]
    parts = dotted.split(".")
    if parts[0] == "python":
        return _lost_of_files(parts)
    if not home and parts[0] in ("contrib", "examples"):
        return ".".join(parts[:2])
    table = _read()
    for part in parts:
        names = table.names.get(home)
        lies_in, home = home, f"{home}.{part}".strip(".")
        if names is None:  # a class, or a function
            public = lies_in[len("compat.v1.") :] if lies_in.startswith("compat.v1.") else lies_in
            is_lost = lies_in is public and part in table.members.get(public, ())
            return home if is_lost else ""
        if part.startswith("_") or (not lies_in and part in _CLOSED):
            return ""
        if part not in names:
            return home
    return ""


def lost_members(name: str) -> frozenset[str]:
    """Returns the members that a class has in compat.v1 only, such as "make_one_shot_iterator" of "data.Dataset"."""
    return _read().members.get(name, frozenset())


def is_module(dotted: str) -> bool:
    """Returns True for a module of TensorFlow 2's API, and for a name that may be one of its own files."""
    return dotted.startswith("python.") or dotted in _read().names


@lru_cache(maxsize=None)
def has_lost_files(dotted: str) -> bool:
    """Returns True if TensorFlow 2 lacks a file of its own, or a name in it, at or below this path."""
    return dotted.startswith("python.estimator") or any((file + ".").startswith(dotted + ".") for file in _read().files)


def _lost_of_files(parts: list[str]) -> str:
    """Returns the part of a name of TensorFlow's own files that TensorFlow 2 lacks, or ""."""
    if parts[1:2] == ["estimator"]:
        return "python.estimator"
    files = _read().files
    for size in range(1, len(parts) + 1):
        file = ".".join(parts[:size])
        names = files.get(file, ())
        if "*" in names:
            return file
        if size < len(parts) and parts[size] in names:
            return f"{file}.{parts[size]}"
    return ""


@lru_cache(maxsize=None)
def _read() -> _Table:
    table = sections("tf2_names")
    return _Table(*({name: frozenset(names) for name, *names in table[section]} for section in _Table._fields))
