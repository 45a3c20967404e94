"""Finds the settings that come after the runtime has read its own, and writes the error and the report about them."""

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
    """Returns the dotted names of the fields that differ from those in force, and that TensorFlow won't read again."""
    in_force: dict[str, Any] = dict(NOW.settings.values) if NOW.settings else {}
    paths = [*settings.values, *(path for path in in_force if path not in settings.values)]
    return [path for path in paths if settings.get(path) != in_force.get(path) and is_late(path, settings, runtime)]


def error(settings: Settings, late: Collection[str]) -> RuntimeAlreadyStarted:
    """Returns the error for settings that come too late.

    Args:
        settings: The settings of the config.
        late: The dotted names of the fields that come too late.
    """
    requested = ", ".join(f"{path}={shown(settings.get(path))}" for path in late)
    values = ", ".join(_in_force(path) for path in late)
    start = first_start.seen() or "an eager op"
    return RuntimeAlreadyStarted(
        requested,
        f"TensorFlow's runtime was started by {start}, and {values} is in force",
        "Call tf1mem.apply before that, or give every config the same settings",
    )


def lines(settings: Settings, applied: list[Line], late: Collection[str]) -> list[Line]:
    """Returns the lines of a report after the runtime has started, also for fields without a step in the plan.

    Args:
        settings: The settings of the config.
        applied: The outcomes of the plan's steps.
        late: The dotted names of the fields that came too late.

    Returns:
        `applied`, with "refused" for fields that came too late; then lines for late fields without a step, and for the
        other fields without one, which only the Session's config carries.
    """
    planned = {line.step.setting for line in applied}
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
    return [*(_line(line, late) for line in [*applied, *missing]), *handed]


def _line(line: Line, late: Collection[str]) -> Line:
    """Returns a line of the report, "refused" if its field came too late."""
    path = line.step.setting
    if path in late:
        if line.outcome == HANDED:
            return line  # the Session still gets it; another line says that TensorFlow refuses it
        why = "the runtime was started by {} with {}".format(first_start.seen() or "an eager op", _in_force(path))
        return Line(line.step, REFUSED, why)
    if line.step.late:
        return Line(line.step, STANDS, "in force since the runtime started")
    return line


def _in_force(path: str) -> str:
    """Returns a field with the value that is in force, for a message."""
    if NOW.settings is None:
        return f"{path} as TensorFlow or the program set it"
    return f"{path}={shown(NOW.settings.get(path))}"
