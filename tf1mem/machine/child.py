"""Asking something in a child process, with a time limit that holds even where the child can't be ended."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from typing import Any, Mapping, NamedTuple, Sequence

_ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
# With -c and -m Python looks in the current folder first. It is this tf1mem that is imported; its folder isn't left
# in front: it may be that of all packages, some of which have names of the standard library's.
_START = (
    "import sys; sys.path[:] = filter(None, sys.path); sys.path.insert(0, {root!r}); import tf1mem; del sys.path[0]; "
)

# Leaves a Python alone that tf1mem starts in a program of `tf1mem run`: it takes over nothing of what that was told.
LEFT_ALONE = {"TF1MEM_RUN_CHILDREN": ""}

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


def python(statements: str, *arguments: str, flags: Sequence[str] = ()) -> list[str]:
    """The command of a Python that runs something of tf1mem's and imports nothing from the current folder.

    A user's `json.py` or `tensorflow.py` there is for the user's own program.

    Args:
        statements: What it runs; it has `sys`, and tf1mem can be imported, this one.
        arguments: Its `sys.argv[1:]`.
        flags: Python's own.
    """
    return [sys.executable, *flags, "-c", _START.format(root=_ROOT) + statements, *arguments]


def without_this_folder(variables: Mapping[str, str] | None = None) -> dict[str, str]:
    """The environment variables for such a Python: PYTHONPATH without the current folder.

    An empty entry of it means that folder, as of PYTHONPATH=$PYTHONPATH:more; so does ".".

    Args:
        variables: All others; this process's by default.
    """
    given = dict(os.environ if variables is None else variables)
    here = {os.path.realpath(os.curdir)} - {os.path.realpath(_ROOT)}
    paths = [path for path in given.pop("PYTHONPATH", "").split(os.pathsep) if path]
    paths = [path for path in paths if os.path.realpath(path) not in here]
    return dict(given, PYTHONPATH=os.pathsep.join(paths)) if paths else given


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
    program = (
        "import os; out = os.fdopen(os.dup(1), 'w', encoding='utf-8')\n"
        "os.dup2(os.open(os.devnull, os.O_WRONLY), 1)\n"  # what libraries print is no answer
        "import json; from importlib import import_module\n"
        f"json.dump(import_module({module!r}).{name}(), out); out.close()"
    )
    child = subprocess.Popen(
        python(program, flags=() if with_site else ("-S",)),
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        env=dict(without_this_folder(environment), PYTHONDONTWRITEBYTECODE="1", **LEFT_ALONE),
        start_new_session=True,
    )
    try:
        answer, said = child.communicate(timeout=seconds)
    except subprocess.TimeoutExpired as late:
        end(child)
        return Answer(SILENT, None, _last(late.stderr))
    except BaseException:
        end(child)
        raise
    try:
        return Answer(ANSWERED, json.loads(answer), _last(said))
    except ValueError:
        return Answer(FAILED, None, _last(said))


def _last(said: bytes | None) -> str:
    return (said or b"")[-4000:].decode("utf-8", "replace").strip()


def end(child: subprocess.Popen[bytes]) -> None:
    """Ends a child that leads a session of its own, with all that it has started there."""
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
