"""Calls functions in a child process, with a time limit that holds even if the child can't be killed."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from glob import glob
from typing import Any, Mapping, NamedTuple, Sequence

_ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
# With -c and -m Python searches the current folder first. This imports the running tf1mem, and then removes its folder
# from the front: that may hold all installed packages, some with names of the standard library.
_START = (
    "import sys; sys.path[:] = filter(None, sys.path); sys.path.insert(0, {root!r}); import tf1mem; del sys.path[0]; "
)

# Keeps a Python that tf1mem starts under `tf1mem run` from inheriting that command's options.
LEFT_ALONE = {"TF1MEM_RUN_CHILDREN": ""}

# Looks at processes without an environment, and the seconds between them: some never get one.
_LOOKS, _BETWEEN_LOOKS = 20, 0.01
# PF_KTHREAD among the flags in /proc/PID/stat.
_KERNEL_THREAD = 0x00200000

# Outcomes of a call in a child process: see `Answer.state`.
ANSWERED = "answered"
FAILED = "failed"
SILENT = "silent"


class Answer(NamedTuple):
    """The result of a call in a child process.

    Attributes:
        state: "answered"; "failed" if the child ended without an answer; "silent" if the time was up.
        value: The answer, or None.
        stderr: The end of the child's stderr.
    """

    state: str
    value: Any = None
    stderr: str = ""


def python(statements: str, *arguments: str, flags: Sequence[str] = ()) -> list[str]:
    """Returns the command of a Python that runs code of tf1mem and imports nothing from the current folder.

    A `json.py` or `tensorflow.py` in that folder belongs to the user's program.

    Args:
        statements: The Python statements to run, with `sys` imported and this tf1mem importable.
        arguments: The command's `sys.argv[1:]`.
        flags: Options of the Python interpreter.
    """
    return [sys.executable, *flags, "-c", _START.format(root=_ROOT) + statements, *arguments]


def is_own(command: Sequence[str]) -> bool:
    """Returns True for a command that runs code of tf1mem: one that `python` has returned, or one of its files."""
    return any(part.startswith((_START.format(root=_ROOT), os.path.join(_ROOT, "tf1mem", ""))) for part in command)


def without_this_folder(variables: Mapping[str, str] | None = None) -> dict[str, str]:
    """Returns environment variables for the Python of `python`, with the current folder removed from PYTHONPATH.

    An empty entry in PYTHONPATH means that folder, as in PYTHONPATH=$PYTHONPATH:more; so does ".".

    Args:
        variables: The variables; by default this process's.
    """
    cleaned = dict(os.environ if variables is None else variables)
    here = {os.path.realpath(os.curdir)} - {os.path.realpath(_ROOT)}
    paths = [path for path in cleaned.pop("PYTHONPATH", "").split(os.pathsep) if path]
    paths = [path for path in paths if os.path.realpath(path) not in here]
    return dict(cleaned, PYTHONPATH=os.pathsep.join(paths)) if paths else cleaned


def ask(function: str, seconds: float, environment: Mapping[str, str] | None = None, with_site: bool = True) -> Answer:
    """Calls a function without arguments in a child process of this Python.

    A child that hangs in a driver call can't be killed; it is then left behind, and never waited for.

    Args:
        function: The function's full name, such as "tf1mem.machine.nvml.answer"; its result must be JSON.
        seconds: The time limit in seconds.
        environment: The child's environment variables; by default this process's.
        with_site: False starts the child without installed packages: sooner, and without their hooks.
    """
    module, _, name = function.rpartition(".")
    program = (
        "import os; out = os.fdopen(os.dup(1), 'w', encoding='utf-8')\n"
        "os.dup2(os.open(os.devnull, os.O_WRONLY), 1)\n"  # keeps libraries' output out of the answer
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
        answer, stderr = child.communicate(timeout=seconds)
    except subprocess.TimeoutExpired as late:
        end(child)
        return Answer(SILENT, None, _end_of(late.stderr))
    except BaseException:
        end(child)
        raise
    try:
        return Answer(ANSWERED, json.loads(answer), _end_of(stderr))
    except ValueError:
        return Answer(FAILED, None, _end_of(stderr))


def _end_of(stderr: bytes | None) -> str:
    return (stderr or b"")[-4000:].decode("utf-8", "replace").strip()


def end_marked(variable: str, value: str) -> None:
    """Kills all processes that started with an environment variable of this value; on Linux only.

    Args:
        variable: The variable's name.
        value: A value that no other process has.
    """
    mark = f"{variable}={value}".encode()
    unsettled = glob("/proc/[0-9]*")
    for _ in range(_LOOKS):
        unsettled = [folder for folder in unsettled if not _end_if_marked(folder, mark)]
        if not unsettled:
            return
        time.sleep(_BETWEEN_LOOKS)


def _end_if_marked(folder: str, mark: bytes) -> bool:
    """Kills a process if it started with a line in its environment.

    Args:
        folder: The process's folder in /proc.
        mark: The line: a variable's name, "=", and its value.

    Returns:
        False if the process has no environment yet: it is in the middle of exec, which lets its parent go on before.
    """
    try:
        with open(os.path.join(folder, "environ"), "rb") as file:
            environment = file.read()
        if mark in environment.split(b"\0"):
            os.kill(int(os.path.basename(folder)), signal.SIGKILL)
        return bool(environment) or not _may_be_starting(folder)
    except OSError:  # another user's, or it has ended meanwhile
        return True


def _may_be_starting(folder: str) -> bool:
    """Returns True for a process that is neither a zombie nor a thread of the kernel: those have no environment."""
    with open(os.path.join(folder, "stat"), "rb") as file:
        state, *fields = file.read().rpartition(b")")[2].split()  # the name before it may contain spaces
    return state not in (b"Z", b"X") and not int(fields[5]) & _KERNEL_THREAD


def end(child: subprocess.Popen[bytes]) -> None:
    """Kills a child that leads its own session, with the processes that it has started there."""
    for pipe in (child.stdout, child.stderr):
        if pipe is not None:
            pipe.close()
    try:
        if hasattr(os, "killpg"):
            os.killpg(child.pid, signal.SIGKILL)  # kills the child's own children, too
        else:
            child.kill()
    except ProcessLookupError:
        pass  # the child has ended meanwhile
    try:
        child.wait(0.5)
    except subprocess.TimeoutExpired:
        child.returncode = -signal.SIGTERM  # it can't be killed; Python mustn't wait for it when it exits
