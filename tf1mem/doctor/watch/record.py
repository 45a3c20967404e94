"""Reads the record that a watched script's own process has written (within/record.py)."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from typing import Any, Iterable

from tf1mem.machine.first_start import near
from tf1mem.settings.field_names import VISIBLE
from tf1mem.settings.fields import FIELDS

# An event of the record: a dict. Its keys are those with which within/ calls `record.write`, with "event", its kind.
Event = Any

_THREADS = ("intra_op_parallelism_threads", "inter_op_parallelism_threads")
_PER_SESSION = "use_per_session_threads"

# Calls of tf.config: those that limit a GPU's memory, all that configure GPUs, and those for thread pools.
LIMIT_CALLS = ("set_virtual_device_configuration", "set_logical_device_configuration")
GPU_CALLS = ("set_memory_growth", *LIMIT_CALLS, "set_visible_devices")
THREAD_CALLS = tuple("set_" + name for name in _THREADS)

_SPELLED = {
    "set_memory_growth": "tf.config.experimental.set_memory_growth",
    "set_virtual_device_configuration": "tf.config.experimental.set_virtual_device_configuration",
    "set_intra_op_parallelism_threads": "tf.config.threading.set_intra_op_parallelism_threads",
    "set_inter_op_parallelism_threads": "tf.config.threading.set_inter_op_parallelism_threads",
    "set_optimizer_jit": "tf.config.optimizer.set_jit",
    "set_log_device_placement": "tf.debugging.set_log_device_placement",
}


@dataclass(frozen=True)
class Place:
    """A line of the user's code.

    Attributes:
        file: file, or None if no line is the user's.
        line: line from 1, or 0.
        call: function that the line called, such as "tf.constant", or None.
        through: installed package that the line called and that called TensorFlow, or None.
    """

    file: str | None = None
    line: int = 0
    call: str | None = None
    through: str | None = None

    @property
    def short(self) -> str:
        """Returns file and line as people read them: "train.py:12"."""
        return "a line that isn't yours" if self.file is None else f"{near(self.file)}:{self.line}"

    def __str__(self) -> str:
        call = self.call or ""
        if self.through:
            call = f"{call}, through {self.through}" if call else "through " + self.through
        return f"{self.short} ({call})" if call else self.short


@dataclass(frozen=True)
class Record:
    """The recorded events of a script's own process, in their order in time.

    Attributes:
        events: events; each has "order", its index.
        children: number of processes that were forked from it and used TensorFlow.
    """

    events: tuple[Event, ...] = ()
    children: int = 0

    def of(self, *kinds: str) -> list[Event]:
        """Returns the events of some kinds."""
        return [event for event in self.events if event["event"] in kinds]

    def last(self, kind: str) -> Event | None:
        """Returns the last event of a kind, or None."""
        events = self.of(kind)
        return events[-1] if events else None

    @property
    def start(self) -> Event | None:
        """Returns the event that started the GPU runtime by making the first devices, or None."""
        return next((event for event in self.of("start") if event.get("first")), None)

    @property
    def tensorflow(self) -> str | None:
        """Returns TensorFlow's version, known if the script reached its end or its error; else None."""
        end = self.last("end")
        return end["tensorflow"] if end else None

    @property
    def release(self) -> tuple[int, int] | None:
        """Returns the first two numbers of TensorFlow's version, or None."""
        numbers = re.match(r"(\d+)\.(\d+)", self.tensorflow or "")
        return (int(numbers.group(1)), int(numbers.group(2))) if numbers else None

    @property
    def reports_of_tf1mem(self) -> list[Event]:
        """Returns tf1mem's own report, a line a setting; empty if the script did not use tf1mem."""
        end = self.last("end")
        return end["tf1mem"] if end else []

    def environment_at(self, order: float) -> dict[str, str]:
        """Returns the variables that mattered at an event: those set at the start, and those set until then."""
        begun = self.last("begin")
        variables = dict(begun["environment"]) if begun else {}
        for event in self.of("variable"):
            if event["order"] < order:
                variables[event["name"]] = event["value"]
        return variables

    def gpus(self) -> int | None:
        """Returns the number of logical GPUs that the runtime started with; None if unknown."""
        start = self.start
        if start is None or not start["devices"]:
            return None
        return sum(str(device["name"]).startswith("GPU:") for device in start["devices"])


def read(lines: Iterable[str]) -> Record:
    """Reads a record.

    Args:
        lines: lines of the record. A line that is incomplete, because its process was killed, is ignored.
    """
    every = []
    for line in lines:
        try:
            event = json.loads(line)
        except ValueError:
            continue
        if isinstance(event, dict) and "event" in event:
            every.append(event)
    begun = next((event for event in every if event["event"] == "begin"), None)
    if begun is None:
        return Record()
    own = tuple(event for event in every if event["pid"] == begun["pid"])
    for order, event in enumerate(own):
        event["order"] = order
    return Record(own, len({event["pid"] for event in every} - {begun["pid"]}))


def place(event: Event) -> Place:
    """Returns the line of code where an event happened."""
    return Place(**event["where"])


def call_text(event: Event) -> str:
    """Returns a call of tf.config as source text."""
    name = event["call"]
    return "{}({})".format(_SPELLED.get(name, "tf.config." + name), ", ".join(event["arguments"]))


def gpu_settings(settings: dict[str, Any] | None) -> dict[str, Any]:
    """Returns the settings that TensorFlow reads only when it makes the first GPU device.

    The list of visible GPUs is not among them: TensorFlow refuses a different list rather than ignore it.
    """
    return {
        name: value
        for name, value in (settings or {}).items()
        if name in FIELDS and name.startswith("gpu_options.") and name != VISIBLE and value
    }


def thread_settings(settings: dict[str, Any] | None) -> dict[str, Any]:
    """Returns the settings that TensorFlow reads only when it makes its thread pools."""
    values = settings or {}
    return {} if values.get(_PER_SESSION) else {name: values[name] for name in _THREADS if values.get(name)}


def settings_text(settings: dict[str, Any]) -> str:
    """Returns settings in a few words, by the last part of their names; "no growth and no cap" if empty."""
    if not settings:
        return "no growth and no cap"
    return ", ".join("{}={}".format(name.rsplit(".", 1)[-1], value) for name, value in settings.items())
