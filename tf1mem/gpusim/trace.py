"""The trace of a simulation: one JSON object a line, written by every process on the simulated GPUs.

Every line has "time" (seconds since 1970), "pid" and "event"; those about a GPU have "gpu", its number on the machine,
whatever CUDA_VISIBLE_DEVICES made of it. The events are

    start        a process started the driver
    context      a GPU's first context in a process: the runtime starts on this GPU here
    reserve      memory was allocated
    free         memory was freed
    refuse       an allocation was refused, because so much was not left
    unsupported  a function was called that the simulator doesn't have; once for each process and function
    not_computed an op's kernel for the GPU ran, and none for the CPU computed its values; once for each process and op
    op           a process ended that computed; a line for each kind of op that it launched
    exit         a process ended; a line for each GPU that it used
    killed       a process was found to be gone without having said so; a line for each GPU that it used
"""

from __future__ import annotations

import json
import os
from typing import Any, Iterable, Iterator, NamedTuple, Union

from tf1mem.errors import TraceError


class Event(NamedTuple):
    """One line of a trace. What the event does not have is None.

    Attributes:
        time: Seconds since 1970, to the microsecond.
        pid: The process.
        event: What happened: see the module.
        gpu: The GPU's number on the machine.
        bytes: reserve, free, refuse: how much was asked for or freed.
        total: reserve, free, refuse: what this process holds on the GPU afterwards, in bytes, without managed memory.
        in_use: reserve, free, refuse: what all processes and others hold on the GPU afterwards, in bytes.
        free: refuse: what was left on the GPU, in bytes.
        managed: reserve, free: what this process has of managed memory afterwards, in bytes, if that is what it took.
        kind: reserve, free, refuse: "device", "managed", "pool" or "virtual".
        api: reserve, free, refuse: the function of the driver or runtime that was called.
        where: The program's own line that led here, "path/train.py:12", where it could be told.
        call: start, context: what that line called, such as "constant".
        visible: start: CUDA_VISIBLE_DEVICES, if it was set.
        gpus: start: the machine's numbers of the GPUs that the process sees, in its order.
        command: start: the process's command line, cut at 200 characters.
        function: unsupported: the function's name.
        library: unsupported: the library that was asked for it.
        reserved: exit, killed: what the process held at its end, in bytes.
        peak: exit, killed: the most that it held at any time, in bytes.
        regions: exit, killed: how many allocations it made.
        refused: exit, killed: how many were refused.
        launches: exit, killed: how many kernels it launched; op: how many were that op's.
        computed: exit, killed, op: how many of these belong to an op that was computed.
        op: not_computed, op: a kind of op.
    """

    time: float
    pid: int
    event: str
    gpu: int | None = None
    bytes: int | None = None
    total: int | None = None
    in_use: int | None = None
    free: int | None = None
    managed: int | None = None
    kind: str | None = None
    api: str | None = None
    where: str | None = None
    call: str | None = None
    visible: str | None = None
    gpus: tuple[int, ...] | None = None
    command: str | None = None
    function: str | None = None
    library: str | None = None
    reserved: int | None = None
    peak: int | None = None
    regions: int | None = None
    refused: int | None = None
    launches: int | None = None
    computed: int | None = None
    op: str | None = None


_Path = Union[str, "os.PathLike[str]"]


def read(path: _Path) -> tuple[Event, ...]:
    """Reads a trace.

    Args:
        path: The file.

    Returns:
        Its events, in the order in which they were written. A last line that is not whole, because its process was
        killed over it, is left out; so are fields and events that this version of tf1mem doesn't know.

    Raises:
        TraceError: The file can't be read, or a line is no event.
    """
    return tuple(events(path))


def events(path: _Path, cut: bool = False) -> Iterator[Event]:
    """As `read`, one at a time.

    Args:
        path: The file.
        cut: A line of it could not be written: it ends where one isn't whole.
    """
    name = os.fsdecode(path)
    try:
        with open(path, "rb") as file:
            yield from parse(file, name)
    except TraceError:
        if not cut:
            raise
    except OSError as error:
        raise TraceError(f"the trace {name}", f"can't be read ({error.strerror})", "Check the path") from None


def parse(lines: Iterable[bytes], name: str = "") -> Iterator[Event]:
    """As `events`, from lines that were read already.

    Args:
        lines: The lines, with their ends.
        name: What to call the trace in errors.
    """
    for number, line in enumerate(lines, 1):
        if line.endswith(b"\n"):
            event = _event(line, name, number)
            if event is not None:
                yield event


def _event(line: bytes, name: str, number: int) -> Event | None:
    try:
        fields = json.loads(line.decode("utf-8", "replace"))
    except ValueError:
        fields = None
    if not isinstance(fields, dict):
        raise _damaged(name, number, "it is not a JSON object")
    event = fields.get("event")
    if not isinstance(event, str):
        raise _damaged(name, number, '"event" is missing')
    required = _REQUIRED.get(event)
    if required is None:
        return None
    for field in required:
        if field not in fields:
            raise _damaged(name, number, f'"{field}" is missing')
    for field, value in fields.items():
        kinds = _KINDS.get(field)
        if kinds is not None and (not isinstance(value, kinds) or isinstance(value, bool)):
            raise _damaged(name, number, f'"{field}" is {json.dumps(value)}')
    values: dict[str, Any] = {field: value for field, value in fields.items() if field in _KINDS}
    if "gpus" in values:
        if not all(type(index) is int for index in values["gpus"]):
            raise _damaged(name, number, '"gpus" is {}'.format(json.dumps(values["gpus"])))
        values["gpus"] = tuple(values["gpus"])
    return Event(**values)


def _damaged(name: str, number: int, wrong: str) -> TraceError:
    return TraceError(f"line {number} of the trace {name}", wrong, "Give a file that tf1mem sim --trace wrote")


_TEXT, _NUMBER = (str,), (int,)
_TEXT_OR_NOT = (str, type(None))
_KINDS: dict[str, tuple[type, ...]] = {
    "time": (int, float),
    **dict.fromkeys(("pid", "gpu", "bytes", "total", "in_use", "free", "managed"), _NUMBER),
    **dict.fromkeys(("reserved", "peak", "regions", "refused", "launches", "computed"), _NUMBER),
    **dict.fromkeys(("event", "kind", "api", "function", "library", "op"), _TEXT),
    **dict.fromkeys(("where", "call", "visible", "command"), _TEXT_OR_NOT),
    "gpus": (list,),
}
_ALWAYS = ("time", "pid")
_MEMORY = (*_ALWAYS, "gpu", "bytes", "total", "in_use")
_END = (*_ALWAYS, "gpu", "reserved", "peak", "regions", "refused", "launches")
_REQUIRED = {
    "start": _ALWAYS,
    "context": (*_ALWAYS, "gpu"),
    "reserve": _MEMORY,
    "free": _MEMORY,
    "refuse": (*_MEMORY, "free"),
    "unsupported": (*_ALWAYS, "function"),
    "not_computed": (*_ALWAYS, "op"),
    "op": (*_ALWAYS, "op", "launches", "computed"),
    "exit": _END,
    "killed": _END,
}
