"""Counts the unit tests of flagships that pass on TensorFlow 1.15.5, and of these, those that pass by `tf1mem run`.

    python -m benchmarks.flagships_tests DIR [NAME …] --old-python PATH [--seconds N] [--work FOLDER] [--json FILE]

DIR has git clones of the repositories that flagships_tests_table.py lists, each as `owner+name`. Each is taken at its
commit, untouched, and its test files run on both sides at once, as a user would run all of them: by `python -m pytest`,
and by `tf1mem run -m pytest`. A repository's row is written into flagships_tests.json as soon as its files have run.
"""

from __future__ import annotations

import argparse
import datetime
import fnmatch
import json
import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from importlib.metadata import version
from pathlib import Path
from typing import Any, NamedTuple, Sequence

from benchmarks import flagships
from benchmarks.flagships_tests_table import SUITES, Suite
from tf1mem.verifying.signals import ended_by_signals

HERE = Path(__file__).resolve().parent
ROWS = HERE / "flagships_tests.json"
_PLUGIN = HERE / "flagships_outcomes.py"
_PYTEST = ("-m", "pytest", "-q", "--continue-on-collection-errors", "-p", "no:cacheprovider", "-p", _PLUGIN.stem)


class Outcomes(NamedTuple):
    """The outcomes of a suite's tests on one side.

    Attributes:
        outcome_of: Test -> "passed", "failed" or "skipped".
        why: Test, or file, that failed -> the first line of its error.
        versions: Package -> version, with "python"; {} if no process came to its end.
    """

    outcome_of: dict[str, str]
    why: dict[str, str]
    versions: dict[str, str]


def main(arguments: Sequence[str]) -> int:
    """Runs suites; returns 1 if a test of 1.15.5 doesn't pass here for a reason that the table doesn't have."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.flagships_tests", description=__doc__.splitlines()[0])
    parser.add_argument("folder", type=Path, metavar="DIR", help="a folder with clones, each as owner+name")
    parser.add_argument("names", nargs="*", metavar="NAME", help="owner/name, or a part of it; by default all")
    parser.add_argument(
        "--old-python", metavar="PATH", required=True, help="a Python with TensorFlow 1.15.5 and pytest"
    )
    parser.add_argument("--seconds", type=float, default=600, metavar="N", help="time limit of a test (default: 600)")
    parser.add_argument(
        "--work", type=Path, metavar="FOLDER", help="keep the outcomes here: another run takes those it finds"
    )
    parser.add_argument(
        "--json", type=Path, default=ROWS, metavar="FILE", help="the file of rows (default: flagships_tests.json)"
    )
    options = parser.parse_intermixed_args(arguments)
    unknown = 0
    for suite in flagships.select(options.names, SUITES):
        with tempfile.TemporaryDirectory(prefix="flagships-tests-") as temporary:
            work = (options.work or Path(temporary)) / suite.repository.replace("/", "+")
            row = run(work, options.folder, suite, options.old_python, options.seconds)
        rows = {**flagships.read(options.json), suite.repository: row}  # another run may have added some
        flagships.write(options.json, rows, SUITES)
        print(f"{suite.repository}: {row['here']} of {row['before']}", flush=True)
        for test in row["differs"]:
            unknown += not test["reason"]
            print(f"    {test['test']}: {test['says']} ({test['reason'] or 'to be looked into'})", flush=True)
    return int(bool(unknown))


def run(work: Path, folder: Path, suite: Suite, old_python: str, seconds: float) -> dict[str, Any]:
    """Runs a suite on both sides, and returns its row.

    Args:
        work: A folder for copies and outcomes. Outcomes that it has are taken.
        folder: The folder of the clones.
        suite: The suite.
        old_python: A Python with TensorFlow 1.15.5 and pytest.
        seconds: The time limit of a test, and of the import of all files, in seconds.

    Raises:
        SystemExit: The clone lacks the commit, or a file that the table names.
    """
    work = work.resolve()  # the processes have other current folders
    commands = {"old": [old_python], "new": [sys.executable, "-m", "tf1mem", "run", *suite.options]}
    copies = {}
    for side in commands:
        copies[side] = work / side / suite.repository.rpartition("/")[2]
        shutil.rmtree(copies[side], ignore_errors=True)
        copies[side].parent.mkdir(parents=True, exist_ok=True)
        flagships.extract(folder, suite.repository, suite.commit, copies[side], ())
        if suite.make is not None:
            suite.make(copies[side], old_python)
    if suite.on_old is not None:
        _change(copies["old"], *suite.on_old)
    files, left_out = files_of(suite, copies["old"])
    is_over = threading.Event()
    with ended_by_signals(), ThreadPoolExecutor(len(commands)) as threads:
        running = {
            side: threads.submit(_run, command, copies[side], files, seconds, is_over)
            for side, command in commands.items()
        }
        try:
            sides = {side: outcomes.result() for side, outcomes in running.items()}
        finally:
            is_over.set()  # a signal ends both sides, for which the pool waits
    return row_of(suite, files, sides, left_out)


def files_of(suite: Suite, copy: Path) -> tuple[list[str], dict[str, str]]:
    """Returns a suite's files that are run, and those that aren't, each with the reason.

    Raises:
        SystemExit: A pattern of the table has no file.
    """
    paths_of = {
        pattern: sorted(path.relative_to(copy).as_posix() for path in copy.glob(pattern)) for pattern in suite.files
    }
    every = list(dict.fromkeys(path for paths in paths_of.values() for path in paths))
    left_out = {file: reason for pattern, reason in suite.left_out for file in fnmatch.filter(every, pattern)}
    empty = [pattern for pattern, paths in paths_of.items() if not paths]
    empty += [pattern for pattern, _ in suite.left_out if not fnmatch.filter(every, pattern)]
    if empty:
        raise SystemExit(f"flagships_tests: {suite.repository} has no {', '.join(empty)}")
    return [file for file in every if file not in left_out], left_out


def _change(copy: Path, path: str, text: str, new: str) -> None:
    before = (copy / path).read_text("utf-8")
    if before.count(text) != 1:
        raise SystemExit(f"flagships_tests: {path} has no single {text!r}")
    (copy / path).write_text(before.replace(text, new), "utf-8")


def _run(
    command: Sequence[str], copy: Path, files: Sequence[str], seconds: float, is_over: threading.Event
) -> Outcomes:
    """Runs files of tests in a copy of their repository, unless their outcomes are there; returns the outcomes.

    If a test ends the process, or takes too long, the files after its own run in a new process.

    Raises:
        InterruptedError: The event was set before the end.
    """
    record = copy.parent / "outcomes.jsonl"
    if record.exists():
        return read(record)
    plugin, home, partial = (copy.parent / name for name in ("plugin", "home", "outcomes.partial"))
    for path in (plugin, home):
        path.mkdir(exist_ok=True)
    shutil.copy(_PLUGIN, plugin)
    partial.write_bytes(b"")
    environment = {
        **{name: value for name, value in os.environ.items() if not name.startswith(("TF1MEM", "PYTHON", "PYTEST"))},
        "HOME": str(home), "PYTHONPATH": str(plugin), "FLAGSHIPS_OUTCOMES": str(partial), "PYTHONHASHSEED": "0",
        "CUDA_VISIBLE_DEVICES": "-1", "MPLBACKEND": "Agg", "TF_CPP_MIN_LOG_LEVEL": "3", "OMP_NUM_THREADS": "1",
        "NO_PROXY": "", "http_proxy": "http://127.0.0.1:9", "https_proxy": "http://127.0.0.1:9",
    }  # fmt: skip
    left = list(files)
    while left:
        size = partial.stat().st_size
        end = _watched([*command, *_PYTEST, f"--rootdir={copy}", *left], copy, environment, seconds, is_over)
        lines = [json.loads(line) for line in partial.read_bytes()[size:].decode("utf-8").splitlines()]
        if lines and isinstance(lines[-1], dict):
            break
        begun = [line[0].partition("::")[0] for line in lines if "::" in line[0]]
        # No test has begun if a file ended the process as it was imported: the one after those that were.
        imported = {line[0] for line in lines}
        culprit = begun[-1] if begun else next(file for file in left if file not in imported)
        with open(partial, "a", encoding="utf-8") as outcomes:
            outcomes.write(json.dumps([culprit, "failed", end]) + "\n")
        left = left[left.index(culprit) + 1 :] if begun else [file for file in left if file != culprit]
    partial.replace(record)
    return read(record)


def _watched(
    command: Sequence[str],
    where: Path,
    environment: dict[str, str],
    seconds: float,
    is_over: threading.Event,
) -> str:
    """Runs a command until it ends, or its outcomes don't grow for a time in seconds; returns how it ended, in words.

    Raises:
        InterruptedError: The event was set; the command and the processes that it started are killed.
    """
    growing = Path(environment["FLAGSHIPS_OUTCOMES"])
    log = growing.with_name("log.txt")
    with open(log, "ab") as output:
        process = subprocess.Popen(
            command, cwd=where, env=environment, stdin=subprocess.DEVNULL, stdout=output, stderr=subprocess.STDOUT,
            start_new_session=True,
        )  # fmt: skip
    size, end = growing.stat().st_size, time.monotonic() + seconds
    try:
        while process.poll() is None:
            if growing.stat().st_size > size:
                size, end = growing.stat().st_size, time.monotonic() + seconds
            if time.monotonic() > end:
                return f"took longer than {seconds:.0f} seconds"
            if is_over.wait(0.2):
                raise InterruptedError
        return f"the process ended with status {process.returncode}"
    finally:
        try:
            os.killpg(process.pid, signal.SIGKILL)  # processes that tests started, too
        except ProcessLookupError:
            pass
        process.wait()


def read(record: Path) -> Outcomes:
    """Returns the outcomes of a suite that flagships_outcomes.py has written.

    A test passes if its setup, its call and its teardown do. Addresses are left out of names.
    """
    outcomes = Outcomes({}, {}, {})
    for line in record.read_text("utf-8").splitlines():
        entry = json.loads(line)
        if isinstance(entry, dict):
            outcomes.versions.update(entry)
            continue
        test, outcome, why = entry
        test = re.sub("0x[0-9a-f]+", "0x…", test)
        if outcome is not None and outcomes.outcome_of.get(test, "passed") == "passed":
            outcomes.outcome_of[test] = outcome
        if outcome == "failed":
            outcomes.why.setdefault(test, why)
    return outcomes


def row_of(suite: Suite, files: Sequence[str], sides: dict[str, Outcomes], left_out: dict[str, str]) -> dict[str, Any]:
    """Returns a suite's row.

    Args:
        suite: The suite.
        files: Files that were run.
        sides: Side, "old" or "new" -> the outcomes.
        left_out: File that wasn't run -> the reason.
    """
    new = sides["new"]
    passed = [test for test, outcome in sides["old"].outcome_of.items() if outcome == "passed"]
    differs = []
    for test in passed:
        if new.outcome_of.get(test) == "passed":
            continue
        of_file = new.why.get(test.partition("::")[0], "there is no such test")
        says = new.why.get(test, new.outcome_of[test]) if test in new.outcome_of else of_file
        reasons = (reason for pattern, reason in suite.differs if fnmatch.fnmatchcase(test, pattern))
        differs.append({"test": test, "says": says[:300], "reason": next(reasons, "")})
    with_tests = {test.partition("::")[0] for test in passed}
    return {
        "repository": suite.repository,
        "release": suite.release,
        "commit": suite.commit,
        "packages": list(suite.packages),
        "options": list(suite.options),
        "on_old": suite.on_old and list(suite.on_old),
        "files": len(files),
        "left_out": left_out,
        "without_tests": [file for file in files if file not in with_tests],
        "before": len(passed),
        "here": len(passed) - len(differs),
        "differs": differs,
        **{side: outcomes.versions for side, outcomes in sides.items()},
        "date": datetime.date.today().isoformat(),
        "tf1mem": version("tf1mem"),
    }


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
