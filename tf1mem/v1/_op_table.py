"""Reads `_op_table.json`: how many ops a function makes here and on TensorFlow 1.15.5, if the numbers differ.

The file maps a function to TensorFlow versions, and a version to the counts that hold from it on. Each count is an
object with the fields of `_op_counts.Count`. `python -m tests.v1.seeds.counting` writes the file.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any, Dict, List

from packaging.version import Version

from tf1mem.v1._op_counts import Count, Table

PATH = Path(__file__).with_name("_op_table.json")

# Function -> TensorFlow version -> its counts from that version on, as JSON objects.
Rows = Dict[str, Dict[str, List[Dict[str, Any]]]]


def read() -> Rows:
    """Returns the whole file, for every version."""
    rows: Rows = json.loads(PATH.read_text("utf-8"))
    return rows


def table(version: Version | None) -> Table:
    """Returns each function's counts for a TensorFlow, those of the newest version in the file up to that TensorFlow.

    Args:
        version: TensorFlow's version; None stands for the newest.
    """
    counts = {}
    for name, by_version in read().items():
        entries = [entry for since, entry in by_version.items() if version is None or Version(since) <= version]
        counts[name] = tuple(Count(**fields) for fields in entries[-1]) if entries else ()
    return counts
