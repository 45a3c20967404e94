"""Filters TensorFlow's own log out of stderr for a while, and loses nothing else.

Run as a program, this module is the filter: it copies standard input to stderr without the lines to drop.

The filter is another process. A thread would need the GIL, which TensorFlow's C++ may hold while it writes into a full
pipe; and a thread, like a temporary file to be copied later, would lose the last words of a process that aborts,
segfaults or is killed; in the pipe to another process they are safe. File descriptor 2 leads to the filter only within
`sieved`, so a program's own code finds its own stderr, a terminal or not.
"""

from __future__ import annotations

import os
import sys
from _thread import allocate_lock
from contextlib import contextmanager

TYPE_CHECKING = False
if TYPE_CHECKING:
    from subprocess import Popen
    from typing import Iterator

# The phases of TensorFlow, which decide about the lines to drop.
STARTS = "starts"  # its libraries load, or it looks for GPUs and starts them
RUNS = "runs"  # it runs a graph for the first time: all lines but a few known ones are about the graph

_ENDING_S = 1  # the longest wait for the filter's end
# A program's own line without an end, such as a progress bar's, waits no longer and grows no larger.
_PARTIAL_S, _PARTIAL_BYTES = 0.1, 1 << 14

# TensorFlow's form up to 2.17, partly later, and Abseil's. Python's logging may use Abseil's form, too: for .py files.
_RECORD = rb"(?:\d{4}-\d\d-\d\d [\d:.]+: ([IWE]) |([IWE])\d{4} [\d:.]+ +\d+ )(?:\S*/)?(\w+\.(?:cc|cpp|h|cu)):\d+\] (.*)"
_ABSEIL = b"WARNING: All log messages before absl::InitializeLog()"
# Lines that belong to the record before them.
_CONTINUATION = (
    rb"To enable (?:them in other operations|the following instructions)\b|"
    rb"=== Source Location Trace: ===|external/\S+:\d+$"
)
# Messages that the program requested: placements of ops, and servers of a cluster.
_REQUESTED = rb"(?:direct_session|placer|execute|(?:grpc|coordination)_\w+|\w*server_lib)\."
_ABOUT_GPUS = rb"(?i)cuda|cublas|cudnn|cufft|gpu|nvidia|tensorrt|rocm|\bTF-TRT\b|dso_loader"
# Warnings that say nothing about whether a GPU is used.
_ALWAYS = rb"Unable to register cu\w+ factory|TF-TRT Warning|computation placer already registered"
# The first run of py_function also starts the eager runtime, with its devices.
_FIRST_RUN = rb"(?:mlir_graph_optimization_pass|cpu_utils|dso_loader|cuda_dnn|cuda_blas|(?:xla_)?[gc]pu_device)\."
_XLA_ON_CPU = b"(One-time warning): Not using XLA:CPU"

_current: Popen[bytes] | None = None
_stderr = -1  # the real one, while file descriptor 2 leads to the filter
_lock = allocate_lock()  # held while stderr is filtered


@contextmanager
def sieved(phase: str) -> Iterator[None]:
    """Filters TensorFlow's log out of stderr. Without a stderr, and within another call, it does nothing.

    Args:
        phase: `STARTS` or `RUNS`.
    """
    # sys.__stderr__ is None if Python began without a stderr: file descriptor 2 may be any file of the program's.
    if sys.__stderr__ is None or not _lock.acquire(False):
        yield
        return
    try:
        began = _begin(phase)
    except BaseException:
        _lock.release()
        raise
    process = os.getpid()
    try:
        yield
    finally:
        if os.getpid() == process:  # else a fork, in which `_leave_in_fork` has ended it
            if began:
                _end()
            _lock.release()


def _begin(phase: str) -> bool:
    """Starts the filter, and leads file descriptor 2 to it; returns False if that can't be done."""
    global _current, _stderr
    import subprocess

    from tf1mem.machine.child import LEFT_ALONE

    try:
        _stderr = os.dup(2)
    except OSError:
        return False
    try:
        _current = subprocess.Popen(
            [sys.executable, "-I", "-S", __file__, phase],
            stdin=subprocess.PIPE, stdout=subprocess.DEVNULL, start_new_session=True,
            env={**os.environ, **LEFT_ALONE},
        )  # fmt: skip
    except (OSError, TypeError, ValueError):  # no Python to start
        os.close(_stderr)
        return False
    assert _current.stdin is not None
    os.dup2(_current.stdin.fileno(), 2)
    return True


def _end() -> None:
    """Restores stderr, and waits until the filter has written all."""
    global _current
    from subprocess import TimeoutExpired

    assert _current is not None
    assert _current.stdin is not None
    os.dup2(_stderr, 2)
    os.close(_stderr)
    _current.stdin.close()
    try:
        _current.wait(_ENDING_S)
    except TimeoutExpired:
        _current.returncode = 0  # a child process started meanwhile still holds the pipe open: Python mustn't warn
    _current = None


def _leave_in_fork() -> None:
    """Restores stderr in a forked process: the filter isn't its child, and mustn't wait for its stderr."""
    global _current, _lock
    _lock = allocate_lock()
    if _current is not None and _current.stdin is not None:
        os.dup2(_stderr, 2)
        os.close(_stderr)
        _current.stdin.close()
        _current.returncode = 0
        _current = None


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_leave_in_fork)


class Filter:
    """Decides for each line whether it is dropped.

    Args:
        phase: `STARTS` or `RUNS`.
        has_driver: True if there is a driver of GPUs: warnings and errors may then say why a GPU isn't used.
    """

    def __init__(self, phase: str, has_driver: bool) -> None:
        import re  # here, as the processes that are filtered don't need it

        self._phase, self._has_driver = phase, has_driver
        self._record, self._continuation = re.compile(_RECORD).match, re.compile(_CONTINUATION).match
        self._requested, self._first_run = re.compile(_REQUESTED).match, re.compile(_FIRST_RUN).match
        self._about_gpus, self._always = re.compile(_ABOUT_GPUS).search, re.compile(_ALWAYS).search
        # After a record that is dropped; and after the last line of its stack trace.
        self._is_within = self._is_last = False

    def drops(self, line: bytes) -> bool:
        """Returns True if a line belongs to the log of TensorFlow's start.

        Args:
            line: The line without its end.
        """
        record = self._record(line)
        if record is not None:
            self._is_last = False
            self._is_within = self._drops_record(record[1] or record[2], record[3], record[4])
            return self._is_within
        if line.startswith(_ABSEIL):
            self._is_within = self._is_last = False
            return True
        if self._is_within and self._continuation(line):
            self._is_last = line.startswith(b"external/")
            return True
        ends_trace, self._is_within, self._is_last = self._is_last and not line, False, False
        return ends_trace

    def _drops_record(self, level: bytes, file: bytes, message: bytes) -> bool:
        if self._phase == RUNS:
            return message.startswith(_XLA_ON_CPU) or (level == b"I" and self._first_run(file) is not None)
        if level == b"I":
            return self._requested(file) is None
        if self._always(message):
            return True
        return not self._has_driver and self._about_gpus(file + b" " + message) is not None


def _has_driver() -> bool:
    """Returns True if NVIDIA's driver, or a simulated one, is there, and the GPUs aren't hidden on purpose."""
    if os.environ.get("CUDA_VISIBLE_DEVICES", "0").strip() in ("", "-1"):
        return False
    windows = os.path.join(os.environ.get("SYSTEMROOT", os.sep), "System32", "nvcuda.dll")
    return "TF1MEM_SIM_MACHINE" in os.environ or any(
        map(os.path.exists, ("/proc/driver/nvidia/version", "/dev/nvidiactl", "/dev/dxg", windows))
    )


def _copy(phase: str) -> None:
    """Copies standard input to stderr as it arrives, without the lines that the filter drops."""
    drops = Filter(phase, _has_driver()).drops
    remainder, is_continued = b"", False  # the start of a line, not yet written; True if an earlier part was written
    while True:
        if len(remainder) > _PARTIAL_BYTES or (remainder and not _more_comes()):
            _write(remainder)
            remainder, is_continued = b"", True
        data = os.read(0, 1 << 16)
        *lines, remainder = (remainder + data).split(b"\n")
        kept = []
        for line in lines:
            if is_continued or not drops(line.rstrip(b"\r")):
                kept.append(line + b"\n")
            is_continued = False
        _write(b"".join(kept))
        if is_continued or not data:
            _write(remainder)
            remainder = b""
        if not data:
            return


def _more_comes() -> bool:
    """Waits a moment for the rest of a line; returns False if none comes."""
    if os.name == "nt":
        return True  # no select for pipes
    import select

    return bool(select.select([0], [], [], _PARTIAL_S)[0])


def _write(data: bytes) -> None:
    while data:
        try:
            data = data[os.write(2, data) :]
        except BlockingIOError:
            import select

            select.select([], [2], [], _PARTIAL_S)


if __name__ == "__main__":
    try:
        _copy(sys.argv[1])
    except OSError:
        sys.exit(1)  # stderr has no reader any more: the program gets a broken pipe, as it would from stderr itself
