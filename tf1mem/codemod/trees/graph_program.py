"""Decides whether the files of a folder are a program for TensorFlow 1's graphs, by its main scripts."""

from __future__ import annotations

import os
import re
from typing import Iterable

from tf1mem.codemod import targets
from tf1mem.codemod.claims import Claims
from tf1mem.codemod.facts.main_script import is_main
from tf1mem.codemod.facts.module import Facts
from tf1mem.codemod.files import extract
from tf1mem.codemod.source.limits import TookTooLong, time_limit
from tf1mem.codemod.source.paths import HOME
from tf1mem.codemod.trees.walk import Entry, File
from tf1mem.codemod.trees.write import read_file
from tf1mem.errors import SourceFileError

# Every main script has one of these: see `is_main`. A fast test.
_STARTS = re.compile(rb"__main__|^\w[\w.]*\(", re.MULTILINE)
_TEST = re.compile(r"test_.*|.*_test\.py|conftest\.py")


def is_for_graphs(entries: Iterable[Entry]) -> bool:
    """Returns True if all main scripts that import TensorFlow switch TensorFlow 2's behavior off.

    They do so themselves, or by importing tf1mem.v1. If one doesn't, the files that it imports have to stay on
    TensorFlow 2. Tests don't count.

    Args:
        entries: Entries from `walk.walk`.
    """
    switches = False
    for entry in entries:
        if not isinstance(entry, File) or entry.kind != "python" or _TEST.fullmatch(os.path.basename(entry.path)):
            continue
        switched = _switches(entry.path)
        if switched is False:
            return False
        switches = switches or switched is True
    return switches


def _switches(path: str) -> bool | None:
    """Returns True if a main script switches TensorFlow 2's behavior off; None for files that don't count."""
    try:
        source = read_file(path)
        with time_limit(len(source)):
            return _disables_v2_behavior(source)
    except (SourceFileError, MemoryError, RecursionError, TookTooLong):  # the rewriting reports it
        return None


def _disables_v2_behavior(source: bytes) -> bool | None:
    """Returns True for a program that switches TensorFlow 2's behavior off, False for one that doesn't, else None."""
    if (b"tensorflow" not in source and HOME.encode() not in source) or _STARTS.search(source) is None:
        return None
    whole = extract(source, "python")
    facts = Facts(whole)
    if HOME.encode() in source:
        return True if is_main(facts) else None
    if not is_main(facts) or not any(
        not (binding.path or "").startswith("keras") for binding in facts.imports.bindings
    ):
        return None
    return facts.imports.is_for_graphs or Claims(targets.plan(facts, "shim", frozenset())).moves_any
