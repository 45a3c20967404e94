"""A pytest plugin that writes each test's outcome at once, since a test may end the process or run too long.

It is copied into a folder of its own on PYTHONPATH. The environment variable FLAGSHIPS_OUTCOMES names the file, whose
lines are JSON: a test, its outcome ("passed", "failed", "skipped", or null as it begins) and the first line of why; a
file that can't be imported counts as a test. The last line has the versions of what the tests imported, and is missing
after a crash.

This file is independent of tf1mem's code, and runs on the old Python as well.
"""

from __future__ import annotations

import json
import os
import platform
import re
import sys

_PACKAGES = ("tensorflow", "numpy", "scipy", "pandas", "gym", "gymnasium", "tensorflow_probability", "tf_keras")
_outcomes = open(os.environ["FLAGSHIPS_OUTCOMES"], "a", encoding="utf-8", buffering=1)  # noqa: SIM115 - for the process


def pytest_runtest_logstart(nodeid):
    """Writes that a test begins."""
    _write([nodeid, None, ""])


def pytest_runtest_logreport(report):
    """Writes the outcome of a test's setup, call or teardown, unless it is a setup or teardown that passed.

    A test with a part that is skipped isn't skipped: TensorFlow's tests run in graph and in eager mode as such parts.
    """
    if hasattr(report, "context") and report.outcome == "skipped":  # pytest 9 reports a part by itself
        return
    if report.when == "call" or report.outcome != "passed":
        _write([report.nodeid, report.outcome, _first_line(report)])


def pytest_collectreport(report):
    """Writes that a file was imported, or why it can't be."""
    if report.outcome == "failed":
        _write([report.nodeid, "failed", _first_line(report)])
    elif report.nodeid.endswith(".py"):
        _write([report.nodeid, None, ""])


def pytest_sessionfinish(session):
    """Writes the versions."""
    versions = {name: getattr(sys.modules.get(name), "__version__", None) for name in _PACKAGES}
    _write({"python": platform.python_version(), **{name: str(at) for name, at in versions.items() if at}})


def _first_line(report):
    if report.outcome != "failed":
        return ""
    crash = getattr(report.longrepr, "reprcrash", None)
    lines = crash.message.splitlines() if crash else _lines_of_error(str(report.longrepr))
    return next((line.strip() for line in lines if line.strip()), "")


def _lines_of_error(text):
    """Returns the lines of a text from its last exception on, without pytest's mark; all if it has none."""
    lines = [re.sub("^E   +", "", line) for line in text.splitlines()]
    starts = [number for number, line in enumerate(lines) if re.match(r"(\w+\.)*\w*(Error|Exception|Exit)\b", line)]
    return lines[starts[-1] :] if starts else lines


def _write(line):
    _outcomes.write(json.dumps(line) + "\n")
