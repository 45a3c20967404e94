"""Running programs on simulated GPUs, each in a fork of a Python that has imported TensorFlow, and what came of it."""

from __future__ import annotations

import json
import os
import select
import signal
import subprocess
import sys
import tempfile
from contextlib import suppress
from pathlib import Path
from typing import Any

from tests.conformance import cases, simulator

from .shapes import WITHOUT_GPUS

HERE = Path(__file__).resolve().parent
GPUS = (2**30, 2**30)
TIMEOUT_S = 60


class Tensorflow:
    """A Python that has imported TensorFlow.

    Args:
        python: The Python; by default this one.
    """

    def __init__(self, python: str = sys.executable) -> None:
        self._folder = tempfile.TemporaryDirectory(prefix="differential-")
        self._programs = 0
        self._log = open(Path(self._folder.name) / "server.txt", "w+b")  # noqa: SIM115 - lives as long as this
        self._process = subprocess.Popen(
            [python, str(cases.HERE / "server.py"), "tf1mem", "tensorflow"], cwd=self._folder.name,
            env=cases.base_environment(), stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=self._log,
            start_new_session=True,
        )  # fmt: skip

    def observe(self, shape: str, source: bytes, mode: str = "") -> dict[str, Any]:
        """Runs a program, and returns which settings TensorFlow was given; see observed.py.

        Args:
            shape: Which shape it is of.
            source: The program.
            mode: "graph" for TensorFlow 1's graph mode.

        Raises:
            AssertionError: It ended without writing that down, or didn't end.
        """
        self._programs += 1
        folder = Path(self._folder.name) / str(self._programs)
        folder.mkdir()
        program, notes = folder / "program.py", folder / "notes.json"
        program.write_bytes(source)
        arguments = [str(HERE / "observed.py"), str(program), str(notes), *([mode] if mode else [])]
        with simulator.machine(folder, GPUS) as environment:
            if shape in WITHOUT_GPUS:
                environment["CUDA_VISIBLE_DEVICES"] = "-1"
            request = {
                "number": self._programs,
                "program": arguments,
                "run": False,
                "folder": str(folder),
                "environment": {name: value for name, value in environment.items() if name != "LD_LIBRARY_PATH"},
            }
            assert self._process.stdin is not None
            assert self._process.stdout is not None
            self._process.stdin.write(json.dumps(request).encode() + b"\n")
            self._process.stdin.flush()
            ended = select.select([self._process.stdout], [], [], TIMEOUT_S)[0]
            answer = self._process.stdout.readline() if ended else b""
        output = (folder / "output.txt").read_text("utf-8", "replace")
        if not answer:
            self._log.seek(0)
            output += f"no answer within {TIMEOUT_S} s; the server says:\n"
            output += self._log.read().decode("utf-8", "replace")[-3000:]
        assert notes.exists(), f"{shape}: {answer.decode()}\n{output[-3000:]}"
        seen: dict[str, Any] = json.loads(notes.read_text("utf-8"))
        seen["output"] = output[-3000:]
        return seen

    def close(self) -> None:
        """Ends it, and a program that still runs."""
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        with suppress(ProcessLookupError):  # where it has ended by itself
            os.killpg(self._process.pid, signal.SIGKILL)
        self._process.wait(10)
        self._process.stdin.close()
        self._process.stdout.close()
        self._log.close()
        self._folder.cleanup()

    def __enter__(self) -> Tensorflow:
        """Nothing more to begin."""
        return self

    def __exit__(self, *exception: object) -> None:
        """Ends it."""
        self.close()
