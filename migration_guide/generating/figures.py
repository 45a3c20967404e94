"""Generates the tables of public figures of GPU memory in estimate.md, from the rows of `benchmarks.figures`."""

from __future__ import annotations

from typing import Any, Iterator, Mapping

from benchmarks import figures
from migration_guide.generating.markdown import table, with_tables

_COLUMNS = ("source", "trained", "with", "what it says", "simulator", "estimate", "limit")
_ERRORS = ("looked up", "figure", "rows", "median error", "too low")
# Figure of a row -> its name in the table of errors.
_NAMES = {"simulated": "simulator, peak", "peak": "`tf1mem estimate`, peak", "limit": "`tf1mem estimate`, limit"}
# The rows' `half` -> its name in the table of errors.
_HALVES = {1: "chosen before", 2: "looked up afterwards"}


def page() -> str:
    """Returns the text of estimate.md, with the tables of public figures and of their errors."""
    rows = [row for row in figures.load() if row["measured"]]
    tables = {
        "public figures": table(_COLUMNS, (tuple(_cells(row)) for row in rows)),
        "errors": table(_ERRORS, _errors(rows)),
    }
    return with_tables("estimate.md", tables)


def _cells(row: Mapping[str, Any]) -> Iterator[str]:
    """Yields the cells of a public figure, one for each of `_COLUMNS`; memory is in MiB."""
    training, values = row["training"], row["measured"]
    height, width = training["image"]
    optimizer = {"sgd": "SGD", "rmsprop": "RMSprop"}.get(training["optimizer"], training["optimizer"].title())
    name = row["source"].partition("@")[0].rpartition("/")[2]
    yield f"[{name}]({row['url']})"
    yield f"{training['model']}, {height}x{width}, batch {row['batch']}, {optimizer}"
    yield f"{row['framework']}, {row['card']}"
    phrase = {figures.NVML: "takes {}", figures.RAN: "runs in {}", figures.RAN_OUT: "runs out of {}"}[row["kind"]]
    yield phrase.format(_mib(row["bytes"]))
    for key in ("simulated", "peak"):
        yield f"{_mib(values[key])} ({_error(row, values[key])})"
    fails = {True: "too low", False: "enough", None: "not known"}[figures.fails(row)]
    yield f"{_mib(values['limit'])}: {fails}"


def _error(row: Mapping[str, Any], figure: int) -> str:
    """Returns the relative error of a figure in bytes; "agrees" if the source gives a bound and the figure keeps it."""
    error = figures.error(row, figure)
    return "agrees" if row["kind"] != figures.NVML and not error else f"{error:+.0%}"


def _errors(rows: list[dict[str, Any]]) -> Iterator[tuple[str, ...]]:
    """Yields the rows of the table of errors, with the cells of `_ERRORS`: one for each half and figure."""
    for half, name in _HALVES.items():
        for tool, errors in figures.errors(row for row in rows if row["half"] == half).items():
            low = f"{errors.below} of {errors.figures}"
            yield name, _NAMES.get(tool, tool), str(errors.figures), f"{errors.median_error:.0%}", low


def _mib(count: int) -> str:
    return f"{count / 2**20:,.0f}"
