"""Generates the tables in values.md, of TensorFlow's own kernel tests and of public programs."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any, Iterator

from benchmarks import training
from migration_guide.generating.markdown import code, table, with_tables
from migration_guide.generating.upstream import share

ROOT = Path(__file__).resolve().parents[2]
COUNTS = ROOT / "tests" / "upstream" / "kernels.json"
PROGRAMS = ROOT / "benchmarks" / "training.json"
TESTS = "tensorflow/python/kernel_tests"
PYTHON = "tensorflow/python"


def page() -> str:
    """Returns the text of values.md, with the passing tests of each folder, reasons for the others, and programs."""
    recorded = json.loads(COUNTS.read_text(encoding="utf-8"))
    columns = ("folder", "files", "pass on the CPU", "skipped on the CPU only", "of both, pass on simulated GPUs")
    folders = table(columns, _folders(recorded))
    reasons = table(("what doesn't pass", "tests", "in"), _reasons(recorded))
    in_part = table(("folder", "counted in part"), _in_part(recorded))
    left_out = table(("not counted", "why"), _left_out(recorded))
    trained = json.loads(PROGRAMS.read_text(encoding="utf-8"))
    programs = table(training.COLUMNS, training.rows(trained))
    tables = {
        "folders": folders, "reasons": reasons, "what is counted in part": in_part, "what is left out": left_out,
        "programs": programs,
    }  # fmt: skip
    return with_tables("values.md", tables)


def _folders(recorded: dict[str, Any]) -> Iterator[tuple[str, ...]]:
    lost = [test.partition(": ")[0] for tests in recorded["lost"].values() for test in tests]
    rows: dict[str, list[int]] = {}
    for file, passed in recorded["passed"].items():
        for folder in (_folder(file), "all"):
            row = rows.setdefault(folder, [0, 0, 0, 0])
            for_gpus = int(recorded["for GPUs"].get(file, 0))
            rows[folder] = [row[0] + 1, row[1] + int(passed), row[2] + for_gpus, row[3] + lost.count(file)]
    everything = rows.pop("all")
    for folder, (files, passed, for_gpus, missing) in [*sorted(rows.items()), ("all", everything)]:
        both = passed + for_gpus
        name = folder if folder == "all" else _label(folder)
        yield name, str(files), str(passed), str(for_gpus), share(both - missing, both)


def _folder(file: str) -> str:
    """Returns the folder of a kernel test, or the package of any other test."""
    if file.startswith(TESTS):
        return str(Path(file).parent.relative_to(TESTS))
    return f"python/{Path(file).relative_to(PYTHON).parts[0]}"


def _label(folder: str) -> str:
    return "(no folder)" if folder == "." else code(folder)


def _in_part(recorded: dict[str, Any]) -> Iterator[tuple[str, ...]]:
    folders: dict[str, list[str]] = {}
    for file in recorded["in part"]:
        folders.setdefault(_folder(file), []).append(code(Path(file).stem))
    for folder, files in sorted(folders.items()):
        yield _label(folder), ", ".join(files)


def _left_out(recorded: dict[str, Any]) -> Iterator[tuple[str, ...]]:
    for reason, files in recorded["left out"].items():
        yield ", ".join(code(Path(file).stem) for file in files), reason


def _reasons(recorded: dict[str, Any]) -> Iterator[tuple[str, ...]]:
    for reason, tests in sorted(recorded["lost"].items(), key=lambda item: -len(item[1])):
        files = dict.fromkeys(Path(test.partition(": ")[0]).stem for test in tests)
        yield reason, str(len(tests)), ", ".join(map(code, files))
