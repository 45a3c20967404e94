"""A Python that has imported TensorFlow once and forks for each program: 0.3 s a program instead of 3 to 6 s.

Each program starts in a process of its own in which nothing has been set and no runtime started, as after its own
imports in a fresh Python. Programs that are about importing itself belong in a fresh one.

Run as a script it is that Python: `warm_python.py MODULE…` imports the modules and then reads programs from
standard input, a line of JSON each, and answers each with its exit status.
"""

from __future__ import annotations

import json
import os
import queue
import subprocess
import sys
import threading
from importlib import import_module
from pathlib import Path
from subprocess import CompletedProcess

TIMEOUT_S = 300


class WarmPython:
    """The side of the tests: starts that Python, hands it programs, stops it."""

    def __init__(self, modules: list[str], env: dict[str, str]) -> None:
        self._modules, self._env = modules, env
        self._process: subprocess.Popen[str] | None = None
        self._answers: queue.Queue[str] = queue.Queue()

    def run(self, script: Path, *, env: dict[str, str]) -> CompletedProcess[str]:
        """Runs a program in its own folder, as `python SCRIPT` does after the imports; returns what became of it.

        Args:
            script: The program's file.
            env: Environment variables beside those that this Python was started with.
        """
        process = self._process or self._start()
        out, err = script.with_suffix(".out"), script.with_suffix(".err")
        request = {"script": str(script), "env": env, "out": str(out), "err": str(err)}
        assert process.stdin is not None
        process.stdin.write(json.dumps(request) + "\n")
        process.stdin.flush()
        try:
            answer = self._answers.get(timeout=TIMEOUT_S)
        except queue.Empty:
            self.stop()
            answer = ""
        assert answer, "no answer to {} within {} s; its output:\n{}".format(
            script, TIMEOUT_S, "".join(file.read_text(encoding="utf-8") for file in (out, err) if file.exists())
        )
        return CompletedProcess(
            [str(script)], int(answer), out.read_text(encoding="utf-8"), err.read_text(encoding="utf-8")
        )

    def stop(self) -> None:
        """Ends it, and a program that still runs."""
        if self._process is not None:
            os.killpg(self._process.pid, 9)
            self._process.communicate()
            self._process = None

    def _start(self) -> subprocess.Popen[str]:
        command = [sys.executable, __file__, *self._modules]
        self._process = process = subprocess.Popen(
            command, env=self._env, stdin=subprocess.PIPE, stdout=subprocess.PIPE, encoding="utf-8",
            start_new_session=True,
        )  # fmt: skip
        self._answers = queue.Queue()
        threading.Thread(target=_forward, args=(process.stdout, self._answers), daemon=True).start()
        return process


def _forward(lines, answers) -> None:
    for line in lines:
        answers.put(line)
    answers.put("")  # it has ended


def _serve(modules: list[str]) -> None:
    """That Python itself. Returns in a child only: with the program to run."""
    answers = os.fdopen(os.dup(1), "w")  # what a module prints while it is imported is no answer
    os.dup2(2, 1)
    for name in modules:
        import_module(name)
    for line in sys.stdin:
        request = json.loads(line)
        child = os.fork()
        if child == 0:
            return _become(request)
        status = os.waitpid(child, 0)[1]
        answers.write(f"{-os.WTERMSIG(status) if os.WIFSIGNALED(status) else os.WEXITSTATUS(status)}\n")
        answers.flush()
    os._exit(0)


def _become(request: dict) -> None:
    """Makes this child the process of one program, and runs that."""
    import runpy

    for number, path, flags in ((0, os.devnull, os.O_RDONLY), (1, request["out"], 0), (2, request["err"], 0)):
        os.dup2(os.open(path, flags or os.O_WRONLY | os.O_CREAT | os.O_TRUNC), number)
    script = request["script"]
    os.environ.update(request["env"])
    os.chdir(os.path.dirname(script))
    sys.argv, sys.path[0] = [script], os.path.dirname(script)
    runpy.run_path(script, run_name="__main__")


if __name__ == "__main__":
    _serve(sys.argv[1:])
