"""Runs calls without a config on a simulated GPU, and reads from the trace the bytes that they reserved.

`python -m tests.applying.takers.measuring [PART OF A NAME ...]` prints the table for the installed TensorFlow.
"""

from __future__ import annotations

import json
import sys
import tempfile
from concurrent.futures import Future
from contextlib import ExitStack
from importlib.util import find_spec
from pathlib import Path
from typing import Any, NamedTuple

from tests.conformance import simulator
from tests.processes.environment import LIMIT_S, clean
from tests.processes.warm import WarmPythons, exit_status
from tf1mem.gpusim import trace

from . import table

GPU_BYTES = 2**30
SETTINGS: dict[str, dict[str, Any]] = {
    "fraction": {"gpu_options": {"per_process_gpu_memory_fraction": 0.25}},
    "growth": {"gpu_options": {"allow_growth": True}},
}
_VARIABLES = {"fraction": {"TF1MEM_MEMORY_FRACTION": "0.25"}, "growth": {"TF1MEM_ALLOW_GROWTH": "true"}}
# Kind of setting -> the size of the GPU's first region: a quarter of the GPU, or, with growth, 1 MiB, and from
# TensorFlow 2.1 on 2 MiB.
EXPECTED = {"fraction": (2**28,), "growth": (2**20, 2**21)}

_WARM = {
    "apply": ("tf1mem", "tensorflow", "tf1mem.applying.apply", "google.protobuf.json_format"),
    "": ("tf1mem.runner", "tf1mem.v1", "tf1mem.applying.apply", "google.protobuf.json_format"),
}
_STARTED = str(Path(__file__).with_name("started.py"))


class Measured(NamedTuple):
    """The result of a program.

    Attributes:
        status: The exit status.
        reserved: The bytes of each region that it reserved on the GPU, in order.
        output: The output, standard error included.
    """

    status: int
    reserved: tuple[int, ...]
    output: str


def names(version: Any, cheap: bool) -> list[str]:
    """Returns the names of the table's calls that a TensorFlow has; if `cheap`, only those for CI."""
    release = tuple(version.release[:2])
    lacking = set()
    if release >= (2, 16):
        if find_spec("tf_keras") is None:
            lacking |= {"keras 2", "estimator"}
        if find_spec("tensorflow_estimator") is None:
            lacking.add("estimator")
    return [
        name
        for name, calls in table.CALLS.items()
        if calls.span[0] <= release <= calls.span[1]
        and calls.needs not in lacking
        and (not cheap or name in table.IN_CI)
    ]


def runs(name: str, source: str, version: Any) -> bool:
    """Returns True if a program can make the call `name` with settings from a source."""
    if table.CALLS[name].before_sessions and source == "program":
        return False
    release = tuple(version.release[:2])
    # TensorFlow 2 itself has no tf.contrib, and from 2.16 on no Keras and no estimators for graphs; tf1mem.v1 has them.
    lacks = ("contrib" in table.CALLS[name].code and release >= (2, 0)) or (
        table.CALLS[name].needs and release >= (2, 16)
    )
    return source != "apply" or not lacks


class Measuring:
    """Runs programs side by side in forks of warm Pythons.

    Args:
        pythons: The warm Pythons.
    """

    def __init__(self, pythons: WarmPythons) -> None:
        self._pythons = pythons
        self._folder = tempfile.TemporaryDirectory(prefix="takers-")
        self._begun = 0

    def submit(self, name: str, source: str, kind: str) -> Future[Measured]:
        """Starts to measure the call `name`, with settings of a kind ("fraction", "growth") from a source."""
        self._begun += 1
        folder = Path(self._folder.name) / str(self._begun)
        folder.mkdir()
        program, settings_file = folder / "program.py", folder / "settings.json"
        program.write_text(table.program(name, source, SETTINGS[kind]), encoding="utf-8")
        settings_file.write_text(json.dumps(SETTINGS[kind]), encoding="utf-8")
        argv = [str(program)]
        if source in ("--config", "--override", "environment"):
            files = [str(settings_file) if source == option else "-" for option in ("--config", "--override")]
            argv = [_STARTED, *argv, *files]
        stack = ExitStack()
        environment = dict(stack.enter_context(simulator.machine(folder, (GPU_BYTES,))))
        if source == "environment":
            environment.update(_VARIABLES[kind])
        python = self._pythons.having(_WARM.get(source, _WARM[""]), clean(simulator=True))
        out = folder / "output.txt"
        measured: Future[Measured] = Future()

        def ended(status: Future[int]) -> None:
            with stack:
                try:
                    events = trace.parse((folder / "trace.jsonl").read_bytes().splitlines(keepends=True))
                    reserved = tuple(event.bytes for event in events if event.event == "reserve")
                    output = out.read_text("utf-8", "replace")
                    measured.set_result(Measured(exit_status(status.result()), reserved, output))
                except BaseException as error:
                    measured.set_exception(error)

        python.submit(argv, folder=folder, out=out, err=out, env=environment).add_done_callback(ended)
        return measured

    def close(self) -> None:
        """Removes the programs' files."""
        self._folder.cleanup()


def holds(name: str, source: str, kind: str, measured: Measured) -> bool:
    """Returns True if all that was reserved agrees with settings of a kind."""
    if name == "InteractiveSession" and source == "--override":
        kind = "growth"  # it sets growth itself, which stays in force with the fraction
    return measured.status == 0 and bool(measured.reserved) and set(measured.reserved) <= set(EXPECTED[kind])


def _print_table(words: list[str]) -> None:
    from tf1mem.machine.tensorflow import installed_version

    version = installed_version()
    with WarmPythons() as pythons:
        measuring = Measuring(pythons)
        for name in names(version, cheap=False):
            if words and not any(word in name for word in words):
                continue
            cells = []
            waiting = {
                (source, kind): measuring.submit(name, source, kind)
                for source in table.SOURCES
                for kind in SETTINGS
                if runs(name, source, version)
            }
            for (source, kind), future in waiting.items():
                measured = future.result(LIMIT_S)
                if not holds(name, source, kind, measured):
                    mark = (
                        measured.reserved
                        if measured.status == 0
                        else measured.output.strip()[-300 if not words else -3000 :]
                    )
                    cells.append(f"  {source}, {kind}: {measured.status} {mark}")
            print(name, "holds" if not cells else "", *cells, sep="\n", flush=True)
        measuring.close()


if __name__ == "__main__":
    _print_table(sys.argv[1:])
