"""Repairs for TensorFlow: members that objects lost before 1.13, for objects that `tf1mem.v1` passes on unchanged."""

from __future__ import annotations

import sys
from typing import Any

from tf1mem.era.repairs import methods


def _parse_flags(flags: Any, args: Any = None) -> list[str]:
    """Parses flags; returns the arguments that are no flags.

    Args:
        flags: The program's `FLAGS`.
        args: The arguments, without the program's name; those of the command line by default.
    """
    unparsed: list[str] = flags([sys.argv[0], *(sys.argv[1:] if args is None else args)], known_only=True)
    return unparsed[1:]


REPAIRS = tuple(
    repair._replace(what=f"FLAGS.{repair.name}")
    for package in ("tensorflow", "tensorflow_core")  # 1.15 to 2.1 use the second
    for repair in methods(
        f"{package}.python.platform.flags._FlagValuesWrapper", "TensorFlow 1.5", _parse_flags=_parse_flags
    )
)
