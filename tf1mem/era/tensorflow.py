"""What TensorFlow took out before 1.13, of objects that `tf1mem.v1` hands on as TensorFlow has them."""

from __future__ import annotations

import sys
from typing import Any

from tf1mem.era.repairs import methods


def _parse_flags(flags: Any, args: Any = None) -> list[str]:
    """Parses the flags, of the command line by default, and returns what it doesn't know."""
    rest: list[str] = flags([sys.argv[0], *(sys.argv[1:] if args is None else args)], known_only=True)
    return rest[1:]


REPAIRS = tuple(
    one._replace(what=f"FLAGS.{one.name}")
    for package in ("tensorflow", "tensorflow_core")  # as which 1.15 to 2.1 know themselves
    for one in methods(
        f"{package}.python.platform.flags._FlagValuesWrapper", "TensorFlow 1.5", _parse_flags=_parse_flags
    )
)
