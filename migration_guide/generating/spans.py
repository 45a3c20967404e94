"""Compares the spans of TensorFlow versions in texts with tf1mem/machine/versions.py.

A span that begins with the oldest TensorFlow ("1.13 to …") states the supported versions: it is updated. A span that
ends with the TensorFlow before the newest was checked before the newest came out: it is listed, so that a person checks
it again.
"""

from __future__ import annotations

import re
from pathlib import Path
from typing import Iterator, NamedTuple

from migration_guide.generating.markdown import GENERATED
from tf1mem.machine.versions import NEWEST, OLDEST, SPAN

ROOT = Path(__file__).resolve().parents[2]
PLACES = (
    "README.md", "CONTRIBUTING.md", "setup.cfg", "mkdocs.yml", "benchmarks/*.md", "examples/*.md",
    "migration_guide/*.md", "migration_guide/generating/*.py", "tf1mem/**/*.py",
)  # fmt: skip

_PROMISE = re.compile(r"\b{}\.{} to \d+\.\d+\b(?!\.\d)".format(*OLDEST))
_LOOKED_UP = re.compile(rf"\bto {NEWEST[0]}\.{NEWEST[1] - 1}\b(?!\.\d)")
# A codemod rule's span ends with the last TensorFlow that has the rule's names, and so stays as it is.
_NOT_THE_PROMISE = 'versions="'
# Statements about measurements, which stay true.
_STILL_TRUE = ("Measured on TensorFlow 2.4 to 2.21",)


class Line(NamedTuple):
    """A line of a text.

    Attributes:
        path: The file, from the root of the repository.
        number: The line's number, from 1.
        text: The line's text.
    """

    path: str
    number: int
    text: str


def texts() -> list[Path]:
    """Returns the texts that people write; generated texts follow from them."""
    paths = sorted({path for place in PLACES for path in ROOT.glob(place)})
    return [path for path in paths if GENERATED not in path.read_text(encoding="utf-8")]


def to_look_up() -> Iterator[Line]:
    """Yields the lines with a span that ends with the TensorFlow before the newest."""
    for path in texts():
        for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
            if _LOOKED_UP.search(line) and not any(words in line for words in _STILL_TRUE):
                yield Line(path.relative_to(ROOT).as_posix(), number, line.strip())


def renewed(text: str) -> str:
    """Returns a text in which every span of the supported versions is today's."""
    lines = text.splitlines(keepends=True)
    return "".join(line if _NOT_THE_PROMISE in line else _PROMISE.sub(SPAN, line) for line in lines)
