"""What the version matrix came to: a line a version, and a last one in pytest's form.

Usage: matrix_summary.py FOLDER VERSION… where FOLDER holds a JUnit file for each version that was run.
"""

from __future__ import annotations

import sys
from pathlib import Path
from xml.etree import ElementTree

COUNTS = ("tests", "failures", "errors", "skipped")


def main(folder: str, *versions: str) -> int:
    """Prints the summary; 1 if a test failed, or nothing was run."""
    total = dict.fromkeys(COUNTS, 0)
    seconds, missing = 0.0, []
    for version in versions:
        file = Path(folder) / (version + ".xml")
        if not file.exists():
            missing.append(version)
            print(
                "TensorFlow {:<10} NOT RUN (no interpreter for it, or its environment could not be made)".format(
                    version
                )
            )
            continue
        suite = ElementTree.parse(str(file)).getroot()
        suite = suite if suite.tag == "testsuite" else suite[0]
        counts = {name: int(suite.get(name, "0")) for name in COUNTS}
        for name in COUNTS:
            total[name] += counts[name]
        seconds += float(suite.get("time", "0"))
        print("TensorFlow {:<10} {}".format(version, _words(counts)))
    failed = total["failures"] + total["errors"]
    text = " {} on {} of {} versions in {:.2f}s ".format(
        _words(total), len(versions) - len(missing), len(versions), seconds
    )
    print(text.center(80, "="))
    return int(bool(failed) or len(missing) == len(versions))


def _words(counts: dict[str, int]) -> str:
    passed = counts["tests"] - counts["failures"] - counts["errors"] - counts["skipped"]
    words = [
        ("failed", counts["failures"]),
        ("errors", counts["errors"]),
        ("passed", passed),
        ("skipped", counts["skipped"]),
    ]
    return ", ".join("{} {}".format(number, word) for word, number in words if number or word == "passed")


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
