"""A table of names in TensorFlow 1's private files, `tensorflow.python.…`, and their new homes; programs import them.

Its main part, internals.txt, is generated from TensorFlow 1 and every TensorFlow 2 that tf1mem knows
(tests/v1/internals/recording.py). It lists each name that at least one TensorFlow 2 lacks in the file that had it in
TensorFlow 1.
"""

from __future__ import annotations

from functools import lru_cache
from typing import Iterator

from tf1mem.names.keras_files import BROUGHT
from tf1mem.names.rows import DATA, OldName, old_names, sections

PATH = DATA / "internals.txt"
_BY_HAND = sections("internals_by_hand")

# Names that are gone and so simple that tf1mem.v1 implements them itself (tf1mem/v1/_internals.py).
SUPPLIED = frozenset(f"{file}.{name}" for file, *names in _BY_HAND["supplied"] for name in names)


def rows() -> Iterator[OldName]:
    """Yields every name that isn't where TensorFlow 1 had it."""
    for row in read():
        yield row
        # TensorFlow 1's `tensorflow.python.layers` was, as an attribute, its file layers.py.
        if row.namespace == "python.layers.layers":
            yield row._replace(namespace="python.layers")
    yield from old_names(_BY_HAND["homes"])
    for name in BROUGHT["keras.wrappers.scikit_learn"]:
        yield OldName("python.keras.wrappers.scikit_learn", name, "keras.wrappers.scikit_learn", name)


def read() -> Iterator[OldName]:
    """Yields the rows of internals.txt: for each name one row per file that has it in any TensorFlow."""
    return old_names(sections("internals")[""])


def moved(dotted: str) -> str | None:
    """Returns the name in the table that a path equals or lies below; None for a file, and for names that stayed.

    Args:
        dotted: The path, such as "python.ops.control_flow_ops.cond".
    """
    parts = dotted.split(".")
    paths = (".".join(parts[:size]) for size in range(len(parts), 0, -1))
    return next((path for path in paths if path in _names()), None)


def is_file(dotted: str) -> bool:
    """Returns True if a path is a file of the table: some TensorFlow 2 lacks it, or has it with other names."""
    return dotted in _files()


def has_files(dotted: str) -> bool:
    """Returns True if a path is a file of the table, or a folder that contains one."""
    return dotted in _paths()


@lru_cache(maxsize=None)
def _files() -> frozenset[str]:
    return frozenset(row.namespace for row in rows())


@lru_cache(maxsize=None)
def _paths() -> frozenset[str]:
    """Returns the files of the table and the folders that contain them."""
    parts = [file.split(".") for file in _files()]
    return frozenset(".".join(each[:size]) for each in parts for size in range(1, len(each) + 1))


@lru_cache(maxsize=None)
def _names() -> frozenset[str]:
    return frozenset(row.path for row in rows())
