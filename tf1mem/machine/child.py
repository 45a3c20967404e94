"""Asking something in a child process, with a time limit that holds even where the child can't be ended."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
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
    program = (
        "import os, sys; out = os.fdopen(os.dup(1), 'w', encoding='utf-8')\n"
        "os.dup2(os.open(os.devnull, os.O_WRONLY), 1)\n"  # what libraries print is no answer
        f"sys.path[:] = [*filter(None, sys.path), {root!r}]; import json\n"  # without this folder
        "from importlib import import_module\n"
        f"json.dump(import_module({module!r}).{name}(), out); out.close()"
    )
    child = subprocess.Popen(
        [sys.executable, *([] if with_site else ["-S"]), "-c", program],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        env=dict(os.environ if environment is None else environment, PYTHONDONTWRITEBYTECODE="1"),
        start_new_session=True,
    )
    try:
        answer, said = child.communicate(timeout=seconds)
    except subprocess.TimeoutExpired as late:
        _end(child)
        return Answer(SILENT, None, _last(late.stderr))
    except BaseException:
        _end(child)
        raise
    try:
        return Answer(ANSWERED, json.loads(answer), _last(said))
    except ValueError:
        return Answer(FAILED, None, _last(said))


def _last(said: bytes | None) -> str:
    return (said or b"")[-4000:].decode("utf-8", "replace").strip()


def _end(child: subprocess.Popen[bytes]) -> None:
    for pipe in (child.stdout, child.stderr):
        if pipe is not None:
            pipe.close()
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
