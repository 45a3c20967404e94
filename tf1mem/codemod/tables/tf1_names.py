"""What became of TensorFlow 1's public names in TensorFlow 2.

The data is generated from TensorFlow 1.13.2, 1.14.0, 1.15.5 and 2.21 themselves: tests/codemod/tables/generating.py. A
dotted name is without "tensorflow", such as "train.AdamOptimizer"; `compat.v1.…` is what TensorFlow 2.21 brings,
without legacy Keras.
"""

from __future__ import annotations

from functools import lru_cache
from pathlib import Path
from typing import NamedTuple

_DATA = Path(__file__).parent / "data" / "tf1_names.txt"


class _Names(NamedTuple):
    gone: frozenset[str]
    changed: dict[str, frozenset[str]]
    tf2_only: frozenset[str]


def gone(dotted: str) -> bool:
    """Whether TensorFlow 2 hasn't got a name that TensorFlow 1 had, or one of the modules or classes it lies in."""
    return _reaches(dotted, _read().gone)


def lists_gone(dotted: str) -> bool:
    """Whether a name is itself on the list of those that TensorFlow 2 hasn't got."""
    return dotted in _read().gone


def changed(dotted: str) -> bool:
    """Whether a name of both means something else in TensorFlow 2 than in TensorFlow 1."""
    return dotted in _read().changed


def v1_only_keywords(dotted: str) -> frozenset[str]:
    """The keyword arguments that only TensorFlow 1 takes for a name of both, where signatures can be read."""
    return _read().changed.get(dotted, frozenset())


def tf2_only(dotted: str) -> bool:
    """Whether TensorFlow 1.15 hadn't got a name of TensorFlow 2, or one of the modules it lies in.

    Says nothing of Keras, whose names come with a version of their own.
    """
    return _reaches(dotted, _read().tf2_only)


def _reaches(dotted: str, names: frozenset[str]) -> bool:
    while dotted:
        if dotted in names:
            return True
        dotted = dotted.rpartition(".")[0]
    return False


@lru_cache(maxsize=None)  # Python 3.7: the doctor asks, too
def _read() -> _Names:
    sections: dict[str, list[str]] = {"": []}
    lines = sections[""]
    for line in _DATA.read_text("utf-8").splitlines():
        if line.startswith("["):
            lines = sections[line[1:-1]] = []
        elif line:
            lines.append(line)
    changes = (line.split() for line in sections["changed"])
    return _Names(
        frozenset(sections["gone"]),
        {name: frozenset(keywords) for name, *keywords in changes},
        frozenset(sections["tf2_only"]),
    )
