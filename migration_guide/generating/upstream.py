"""Generates the tables in contrib.md, of tests of TensorFlow 1.15 and of public programs."""

from __future__ import annotations

import json
import re
from collections import Counter
from pathlib import Path
from typing import Any, Iterator

from benchmarks.programs import COLUMNS, counted, stopped
from migration_guide.generating.markdown import code, table

ROOT = Path(__file__).resolve().parents[2]
PAGE = ROOT / "migration_guide" / "contrib.md"
COUNTS = ROOT / "tests" / "upstream" / "counts.json"
PROGRAMS = ROOT / "benchmarks" / "programs.json"


def page() -> str:
    """Returns the text of contrib.md, with the passing tests of every file, and the outcomes of programs."""
    text = PAGE.read_text(encoding="utf-8")
    columns = ("namespace", "files of tests", "pass on 1.15.5", "want names not supplied", "of the others here")
    tests = table(columns, _contrib())
    others = table(("folder", "files of tests", "pass on 1.15.5", "of these here", "by compat.v1 alone"), _python())
    outcomes = json.loads(PROGRAMS.read_text(encoding="utf-8"))
    programs = table(("repository", *COLUMNS.values()), _programs(outcomes))
    stops = table(("repository", "scripts", "what stops them here"), _stops(outcomes))
    for name, content in (("tests", tests), ("other tests", others), ("programs", programs), ("stops", stops)):
        text = between(text, name, content)
    return text


def between(text: str, name: str, content: str) -> str:
    """Returns a page's text with a table replaced."""
    begin, end = f"<!-- The table of {name} is generated. -->", "<!-- Its end. -->"
    return re.sub(f"{begin}.*?{end}", lambda _: f"{begin}\n\n{content}\n\n{end}", text, flags=re.DOTALL)


def _contrib() -> Iterator[tuple[str, ...]]:
    namespaces = _counts("contrib")
    for namespace, files in namespaces.items():
        yield (code(namespace), ", ".join(code(Path(file).stem) for file in files), *_of_those_supplied(files))
    together = {file: counts for files in namespaces.values() for file, counts in files.items()}
    if together:
        yield ("all", f"{len(together)} files", *_of_those_supplied(together))


def _python() -> Iterator[tuple[str, ...]]:
    folders = _counts("python")
    for folder, files in folders.items():
        yield (code(folder), str(len(files)), *_sums(files))
    together = {file: counts for files in folders.values() for file, counts in files.items()}
    if together:
        yield ("all", str(len(together)), *_sums(together))


def _counts(package: str) -> dict[str, dict[str, list[int]]]:
    """Returns folder of a TensorFlow package -> its test files -> the numbers of passing tests."""
    folders: dict[str, dict[str, list[int]]] = {}
    for file, counts in json.loads(COUNTS.read_text(encoding="utf-8")).items():
        _, top, folder, *_ = file.split("/")
        if top == package:
            folders.setdefault(folder, {})[file] = counts
    return folders


def _sums(files: dict[str, list[int]]) -> tuple[str, ...]:
    there, *here = (sum(counts) for counts in zip(*files.values()))
    return (str(there), *(share(count, there) for count in here))


def _of_those_supplied(files: dict[str, list[int]]) -> tuple[str, str, str]:
    there, here, not_supplied = (sum(counts) for counts in zip(*files.values()))
    return (str(there), str(not_supplied), share(here, there - not_supplied))


def share(count: int, whole: int) -> str:
    """Returns a count, with its percentage of the whole."""
    return f"{count} ({100 * count / max(1, whole):.0f}%)"


def _programs(outcomes: dict[str, Any]) -> Iterator[tuple[str, ...]]:
    for name, row in counted(outcomes).items():
        yield (name.replace("+", "/"), *(str(row[key]) for key in COLUMNS))


def _stops(outcomes: dict[str, Any]) -> Iterator[tuple[str, str, str]]:
    counts = Counter((script.partition(":")[0], reason) for script, reason in stopped(outcomes))
    for (repository, reason), number in counts.items():
        yield repository, str(number), code(reason.replace("`", ""))
