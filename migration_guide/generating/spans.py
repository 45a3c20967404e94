"""What texts say of the span of TensorFlow versions, held against tf1mem/machine/versions.py.

A span that begins with the oldest TensorFlow ("1.13 to …") is tf1mem's promise: it is written anew. One that ends with
the TensorFlow before the newest was looked up when that was the newest: it is listed, for someone to look it up again.
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
# A rule of the codemod's, for what TensorFlow had until then.
_NOT_THE_PROMISE = 'versions="'
# What says where something was seen, and not how far it goes.
_STILL_TRUE = ("Measured on TensorFlow 2.4 to 2.21",)


class Said(NamedTuple):
    """A line of a text.

    Attributes:
        path: The file, from the root of the repository.
        line: Its number, from 1.
        text: What it says.
    """

    path: str
    line: int
    text: str


def texts() -> list[Path]:
    """The texts that people write; what is generated follows them."""
    found = sorted({path for place in PLACES for path in ROOT.glob(place)})
    return [path for path in found if GENERATED not in path.read_text(encoding="utf-8")]


def to_look_up() -> Iterator[Said]:
    """The lines that say something up to the TensorFlow before the newest."""
    for path in texts():
        for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
            if _LOOKED_UP.search(line) and not any(words in line for words in _STILL_TRUE):
                yield Said(path.relative_to(ROOT).as_posix(), number, line.strip())


def renewed(text: str) -> str:
    """A text with the promise as it is today."""
    lines = text.splitlines(keepends=True)
    return "".join(line if _NOT_THE_PROMISE in line else _PROMISE.sub(SPAN, line) for line in lines)
