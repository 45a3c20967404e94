"""Settings + Runtime -> Plan: no effects, and no TensorFlow needed for another machine's plan."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Iterator

from tf1mem.machine.runtime import Runtime, detect, suppose, supposed_gpus
from tf1mem.planning import default_config, devices, graph, memory, memory_pages, remarks, table
from tf1mem.planning.draft import Draft
from tf1mem.planning.memory_pages import Caps
from tf1mem.planning.steps import LAYOUT, Step, plain, shown
from tf1mem.settings.settings import Settings

# Steps are planned in the order in which a person thinks of settings, and taken in this one: a ConfigProto is given to
# the eager context before anything asks for the context, CUDA is started in an order of GPUs before tf.config lists
# them, and a Session made at once makes the devices, so it comes after all that they are made with.
_TURNS = {"carry": 1, "cuda_order": 2, "start_now": 4, "set_default": 5}
_ANY_TURN = 3

_COLUMNS = ("setting", "value", "route", "call", "reason")


@dataclass(frozen=True)
class Plan:
    """What `tf1mem.apply` would do: steps, in the order in which they are taken.

    `print(plan)` shows it as a table.

    Attributes:
        settings: What is asked.
        runtime: What is there.
        steps: The steps.
        caps: The caps that TensorFlow is told in place of those asked for, because it holds whole pages only; or None.
    """

    settings: Settings
    runtime: Runtime
    steps: tuple[Step, ...]
    caps: Caps | None = None

    def __str__(self) -> str:
        return self.as_text()

    def as_text(self, width: int | None = None) -> str:
        """The plan as a table.

        Args:
            width: Columns to fit into; by default the terminal's.
        """
        return table.text(table.title(self.runtime, "plan"), _COLUMNS, self._rows(), width)

    def _repr_html_(self) -> str:
        """The plan as a notebook shows it."""
        return table.as_html(table.title(self.runtime, "plan"), (_COLUMNS, self._rows()))

    def _rows(self) -> list[tuple[str, ...]]:
        steps = (step for step in self.steps if step.listed)
        return [(step.setting, shown(step.value), step.route, step.call, step.reason) for step in steps]

    def as_dict(self) -> dict[str, Any]:
        """The plan as plain values, for JSON."""
        return {
            "layout": LAYOUT,
            "tensorflow": str(self.runtime.version),
            "gpus": None if self.runtime.gpus is None else [gpu.total_bytes for gpu in self.runtime.gpus],
            "steps": [
                {
                    "setting": step.setting,
                    "value": plain(step.value),
                    "route": step.route,
                    "call": step.call,
                    "reason": step.reason,
                }
                for step in self.steps
            ],
        }


def plan(config: Any = None, tensorflow: Any = None, gpus: Any = None) -> Plan:
    """Says what `tf1mem.apply` would do, without doing any of it.

    Args:
        config: A config of any shape that `tf1mem.apply` takes.
        tensorflow: A TensorFlow version to plan for, such as "2.21.0"; by default the installed one. With a version
            given, no TensorFlow need be installed, as long as the config is a dict or a file.
        gpus: How many GPUs that machine has, or a list of their sizes in bytes; by default this machine's are counted
            (with no version given) or left open.

    Returns:
        The plan. Nothing is started or changed.

    Raises:
        Tf1memError: The config, the version or the number of GPUs can't be used.
    """
    settings = Settings.of(config)
    if tensorflow is not None:
        return make(settings, suppose(tensorflow, gpus))
    if gpus is None:
        return make(settings, detect())
    return make(settings, detect(lambda: supposed_gpus(gpus)))


def make(settings: Settings, runtime: Runtime, for_session: bool = False) -> Plan:
    """Plans settings for a runtime.

    Args:
        settings: What is asked.
        runtime: What is there.
        for_session: Whether they are one Session's: what Sessions don't share, such as device_count, is left to it.

    Raises:
        SettingError: A setting can't hold on this machine's GPUs.
        RuntimeAlreadyStarted: CUDA has started with another order of GPUs.
    """
    draft = Draft(settings, runtime, for_session)
    steps = [remarks.detected(draft), *sorted(_steps(draft), key=lambda step: _TURNS.get(step.action, _ANY_TURN))]
    return Plan(settings, runtime, tuple(steps), memory_pages.caps(settings, runtime, draft.used_gpus()))


def _steps(draft: Draft) -> Iterator[Step]:
    """Every step but the first, by settings: growth after the limits that change its way."""
    if draft.runtime.is_tf1:
        yield from remarks.handed_to_sessions(draft)
    yield from remarks.environment(draft)
    yield from devices.steps(draft)
    yield from memory.steps(draft)
    yield from graph.placement(draft)
    yield from graph.rest(draft)
    yield from remarks.fields_beside(draft)
    if not draft.for_session:
        yield default_config.step(draft.settings, draft.runtime)
