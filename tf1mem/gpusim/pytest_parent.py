"""Runs a pytest test on simulated GPUs in a separate process, and reports its result as if it had run in this one.

A process finds the simulated driver only by environment variables that were set before it started, and TensorFlow reads
its settings once. So each test gets a process, with a pytest that collects the test's file and runs that test.
"""

from __future__ import annotations

import pickle
import signal
import subprocess
import sys
from collections import Counter
from pathlib import Path
from typing import Any, Iterable, Iterator

import pytest

from tf1mem.errors import Tf1memError
from tf1mem.gpusim.gpus import Gpus
from tf1mem.gpusim.launching import Simulation, simulation, temporary_folder
from tf1mem.gpusim.pytest_child import SingleTest
from tf1mem.gpusim.summary import as_text, near
from tf1mem.gpusim.trace import Event, read
from tf1mem.machine import child
from tf1mem.settings.units import exactly

# Options that this pytest doesn't pass on to the test's pytest, with the values that it passes instead. They select
# tests, distribute them, write files or are for interactive use: only this pytest does that.
_OPTIONS: dict[str, Any] = {
    **dict.fromkeys(("keyword", "markexpr"), ""),
    **dict.fromkeys(("deselect", "numprocesses", "maxprocesses", "xmlpath", "durations", "pastebin"), None),
    **dict.fromkeys(("lf", "failedfirst", "newfirst", "stepwise", "stepwise_skip", "cacheclear"), False),
    **dict.fromkeys(("usepdb", "trace", "looponfail", "distload", "collectonly"), False),
    **{"dist": "no", "tx": [], "maxfail": 0, "no_cov": True},
}
# The program of the test's process: it reads this pytest's sys.path and a SingleTest from the file of its argument.
_CALL = (
    "import pickle; file = open(sys.argv[1], 'rb'); sys.path[:] = pickle.load(file); "
    "from tf1mem.gpusim.pytest_child import main; main(pickle.load(file))"
)
_MOST_LINES = 20  # the most lines of Python that a failure's summary names
_UNKNOWN = "an unknown line, such as in one of TensorFlow's threads"
_COMMAND_LENGTH = 200  # the most bytes of a command line in the trace


def run(item: pytest.Item, nextitem: pytest.Item | None, plugin: str) -> bool:
    """Runs a test on the GPUs of its mark `gpus`; without one, on those of --sim-gpu or else on one GPU.

    Args:
        item: The test.
        nextitem: The next test, whose fixtures aren't torn down; None for the last one.
        plugin: The name of the plugin that sends the reports. A pytest with this plugin runs a single test.

    Returns:
        True, which tells pytest that the test was run.
    """
    item.ihook.pytest_runtest_logstart(nodeid=item.nodeid, location=item.location)
    call = pytest.CallInfo.from_call(
        lambda: _on_gpus(item, plugin), when="call", reraise=(pytest.exit.Exception, KeyboardInterrupt)
    )
    if call.excinfo is None:
        reports = call.result
    elif isinstance(call.excinfo.value, Tf1memError):
        reports = [_failed(item, "call", str(call.excinfo.value))]
    else:
        reports = [item.ihook.pytest_runtest_makereport(item=item, call=call)]
    # Tears down fixtures that earlier tests set up in this process, and that no later test needs.
    teardown = pytest.CallInfo.from_call(
        lambda: item.session._setupstate.teardown_exact(nextitem), when="teardown", reraise=(pytest.exit.Exception,)
    )
    if teardown.excinfo is not None:
        reports.append(item.ihook.pytest_runtest_makereport(item=item, call=teardown))
    for report in reports:
        item.ihook.pytest_runtest_logreport(report=report)
    item.ihook.pytest_runtest_logfinish(nodeid=item.nodeid, location=item.location)
    return True


def _on_gpus(item: pytest.Item, plugin: str) -> list[pytest.TestReport]:
    """Runs a test in a process on simulated GPUs; returns its reports, failed ones with a summary of the GPUs.

    Raises:
        Tf1memError: The GPUs can't be simulated.
    """
    mark = item.get_closest_marker("gpus")
    kinds: Gpus = (mark.args if mark is not None else ()) or item.config.getoption("--sim-gpu") or 1
    if isinstance(kinds, tuple) and len(kinds) == 1 and isinstance(kinds[0], int):
        kinds = kinds[0]
    options: dict[str, Any] = dict(mark.kwargs) if mark is not None else {}
    with temporary_folder() as folder, simulation(kinds, folder / "trace.jsonl", **options) as machine:
        status, output = _run(item, plugin, machine, folder)
        reports = list(_read_reports(item, folder / "reports"))
        if machine.why_no_values:
            effect = "nothing was computed, and values are not real"
            item.warn(pytest.PytestWarning(f"{effect}, because {machine.why_no_values}"))
        reports += _lost(item, status, output, reports)
        for report in reports:
            if report.failed:
                report.sections.append(("simulated GPUs", _summary(item, machine, read(folder / "trace.jsonl"))))
    return reports


def _run(item: pytest.Item, plugin: str, machine: Simulation, folder: Path) -> tuple[int, str]:
    """Runs the test's process; returns its exit status, and the output that its pytest didn't capture."""
    _, colons, name = item.nodeid.partition("::")
    test = SingleTest(f"{item.path}{colons}{name}", _options(item.config), plugin, str(folder / "reports"))
    (folder / "test").write_bytes(pickle.dumps(sys.path) + pickle.dumps(test))
    shown = item.config.getoption("capture") == "no"
    with open(folder / "output", "wb") as output:
        status = subprocess.run(
            child.python(_CALL, str(folder / "test")),
            cwd=str(item.config.invocation_params.dir),
            env=dict(child.without_this_folder(), **machine.environment),
            stdin=subprocess.DEVNULL,
            stdout=None if shown else output,
            stderr=None if shown else subprocess.STDOUT,
            check=False,
        ).returncode
    return status, (folder / "output").read_text("utf-8", "replace").strip()


def _options(config: pytest.Config) -> dict[str, Any]:
    """Returns this pytest's options that can be pickled, changed for a pytest that runs one test and prints nothing."""
    options = {}
    for name, value in vars(config.option).items():
        try:
            options[name] = pickle.loads(pickle.dumps(value))
        except Exception:
            continue  # a plugin's own object, which the plugin creates again
    options.update((name, value) for name, value in _OPTIONS.items() if name in options)
    options.pop("file_or_dir", None)  # the argument names the test
    options["plugins"] = [*options["plugins"], "no:terminal"]
    options["rootdir"] = str(config.rootpath)
    # A temporary folder that is kept as long as this pytest's own.
    options["basetemp"] = str(config._tmp_path_factory.mktemp("gpus"))  # type: ignore[attr-defined]
    if config.inipath is not None:
        options["inifilename"] = str(config.inipath)
    return options


def _read_reports(item: pytest.Item, file: Path) -> Iterator[pytest.TestReport]:
    """Yields the reports from the file that the test's process has written; passes its warnings to this pytest."""
    if not file.exists():
        return
    with open(file, "rb") as stream:
        while True:
            try:
                kind, data = pickle.load(stream)
            except (EOFError, pickle.UnpicklingError):  # the end, or the process was killed while it wrote one
                return
            if kind == "warning":
                item.config.hook.pytest_warning_recorded.call_historic(kwargs=data)
            elif kind == "not collected":
                yield _failed(item, "setup", f"The test's file could not be collected on simulated GPUs.\n{data}")
            else:
                yield item.config.hook.pytest_report_from_serializable(config=item.config, data=data)


def _lost(item: pytest.Item, status: int, output: str, reports: list[pytest.TestReport]) -> list[pytest.TestReport]:
    """Returns a failure report for a process that ended by a signal, or before it had sent all reports; else none."""
    if status >= 0 and any(it.when == "teardown" or (it.when == "setup" and it.failed) for it in reports):
        return []
    how = f"was ended by {signal.Signals(-status).name}" if status < 0 else f"ended with status {status}"
    text = f"The test's process {how}." + (f" Its output:\n{output}" if output else "")
    return [_failed(item, "teardown" if any(it.when == "call" for it in reports) else "call", text)]


def _failed(item: pytest.Item, when: Any, why: str) -> pytest.TestReport:
    return pytest.TestReport(item.nodeid, item.location, dict(item.keywords), "failed", why, when)


def _summary(item: pytest.Item, machine: Simulation, events: Iterable[Event]) -> str:
    """Returns the summary of the simulation, with the lines of Python that reserved the most memory."""
    history = machine.histories()
    for process in history.processes:
        if process.command.startswith(" ".join(child.python(_CALL))[:_COMMAND_LENGTH]):
            process.command = f"pytest {item.nodeid}"
    bytes_of: Counter[tuple[int | None, int, str]] = Counter()
    regions: Counter[tuple[int | None, int, str]] = Counter()
    for event in events:
        if event.event == "reserve":
            key = event.gpu, event.pid, _UNKNOWN if event.where is None else near(event.where)
            bytes_of[key] += event.bytes or 0
            regions[key] += 1
    lines = [as_text(machine.gpus, history), ""]
    for (gpu, pid, where), count in bytes_of.most_common(_MOST_LINES):
        times = regions[gpu, pid, where]
        in_regions = f" in {times} regions" if times > 1 else ""
        lines.append(f"GPU {gpu}, process {pid}: reserved {exactly(count)}{in_regions} at {where}")
    if len(bytes_of) > _MOST_LINES:
        lines.append(f"and smaller amounts at {len(bytes_of) - _MOST_LINES} more lines")
    return "\n".join(lines)
