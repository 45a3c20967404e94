"""TensorFlow's distribution on simulated GPUs: each process stays within its cap and on its own GPUs."""

from __future__ import annotations

import json
import os
import signal
import socket
from concurrent.futures import TimeoutError as Late
from contextlib import ExitStack, suppress
from pathlib import Path
from typing import Iterator

import pytest
from packaging.version import Version

from tests.processes.environment import LIMIT_S, clean
from tests.processes.warm import Program, WarmPythons
from tf1mem.gpusim import trace
from tf1mem.gpusim.launching import Simulation, simulation
from tf1mem.machine.tensorflow import installed_version

GIB = 2**30
CAP = 2 * GIB  # a quarter of 8 GiB
PROGRAMS = Path(__file__).resolve().parent / "programs"

tensorflow_version = installed_version() or Version("0")
# The programs use the strategies' present names; older TensorFlows have them as experimental ones.
needs_strategies = pytest.mark.skipif(
    tensorflow_version < Version("2.4.0rc0"), reason="strategies are TensorFlow 2.4's and up"
)


class Machine:
    """Two simulated GPUs of 8 GiB, and the processes that a test starts on them."""

    def __init__(self, simulation: Simulation, folder: Path, exits: ExitStack, pythons: WarmPythons) -> None:
        self._simulation, self._folder, self._exits, self._pythons = simulation, folder, exits, pythons

    def start(self, program: str, *args: str, **env: str) -> Process:
        """Starts a program of programs/; it is killed at the test's end if it still runs."""
        module = "tf1mem.v1" if program.startswith("tf1_") else "tensorflow"
        python = self._pythons.having([module], clean(simulator=True, TF_CPP_MIN_LOG_LEVEL="2"))
        output = self._folder / f"{len(list(self._folder.iterdir()))}.txt"
        argv, variables = [str(PROGRAMS / program), *args], {**self._simulation.environment, **env}
        process = Process(python.submit(argv, folder=self._folder, out=output, err=output, env=variables), output)
        self._exits.callback(process.kill)
        return process

    def reserved(self) -> dict[int, dict[int, int]]:
        """Returns, by process id and GPU, the most bytes that the process held on the GPU."""
        most: dict[int, dict[int, int]] = {}
        for event in trace.read(self._simulation.trace):
            if event.event == "reserve":
                held = most.setdefault(event.pid, {})
                held[event.gpu] = max(held.get(event.gpu, 0), event.total)
        return most


class Process:
    """A running program."""

    def __init__(self, program: Program, output: Path) -> None:
        self._program, self._output = program, output
        self.pid = program.pid.result(LIMIT_S)
        output.touch()

    def succeeds(self) -> None:
        """Waits for the program to end; fails with its output if its exit status isn't 0."""
        try:
            status = self._program.result(LIMIT_S)
        except Late:
            status = -1
        assert status == 0, self.output()

    def output(self) -> str:
        return self._output.read_text(encoding="utf-8")[-5000:]

    def kill(self) -> None:
        if not self._program.done():
            with suppress(ProcessLookupError):
                os.kill(self.pid, signal.SIGKILL)
            self._program.result(LIMIT_S)


@pytest.fixture
def machine(tmp_path: Path, warm_pythons: WarmPythons) -> Iterator[Machine]:
    (tmp_path / "out").mkdir()
    with simulation(["8GiB", "8GiB"], trace=tmp_path / "trace.jsonl", values=False) as simulated, ExitStack() as exits:
        yield Machine(simulated, tmp_path / "out", exits, warm_pythons)


def addresses(number: int) -> list[str]:
    """Returns addresses of this machine at which no process listens."""
    with ExitStack() as exits:
        sockets = [exits.enter_context(socket.socket()) for _ in range(number)]
        for each in sockets:
            each.bind(("127.0.0.1", 0))
        return [f"127.0.0.1:{each.getsockname()[1]}" for each in sockets]


@needs_strategies
def test_mirrored_strategy(machine: Machine) -> None:
    process = machine.start("mirrored.py")
    process.succeeds()
    held = machine.reserved()[process.pid]
    assert set(held) == {0, 1}
    assert all(0 < most < CAP for most in held.values())  # it grows, and needs little


@pytest.mark.proof
@needs_strategies
def test_multi_worker_mirrored_strategy(machine: Machine) -> None:
    cluster = {"worker": addresses(2)}
    workers = [
        machine.start(
            "worker.py", TF_CONFIG=json.dumps({"cluster": cluster, "task": {"type": "worker", "index": rank}})
        )
        for rank in range(2)
    ]
    for worker in workers:
        worker.succeeds()
    for rank, worker in enumerate(workers):
        held = machine.reserved()[worker.pid]
        assert set(held) == {rank}
        assert 0 < held[rank] < CAP


@pytest.mark.proof
@needs_strategies
def test_parameter_server_strategy(machine: Machine) -> None:
    first, second, server = addresses(3)
    cluster = json.dumps({"worker": [first, second], "ps": [server]})
    workers = [machine.start("server.py", "worker", str(rank), cluster) for rank in range(2)]
    others = [machine.start("server.py", "ps", "0", cluster), machine.start("coordinator.py", cluster)]
    others[1].succeeds()
    for rank, worker in enumerate(workers):
        assert machine.reserved()[worker.pid] == {rank: CAP}, worker.output()
    assert not {other.pid for other in others} & set(machine.reserved())


@pytest.mark.proof
def test_train_server(machine: Machine) -> None:
    cluster = json.dumps({"worker": addresses(2)})
    tasks = [machine.start("tf1_server.py", str(index), cluster) for index in range(2)]
    tasks[0].succeeds()
    for index, task in enumerate(tasks):
        assert machine.reserved()[task.pid] == {index: CAP}, task.output()


@pytest.mark.proof
def test_horovods_ranks(machine: Machine) -> None:
    ranks = [machine.start("tf1_horovod.py", HOROVOD_LOCAL_RANK=str(rank)) for rank in range(2)]
    for rank, process in enumerate(ranks):
        process.succeeds()
        held = machine.reserved()[process.pid]
        assert set(held) == {rank}
        assert 0 < held[rank] < CAP  # it grows, and needs little
