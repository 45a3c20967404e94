"""Names of TensorFlow 1's that TensorFlow hasn't got and the program asked for: for the report of `tf1mem run`.

tf1mem.v1 notes them here, each once: those that it supplied, and those that nobody has.
"""

from __future__ import annotations

import sys
import threading
from contextlib import contextmanager
from typing import Iterator, NamedTuple

from tf1mem.machine.first_start import NOT_THE_USER, near

# Frames between the program's line and what it asks for.
_BETWEEN = ("importlib", "_frozen_importlib", "tf1mem.machine.", "tf1mem.v1._", "operator", "functools")


# Whether the program of this process is to have what TensorFlow 1.0 took out, too: `tf1mem run` says so.
with_those_before_1 = False


class Asked(NamedTuple):
    """A name that was asked for.

    Attributes:
        name: As the program writes it: "tf.contrib.training.HParams".
        line: The first line that did, "train.py:12".
        said: What became of it, or what to do; may be empty.
    """

    name: str
    line: str
    said: str


supplied: dict[str, Asked] = {}
lacking: dict[str, Asked] = {}


_thread = threading.local()


@contextmanager
def led_to() -> Iterator[None]:
    """In its body and its thread, a file of tf1mem's asks for names, which a name led to, and not the program."""
    before, _thread.is_led_to = _is_led_to(), True
    try:
        yield
    finally:
        _thread.is_led_to = before


def _is_led_to() -> bool:
    return getattr(_thread, "is_led_to", False)


def supply(name: str, said: str = "") -> None:
    """Notes a name that tf1mem has, if it is the program that asks for it.

    Args:
        name: Below TensorFlow: "contrib.training.HParams".
        said: What became of it, if not the same under the same name.
    """
    _note(supplied, name, said)


def lack(name: str, remedy: str) -> None:
    """Notes a name that nobody has, and what to do."""
    _note(lacking, name, remedy)


def _note(among: dict[str, Asked], name: str, said: str) -> None:
    line = None if _is_led_to() else _line()
    if line is not None:
        among.setdefault(name, Asked("tf." + name, line, said))


def _line() -> str | None:
    """The program's line that asks; None where a package asks for its own sake."""
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
    """Both lists, for people, without the namespaces of other names; "" where there is nothing to say."""
    lines = []
    for asked, head in ((supplied, "supplied by tf1mem"), (lacking, "not there")):
        named = [one for one in asked.values() if not any(name.startswith(one.name[3:] + ".") for name in asked)]
        if named:
            lines.append(f"names that TensorFlow hasn't got, {head}: {len(named)}")
            lines += [f"  {one.name}, {one.line}" + (f": {one.said}" if one.said else "") for one in named]
    return "\n".join(lines)
