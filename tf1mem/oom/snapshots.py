"""TensorFlow's own picture of its GPU allocator at the moment it runs out: TF_BFC_MEMORY_DUMP.

From TensorFlow 2.1 on, the BFC allocator writes its chunks to a file when it fails, if that variable names where
(tensorflow/core/common_runtime/bfc_allocator.cc, `MaybeWriteMemoryMap`). Nothing is written before that.
"""

from __future__ import annotations

import atexit
import os
import threading
from typing import Any, NamedTuple

VARIABLE = "TF_BFC_MEMORY_DUMP"
_LARGEST_FILE = 64 * 2**20  # half a million chunks

_lock = threading.Lock()
_inside = 0
_prefix: str | None = None
_owner = 0  # the process that took it; one that was forked since leaves the files alone


class Snapshot(NamedTuple):
    """What an allocator held.

    Attributes:
        allocator: Its name, such as "GPU_0_bfc", or "" where the figures aren't one allocator's by name.
        in_use_bytes: What tensors hold.
        peak_bytes: The most that they ever held, or None.
        reserved_bytes: What it has of the driver, or None.
        largest_free_bytes: The largest free piece of that, or None.
        at_failure: Whether it is from the moment of failure; otherwise from after it, when the step had let go.
        limit_bytes: The most that it may take, where the figures come with it, or None.
    """

    allocator: str
    in_use_bytes: int
    peak_bytes: int | None = None
    reserved_bytes: int | None = None
    largest_free_bytes: int | None = None
    at_failure: bool = False
    limit_bytes: int | None = None


def take() -> None:
    """Asks TensorFlow for pictures until `leave`. Nests; a variable that the user has set stays."""
    global _inside, _prefix, _owner
    with _lock:
        _inside += 1
        if _inside > 1 or VARIABLE in os.environ:
            return
        token = f"tf1mem-oom-{os.getpid()}-{os.urandom(8).hex()}"
        _prefix = os.environ[VARIABLE] = os.path.join(_temporary_folder(), token)
        _owner = os.getpid()
        atexit.register(_remove, _prefix, _owner)


def leave() -> None:
    """Ends what `take` began."""
    global _inside, _prefix
    with _lock:
        _inside -= 1
        if _inside > 0 or _prefix is None:
            return
        if os.environ.get(VARIABLE) == _prefix:
            del os.environ[VARIABLE]
        _remove(_prefix, _owner)
        atexit.unregister(_remove)
        _prefix = None


def discard() -> None:
    """Forgets the pictures taken so far: their error has been dealt with."""
    if _prefix is not None:
        _remove(_prefix, _owner)


def newest(allocator: str | None) -> Snapshot | None:
    """The last picture of an allocator, by its name, or of any GPU's where that isn't known."""
    prefix = os.environ.get(VARIABLE)
    if not prefix:
        return None
    files = [path for path in _files(prefix) if _allocator(path, prefix).startswith("GPU")]
    wanted = [path for path in files if _allocator(path, prefix) == allocator] if allocator else files
    if not wanted or os.path.getsize(max(wanted, key=_moment)) > _LARGEST_FILE:
        return None
    with open(max(wanted, key=_moment), "rb") as file:
        return _read(file.read())


def _temporary_folder() -> str:
    """As tempfile.gettempdir, which costs more to import than all the rest here."""
    for folder in (os.environ.get("TMPDIR"), "/tmp", "/var/tmp"):
        if folder and os.access(folder, os.W_OK | os.X_OK):
            return folder
    return os.getcwd()


def _files(prefix: str) -> list[str]:
    folder, start = os.path.split(prefix)
    try:
        return [os.path.join(folder, name) for name in os.listdir(folder or os.curdir) if name.startswith(start)]
    except OSError:
        return []


def _allocator(path: str, prefix: str) -> str:
    return path[len(prefix) :].lstrip("_").rpartition(".")[0]


def _moment(path: str) -> int:
    micros = path.rpartition(".")[2]
    return int(micros) if micros.isdigit() else 0


def _read(content: bytes) -> Snapshot:
    from tensorflow.core.protobuf import bfc_memory_map_pb2

    dump: Any = bfc_memory_map_pb2.MemoryDump()
    dump.ParseFromString(content)
    free = [chunk.size for chunk in dump.chunk if not chunk.in_use]
    return Snapshot(
        dump.allocator_name,
        dump.stats.bytes_in_use,
        dump.stats.peak_bytes_in_use,
        sum(chunk.size for chunk in dump.chunk),
        max(free, default=0),
        at_failure=True,
    )


def _remove(prefix: str, only_in: int) -> None:
    if os.getpid() != only_in:
        return  # a child's files are the parent's to remove
    for path in _files(prefix):
        try:
            os.unlink(path)
        except OSError:
            pass
