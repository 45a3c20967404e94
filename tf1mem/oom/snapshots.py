"""Reads the chunks of TensorFlow's GPU allocator at the moment of failure, from TF_BFC_MEMORY_DUMP.

From TensorFlow 2.1 on, the BFC allocator writes its chunks to a file when an allocation fails, if that variable names
the file's prefix (tensorflow/core/common_runtime/bfc_allocator.cc, `MaybeWriteMemoryMap`). Earlier versions write
nothing.
"""

from __future__ import annotations

import atexit
import os
import threading
from typing import Any, NamedTuple

VARIABLE = "TF_BFC_MEMORY_DUMP"
_LARGEST_FILE = 64 * 2**20  # half a million chunks

_lock = threading.Lock()
_inside = 0  # nested calls of `start`
_prefix: str | None = None
_owner = 0  # the pid that set the variable; a process forked from it leaves the files alone


class Snapshot(NamedTuple):
    """An allocator's figures at one moment.

    Attributes:
        allocator: The allocator's name, such as "GPU_0_bfc", or "" if the source of the figures doesn't name it.
        in_use_bytes: The bytes that tensors hold.
        peak_bytes: The most bytes that tensors ever held, or None.
        reserved_bytes: The bytes reserved from the driver, or None.
        largest_free_bytes: The largest free piece of the reserved bytes, or None.
        at_failure: True if taken at the moment of failure; False if taken after the failed step freed its tensors.
        limit_bytes: The allocator's limit in bytes, or None if the source of the figures doesn't have it.
    """

    allocator: str
    in_use_bytes: int
    peak_bytes: int | None = None
    reserved_bytes: int | None = None
    largest_free_bytes: int | None = None
    at_failure: bool = False
    limit_bytes: int | None = None


def start() -> None:
    """Makes TensorFlow write snapshots until `stop`. Calls may nest; a variable that the user has set stays."""
    global _inside, _prefix, _owner
    with _lock:
        _inside += 1
        if _inside > 1 or VARIABLE in os.environ:
            return
        token = f"tf1mem-oom-{os.getpid()}-{os.urandom(8).hex()}"
        _prefix = os.environ[VARIABLE] = os.path.join(_temporary_folder(), token)
        _owner = os.getpid()
        atexit.register(_remove, _prefix, _owner)


def stop() -> None:
    """Ends the matching `start`."""
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
    """Removes the snapshots written so far, once their error has been handled."""
    if _prefix is not None:
        _remove(_prefix, _owner)


def newest(allocator: str | None) -> Snapshot | None:
    """Returns the last snapshot of an allocator by its name, or of any GPU allocator if the name is None."""
    prefix = os.environ.get(VARIABLE)
    if not prefix:
        return None
    files = [path for path in _files(prefix) if _allocator(path, prefix).startswith("GPU")]
    matching = [path for path in files if _allocator(path, prefix) == allocator] if allocator else files
    if not matching or os.path.getsize(max(matching, key=_moment)) > _LARGEST_FILE:
        return None
    with open(max(matching, key=_moment), "rb") as file:
        return _read(file.read())


def _temporary_folder() -> str:
    """Returns the folder for temporary files; tempfile.gettempdir takes longer to import than this whole module."""
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
    """Returns the snapshot in the content of a dump of TensorFlow's."""
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
        return  # the parent removes the files, not a forked child
    for path in _files(prefix):
        try:
            os.unlink(path)
        except OSError:
            pass
