"""Measures the trainings of figures.json: public figures of GPU memory beside a simulated GPU and `tf1mem.estimate`.

README.md explains the rows. A row's `measured` is replaced; trainings that differ in the batch alone share a process.

Usage: figures.py [NAME …], such as tensorflow-53608. Without a NAME, the rows that have not been measured.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path
from statistics import median
from typing import Any, Iterable, Mapping, NamedTuple, Sequence

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from tf1mem.gpusim.launching import simulation
from tf1mem.machine.tensorflow import installed_version

ROWS = Path(__file__).resolve().parent / "figures.json"
PROGRAM = Path(__file__).resolve().parent / "figures_program.py"
GPU = "64GiB,cc=7.0"  # room for every row; the compute capability is the default of `tf1mem.estimate`
# Meanings of `bytes` in a row: a process's memory by NVML, the memory with which it ran, or with which it ran out.
NVML, RAN, RAN_OUT = "nvml", "ran", "ran out"

Row = Mapping[str, Any]


def error(row: Row, figure: int) -> float:
    """Returns the relative error of a figure in bytes: 0.1 if it is 10% too high.

    A bound (`ran`, `ran out`) says how much was needed at most, or at least: it is 0.0 where the bound holds.
    """
    off = float(figure / row["bytes"] - 1)
    if row["kind"] == RAN:
        return max(0.0, off)
    return min(0.0, off) if row["kind"] == RAN_OUT else off


def fails(row: Row) -> bool | None:
    """Returns True if the estimate's limit is less than what was needed; None if the source doesn't tell."""
    is_less = bool(row["measured"]["limit"] < row["bytes"])
    if row["kind"] == NVML:
        return is_less
    return (True if is_less else None) if row["kind"] == RAN_OUT else (None if is_less else False)


class Errors(NamedTuple):
    """The errors of a tool's figures of processes' memory.

    Attributes:
        figures: Their number.
        median_error: The median of the relative errors' amounts.
        below: The number of figures that are less than the memory that a process took.
    """

    figures: int
    median_error: float
    below: int


def errors(rows: Iterable[Row]) -> dict[str, Errors]:
    """Returns tool -> its errors, of the measured rows with a process's memory by NVML.

    The tools are `simulated`, `peak` and `limit` of tf1mem, and the others that the rows have figures of.
    """
    off: dict[str, list[float]] = {}
    for row in rows:
        if row["measured"] and row["kind"] == NVML:
            ours = {key: row["measured"][key] for key in ("simulated", "peak", "limit")}
            for tool, figure in {**ours, **row["others"]}.items():
                off.setdefault(tool, []).append(error(row, figure))
    return {
        tool: Errors(len(some), median(map(abs, some)), sum(value < 0 for value in some)) for tool, some in off.items()
    }


def measured(training: Mapping[str, Any], batches: Iterable[int]) -> dict[int, dict[str, Any]]:
    """Returns the figures of a training for each batch size: bytes, and TensorFlow's version."""
    with tempfile.TemporaryDirectory() as folder, simulation([GPU], values=False) as machine:
        out = Path(folder) / "figures.json"
        command = [sys.executable, str(PROGRAM), str(out), json.dumps(training), *map(str, batches)]
        environment = dict(os.environ, TF_CPP_MIN_LOG_LEVEL="3", **machine.environment)
        subprocess.run(command, env=environment, check=True)
        figures = json.loads(out.read_text(encoding="utf-8"))
    version = str(installed_version())
    return {int(batch): {"tensorflow": version, **values} for batch, values in figures.items()}


def load() -> list[dict[str, Any]]:
    """Returns the rows of figures.json."""
    rows: list[dict[str, Any]] = json.loads(ROWS.read_text(encoding="utf-8"))
    return rows


def main(names: Sequence[str]) -> None:
    """Measures rows, and keeps their figures as soon as they are there."""
    rows = load()
    unknown = set(names) - {row["name"] for row in rows}
    if unknown:
        raise SystemExit(f"figures: no row is named {', '.join(sorted(unknown))}")
    chosen = [row for row in rows if (row["name"] in names if names else row["measured"] is None)]
    trainings: dict[str, list[dict[str, Any]]] = {}
    for row in chosen:
        trainings.setdefault(json.dumps(row["training"]), []).append(row)
    for training, same in trainings.items():
        figures = measured(json.loads(training), sorted({row["batch"] for row in same}))
        for row in same:
            row["measured"] = figures[row["batch"]]
        ROWS.write_text(json.dumps(rows, indent=1) + "\n", encoding="utf-8")
        print("measured:", ", ".join(row["name"] for row in same), file=sys.stderr)
    for tool, (number, median_error, below) in errors(rows).items():
        print(f"{tool}: {number} figures, median error {median_error:.1%}, {below} too low")


if __name__ == "__main__":
    main(sys.argv[1:])
