"""Warm Pythons: processes that have imported TensorFlow and fork for each program, shared by all tests of a session."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import tempfile
import threading
from concurrent.futures import Future
from concurrent.futures import TimeoutError as Late
from contextlib import suppress
from pathlib import Path
from subprocess import CompletedProcess
from typing import Mapping, Sequence

from tests.processes.environment import LIMIT_S

SERVER = Path(__file__).resolve().with_name("fork_server.py")


class Program(Future):  # type: ignore[type-arg]
    """A program that has been submitted: a future of its status, as `os.waitpid` gives it.

    Args:
        argv: The program's path, and its arguments.
        output: The files for its standard output and standard error, which may be the same.

    Attributes:
        pid: A future of the program's process id.
    """

    def __init__(self, argv: Sequence[str], output: Sequence[Path]) -> None:
        super().__init__()
        self.pid: Future[int] = Future()
        self._argv, self._output = list(argv), dict.fromkeys(output)

    def status(self, timeout_s: float = LIMIT_S) -> int:
        """Waits for the end of the program and returns its status, as `os.waitpid` gives it.

        Raises:
            AssertionError: The program didn't end in time, and was ended. The text has its output, and where in Python
                its threads were, by which a program that hangs is told from a slow machine.
        """
        try:
            status: int = self.result(timeout_s)
        except Late:
            if self.pid.done():
                for ending in (signal.SIGUSR2, signal.SIGKILL):  # by the first, fork_server.py writes where threads are
                    with suppress(ProcessLookupError):
                        os.kill(self.pid.result(), ending)
                    with suppress(Late):
                        self.result(2)
            state = "did not end" if self.pid.done() else "did not start"
            output = "\n".join(_text(file) for file in self._output)
            raise AssertionError(f"{self._argv} {state} within {timeout_s} s; its output:\n{output}") from None
        return status


class WarmPython:
    """A Python that has imported some modules, and forks for each program. It is started for the first program.

    Args:
        modules: The modules that it imports, in that order.
        env: The environment of that Python.
        python: The interpreter; by default this one.
    """

    def __init__(self, modules: Sequence[str], env: Mapping[str, str], python: str = sys.executable) -> None:
        self._modules, self._env, self._interpreter = list(modules), dict(env), python
        self._lock = threading.RLock()
        self._process: subprocess.Popen[bytes] | None = None
        self._awaited: dict[int, Program] = {}  # number of a request -> its program, which hasn't ended
        self._asked = 0
        self._listener = threading.Thread()

    def submit(
        self,
        argv: Sequence[str],
        *,
        folder: Path,
        out: Path,
        err: Path,
        env: Mapping[str, str | None] | None = None,
        by_run: bool = False,
    ) -> Program:
        """Starts a program; others may still run.

        Args:
            argv: The program's path, and its arguments.
            folder: The working directory.
            out: The file for its standard output.
            err: The file for its standard error; it may be the same file.
            env: Variables to set in addition to those of this Python; None removes one.
            by_run: True to run it as `tf1mem run` does; False by default.
        """
        program = Program(argv, (out, err))
        with self._lock:
            process = self._process or self._start()
            self._asked += 1
            self._awaited[self._asked] = program
            request = {
                "number": self._asked, "argv": list(argv), "by_run": by_run, "folder": str(folder),
                # ld.so read LD_LIBRARY_PATH when the process started, so a fork can't change it.
                "environment": {name: value for name, value in (env or {}).items() if name != "LD_LIBRARY_PATH"},
                "out": str(out), "err": str(err),
            }  # fmt: skip
            assert process.stdin is not None
            try:
                process.stdin.write(json.dumps(request).encode() + b"\n")
                process.stdin.flush()
            except OSError:
                pass  # the process has ended, which `_listen` notices
        return program

    def run(
        self,
        script: Path,
        *arguments: str,
        env: Mapping[str, str | None] | None = None,
        folder: Path | None = None,
        timeout_s: float = LIMIT_S,
    ) -> CompletedProcess[str]:
        """Runs a program and waits for it, in a folder that is by default the program's own.

        Returns:
            The program's exit status and its output.
        """
        out, err = script.with_suffix(".out"), script.with_suffix(".err")
        program = self.submit([str(script), *arguments], folder=folder or script.parent, out=out, err=err, env=env)
        try:
            status = exit_status(program.status(timeout_s))
        except AssertionError:
            self.stop()  # with the children of the program
            raise
        return CompletedProcess([str(script), *arguments], status, *map(_text, (out, err)))

    def stop(self) -> None:
        """Ends the Python, and the programs that still run."""
        with self._lock:
            process, self._process = self._process, None
        if process is not None:
            os.killpg(process.pid, signal.SIGKILL)
            process.wait(30)
            self._listener.join(30)
            assert process.stdin is not None
            process.stdin.close()

    def __enter__(self) -> WarmPython:
        """Returns itself; the Python starts with its first program."""
        return self

    def __exit__(self, *exception: object) -> None:
        """Ends the Python."""
        self.stop()

    def _start(self) -> subprocess.Popen[bytes]:
        folder = tempfile.TemporaryDirectory(prefix="warm-python-")
        with open(Path(folder.name) / "log.txt", "wb") as log:
            self._process = process = subprocess.Popen(
                [self._interpreter, str(SERVER), *self._modules], cwd=folder.name, env=self._env,
                stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=log, start_new_session=True,
            )  # fmt: skip
        self._awaited = {}
        self._listener = threading.Thread(target=self._listen, args=(process, self._awaited, folder), daemon=True)
        self._listener.start()
        return process

    def _listen(self, process: subprocess.Popen[bytes], awaited: dict[int, Program], folder) -> None:
        assert process.stdout is not None
        for line in process.stdout:
            answer = json.loads(line.decode())
            if "pid" in answer:
                awaited[answer["number"]].pid.set_result(answer["pid"])
            else:
                awaited.pop(answer["number"]).set_result(answer["status"])
        process.stdout.close()
        with folder:
            log_text = (Path(folder.name) / "log.txt").read_text("utf-8", "replace")[-3000:]
        with self._lock:
            if self._process is process:
                self._process = None
        ended = AssertionError(f"the Python that has {self._modules} has ended: {log_text}")
        for program in awaited.values():
            program.set_exception(ended)
            if not program.pid.done():
                program.pid.set_exception(ended)


class WarmPythons:
    """The warm Pythons of a test session, one for each list of modules and each environment."""

    def __init__(self) -> None:
        self._made: dict[tuple[object, ...], WarmPython] = {}

    def having(self, modules: Sequence[str], env: Mapping[str, str]) -> WarmPython:
        """Returns the warm Python with these modules in this environment; makes it at the first call."""
        key = (*modules, frozenset(env.items()))
        if key not in self._made:
            self._made[key] = WarmPython(modules, env)
        return self._made[key]

    def stop(self) -> None:
        """Ends all warm Pythons."""
        for python in self._made.values():
            python.stop()

    def __enter__(self) -> WarmPythons:
        """Returns itself."""
        return self

    def __exit__(self, *exception: object) -> None:
        """Ends all warm Pythons."""
        self.stop()


def exit_status(status: int) -> int:
    """Converts a status of `os.waitpid` into one of `subprocess`, which is negative for a signal."""
    return -os.WTERMSIG(status) if os.WIFSIGNALED(status) else os.WEXITSTATUS(status)


def _text(file: Path) -> str:
    return file.read_text(encoding="utf-8", errors="replace") if file.exists() else ""
