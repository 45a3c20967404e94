"""Settings + Runtime -> Plan: no effects, and no TensorFlow needed for another machine's plan."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from tf1mem.machine import runtime as facts
from tf1mem.machine.runtime import Runtime
from tf1mem.planning import decisions
from tf1mem.planning.steps import Step
from tf1mem.settings.settings import Settings


@dataclass(frozen=True)
class Plan:
    """What `tf1mem.apply` would do: steps, in the order in which they are taken.

    `print(plan)` shows it as a table.

    Attributes:
        settings: What is asked.
        runtime: What is there.
        steps: The steps.
    """

    settings: Settings
    runtime: Runtime
    steps: tuple[Step, ...]

    def __str__(self) -> str:
        return self.as_text()

    def as_text(self, width: int | None = None) -> str:
        """The plan as a table.

        Args:
            width: Columns to fit into; by default the terminal's.
        """
        from tf1mem.applying.report import plan_text

        return plan_text(self, width)

    def as_dict(self) -> dict[str, Any]:
        """The plan as plain values, for JSON."""
        return {
            "tensorflow": str(self.runtime.version),
            "gpus": None if self.runtime.gpus is None else [gpu.total_bytes for gpu in self.runtime.gpus],
            "steps": [
                {name: getattr(step, name) for name in ("setting", "value", "route", "call", "reason")}
                for step in self.steps
            ],
        }


def plan(config: Any = None, tensorflow: Any = None, gpus: Any = None) -> Plan:
    """Says what `tf1mem.apply` would do, without doing any of it.

    Args:
        config: A config of any shape that `tf1mem.apply` takes.
        tensorflow: A TensorFlow version to plan for, such as "2.21.0"; by default the installed one. With a version
            given, no TensorFlow need be installed, as long as the config is a dict, JSON or YAML.
        gpus: How many GPUs that machine has, or a list of their sizes in bytes; by default this machine's are counted
            (with no version given) or left open.

    Returns:
        The plan. Nothing is started or changed.

    Raises:
        Tf1memError: The config, the version or the number of GPUs can't be used.
    """
    settings = Settings.of(config)
    if tensorflow is not None:
        return make(settings, facts.suppose(tensorflow, gpus))
    if gpus is None:
        return make(settings, facts.detect())
    return make(settings, facts.detect(lambda: facts.supposed_gpus(gpus)))


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
    return Plan(settings, runtime, tuple(decisions.steps(settings, runtime, for_session)))
