"""Runs one test by pytest in a process on simulated GPUs, and sends the reports to the pytest that started it."""

from __future__ import annotations

import pickle
import sys
from typing import Any, BinaryIO, NamedTuple

import pytest


class SingleTest(NamedTuple):
    """A test to run, with pytest's options.

    Attributes:
        node_id: The test's node id, with an absolute path.
        options: pytest's options.
        plugin: The name of the plugin that sends the reports. A pytest with this plugin runs a single test.
        reports: The file to write the reports to.
    """

    node_id: str
    options: dict[str, Any]
    plugin: str
    reports: str


class _ReportSender:
    """A plugin that writes pytest's reports to a file, each at once, since the process may end at any time."""

    def __init__(self, config: pytest.Config, reports: BinaryIO) -> None:
        self._config, self._reports = config, reports

    @pytest.hookimpl(trylast=True)
    def pytest_configure(self) -> None:
        """Removes plugins that store results for the next run (--lf, --stepwise): the first pytest stores them."""
        for name in ("lfplugin", "nfplugin", "stepwiseplugin"):
            if self._config.pluginmanager.hasplugin(name):
                self._config.pluginmanager.unregister(name=name)

    def pytest_collectreport(self, report: pytest.CollectReport) -> None:
        """Sends a failure to import the test's file."""
        if report.failed:
            self._send("not collected", report.longreprtext)

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        """Sends the reports of the test's setup, call and teardown."""
        data = self._config.hook.pytest_report_to_serializable(config=self._config, report=report)
        self._send("report", data)

    def pytest_warning_recorded(
        self, warning_message: Any, when: str, nodeid: str, location: tuple[str, int, str] | None
    ) -> None:
        """Sends a warning, as text if it can't be pickled. The first pytest has the warnings of pytest's start, too."""
        if when == "config":
            return
        warning = {"warning_message": warning_message, "when": when, "nodeid": nodeid, "location": location}
        try:
            self._send("warning", warning)
        except Exception:
            warning_message.message = UserWarning(str(warning_message.message))
            warning_message.category, warning_message.source = UserWarning, None
            self._send("warning", warning)

    def _send(self, kind: str, data: Any) -> None:
        self._reports.write(pickle.dumps((kind, data)))
        self._reports.flush()


def main(test: SingleTest) -> None:
    """Runs the test, and exits with pytest's status."""
    config = pytest.Config.fromdictargs(test.options, [test.node_id])
    with open(test.reports, "wb") as reports:
        config.pluginmanager.register(_ReportSender(config, reports), test.plugin)
        try:
            status = config.hook.pytest_cmdline_main(config=config)
        except pytest.UsageError as error:  # such as a test that doesn't exist here
            print(error, file=sys.stderr)
            status = pytest.ExitCode.USAGE_ERROR
    sys.exit(status)
