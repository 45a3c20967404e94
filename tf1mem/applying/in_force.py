"""The settings in force in this process: one object, with one lock, since TensorFlow reads GPU settings only once."""

from __future__ import annotations

from typing import Any, Callable

from tf1mem.applying.outside import Origin
from tf1mem.applying.report import Report
from tf1mem.machine import first_start
from tf1mem.settings.settings import Settings


class InForce:
    """The settings in force in this process.

    Attributes:
        settings: The settings applied last, or None before the first.
        config: The ConfigProto with these settings, as TensorFlow got it.
        is_shared: True if Servers and other calls without a config get them; False if they are one Session's.
        planned_on: A pair: the eager context that got the settings, or None; and True if the program itself had created
            logical devices before.
        undo: Functions that undo the effects of the settings; call the last one first.
        report: The outcome of each setting of all configs that were applied.
        pending: Settings for a program without its own, applied just before the runtime starts; or None.
        override: Settings that override those of every config; or None.
    """

    def __init__(self) -> None:
        self.settings: Settings | None = None
        self.config: Any = None
        self.is_shared = False
        self.planned_on: tuple[Any, bool] = (None, False)
        self.undo: list[Callable[[], None]] = []
        self.report = Report()
        self.pending: Origin | None = None
        self.override: Origin | None = None

    @property
    def lock(self) -> Any:
        """The lock to hold while the other attributes are read or changed; a start of the runtime waits for it."""
        return first_start.lock


# The only object: this process has one set of settings.
NOW = InForce()
