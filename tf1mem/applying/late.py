"""Settings that come after the runtime has started: which of them TensorFlow won't read again, and what is said."""

from __future__ import annotations

from typing import Any, Collection

from tf1mem.applying.in_force import NOW
from tf1mem.applying.report import HANDED, NO_EFFECT, REFUSED, STANDS, Line
from tf1mem.errors import RuntimeAlreadyStarted
from tf1mem.machine import first_start
from tf1mem.machine.runtime import Runtime
from tf1mem.planning.draft import is_late
from tf1mem.planning.steps import NONE, SESSION, Step, shown
from tf1mem.settings.settings import Settings


def differing(settings: Settings, runtime: Runtime) -> list[str]:
    """The settings that differ from those in force, and that TensorFlow won't read again."""
    here: dict[str, Any] = dict(NOW.settings.values) if NOW.settings else {}
    paths = [*settings.values, *(path for path in here if path not in settings.values)]
    return [path for path in paths if settings.get(path) != here.get(path) and is_late(path, settings, runtime)]


def error(settings: Settings, late: Collection[str]) -> RuntimeAlreadyStarted:
    """The error for settings that come too late."""
    asked = ", ".join(f"{path}={shown(settings.get(path))}" for path in late)
    here = ", ".join(_in_force(path) for path in late)
    start = first_start.seen() or "an eager op"
    return RuntimeAlreadyStarted(
        asked,
        f"TensorFlow's runtime was started by {start}, and {here} is in force",
        "Call tf1mem.apply before that, or give every config the same settings",
    )


def lines(settings: Settings, taken: list[Line], late: Collection[str]) -> list[Line]:
    """A report's lines with what came too late, and with those for which the plan has none.

    Args:
        settings: What is asked.
        taken: What became of the plan's steps.
        late: The settings that came too late.

    Returns:
        Those lines, as they read then; then settings that went missing too late, and a Session's own.
    """
    planned = {line.step.setting for line in taken}
    missing = [
        Line(Step(path, settings.get(path), NONE, "", "", late=True), NO_EFFECT, "")
        for path in late
        if path not in planned
    ]
    handed = [
        Line(Step(path, value, SESSION, "", "", "hand"), HANDED, "in the config for this Session")
        for path, value in settings.values.items()
        if path not in planned and path not in late
    ]
    return [*(_line(line, late) for line in [*taken, *missing]), *handed]


def _line(line: Line, late: Collection[str]) -> Line:
    path = line.step.setting
    if path in late:
        if line.outcome == HANDED:
            return line  # the Session is given it all the same; that TensorFlow refuses it is another line
        why = "the runtime was started by {} with {}".format(first_start.seen() or "an eager op", _in_force(path))
        return Line(line.step, REFUSED, why)
    if line.step.late:
        return Line(line.step, STANDS, "in force since the runtime started")
    return line


def _in_force(path: str) -> str:
    if NOW.settings is None:
        return f"{path} as TensorFlow or the program set it"
    return f"{path}={shown(NOW.settings.get(path))}"
