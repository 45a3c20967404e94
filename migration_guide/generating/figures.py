"""Generates the tables of public figures of GPU memory in estimate.md, from the rows of `benchmarks.figures`."""

from __future__ import annotations

from typing import Any, Iterator, Mapping

from benchmarks import figures
from migration_guide.generating.markdown import table, with_tables

_COLUMNS = ("source", "trained", "with", "what it says", "simulator", "", "estimate", "", "limit")
_SUMMARY = ("tool", "measured with", "figures", "median error", "limit below what was used")
# By the executed notebook in Stone-ResearchLife/xMem@0569f47, plot/Figures in Paper.ipynb.
_OTHERS = (("xMem", "3.59%", "8.87%"), ("DNNMem", "13.82%", "53.67%"), ("LLMem", "76.83%", "65.77%"))


def page() -> str:
    """Returns the text of estimate.md, with the tables of public figures and of their errors."""
    rows = [row for row in figures.load() if row["measured"]]
    tables = {
        "public figures": table(_COLUMNS, (tuple(_cells(row)) for row in rows)),
        "errors": table(_SUMMARY, _errors(rows)),
    }
    return with_tables("estimate.md", tables)


def _cells(row: Mapping[str, Any]) -> Iterator[str]:
    training, values = row["training"], row["measured"]
    height, width = training["image"]
    optimizer = {"sgd": "SGD", "rmsprop": "RMSprop"}.get(training["optimizer"], training["optimizer"].title())
    yield f"[{row['source']}]({row['url']})"
    yield f"{training['model']}, {height}x{width}, batch {row['batch']}, {optimizer}"
    yield f"{row['framework']}, {row['card']}"
    says = {figures.NVML: "takes {}", figures.RAN: "runs in {}", figures.RAN_OUT: "runs out of {}"}[row["kind"]]
    yield says.format(_mib(row["bytes"]))
    for key in ("simulated", "peak"):
        yield _mib(values[key])
        yield _error(row, values[key])
    fails = {True: "too low", False: "enough", None: "not known"}[figures.fails(row)]
    yield f"{_mib(values['limit'])}: {fails}"


def _error(row: Mapping[str, Any], figure: int) -> str:
    error = figures.error(row, figure)
    return "agrees" if row["kind"] != figures.NVML and not error else f"{error:+.0%}"


def _errors(rows: list[dict[str, Any]]) -> Iterator[tuple[str, ...]]:
    halves = {"tf1mem estimate": rows}
    for half, name in ((1, "of these, chosen before"), (2, "of these, looked up afterwards")):
        halves[name] = [row for row in rows if row["half"] == half]
    for name, some in halves.items():
        known = figures.summary(some)
        if known["nvml"]:
            share = f"{known['fails']} of {known['nvml']}"
            yield name, "PyTorch", str(known["nvml"]), f"{known['peak']:.0%}", share
    for name, error, failed in _OTHERS:
        yield name, "PyTorch", "5,209", error, failed


def _mib(count: int) -> str:
    return f"{count / 2**20:,.0f}"
