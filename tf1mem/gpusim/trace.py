"""Reads the trace of a simulation: one JSON object per line, written by every process on the simulated GPUs.

Every line has "time" (seconds since 1970), "pid" and "event"; those about a GPU have "gpu", its number on the machine,
regardless of CUDA_VISIBLE_DEVICES. The events are

    start        a process started the driver
    context      a GPU's first context in a process: the runtime starts on this GPU here
    reserve      memory was allocated
    free         memory was freed
    refuse       an allocation was refused for lack of memory
    unsupported  a function was called that the simulator lacks; once for each process and function
    not_computed an op's GPU kernel ran, but no CPU kernel computed its values; once for each process and op
    op           a process that computed values ended; a line for each kind of op that it launched
    exit         a process ended; a line for each GPU that it used
    killed       a process was gone without having closed the driver; a line for each GPU that it used
"""

from __future__ import annotations

import json
import os
from typing import Any, Iterable, Iterator, NamedTuple, Union

from tf1mem.errors import TraceError


class Event(NamedTuple):
    """One line of a trace. Attributes that the event lacks are None.

    Attributes:
        time: The time in seconds since 1970, to the microsecond.
        pid: The process id.
        event: The kind of event; see the module's docstring.
        gpu: The GPU's number on the machine.
        bytes: reserve, free, refuse: the bytes requested or freed.
        total: reserve, free, refuse: the bytes that this process holds on the GPU afterwards, without managed memory.
        in_use: reserve, free, refuse: the bytes in use on the GPU afterwards: by all processes and from the start.
        free: refuse: the free bytes on the GPU.
        managed: reserve, free, if `kind` is "managed": the bytes of managed memory that this process holds afterwards.
        kind: reserve, free, refuse: "device", "managed", "pool", "virtual" or "context".
        api: reserve, free, refuse: the function of the driver or runtime that was called.
        where: The program's own line that led here, "path/train.py:12", if it is known.
        call: start, context: the function that this line called, such as "constant".
        visible: start: CUDA_VISIBLE_DEVICES, if it was set.
        gpus: start: the machine's numbers of the GPUs that the process sees, in its order.
        command: start: the process's command line, cut at 200 characters.
        function: unsupported: the function's name.
        library: unsupported: the library that lacks it.
        reserved: exit, killed: the bytes that the process held at its end.
        peak: exit, killed: the most bytes that it held at any time.
        regions: exit, killed: the number of allocations.
        refused: exit, killed: the number of refused allocations.
        launches: exit, killed: the number of kernels that the process launched; op: the number that this op launched.
        computed: exit, killed, op: the number of these launches that belong to a computed op.
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
        The events, in the order in which they were written. They lack an incomplete last line, which is left
        by a process killed while writing, and fields and events that this version of tf1mem doesn't know.

    Raises:
        TraceError: The file can't be read, or a line isn't an event.
    """
    return tuple(events(path))


def events(path: _Path, cut: bool = False) -> Iterator[Event]:
    """Yields the events of a trace one at a time.

    Args:
        path: The file.
        cut: True if a line could not be written; the events then end at the first incomplete line.

    Raises:
        TraceError: The file can't be read, or a line isn't an event and `cut` is False.
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
    """Yields the events in lines of a trace.

    Args:
        lines: The lines, with their line ends.
        name: The trace's name for errors.
    """
    for number, line in enumerate(lines, 1):
        if line.endswith(b"\n"):
            event = _event(line, name, number)
            if event is not None:
                yield event


def _event(line: bytes, name: str, number: int) -> Event | None:
    """Returns the event of a line, or None for a kind of event that this version doesn't know."""
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
