"""A pytest that runs one test, in a process that is on simulated GPUs, and tells another pytest what became of it."""

from __future__ import annotations

import pickle
import sys
from typing import Any, BinaryIO, NamedTuple

import pytest


class Order(NamedTuple):
    """What to run, and as which pytest would.

    Attributes:
        test: The test's node id, its path absolute.
        options: pytest's options.
        plugin: What the plugin is called that tells of it, by which this process is known.
        answers: The file to write to.
    """

    test: str
    options: dict[str, Any]
    plugin: str
    answers: str


class _Messenger:
    """Writes what pytest says of the test to a file, each as soon as it is said: the process may end at any time."""

    def __init__(self, config: pytest.Config, answers: BinaryIO) -> None:
        self._config, self._answers = config, answers

    @pytest.hookimpl(trylast=True)
    def pytest_configure(self) -> None:
        """What a run leaves for the next one is the other pytest's to write."""
        for name in ("lfplugin", "nfplugin", "stepwiseplugin"):
            if self._config.pluginmanager.hasplugin(name):
                self._config.pluginmanager.unregister(name=name)

    def pytest_collectreport(self, report: pytest.CollectReport) -> None:
        """A file that can't be imported on these GPUs."""
        if report.failed:
            self._say("not collected", report.longreprtext)

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        """What became of the test's setup, of itself, and of its teardown."""
        said = self._config.hook.pytest_report_to_serializable(config=self._config, report=report)
        self._say("report", said)

    def pytest_warning_recorded(
        self, warning_message: Any, when: str, nodeid: str, location: tuple[str, int, str] | None
    ) -> None:
        """A warning, but for those of the start, which the other pytest has, too; in words, where it can't travel."""
        if when == "config":
            return
        said = {"warning_message": warning_message, "when": when, "nodeid": nodeid, "location": location}
        try:
            self._say("warning", said)
        except Exception:
            warning_message.message = UserWarning(str(warning_message.message))
            warning_message.category, warning_message.source = UserWarning, None
            self._say("warning", said)

    def _say(self, what: str, said: Any) -> None:
        self._answers.write(pickle.dumps((what, said)))
        self._answers.flush()


def main(order: Order) -> None:
    """Runs the test."""
    config = pytest.Config.fromdictargs(order.options, [order.test])
    with open(order.answers, "wb") as answers:
        config.pluginmanager.register(_Messenger(config, answers), order.plugin)
        try:
            status = config.hook.pytest_cmdline_main(config=config)
        except pytest.UsageError as error:  # as where there is no such test here
            print(error, file=sys.stderr)
            status = pytest.ExitCode.USAGE_ERROR
    sys.exit(status)
