"""Asking something in a child process, with a time limit that holds even where the child can't be ended."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import tempfile
from typing import Any, Mapping, NamedTuple

ANSWERED = "answered"
FAILED = "failed"
SILENT = "silent"


class Answer(NamedTuple):
    """What came of asking.

    Attributes:
        state: "answered"; "failed": the child ended without an answer; "silent": the time was up.
        value: The answer, or None.
        said: The end of what the child wrote to stderr.
    """

    state: str
    value: Any = None
    said: str = ""


def ask(function: str, seconds: float, environment: Mapping[str, str] | None = None, with_site: bool = True) -> Answer:
    """Calls a function without arguments in a child process of this Python.

    A child that waits for a driver may be beyond signals; it is left behind then, and never waited for.

    Args:
        function: Its full name, such as "tf1mem.machine.nvml.answer"; what it returns must be JSON.
        seconds: How long to wait.
        environment: The child's environment variables; this process's by default.
        with_site: Whether installed packages are needed. Without them the child starts sooner, and runs nobody's hooks.
    """
    module, _, name = function.rpartition(".")
    root = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
    with tempfile.TemporaryDirectory(prefix="tf1mem-asking-") as folder:
        path = os.path.join(folder, "answer")
        program = (
            f"import sys; sys.path[:] = [*filter(None, sys.path), {root!r}]; import json\n"  # without this folder
            "from importlib import import_module\n"
            f"answer = import_module({module!r}).{name}()\n"
            f"open({path!r}, 'w', encoding='utf-8').write(json.dumps(answer))"
        )
        with open(os.path.join(folder, "said"), "w+b") as said:
            state = _run([*([] if with_site else ["-S"]), "-c", program], seconds, environment, said)
            said.seek(0)
            text = said.read()[-4000:].decode("utf-8", "replace").strip()
        if state == SILENT:
            return Answer(SILENT, None, text)
        try:
            with open(path, encoding="utf-8") as file:
                return Answer(ANSWERED, json.load(file), text)
        except (OSError, ValueError):
            return Answer(FAILED, None, text)


def _run(arguments: list[str], seconds: float, environment: Mapping[str, str] | None, said: Any) -> str:
    child = subprocess.Popen(
        [sys.executable, *arguments],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=said,
        env=dict(os.environ if environment is None else environment, PYTHONDONTWRITEBYTECODE="1"),
        start_new_session=True,
    )
    try:
        child.wait(seconds)
    except subprocess.TimeoutExpired:
        _end(child)
        return SILENT
    except BaseException:
        _end(child)
        raise
    return ANSWERED


def _end(child: subprocess.Popen[bytes]) -> None:
    try:
        if hasattr(os, "killpg"):
            os.killpg(child.pid, signal.SIGKILL)  # with what it may have started
        else:
            child.kill()
    except ProcessLookupError:
        pass  # it has ended meanwhile
    try:
        child.wait(0.5)
    except subprocess.TimeoutExpired:
        child.returncode = -signal.SIGTERM  # beyond signals; nobody is to wait for it when Python ends
