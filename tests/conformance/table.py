"""Shows the results of the tests as a table of setting x version x way, in the terminal and in the guide.

Usage: python -m tests.conformance.table, from the root of the repository, after the tests; `make conformance` runs
them first.
"""

from __future__ import annotations

import sys
from collections import Counter
from typing import Any, Callable, Mapping

from packaging.version import Version

from . import cases, grid, recording, results, traps
from .entries import Entry

GUIDE = cases.ROOT / "migration_guide" / "conformance.md"
WAYS = ("apply", "v1", "run")

# Kind of result -> its mark and the mark's meaning, from the worst to the best. A row has the mark of its worst entry.
MARKS = {
    results.DIFFERENT: ("x", "differs from TensorFlow 1"),
    results.WARNED: ("w", "the order of GPUs is lost, and a warning says so"),
    results.BELOW: ("m", "the cap is rounded down: to whole MiB, or on 2.22 to whole pages of 2 MiB"),
    results.LATE: ("l", "RuntimeAlreadyStarted: the config comes too late, and apply says so"),
    results.PURPOSE: ("p", "refused on purpose, or TensorFlow 1.15.5 alone crashes (tests/conformance/comparing.py)"),
    results.BY_RULE: ("r", "the same, except for what TensorFlow itself changed (tests/conformance/rules.py)"),
    results.REFUSED: ("=", "the same as TensorFlow 1.15.5: GPUs, caps to the byte, regions, refusals"),
    results.SAME: ("=", "the same as TensorFlow 1.15.5: GPUs, caps to the byte, regions, refusals"),
}
NOT_RUN = "."


def _options(entry: Entry) -> Mapping[str, Any]:
    return entry.config.get("gpu_options", {})  # type: ignore[no-any-return]


def _share(entry: Entry) -> float:
    return float(_options(entry).get("per_process_gpu_memory_fraction", 0))


def _grows(entry: Entry) -> bool:
    return "allow_growth" in _options(entry)


# Row of the table -> a function that returns True for entries in it. An entry may be in several rows.
SETTINGS: dict[str, Callable[[Entry], bool]] = {
    "nothing set": lambda entry: not entry.config,
    "allow_growth": lambda entry: _grows(entry) and not _share(entry),
    "fraction": lambda entry: 0 < _share(entry) <= 1 and not _grows(entry),
    "fraction, growth": lambda entry: 0 < _share(entry) <= 1 and _grows(entry),
    "fraction above 1": lambda entry: _share(entry) > 1,
    "virtual devices": lambda entry: "experimental" in _options(entry) and not _grows(entry),
    "virtual devices, growth": lambda entry: "experimental" in _options(entry) and _grows(entry),
    "visible_device_list": lambda entry: "visible_device_list" in _options(entry),
    "order of visible_device_list": lambda entry: _options(entry).get("visible_device_list", "").startswith("1,"),
    "CUDA_VISIBLE_DEVICES": lambda entry: entry.visible is not None,
    "device_count": lambda entry: "device_count" in entry.config,
    "GPUs that differ": lambda entry: len(set(entry.gpus)) > 1,
}
# Rows of classic traps, mostly steps before the config. Their entries are in no other rows.
ALONE = {
    "with several logical CPUs": lambda entry: "CPU" in entry.config.get("device_count", {}),
    "an op or listing first": lambda entry: _first_step(entry) in traps.STARTS,
    "two Sessions": lambda entry: _first_step(entry) == "Session",
    "tf.config first": lambda entry: _first_step(entry) in (traps.LISTED, traps.GROWS),
    "two applies": lambda entry: _first_step(entry) == "apply",
}
REFUSED_BY_TF1, REFUSED_ON_PURPOSE = "refused by TF1", "taken only in part by TF1"


def _first_step(entry: Entry) -> str:
    """Returns the name of the program's first step, or "" if its config comes first."""
    return entry.earlier_steps[0][0] if entry.earlier_steps else ""


def rows_of(entry: Entry, kind: str) -> list[str]:
    """Returns the rows that an entry is in, by its settings and its kind of result."""
    if kind == results.PURPOSE:
        return [REFUSED_ON_PURPOSE]
    alone = [name for name, belongs in ALONE.items() if belongs(entry)]
    if alone or kind == results.REFUSED:
        return alone or [REFUSED_BY_TF1]
    return [name for name, belongs in SETTINGS.items() if belongs(entry)]


def rows(kinds: Mapping[str, str]) -> dict[str, Counter[str]]:
    """Counts the kinds of results of the entries in each row."""
    entries = {entry.name: entry for entry in recording.entries()}
    counts: dict[str, Counter[str]] = {name: Counter() for name in ROWS}
    for name, kind in kinds.items():
        for row in rows_of(entries[name], kind):
            counts[row][kind] += 1
    return counts


ROWS = (*SETTINGS, REFUSED_BY_TF1, REFUSED_ON_PURPOSE, *ALONE)


def mark(counts: Counter[str]) -> str:
    """Returns the mark of the worst result among counted entries."""
    return next((sign for kind, (sign, _) in MARKS.items() if counts[kind]), NOT_RUN)


def table() -> tuple[list[str], dict[str, list[str]]]:
    """Returns the versions, and each row's cells, which have a mark for each way."""
    counted = {(run["tensorflow"], run["way"]): rows(run["entries"]) for run in results.read()}
    versions = sorted({version for version, _ in counted}, key=Version)
    cells = {
        name: [
            " ".join(mark(counted[version, way][name]) if (version, way) in counted else NOT_RUN for way in WAYS)
            for version in versions
        ]
        for name in ROWS
    }
    return versions, cells


def print_table(versions: list[str], cells: dict[str, list[str]]) -> None:
    """Prints the table: coloured in a terminal, plain elsewhere."""
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

    console = Console(width=None if sys.stdout.isatty() else 100, highlight=False)
    shown = Table(box=None, pad_edge=False, padding=(0, 2, 0, 0))
    shown.add_column("")
    for version in versions:
        shown.add_column(".".join(version.split(".")[:2]), no_wrap=True)
    colours = {"x": "bold red", "m": "yellow", "w": "yellow", "=": "green", "r": "green"}
    for name, row in cells.items():
        texts = []
        for cell in row:
            text = Text(cell)
            for place, sign in enumerate(cell):
                text.stylize(colours.get(sign, ""), place, place + 1)
            texts.append(text)
        shown.add_row(name, *texts)
    console.print(shown)
    for line in ["", *legend(), "", *absent(versions)]:
        console.print(line)


def legend() -> list[str]:
    """Returns lines that explain the marks, and the order of the three marks in a cell."""
    signs = [*dict(MARKS.values()).items(), (NOT_RUN, "not run")]
    return ["in each cell: tf1mem.apply, tf1mem.v1, tf1mem run", *("{}  {}".format(*pair) for pair in signs)]


def absent(versions: list[str]) -> list[str]:
    """Returns a line for each version that isn't in the table, with the reason."""
    shown = {Version(version).release[:2] for version in versions}
    missing = [release for release in results.COMPARED if release not in shown]
    lines = ["TensorFlow {}.{}: not run here".format(*release) for release in missing]
    return [*lines, *("TensorFlow {}: not compared: {}".format(*pair) for pair in results.NOT_COMPARED.items())]


def write_guide(versions: list[str], cells: dict[str, list[str]]) -> None:
    """Writes the guide's page."""
    counted = f"{len(grid.entries())} configs and {len(traps.entries())} classic traps"
    lines = [
        "# How it was tested: every TensorFlow compared with 1.15.5",
        "",
        f"`make conformance` makes this page. It runs {counted}, such as an op before the",
        "config, with TensorFlow's own GPU wheels and allocator on simulated GPUs. Each runs on one or two GPUs,",
        "with or without CUDA_VISIBLE_DEVICES, and makes allocations, of which one has to be refused.",
        "The following is compared with TensorFlow 1.15.5: the number of logical devices, and for each `/gpu:i`",
        "the physical GPU, the cap in bytes, growth, every region that it reserves, and the refused allocation.",
        "",
        "| setting | {} |".format(" | ".join(versions)),
        "|---|{}".format("---|" * len(versions)),
        *("| {} | {} |".format(name, " | ".join(f"`{cell}`" for cell in row)) for name, row in cells.items()),
        "",
        "In each cell: `tf1mem.apply` and eager ops, `tf1mem.v1`, `tf1mem run`.",
        "",
        *("- `{}` {}".format(*pair) for pair in dict(MARKS.values()).items()),
        f"- `{NOT_RUN}` not run",
        "",
        "These versions are left out:",
        "",
        *("- " + line for line in absent(versions)),
        "",
        "The number of entries with each mark. The first column `=` counts those that TensorFlow 1 refused.",
        "",
        "| TensorFlow | way | run on | entries | {} |".format(" | ".join(f"`{sign}`" for sign, _ in MARKS.values())),
        "|---|---|---|---|{}".format("---|" * len(MARKS)),
    ]
    for run in results.read():
        counts = Counter(run["entries"].values())
        figures = [len(run["entries"]), *(counts[kind] for kind in MARKS)]
        words = [run["tensorflow"], run["way"], run["date"], *map(str, figures)]
        lines.append("| {} |".format(" | ".join(words)))
    GUIDE.write_text("\n".join(lines) + "\n", encoding="utf-8")


def main() -> int:
    """Prints the table and writes the guide's page; returns 1 if anything differs or nothing was run."""
    versions, cells = table()
    if not versions:
        print(f"tf1mem: no results in {results.FOLDER}: run the tests in tests/conformance first")
        return 1
    print_table(versions, cells)
    write_guide(versions, cells)
    print(f"\nwritten: {GUIDE.relative_to(cases.ROOT)}")
    return int(any("x" in cell for row in cells.values() for cell in row))


if __name__ == "__main__":
    sys.exit(main())
