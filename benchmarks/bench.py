"""Measures the cost of tf1mem in whole processes. README.md explains the table."""

from __future__ import annotations

import argparse
import platform
import sys
import tempfile
from dataclasses import replace
from pathlib import Path
from statistics import median
from typing import Callable

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

import apply_settings
import examine
import import_tf1mem
import run_script
import simulate
from pairs import Case, CommandFailed, Result, measure

from tf1mem.machine.tensorflow import installed_version

CASES = ("import", "apply", "run", "repairs", "sim", "doctor")


def chosen_cases(only: list[str], folder: Path) -> list[Case]:
    makers: dict[str, Callable[[], Case]] = {
        "import": import_tf1mem.case,
        "apply": apply_settings.case,
        "run": lambda: run_script.case(folder),
        "repairs": run_script.repairs,
        "sim": lambda: simulate.case(folder),
        "doctor": lambda: examine.case(folder),
    }
    return [makers[name]() for name in only or CASES]


def table(results: list[Result]) -> str:
    rows: list[tuple[str, ...]] = [("", "base", "tf1mem", "min", "median", "max", "target", "")]
    for result in results:
        unit, figures = result.case.unit, result.figures
        digits = 1 if unit else 3
        rows.append(
            (
                result.case.name,
                f"{median(result.base_s):.3f} s",
                f"{median(result.ours_s):.3f} s",
                *("{:.{}f} {}".format(f(figures), digits, unit).strip() for f in (min, median, max)),
                f"{result.case.target:g} {unit}".strip(),
                "met" if result.met else "MISSED",
            )
        )
    widths = [max(len(row[column]) for row in rows) for column in range(len(rows[0]))]
    return "\n".join(
        "  ".join([row[0].ljust(widths[0]), *(cell.rjust(width) for cell, width in zip(row[1:], widths[1:]))]).rstrip()
        for row in rows
    )


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument(
        "only", nargs="*", metavar="CASE", help="{} or {}; all by default".format(", ".join(CASES[:-1]), CASES[-1])
    )
    parser.add_argument("--pairs", type=int, help="pairs for each case (default: 40 for import, 7 for the others)")
    parser.add_argument("--control", action="store_true", help="compare the base with itself: what noise alone gives")
    args = parser.parse_args()
    unknown = set(args.only) - set(CASES)
    if unknown:
        parser.error("no such case: {}".format(", ".join(sorted(unknown))))

    print("Python {}, TensorFlow {}".format(platform.python_version(), installed_version() or "not installed"))
    with tempfile.TemporaryDirectory() as folder:
        cases = chosen_cases(args.only, Path(folder))
        if args.control:
            cases = [replace(case, ours=case.base) for case in cases]
        results, failures = [], []
        for case in cases:
            try:
                results.append(measure(case, args.pairs or case.pairs))
            except CommandFailed as error:
                failures.append(f"{case.name} could not be measured: {error}")
    print(table(results))
    print("base, tf1mem: medians. min, median, max: over the pairs, tf1mem against its base of the same pair.")
    if args.control:
        print("Control: both sides are the base.")
    for failure in failures:
        print(failure, file=sys.stderr)
    return 1 if failures else 0  # a missed target is no failure: the machine may be slow today


if __name__ == "__main__":
    sys.exit(main())
