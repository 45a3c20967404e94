"""Runs the tests on several TensorFlows, each in a separate environment, side by side.

Usage, from the root of the repository: python -m tests.matrix [--whole | --compared] [--tests PATH ...] [VERSION ...]

nox and uv make one environment after another, while tests already run in the finished ones. WORKERS is the number of
TensorFlows that are tested at a time. `make proof` is --whole: it also runs the tests that CI leaves out, and those of
`make test`. If it is interrupted, the next run continues with the TensorFlows that haven't passed, unless a file of the
checkout has changed.

Without an option or a VERSION it is CI's matrix, on the TensorFlows that `selection.IN_CI` lists. It comes after `make
test` and leaves out what that has proved: the TensorFlow of this Python's environment, and on this Python the tests
that run once on each Python.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import os
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from tests.matrix import selection, summary
from tests.matrix.selection import Proved
from tests.matrix.summary import Outcome
from tests.processes.environment import ROOT
from tf1mem.machine.tensorflow import installed_version
from tf1mem.machine.versions import TESTED

RESULTS = ROOT / "build" / "matrix"
WORKERS = int(os.environ.get("WORKERS", "2"))
# Stands in place of a version for the tests of `make test`, run by this Python: they are a part of `make proof`.
NEWEST = "newest"


class Matrix:
    """A run of tests on several TensorFlows, side by side.

    Args:
        folder: The folder for the outcomes.
        whole: True to run the tests that CI leaves out, too.
        tests: Paths of tests to run on each TensorFlow, in place of those that `selection` selects.
        proved: The environment of `make test`, if its results aren't to be repeated.
    """

    def __init__(self, folder: Path, whole: bool, tests: list[str], proved: Proved | None) -> None:
        self._folder, self._whole, self._tests, self._proved = folder, whole, tests, proved
        folder.mkdir(parents=True, exist_ok=True)

    def run(self, versions: list[str]) -> None:
        """Tests the versions, and writes the outcome of each to the folder."""
        for version in versions:
            for file in self._folder.glob(version + ".*"):
                if file.suffix in (".json", ".txt", ".xml"):
                    file.unlink()
        with ThreadPoolExecutor(WORKERS) as pool:
            for version in versions:
                begin = time.monotonic()
                outcome = "success" if version == NEWEST else self._make(version)
                if outcome == "success":
                    # Two processes for those that take long, and for the last two, when workers would be idle.
                    double = _is_long(version) or version in versions[-2:]
                    pool.submit(self._test, version, ["-n", "2"] if double else [])
                else:
                    result = summary.NOT_RUN if outcome == "skipped" else summary.NOT_MADE
                    summary.write(self._folder, Outcome(version, result, time.monotonic() - begin))

    def _make(self, version: str) -> str:
        """Makes an environment; returns nox's result: "success", "failed", or "skipped" if the Python is missing."""
        report = self._folder / "nox.json"
        log = self._folder / f"{version}.environment.txt"
        with open(log, "w", encoding="utf-8") as output:
            command = [*_nox(version), "--install-only", "--report", str(report)]
            if subprocess.call(command, cwd=str(ROOT), stdout=output, stderr=output):
                print(log.read_text("utf-8"), flush=True)
        result: str = json.loads(report.read_text("utf-8"))["sessions"][0]["result"]
        return result

    def _test(self, version: str, workers: list[str]) -> None:
        begin = time.monotonic()
        options = [*workers, "--dist", "loadfile", f"--junit-xml={self._folder / (version + '.xml')}", *self._tests]
        if version == NEWEST:
            command = [sys.executable, "-m", "pytest", "-q", "--whole", *options]
        else:
            row = [] if self._tests else ["--row", version]
            row += ["--whole"] if self._whole else []
            row += ["--proved", *self._proved] if self._proved else []
            command = [*_nox(version), "--no-install", "--", *row, *options]
        log = self._folder / f"{version}.txt"
        with open(log, "w", encoding="utf-8") as output:
            status = subprocess.call(command, cwd=str(ROOT), stdout=output, stderr=output)
        outcome = Outcome(version, summary.FAILED if status else summary.PASSED, time.monotonic() - begin)
        summary.write(self._folder, outcome)
        failures = log.read_text("utf-8", "replace") if status else ""
        print(f"{failures}TensorFlow {version}: {outcome.result} after {outcome.seconds:.0f} s", flush=True)


def _nox(version: str) -> list[str]:
    return [sys.executable, "-m", "nox", "--session", f"on({version})"]


def _is_long(version: str) -> bool:
    """Returns True for a TensorFlow that runs nearly all tests; these begin first."""
    return version in (NEWEST, selection.gpu_builds()[0].version, TESTED[-1].version)


def checkout() -> str:
    """Returns a hash of the checkout, which changes when any file does."""
    digest = hashlib.sha256()
    for command in ("git rev-parse HEAD", "git diff HEAD", "git ls-files --others --exclude-standard"):
        digest.update(subprocess.run(command.split(), cwd=str(ROOT), stdout=subprocess.PIPE, check=True).stdout)
    return digest.hexdigest()[:16]


def main() -> int:
    """Runs the matrix and prints the summary; returns 1 if anything failed, or nothing was run."""
    parser = argparse.ArgumentParser(prog="python -m tests.matrix", description=__doc__.splitlines()[0])
    parser.add_argument("--whole", action="store_true", help="leave nothing out")
    parser.add_argument("--tests", nargs="+", default=[], metavar="PATH", help="these, on each TensorFlow")
    parser.add_argument("versions", nargs="*", metavar="VERSION", help="by default those of CI; with an option, all")
    parser.add_argument("--compared", action="store_true", help="on those TensorFlows that are built for GPUs")
    options = parser.parse_args()
    whole = options.whole and not options.tests
    in_ci = not (options.versions or options.tests or options.compared or whole)
    rows = selection.gpu_builds() if options.compared else TESTED
    names = selection.IN_CI if in_ci else tuple(row.version for row in rows)
    versions = options.versions or [*([NEWEST] if whole else []), *names]
    proved = None
    if in_ci:
        proved = Proved("{}.{}".format(*sys.version_info), str(installed_version()))
        if proved.version in versions:
            versions.remove(proved.version)
            print(f"TensorFlow {proved.version}: left out, since `make test` runs everything on it", flush=True)
    folder = RESULTS / (f"proof-{checkout()}" if whole else "some" if options.tests else "ci")
    passed = {outcome.version for outcome in summary.read(folder) if outcome.result == summary.PASSED and whole}
    begin = time.monotonic()
    matrix = Matrix(folder, options.whole or options.compared, options.tests, proved)
    matrix.run(sorted((version for version in versions if version not in passed), key=_is_long, reverse=True))
    return summary.show(folder, versions, time.monotonic() - begin)


if __name__ == "__main__":
    sys.exit(main())
