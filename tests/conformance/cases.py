"""Running cases: side by side on a server, or each in a process of its own."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
import tempfile
import threading
from concurrent.futures import Future
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Iterable, Iterator

from . import observing, simulator
from .entries import Entry

HERE = Path(__file__).resolve().parent
ROOT = HERE.parent.parent
PROGRAMS = HERE / "programs"

# What a way is: the program, whether `tf1mem run` runs it, and what a server imports before it forks: in the order in
# which the program does, and then what it comes to anyway, so that it is imported once and not for each case.
WAYS = {
    "TF1": ("tf1.py", False, ("tensorflow",)),
    "apply": ("eager.py", False, ("tf1mem", "tensorflow", "tf1mem.applying.apply", "google.protobuf.json_format")),
    "v1": ("v1.py", False, ("tf1mem.v1", "tf1mem.applying.apply", "google.protobuf.json_format")),
    "run": ("tf1.py", True, ("tf1mem.runner", "tf1mem.v1", "tf1mem.applying.apply", "google.protobuf.json_format")),
}

# What a case costs: the pages that a forked TensorFlow writes (20 to 30 MB were measured), and 8 bytes for every 256
# that it may hand out of a region (bfc_allocator.h, AllocationRegion). Cases run side by side as far as these fit into
# memory; most of their time is waiting.
_PROCESS_BYTES = 32 * 2**20


@dataclass(frozen=True)
class Case:
    """One run of one program.

    Attributes:
        name: Whatever tells it apart.
        gpus: The sizes of the machine's GPUs, in bytes.
        asked: What the program reads: see programs/notes.py.
        visible: CUDA_VISIBLE_DEVICES, or None where it isn't set.
        program: A file in programs/, where it isn't the way's own.
        reserves: What it will take of the GPUs at most, in bytes, roughly: it costs memory.
    """

    name: str
    gpus: tuple[int, ...]
    asked: dict[str, Any] = field(compare=False)
    visible: str | None = None
    program: str | None = None
    reserves: int = 2**32

    @contextmanager
    def prepared(self, folder: Path) -> Iterator[tuple[str, dict[str, str | None]]]:
        """Writes down what the program reads; yields that file, and the environment that the case wants."""
        path = folder / "case.json"
        path.write_text(json.dumps(self.asked), encoding="utf-8")
        with simulator.machine(folder, self.gpus) as environment:
            yield str(path), dict(environment, CUDA_VISIBLE_DEVICES=self.visible)


def of(entry: Entry) -> Case:
    """The case for an entry."""
    asked = {"config": entry.config, "asks": entry.asks, "before": entry.before}
    return Case(entry.name, entry.gpus, asked, entry.visible, reserves=entry.reserves)


def base_environment() -> dict[str, str]:
    """The environment of every process: this one's, without what changes what is observed."""
    ours = ("TF1MEM_", "TF_", "TF2_", "CUDA_", "XLA_")
    kept = {name: value for name, value in os.environ.items() if not name.startswith(ours)}
    path = [str(ROOT), kept.get("PYTHONPATH", "")]
    libraries = [simulator.library_path(), kept.get("LD_LIBRARY_PATH", "")]
    return dict(
        kept,
        PYTHONPATH=os.pathsep.join(filter(None, path)),
        LD_LIBRARY_PATH=os.pathsep.join(filter(None, libraries)),
        PYTHONIOENCODING="utf-8",
        PYTHONDONTWRITEBYTECODE="1",
        TF_CPP_MIN_LOG_LEVEL="2",
    )


def alone(case: Case, way: str) -> dict[str, Any]:
    """Runs a case in a process of its own, and observes it."""
    program, by_run, _ = WAYS[way]
    with tempfile.TemporaryDirectory(prefix="conformance-") as name:
        folder = Path(name)
        command = [
            sys.executable,
            *(["-m", "tf1mem", "run"] if by_run else []),
            str(PROGRAMS / (case.program or program)),
        ]
        with case.prepared(folder) as (asked, wanted), open(folder / "output.txt", "wb") as output:
            environment = base_environment()
            for variable, value in wanted.items():
                environment.pop(variable, None)
                if value is not None:
                    environment[variable] = value
            status = subprocess.call([*command, asked], cwd=name, env=environment, stdout=output, stderr=output)
        # As os.waitpid has it.
        return observing.observe(folder, -status if status < 0 else status << 8)


class Server:
    """A forking server of one way, and the cases that run on it side by side.

    Args:
        way: One of `WAYS`.
        python: The Python to run it on; by default this one.
    """

    def __init__(self, way: str, python: str = sys.executable) -> None:
        self._program, self._by_run, modules = WAYS[way]
        self._folder = tempfile.TemporaryDirectory(prefix="conformance-")
        self._lock = threading.Condition()
        self._futures: dict[int, tuple[Future[dict[str, Any]], Case]] = {}
        self._waiting: list[tuple[int, Case]] = []
        self._running: dict[int, tuple[int, ExitStack]] = {}
        self._room = _room()
        self._log = open(Path(self._folder.name) / "server.txt", "w+b")  # noqa: SIM115 - lives as long as the server
        self._process = subprocess.Popen(
            [python, str(HERE / "server.py"), *modules], cwd=self._folder.name, env=base_environment(),
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=self._log,
        )  # fmt: skip
        self._listener = threading.Thread(target=self._listen, daemon=True)
        self._listener.start()

    def submit(self, cases: Iterable[Case]) -> dict[str, Future[dict[str, Any]]]:
        """Has cases run, as many at a time as there is room for; returns their observations to come, by name."""
        made = {}
        with self._lock:
            for case in cases:
                number = len(self._futures)
                future: Future[dict[str, Any]] = Future()
                self._futures[number] = (future, case)
                self._waiting.append((number, case))
                made[case.name] = future
            self._start_some()
        return made

    def close(self) -> None:
        """Ends the server; cases that have not begun are dropped."""
        with self._lock:
            for number, _ in self._waiting:
                self._futures[number][0].cancel()
            self._waiting.clear()
        assert self._process.stdin is not None
        self._process.stdin.close()
        try:
            self._process.wait(60)
        finally:
            self._process.kill()
            self._listener.join(10)
            self._log.close()
            self._folder.cleanup()

    def __enter__(self) -> Server:
        """Nothing more to begin."""
        return self

    def __exit__(self, *exception: object) -> None:
        """Ends it."""
        self.close()

    def _start_some(self) -> None:
        assert self._process.stdin is not None
        while self._waiting:
            number, case = self._waiting[0]
            cost = _PROCESS_BYTES + case.reserves // 32
            if self._running and sum(cost for cost, _ in self._running.values()) + cost > self._room:
                return
            self._waiting.pop(0)
            folder = Path(self._folder.name) / str(number)
            folder.mkdir()
            stack = ExitStack()
            asked, environment = stack.enter_context(case.prepared(folder))
            request = {
                "number": number,
                "program": [str(PROGRAMS / (case.program or self._program)), asked],
                "run": self._by_run,
                "folder": str(folder),
                # Libraries are looked for where they were when the process started.
                "environment": {name: value for name, value in environment.items() if name != "LD_LIBRARY_PATH"},
            }
            self._running[number] = (cost, stack)
            try:
                self._process.stdin.write(json.dumps(request).encode() + b"\n")
                self._process.stdin.flush()
            except OSError:
                return  # the server has ended: the listener says so

    def _listen(self) -> None:
        assert self._process.stdout is not None
        for line in self._process.stdout:
            answer = json.loads(line.decode())
            number = answer["number"]
            future, _ = self._futures[number]
            try:
                future.set_result(observing.observe(Path(self._folder.name) / str(number), answer["status"]))
            except BaseException as error:
                future.set_exception(error)
            with self._lock:
                self._running.pop(number)[1].close()
                self._start_some()
        self._log.seek(0)
        ended = AssertionError("the server has ended: " + self._log.read().decode("utf-8", "replace")[-3000:])
        for future, _ in self._futures.values():
            if not future.done():
                future.set_exception(ended)


def _room() -> int:
    """Memory for the cases of one server: a quarter of what is there, for several may run beside each other."""
    found = re.search(r"MemAvailable:\s+(\d+) kB", Path("/proc/meminfo").read_text("ascii"))
    available = int(found.group(1)) * 1024 if found else 4 * 2**30
    return min(max(available // 4, 2**30), 6 * 2**30)
