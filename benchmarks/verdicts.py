"""Compares the verdicts of `tf1mem check` on old programs with their outcomes when programs.py ran them.

Usage: verdicts.py DIR… [--json FILE], where FILE is the output of programs.py; each program's verdict is added to it.
README.md defines when a verdict is right.
"""

from __future__ import annotations

import argparse
import json
import os
import sys
import tempfile
from collections import Counter
from pathlib import Path
from typing import Any, Iterator

HERE = Path(__file__).resolve().parent
sys.path[:0] = [str(HERE.parent), str(HERE)]

from benchmarks.programs import PACKAGE, STARTED  # noqa: E402
from tf1mem.checking.here import here  # noqa: E402
from tf1mem.checking.trees import check  # noqa: E402
from tf1mem.checking.verdict import MAY_STOP, RUNS, STOPS  # noqa: E402

# Errors about installed versions, which count as "stops" even if the script stops on TensorFlow 1.15, too; and an error
# that may be about them.
_OF_VERSIONS = ("AttributeError", "ImportError", "ModuleNotFoundError", "NameError", "SyntaxError")
_MAY_BE_OF_VERSIONS = "TypeError"


def main() -> None:
    """Adds the verdicts to the JSON file, and prints those that are wrong, and the numbers by outcome and verdict."""
    parser = argparse.ArgumentParser(prog="verdicts.py", description=__doc__.splitlines()[0])
    parser.add_argument("folders", type=Path, nargs="+", metavar="DIR", help="a folder whose folders are repositories")
    parser.add_argument("--json", type=Path, default=HERE / "programs.json", help="the output of programs.py")
    options = parser.parse_args()
    kept: dict[str, Any] = json.loads(options.json.read_text("utf-8"))
    for folder in options.folders:
        for name in sorted(set(kept) & {path.name for path in folder.iterdir()}):
            kept[name]["check"] = _verdicts(folder / name)
    options.json.write_text(json.dumps(kept, indent=1) + "\n", "utf-8")
    for script, outcome, verdict in compared(kept):
        if verdict != outcome:
            print(f"{script}: {verdict}, and it {outcome}")
    print(counted(kept))


def _verdicts(repository: Path) -> dict[str, str]:
    """Returns each script's verdict. The folder has the name that it has in programs.py, since imports may use it."""
    with tempfile.TemporaryDirectory(prefix="verdicts-") as folder:
        path = os.path.join(folder, repository.name.rpartition("+")[2])
        os.symlink(repository.resolve(), path)
        (report,) = check([path], here())
        return {os.path.relpath(program.path, path): program.verdict for program in report.programs}


def compared(kept: dict[str, Any]) -> Iterator[tuple[str, str, str]]:
    """Yields each script that has a verdict, with its true outcome, `RUNS` or `STOPS`, and the verdict.

    Args:
        kept: The output of programs.py, with the verdicts.
    """
    for name, outcomes in sorted(kept.items()):
        for path, verdict in sorted(outcomes.get("check", {}).items()):
            before, after = outcomes["before"].get(path), outcomes["after"].get(path)
            # Scripts have an outcome and a line. A file of tests has the tests that passed, "class::test".
            if before and after and len(before) == len(after) == 2 and "::" not in before[0]:
                yield f"{name.replace('+', '/')}: {path}", _outcome(before, after), verdict


def _outcome(before: list[str], after: list[str]) -> str:
    """Returns `RUNS` for a script that runs, or stops as it does on TensorFlow 1.15 (it lacks data, or a flag)."""
    if after[0] in STARTED:
        return RUNS
    kinds = [error.partition(":")[0].split(".")[-1] for _, error in (before, after)]
    if after[0] == PACKAGE or kinds[1] in _OF_VERSIONS or kinds[0] != kinds[1]:
        return STOPS
    return STOPS if kinds[1] == _MAY_BE_OF_VERSIONS and before != after else RUNS


def counted(kept: dict[str, Any]) -> Counter[tuple[str, str]]:
    """Returns the number of scripts by outcome and verdict."""
    return Counter((outcome, verdict) for _, outcome, verdict in compared(kept))


def share(counts: Counter[tuple[str, str]]) -> float:
    """Returns the share of right verdicts among the verdicts `RUNS` and `STOPS`."""
    certain = sum(number for (_, verdict), number in counts.items() if verdict != MAY_STOP)
    return sum(counts[outcome, outcome] for outcome in (RUNS, STOPS)) / certain


if __name__ == "__main__":
    main()
