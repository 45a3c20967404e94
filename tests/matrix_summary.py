"""What the version matrix came to: a line a version, and a last one in pytest's form.

Usage: matrix_summary.py FOLDER, which holds nox's report.json and a JUnit file for each version that was tested.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path
from xml.etree import ElementTree

COUNTS = ("tests", "failures", "errors", "skipped")


def main(folder: str) -> int:
    """Prints the summary; 1 if anything failed, or nothing was run."""
    report = json.loads((Path(folder) / "report.json").read_text(encoding="utf-8"))
    results = {session["args"]["version"]: session["result"] for session in report["sessions"] if session.get("args")}
    total, seconds, failed, run = dict.fromkeys(COUNTS, 0), 0.0, False, 0
    for version, result in results.items():
        file = Path(folder) / (version + ".xml")
        if result == "skipped":
            words = "NOT RUN: there is no interpreter for it here"
        elif not file.exists():
            words, failed = "FAILED: its environment could not be made", True
        else:
            suite = _suite(file)
            counts, duration = _counts(suite), float(suite.get("time", "0"))
            total = {name: total[name] + counts[name] for name in COUNTS}
            seconds, run = seconds + duration, run + 1
            failed = failed or result != "success"
            words = _words(counts) + _missing(suite)
        print(f"TensorFlow {version:<10} {words}")
    print(f"{run} of {len(results)} versions tested")
    print(f" {_words(total)} in {seconds:.2f}s ".center(80, "="))
    return int(failed or not run)


def _suite(file: Path) -> ElementTree.Element:
    root = ElementTree.parse(str(file)).getroot()
    return root if root.tag == "testsuite" else root[0]


def _counts(suite: ElementTree.Element) -> dict[str, int]:
    return {name: int(suite.get(name, "0")) for name in COUNTS}


def _missing(suite: ElementTree.Element) -> str:
    """What there is to know of a version beside its counts."""
    files = {case.get("classname", "") for case in suite.iter("testcase")}
    if not any(name.startswith(("tests.conformance.", "tests.gpusim.")) for name in files):
        return "; a CPU build: not run on simulated GPUs"
    ways = [way for way in ("apply", "v1", "run") if "tests.conformance.test_" + way in files]
    if len(ways) == 3:
        return ""
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


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
