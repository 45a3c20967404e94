"""Runs cases: side by side in forks of a Python that has imported TensorFlow, or each in a new Python."""

from __future__ import annotations

import json
import re
import subprocess
import sys
import tempfile
import threading
from concurrent.futures import Future, wait
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Iterable, Iterator

from tests.processes.environment import clean
from tests.processes.warm import WarmPythons

from . import observing, simulator
from .entries import Entry

HERE = Path(__file__).resolve().parent
ROOT = HERE.parent.parent
PROGRAMS = HERE / "programs"

# Way -> its program; True if `tf1mem run` runs it; the modules to import before the fork, in the program's order, and
# after them modules that the program imports later anyway, so that they are imported once and not for each case.
WAYS = {
    "TF1": ("tf1.py", False, ("tensorflow",)),
    "apply": ("eager.py", False, ("tf1mem", "tensorflow", "tf1mem.applying.apply", "google.protobuf.json_format")),
    "v1": ("v1.py", False, ("tf1mem.v1", "tf1mem.applying.apply", "google.protobuf.json_format")),
    "run": ("tf1.py", True, ("tf1mem.runner", "tf1mem.v1", "tf1mem.applying.apply", "google.protobuf.json_format")),
}

# The memory that a case costs: the pages that a forked TensorFlow writes (20 to 30 MB were measured), and 8 bytes for
# every 256 bytes of a region (bfc_allocator.h, AllocationRegion). As many cases run side by side as fit into memory,
# since they mostly wait.
_PROCESS_BYTES = 32 * 2**20


@dataclass(frozen=True)
class Case:
    """One run of one program.

    Attributes:
        name: A name that no other case has.
        gpus: The sizes of the machine's GPUs, in bytes.
        request: The settings and allocations for the program, which reads them: see programs/notes.py.
        visible: CUDA_VISIBLE_DEVICES, or None to leave it unset.
        program: A file in programs/; by default the way's own program.
        reserves: The most bytes of the GPUs that it takes, about: they decide how many cases run side by side. 4 GiB by
            default.
        values: True if the GPUs compute values; False by default.
    """

    name: str
    gpus: tuple[int, ...]
    request: dict[str, Any] = field(compare=False)
    visible: str | None = None
    program: str | None = None
    reserves: int = 2**32
    values: bool = False

    @contextmanager
    def prepared(self, folder: Path) -> Iterator[tuple[str, dict[str, str | None]]]:
        """Writes the program's request into a file; yields its path, and the environment variables of the case."""
        path = folder / "case.json"
        path.write_text(json.dumps(self.request), encoding="utf-8")
        with simulator.machine(folder, self.gpus, self.values) as environment:
            yield str(path), dict(environment, CUDA_VISIBLE_DEVICES=self.visible)


def case_of(entry: Entry, *, values: bool = False) -> Case:
    """Returns the case of an entry; `values` is True for GPUs that compute values."""
    request = {"config": entry.config, "allocations": entry.allocations, "earlier_steps": entry.earlier_steps}
    return Case(entry.name, entry.gpus, request, entry.visible, reserves=entry.reserves, values=values)


def environment() -> dict[str, str]:
    """Returns the environment of every process."""
    return clean(simulator=True, PYTHONDONTWRITEBYTECODE="1", TF_CPP_MIN_LOG_LEVEL="2")


def run_alone(case: Case, way: str) -> dict[str, Any]:
    """Runs a case in a new Python; returns its observation."""
    program, by_run, _ = WAYS[way]
    with tempfile.TemporaryDirectory(prefix="conformance-") as name:
        folder = Path(name)
        command = [
            sys.executable,
            *(["-m", "tf1mem", "run"] if by_run else []),
            str(PROGRAMS / (case.program or program)),
        ]
        with case.prepared(folder) as (path, variables), open(folder / "output.txt", "wb") as output:
            complete = {name: value for name, value in {**environment(), **variables}.items() if value is not None}
            status = subprocess.call([*command, path], cwd=folder, env=complete, stdout=output, stderr=output)
        # The status as os.waitpid returns it.
        return observing.observe(folder, -status if status < 0 else status << 8)


class Cases:
    """Runs the cases of one way, side by side.

    Args:
        way: One of `WAYS`.
        pythons: The warm Pythons.
    """

    def __init__(self, way: str, pythons: WarmPythons) -> None:
        self._program, self._by_run, modules = WAYS[way]
        self._python = pythons.having(modules, environment())
        self._folder = tempfile.TemporaryDirectory(prefix="conformance-")
        self._lock = threading.RLock()
        self._waiting: list[tuple[Case, Future[dict[str, Any]]]] = []
        self._running: dict[Future[dict[str, Any]], int] = {}  # with the case's cost
        self._begun = 0
        self._room = _room()

    def submit(self, cases: Iterable[Case]) -> dict[str, Future[dict[str, Any]]]:
        """Starts cases, as many at a time as fit into memory; returns a future of each observation, by name."""
        submitted = list(cases)
        futures: dict[str, Future[dict[str, Any]]] = {case.name: Future() for case in submitted}
        with self._lock:
            self._waiting += [(case, futures[case.name]) for case in submitted]
            self._start_some()
        return futures

    def close(self) -> None:
        """Drops the cases that have not begun, and waits for those that have."""
        with self._lock:
            for _, future in self._waiting:
                future.cancel()
            self._waiting.clear()
        wait(list(self._running), 60)
        self._folder.cleanup()

    def __enter__(self) -> Cases:
        """Returns itself."""
        return self

    def __exit__(self, *exception: object) -> None:
        """Closes the cases."""
        self.close()

    def _start_some(self) -> None:
        while self._waiting:
            case, future = self._waiting[0]
            cost = _PROCESS_BYTES + case.reserves // 32
            if self._running and sum(self._running.values()) + cost > self._room:
                return
            self._waiting.pop(0)
            self._running[future] = cost
            self._start(case, future)

    def _start(self, case: Case, future: Future[dict[str, Any]]) -> None:
        self._begun += 1
        folder = Path(self._folder.name) / str(self._begun)
        folder.mkdir()
        output, stack = folder / "output.txt", ExitStack()
        path, variables = stack.enter_context(case.prepared(folder))

        def ended(status: Future[int]) -> None:
            with self._lock, stack:
                del self._running[future]
                self._start_some()
            try:
                future.set_result(observing.observe(folder, status.result()))
            except BaseException as error:
                future.set_exception(error)

        program = [str(PROGRAMS / (case.program or self._program)), path]
        self._python.submit(
            program, folder=folder, out=output, err=output, env=variables, by_run=self._by_run
        ).add_done_callback(ended)


def _room() -> int:
    """Returns the memory for the cases of one way, in bytes: a quarter of the free memory, as ways run side by side."""
    match = re.search(r"MemAvailable:\s+(\d+) kB", Path("/proc/meminfo").read_text("ascii"))
    available = int(match.group(1)) * 1024 if match else 4 * 2**30
    return min(max(available // 4, 2**30), 6 * 2**30)
