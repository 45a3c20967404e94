"""Public names of TensorFlow 1 that TensorFlow 2 lacks or has changed, and names of TensorFlow 2 alone.

The data is generated from TensorFlow 1.13.2, 1.14.0, 1.15.5 and 2.21 themselves by tests/names/generating.py.
Dotted names omit "tensorflow", as in "train.AdamOptimizer". Names below `compat.v1` are those of TensorFlow 2.21
without legacy Keras.
"""

from __future__ import annotations

from functools import lru_cache
from typing import NamedTuple

from tf1mem.names.rows import sections, words


class _Names(NamedTuple):
    gone: frozenset[str]
    changed: dict[str, frozenset[str]]
    tf2_only: frozenset[str]


def gone(dotted: str) -> bool:
    """Returns True if TensorFlow 2 lacks a name of TensorFlow 1, or one of the modules or classes around it."""
    return _reaches(dotted, _read().gone)


def lists_gone(dotted: str) -> bool:
    """Returns True if a name itself is listed as gone from TensorFlow 2."""
    return dotted in _read().gone


def changed(dotted: str) -> bool:
    """Returns True if TensorFlow 1 and 2 both have a name, with different meanings."""
    return dotted in _read().changed


def v1_only_keywords(dotted: str) -> frozenset[str]:
    """Returns the keyword arguments that a function takes on TensorFlow 1 alone; none if its signature isn't known."""
    return _read().changed.get(dotted, frozenset())


def tf2_only(dotted: str) -> bool:
    """Returns True if TensorFlow 1.15 lacked a name of TensorFlow 2, or one of the modules around it.

    Keras's names don't count: Keras has versions of its own.
    """
    return _reaches(dotted, _read().tf2_only)


def _reaches(dotted: str, names: frozenset[str]) -> bool:
    while dotted:
        if dotted in names:
            return True
        dotted = dotted.rpartition(".")[0]
    return False


@lru_cache(maxsize=None)  # not `cache`, which Python 3.7 lacks: the doctor uses this module, too
def _read() -> _Names:
    table = sections("tf1_names")
    return _Names(
        frozenset(words(table["gone"])),
        {name: frozenset(keywords) for name, *keywords in table["changed"]},
        frozenset(words(table["tf2_only"])),
    )
