"""Runs a command in place of this process, with this process's terminal, and passes signals on to it."""

from __future__ import annotations

import errno
import math
import os
import shlex
import shutil
import signal
import subprocess
import threading
import time
from contextlib import contextmanager, suppress
from glob import glob
from typing import Callable, Collection, Iterable, Iterator, Mapping, NoReturn, Sequence

from tf1mem.errors import CommandError, CommandNotFoundError
from tf1mem.gpusim.machine import start_time

_OBSERVATION_INTERVAL_S = 0.5
GRACE_S = 10.0  # the time between SIGTERM and SIGKILL

# Signals by which a program is ended or notified. Signals that stop a process, such as SIGTSTP, aren't blocked.
_FORWARDED = ("SIGHUP", "SIGINT", "SIGQUIT", "SIGTERM", "SIGUSR1", "SIGUSR2", "SIGALRM")
_KERNEL = 0x80  # SI_KERNEL: the si_code of a signal that the kernel sent
_FROM_THE_TERMINAL = ("SIGINT", "SIGQUIT")  # the kernel sends these to every process of the group at once
_PR_SET_PDEATHSIG = 1


class TimeUp(Exception):  # noqa: N818 - an outcome, not an error
    """The command took longer than its time limit, and was killed."""


def find(command: str, folders: str | None = None) -> str:
    """Returns the path of a command's program, like a shell.

    Args:
        command: The command.
        folders: The value of PATH; by default this process's.

    Raises:
        CommandNotFoundError: There is no such file.
        CommandError: The file isn't a program.
    """
    path = shutil.which(command, path=folders)
    if path is not None:
        return path
    if not os.path.exists(command):
        raise CommandNotFoundError(command, "there is no such command", "Check the name, or the path")
    if os.path.isdir(command):
        raise CommandError(command, "is a directory", "Name the program in it")
    if command.endswith(".py"):
        file = shlex.quote(command)
        raise CommandError(
            command, "is a script, not a command", f"Write -- tf1mem run {file} for a TF1 script, or -- python {file}"
        )
    if os.sep not in command:
        raise CommandNotFoundError(
            command, "there is no such command", "For the file in this folder, write ./" + command
        )
    raise CommandError(command, "is not executable", f"Make it executable: chmod +x {command}")


@contextmanager
def signals_held() -> Iterator[set[int]]:
    """Blocks signals that would end this process, so that `run` can pass them on; drops those left at the end.

    Yields:
        The signals that were blocked before, for `run`'s argument `blocked`.
    """
    before = signal.pthread_sigmask(signal.SIG_BLOCK, _watched())
    try:
        # If SIGCHLD is ignored, a child's status is lost.
        signal.signal(signal.SIGCHLD, signal.SIG_DFL)
        yield {int(number) for number in before}
    finally:
        while signal.sigtimedwait(_watched(), 0) is not None:
            pass
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


def run(
    command: Sequence[str],
    environment: Mapping[str, str],
    blocked: Collection[int] = (),
    seconds: float | None = None,
    observers: Sequence[Callable[[Iterable[int]], None]] = (),
) -> int:
    """Runs a command and waits for it; call it within `signals_held`.

    The command inherits this process's standard streams and other open files, its process group and its terminal.
    Signals sent to this process are passed on to the command; those from the terminal reach both by themselves. If this
    process is killed, the command is killed, too.

    Args:
        command: The command and its arguments.
        environment: All environment variables of the command.
        blocked: The signals that are blocked when the command starts.
        seconds: The time limit in seconds, or None. After it, the command and all its children get SIGTERM, and those
            still alive 10 seconds later SIGKILL.
        observers: Functions called from time to time with the process ids of the command and its children.

    Returns:
        The exit status, or the negative number of the signal that ended the command.

    Raises:
        CommandNotFoundError, CommandError: The command can't be started.
        TimeUp: The command took longer than `seconds`.
    """
    child = _start(command, environment, blocked)
    end = math.inf if seconds is None else time.monotonic() + seconds
    longest = _OBSERVATION_INTERVAL_S if observers else threading.TIMEOUT_MAX
    while True:
        remaining_s = end - time.monotonic()
        if remaining_s <= 0:
            _end(child)
            raise TimeUp
        received = signal.sigtimedwait(_watched(), min(remaining_s, longest))
        for observe in observers:
            observe(_family(child.pid))
        if received is None:
            continue
        if received.si_signo == signal.SIGCHLD:
            status = child.poll()
            if status is not None:
                return status
        elif received.si_code != _KERNEL or signal.Signals(received.si_signo).name not in _FROM_THE_TERMINAL:
            child.send_signal(received.si_signo)


def end_as(status: int) -> int:
    """Ends this process like the command: by the same signal, if a signal ended it.

    Args:
        status: The status, as `run` returns it.

    Returns:
        The exit status to end with.
    """
    if status >= 0:
        return status
    import resource

    # The command has dumped core if it should; this process must not dump core, too.
    resource.setrlimit(resource.RLIMIT_CORE, (0, resource.getrlimit(resource.RLIMIT_CORE)[1]))
    if -status != signal.SIGKILL:
        signal.signal(-status, signal.SIG_DFL)
    signal.pthread_sigmask(signal.SIG_UNBLOCK, [-status])
    os.kill(os.getpid(), -status)
    return 128 - status


def _end(child: subprocess.Popen[bytes]) -> None:
    """Kills a command and all its descendants, including those that outlive it."""
    family: dict[int, int | None] = {}
    for number in (signal.SIGTERM, signal.SIGKILL):
        family.update((pid, start_time(pid)) for pid in _family(child.pid))
        for pid in _living(family):
            with suppress(ProcessLookupError, PermissionError):
                os.kill(pid, number)
        end = time.monotonic() + GRACE_S
        while _living(family) and time.monotonic() < end:
            child.poll()
            time.sleep(0.02)


def _family(pid: int) -> list[int]:
    """Returns the process ids of a process and all its descendants."""
    family = [pid]
    for parent in family:
        for path in glob(f"/proc/{parent}/task/*/children"):
            with suppress(OSError), open(path, encoding="ascii") as file:
                family += map(int, file.read().split())
    return family


def _living(family: Mapping[int, int | None]) -> list[int]:
    return [pid for pid, started in family.items() if started is not None and start_time(pid) == started]


def _watched() -> set[int]:
    return {signal.SIGCHLD, *(getattr(signal, name) for name in _FORWARDED)}


def _start(command: Sequence[str], environment: Mapping[str, str], blocked: Collection[int]) -> subprocess.Popen[bytes]:
    """Starts a command that is killed when this process ends.

    Args:
        command: The command and its arguments.
        environment: The command's environment variables.
        blocked: The signals that are blocked in the command: those that were blocked here at the start.
    """
    import ctypes

    prctl = ctypes.CDLL(None).prctl

    def in_the_child() -> None:
        signal.pthread_sigmask(signal.SIG_SETMASK, blocked)
        prctl(_PR_SET_PDEATHSIG, int(signal.SIGKILL), 0, 0, 0)

    def start(words: Sequence[str], program: str) -> subprocess.Popen[bytes]:
        return subprocess.Popen(
            words, executable=program, env=environment, close_fds=False,
            preexec_fn=in_the_child,  # noqa: PLW1509 - there is one thread here
        )  # fmt: skip

    program = find(command[0], environment.get("PATH"))
    try:
        return start(command, program)
    except OSError as error:
        if error.errno != errno.ENOEXEC:
            _raise_unstartable(command[0], error)
    # A script without #! is run by sh, like in shells and execvp.
    try:
        return start(["/bin/sh", program, *command[1:]], "/bin/sh")
    except OSError as error:
        _raise_unstartable(command[0], error)


def _raise_unstartable(command: str, error: OSError) -> NoReturn:
    if isinstance(error, FileNotFoundError):
        raise CommandNotFoundError(
            command, "the interpreter in its first line is not there", "Correct the line that starts with #!"
        ) from None
    raise CommandError(
        command, f"can't be started ({error.strerror})", "Start it without tf1mem sim to see whether it can run"
    ) from None
