"""Turns Settings and a Runtime into a Plan, without side effects; another machine's plan needs no TensorFlow."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Iterator, Sequence

from tf1mem import __version__
from tf1mem.machine.runtime import Runtime, detect, suppose, supposed_gpus
from tf1mem.planning import default_config, devices, graph, memory, memory_pages, remarks, table
from tf1mem.planning.draft import Draft
from tf1mem.planning.memory_pages import Caps
from tf1mem.planning.steps import DEFAULT_CONFIG, SCHEMA, Step, plain, shown
from tf1mem.settings.settings import Settings

if TYPE_CHECKING:
    from packaging.version import Version

    from tf1mem.settings.accepted import Config

# Steps are planned in the order in which a person thinks of settings, and taken in this one: the eager context gets a
# ConfigProto before anything uses the context, CUDA is started in an order of GPUs before tf.config lists them, and a
# Session created at once creates the devices, so it comes after every setting that devices read.
_TURNS = {"carry": 1, "cuda_order": 2, "start_now": 4, "set_default": 5}
_ANY_TURN = 3

_COLUMNS = ("setting", "value", "route", "call", "reason")


@dataclass(frozen=True)
class Plan(table.Printed):
    """The steps that `tf1mem.apply` would take, in order.

    `print(plan)` shows them as a table.

    Attributes:
        settings: The Settings that the steps apply.
        runtime: The TensorFlow and the GPUs planned for.
        steps: The steps, in order.
        caps: Caps rounded down to whole pages, which replace the configured ones, or None to keep those.
    """

    settings: Settings
    runtime: Runtime
    steps: tuple[Step, ...]
    caps: Caps | None = None

    def __repr__(self) -> str:
        steps = [step for step in self.steps if step.listed and step.route != DEFAULT_CONFIG]
        return table.short(self, self.runtime, [(step.setting, step.route) for step in steps], "by ")

    def as_text(self, width: int | None = None) -> str:
        """Returns the plan as a table.

        Args:
            width: The width in columns; by default the terminal's.
        """
        return table.text(table.title(self.runtime, "plan"), _COLUMNS, self._rows(), width)

    def _repr_html_(self) -> str:
        """Returns the plan as HTML, for notebooks."""
        return table.as_html(table.title(self.runtime, "plan"), (_COLUMNS, self._rows()))

    def _rows(self) -> list[tuple[str, ...]]:
        steps = (step for step in self.steps if step.listed)
        return [(step.setting, shown(step.value), step.route, step.call, step.reason) for step in steps]

    def as_dict(self) -> dict[str, Any]:
        """Returns the plan as plain values, for JSON."""
        return {
            "schema": SCHEMA,
            "tf1mem": __version__,
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


def plan(
    config: Config | None = None, tensorflow: str | Version | None = None, gpus: int | Sequence[int] | None = None
) -> Plan:
    """Returns the steps that `tf1mem.apply` would take, without taking any.

    Args:
        config: A config of any shape that `tf1mem.apply` takes.
        tensorflow: A TensorFlow version to plan for, such as "2.21.0"; by default the installed one. With a version,
            no TensorFlow needs to be installed if the config is a dict or a file.
        gpus: The number of GPUs of the machine planned for, or a list of their sizes in bytes. By default this
            machine's GPUs, or unknown GPUs if `tensorflow` is set.

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
        settings: The Settings to apply.
        runtime: The TensorFlow and the GPUs to plan for.
        for_session: True for one Session's settings; fields that Sessions don't share, such as device_count, are then
            left to that Session.

    Raises:
        SettingError: A setting can't hold on this machine's GPUs.
        RuntimeAlreadyStarted: CUDA has started with another order of GPUs.
    """
    draft = Draft(settings, runtime, for_session)
    steps = [remarks.detected(draft), *sorted(_steps(draft), key=lambda step: _TURNS.get(step.action, _ANY_TURN))]
    return Plan(settings, runtime, tuple(steps), memory_pages.caps(settings, runtime, draft.used_gpus()))


def _steps(draft: Draft) -> Iterator[Step]:
    """Yields every step but the first, by settings: growth after the limits, which change its route."""
    if draft.runtime.is_tf1:
        yield from remarks.handed_to_sessions(draft)
    yield from remarks.environment(draft)
    yield from remarks.tensor_float_32(draft)
    yield from devices.steps(draft)
    yield from memory.steps(draft)
    yield from graph.placement(draft)
    yield from graph.other_fields(draft)
    yield from remarks.unknown_fields_and_defaults(draft)
    if not draft.for_session:
        yield default_config.step(draft.settings, draft.runtime)
