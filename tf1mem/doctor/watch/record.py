"""The record of a script: what its own process wrote down of what happened (within/record.py), read."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from typing import Any, Iterable

from tf1mem.machine.first_start import near
from tf1mem.settings.field_names import VISIBLE
from tf1mem.settings.fields import FIELDS

Event = Any  # an event of the record, as it was written: a dict

_THREADS = ("intra_op_parallelism_threads", "inter_op_parallelism_threads")
_PER_SESSION = "use_per_session_threads"

# The calls of tf.config that limit a GPU's memory, that say anything of GPUs, and that are about thread pools.
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
        file: The file, or None where no line was the user's.
        line: The line, from 1, or 0.
        call: What it called, such as "tf.constant", or None.
        through: The installed package that it called, and that called TensorFlow, or None.
    """

    file: str | None = None
    line: int = 0
    call: str | None = None
    through: str | None = None

    @property
    def short(self) -> str:
        """The line as people read it: "train.py:12"."""
        return "a line that isn't yours" if self.file is None else f"{near(self.file)}:{self.line}"

    def __str__(self) -> str:
        call = self.call or ""
        if self.through:
            call = f"{call}, through {self.through}" if call else "through " + self.through
        return f"{self.short} ({call})" if call else self.short


@dataclass(frozen=True)
class Record:
    """What was seen of a script's own process, in the order in which it happened.

    Attributes:
        events: The events; each has "order", its place among them.
        children: How many processes were forked from it and came to TensorFlow.
    """

    events: tuple[Event, ...] = ()
    children: int = 0

    def of(self, *kinds: str) -> list[Event]:
        """The events of some kinds."""
        return [event for event in self.events if event["event"] in kinds]

    def last(self, kind: str) -> Event | None:
        """The last event of a kind, or None."""
        found = self.of(kind)
        return found[-1] if found else None

    @property
    def start(self) -> Event | None:
        """What started the GPU runtime: the first that made devices; None if nothing did."""
        return next((event for event in self.of("start") if event.get("first")), None)

    @property
    def tensorflow(self) -> str | None:
        """TensorFlow's version, where the script came to its end or its error with it."""
        end = self.last("end")
        return end["tensorflow"] if end else None

    @property
    def release(self) -> tuple[int, int] | None:
        """The first two numbers of TensorFlow's version, or None."""
        numbers = re.match(r"(\d+)\.(\d+)", self.tensorflow or "")
        return (int(numbers.group(1)), int(numbers.group(2))) if numbers else None

    @property
    def reports_of_tf1mem(self) -> list[Event]:
        """What tf1mem says became of each setting, where the script lived under it."""
        end = self.last("end")
        return end["tf1mem"] if end else []

    def environment_at(self, order: float) -> dict[str, str]:
        """The variables that mattered when an event happened: those at the start, and those set until then."""
        begun = self.last("begin")
        variables = dict(begun["environment"]) if begun else {}
        for event in self.of("variable"):
            if event["order"] < order:
                variables[event["name"]] = event["value"]
        return variables

    def gpus(self) -> int | None:
        """How many logical GPUs the runtime came up with; None where that isn't known."""
        start = self.start
        if start is None or not start["devices"]:
            return None
        return sum(str(device["name"]).startswith("GPU:") for device in start["devices"])


def read(lines: Iterable[str]) -> Record:
    """Reads a record.

    Args:
        lines: Its lines. One that isn't whole, because its process was killed over it, is left out.
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
    """Where an event happened."""
    return Place(**event["where"])


def call_text(event: Event) -> str:
    """A call of tf.config as one writes it."""
    name = event["call"]
    return "{}({})".format(_SPELLED.get(name, "tf.config." + name), ", ".join(event["arguments"]))


def gpu_settings(settings: dict[str, Any] | None) -> dict[str, Any]:
    """Those settings that TensorFlow reads when it makes the first GPU device, and never again.

    Which GPUs are visible is not among them: TensorFlow refuses another list of them rather than ignore it.
    """
    return {
        name: value
        for name, value in (settings or {}).items()
        if name in FIELDS and name.startswith("gpu_options.") and name != VISIBLE and value
    }


def thread_settings(settings: dict[str, Any] | None) -> dict[str, Any]:
    """Those settings that TensorFlow reads when it makes its thread pools, and never again."""
    found = settings or {}
    return {} if found.get(_PER_SESSION) else {name: found[name] for name in _THREADS if found.get(name)}


def settings_text(settings: dict[str, Any]) -> str:
    """Settings in a few words, by the last part of their names; "no growth and no cap" where there are none."""
    if not settings:
        return "no growth and no cap"
    return ", ".join("{}={}".format(name.rsplit(".", 1)[-1], value) for name, value in settings.items())
