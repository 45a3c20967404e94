"""Records the names of TensorFlow 1 that the program uses and this TensorFlow lacks, for the report of `tf1mem run`.

tf1mem.v1 records each name once, with the line of its first use: names that it supplies, and names that it lacks, too.
"""

from __future__ import annotations

import sys
import threading
from contextlib import contextmanager
from typing import Iterator, NamedTuple

from tf1mem.machine.first_start import NOT_THE_USER, near

# Modules whose frames lie between the program's line and the look-up of a name.
_BETWEEN = (
    "importlib",
    "_frozen_importlib",
    "functools",
    "operator",
    "tf1mem.machine.",
    "tf1mem.names.",
    "tf1mem.v1._",
)


# True if tf1mem.v1 also supplies the names that TensorFlow 1.0 removed; `tf1mem run` sets it.
supplies_names_before_1 = False


class UsedName(NamedTuple):
    """A name that the program used.

    Attributes:
        name: The name as the program writes it, such as "tf.contrib.training.HParams".
        line: The first line that used it, such as "train.py:12".
        remark: The name's replacement, or advice; may be empty.
    """

    name: str
    line: str
    remark: str


# Names that tf1mem.v1 supplies, and names that it lacks: name without "tf." -> its first use.
supplied: dict[str, UsedName] = {}
lacking: dict[str, UsedName] = {}


_thread = threading.local()


@contextmanager
def ignore_lookups() -> Iterator[None]:
    """Ignores names that this thread looks up within the context: a file of tf1mem uses them, not the program."""
    before, _thread.ignores_lookups = _ignores_lookups(), True
    try:
        yield
    finally:
        _thread.ignores_lookups = before


def _ignores_lookups() -> bool:
    return getattr(_thread, "ignores_lookups", False)


def record_supplied(name: str, remark: str = "") -> None:
    """Records a name that tf1mem.v1 supplies, if the program's own code looks it up.

    Args:
        name: The name without "tf.", such as "contrib.training.HParams".
        remark: The name's replacement; "" if it is the same function under the same name.
    """
    _note(supplied, name, remark)


def record_lacking(name: str, remedy: str) -> None:
    """Records a name that tf1mem.v1 lacks, if the program's own code looks it up.

    Args:
        name: The name without "tf.".
        remedy: The advice.
    """
    _note(lacking, name, remedy)


def _note(names: dict[str, UsedName], name: str, remark: str) -> None:
    line = None if _ignores_lookups() else _line()
    if line is not None:
        names.setdefault(name, UsedName("tf." + name, line, remark))


def _line() -> str | None:
    """Returns the program's line that looks up a name, or None if a package of `NOT_THE_USER` does so for itself."""
    frame = sys._getframe(1)
    while frame is not None:
        module = str(frame.f_globals.get("__name__", ""))
        if module != "tf1mem.v1" and not module.startswith(_BETWEEN):
            if module.partition(".")[0] in NOT_THE_USER:
                return None
            return f"{near(frame.f_code.co_filename)}:{frame.f_lineno}"
        frame = frame.f_back  # type: ignore[assignment]
    return None


def as_text() -> str:
    """Returns both lists as text; "" if both are empty. A namespace is left out if a name in it is listed."""
    lines = []
    for names, head in ((supplied, "supplied by tf1mem"), (lacking, "not there")):
        used = [use for use in names.values() if not any(name.startswith(use.name[3:] + ".") for name in names)]
        if used:
            lines.append(f"names that TensorFlow lacks, {head}: {len(used)}")
            lines += [f"  {use.name}, {use.line}" + (f": {use.remark}" if use.remark else "") for use in used]
    return "\n".join(lines)
