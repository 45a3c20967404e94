"""What this process lives under: TensorFlow reads GPU settings once per process, so it is kept here, under one lock."""

from __future__ import annotations

from typing import Any, Callable

from tf1mem.applying.outside import Origin
from tf1mem.applying.report import Report
from tf1mem.machine import first_start
from tf1mem.settings.settings import Settings


class InForce:
    """What this process lives under.

    Attributes:
        settings: The settings applied last, or None before the first.
        told: The ConfigProto that carries them, as TensorFlow is told.
        is_default: Whether it is what Servers and the like take that are given no config; not if it is one Session's.
        planned_on: The eager context that was told, if any, and whether the program had made logical devices.
        undo: How to put back what they changed, last first.
        report: What became of each setting of each config that was applied.
        pending: Settings for programs that bring none, applied when the runtime starts without any.
        override: Settings that stand above those of every config.
    """

    def __init__(self) -> None:
        self.settings: Settings | None = None
        self.told: Any = None
        self.is_default = False
        self.planned_on: tuple[Any, bool] = (None, False)
        self.undo: list[Callable[[], None]] = []
        self.report = Report()
        self.pending: Origin | None = None
        self.override: Origin | None = None

    @property
    def lock(self) -> Any:
        """Held by whoever reads or changes the rest; whatever starts the runtime waits for it."""
        return first_start.lock


NOW = InForce()
