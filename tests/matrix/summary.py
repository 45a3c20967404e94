"""Prints the summary of the matrix: a line for each version, the slowest tests, and a last line in pytest's form."""

from __future__ import annotations

import json
from pathlib import Path
from typing import NamedTuple
from xml.etree import ElementTree

PASSED, FAILED, NOT_RUN, NOT_MADE = "passed", "failed", "not run", "not made"
COUNTS = ("tests", "failures", "errors", "skipped")
SLOWEST = 40


class Outcome(NamedTuple):
    """The outcome of the tests on one TensorFlow.

    Attributes:
        version: The TensorFlow's version.
        result: PASSED, FAILED, NOT_RUN (its Python is missing) or NOT_MADE (its environment could not be made).
        seconds: The time that its tests took.
    """

    version: str
    result: str
    seconds: float


def write(folder: Path, outcome: Outcome) -> None:
    """Writes an outcome to the folder, where pytest has written the tests' own outcomes (JUnit XML)."""
    (folder / f"{outcome.version}.json").write_text(json.dumps(outcome._asdict()), encoding="utf-8")


def read(folder: Path) -> list[Outcome]:
    """Returns the outcomes in the folder."""
    runs = [json.loads(path.read_text("utf-8")) for path in sorted(folder.glob("*.json")) if path.name != "nox.json"]
    return [Outcome(**content) for content in runs]


def show(folder: Path, versions: list[str], seconds: float) -> int:
    """Prints the summary; returns 1 if anything failed, or nothing was run.

    Args:
        folder: The folder of the outcomes.
        versions: The TensorFlows to show, in order.
        seconds: The time that this run took.
    """
    outcomes = {outcome.version: outcome for outcome in read(folder)}
    total, slowest = dict.fromkeys(COUNTS, 0), []
    for version in versions:
        outcome, file = outcomes.get(version), folder / (version + ".xml")
        if outcome is None or outcome.result == NOT_MADE:
            words = "FAILED: its environment could not be made"
        elif outcome.result == NOT_RUN:
            words = "NOT RUN: there is no interpreter for it here"
        elif not file.exists():
            words = "FAILED: its tests did not begin"
        else:
            suite = _suite(file)
            counts = {name: int(suite.get(name, "0")) for name in COUNTS}
            total = {name: total[name] + counts[name] for name in COUNTS}
            words = f"{_words(counts)} in {outcome.seconds:.0f}s{_missing(suite)}"
            slowest += [(float(case.get("time", "0")), version, _name(case)) for case in suite.iter("testcase")]
        print(f"TensorFlow {version:<10} {words}")
    print(f"The {SLOWEST} slowest tests:")
    for duration, version, name in sorted(slowest, reverse=True)[:SLOWEST]:
        print(f"{duration:8.2f}s on {version:<10} {name}")
    tested = [version for version in versions if version in outcomes and outcomes[version].result in (PASSED, FAILED)]
    all_together = sum(outcomes[version].seconds for version in tested)
    print(f"{len(tested)} of {len(versions)} versions tested, in {all_together:.0f}s one after another")
    print(f" {_words(total)} in {seconds:.2f}s ".center(80, "="))
    bad = [version for version in versions if version not in outcomes or outcomes[version].result in (FAILED, NOT_MADE)]
    return int(bool(bad) or not tested)


def _suite(file: Path) -> ElementTree.Element:
    root = ElementTree.parse(str(file)).getroot()
    return root if root.tag == "testsuite" else root[0]


def _name(case: ElementTree.Element) -> str:
    return "{}::{}".format(case.get("classname", ""), case.get("name", ""))


def _missing(suite: ElementTree.Element) -> str:
    """Returns the remark to print after a version's counts, such as "; a CPU build: not run on simulated GPUs"."""
    files = {case.get("classname", "") for case in suite.iter("testcase")}
    if not any(name.startswith(("tests.conformance.", "tests.gpusim.")) for name in files):
        return "; a CPU build: not run on simulated GPUs"
    ways = [way for way in ("apply", "v1", "run") if "tests.conformance.test_" + way in files]
    return "; compared with TensorFlow 1 by {}".format(" and ".join(ways)) if ways else "; not compared here"


def _words(counts: dict[str, int]) -> str:
    passed = counts["tests"] - counts["failures"] - counts["errors"] - counts["skipped"]
    words = {
        "failed": counts["failures"],
        "errors": counts["errors"],
        "passed": passed,
        "skipped": counts["skipped"],
    }
    return ", ".join(f"{number} {word}" for word, number in words.items() if number or word == "passed")
