"""Generates the tables of TensorFlow 1.15's own tests, in contrib.md and contrib_reasons.md, and of programs.md."""

from __future__ import annotations

import json
import re
from collections import Counter
from pathlib import Path
from typing import Any, Iterator

from benchmarks import migrations
from benchmarks.programs import COLUMNS, counted, stopped
from migration_guide.generating import flagships
from migration_guide.generating.markdown import code, table, with_tables

ROOT = Path(__file__).resolve().parents[2]
COUNTS = ROOT / "tests" / "upstream" / "counts.json"
PROGRAMS = ROOT / "benchmarks" / "programs.json"
MIGRATIONS = ROOT / "benchmarks" / "migrations.json"


def page() -> str:
    """Returns the text of contrib.md, with the numbers of passing tests in each namespace and folder."""
    head = ("files of tests", "pass on 1.15.5")
    tests = table(("namespace", *head, "need names that tf1mem lacks", "of the others, pass here"), _contrib())
    others = table(("folder", *head, "of these, pass here", "of these, pass by compat.v1 alone"), _python())
    return with_tables("contrib.md", {"tests": tests, "other tests": others})


def reasons_page() -> str:
    """Returns the text of contrib_reasons.md, with the files of each namespace."""
    return with_tables("contrib_reasons.md", {"files": table(("namespace", "files of tests"), _files())})


def programs_page() -> str:
    """Returns the text of programs.md, with the outcomes of flagships and of other public programs."""
    outcomes = json.loads(PROGRAMS.read_text(encoding="utf-8"))
    programs = table(("repository", *COLUMNS.values()), _programs(outcomes))
    stops = table(("repository", "scripts", "what stops them here"), _stops(outcomes))
    tasks = json.loads(MIGRATIONS.read_text(encoding="utf-8"))
    tables = {
        **flagships.tables(),
        "programs": programs,
        "stops": stops,
        "ways": table(("way", *migrations.COLUMNS.values()), migrations.rows(tasks)),
        "differences": table(("the first difference", "programs", "way"), _differences(tasks)),
    }
    return with_tables("programs.md", tables)


def _contrib() -> Iterator[tuple[str, ...]]:
    """Yields the rows of the namespaces of contrib, and one of their sums."""
    namespaces = _counts("contrib")
    for namespace, files in namespaces.items():
        yield (code(namespace), str(len(files)), *_of_those_supplied(files))
    together = {file: counts for files in namespaces.values() for file, counts in files.items()}
    if together:
        yield ("all", str(len(together)), *_of_those_supplied(together))


def _files() -> Iterator[tuple[str, str]]:
    for namespace, files in _counts("contrib").items():
        yield code(namespace), ", ".join(code(Path(file).stem) for file in files)


def _python() -> Iterator[tuple[str, ...]]:
    """Yields the rows of the folders of TensorFlow's other tests, and one of their sums."""
    folders = _counts("python")
    for folder, files in folders.items():
        yield (code(folder), str(len(files)), *_sums(files))
    together = {file: counts for files in folders.values() for file, counts in files.items()}
    if together:
        yield ("all", str(len(together)), *_sums(together))


def _counts(package: str) -> dict[str, dict[str, list[int]]]:
    """Returns a dict of a folder -> test file -> numbers of passing tests.

    The numbers are those on 1.15.5 and here, and a third one: for contrib, the tests that need names that tf1mem lacks;
    for python, the tests that pass here by compat.v1 alone.

    Args:
        package: A folder of TensorFlow's sources: "contrib" or "python".
    """
    folders: dict[str, dict[str, list[int]]] = {}
    for file, counts in json.loads(COUNTS.read_text(encoding="utf-8")).items():
        _, top, folder, *_ = file.split("/")
        if top == package:
            folders.setdefault(folder, {})[file] = counts
    return folders


def _sums(files: dict[str, list[int]]) -> tuple[str, ...]:
    """Returns the cells with the sums of files' numbers: on 1.15.5, here, and by compat.v1 alone."""
    on_1_15, *here = (sum(counts) for counts in zip(*files.values()))
    return (str(on_1_15), *(share(count, on_1_15) for count in here))


def _of_those_supplied(files: dict[str, list[int]]) -> tuple[str, str, str]:
    """Returns the cells with the sums of files' numbers: on 1.15.5, in need of names that are lacking, and here."""
    on_1_15, here, not_supplied = (sum(counts) for counts in zip(*files.values()))
    return (str(on_1_15), str(not_supplied), share(here, on_1_15 - not_supplied))


def share(count: int, whole: int) -> str:
    """Returns a count, with its percentage of the whole: 100% only for all."""
    percentage = 100 * count / max(1, whole)
    return f"{count} ({percentage if count >= whole else min(percentage, 99):.0f}%)"


def _programs(outcomes: dict[str, Any]) -> Iterator[tuple[str, ...]]:
    """Yields each repository with the numbers of its scripts by outcome."""
    for name, row in counted(outcomes).items():
        # On a phone a long name breaks, so that the next columns are in sight.
        yield (re.sub("([/_.])", r"\1<wbr>", name.replace("+", "/")), *(str(row[key]) for key in COLUMNS))


def _stops(outcomes: dict[str, Any]) -> Iterator[tuple[str, str, str]]:
    """Yields each repository with each reason that stops scripts of it, and their number."""
    counts = Counter((script.partition(":")[0], reason) for script, reason in stopped(outcomes))
    for (repository, reason), number in counts.items():
        yield repository, str(number), code(reason.replace("`", ""))


def _differences(tasks: dict[str, Any]) -> Iterator[tuple[str, str, str]]:
    """Yields the first differences by the ways `run` and `shim`, with the number of programs and the ways."""
    ways_by_reason: dict[tuple[str, int], list[str]] = {}
    for way, line, number in migrations.reasons(tasks):
        if way in (migrations.WAYS["run"], migrations.WAYS["shim"]):
            ways_by_reason.setdefault((line, number), []).append(way)
    for (line, number), names in ways_by_reason.items():
        yield code(line.replace("`", "")), str(number), " and ".join(names)
