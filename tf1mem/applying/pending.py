"""Keeps settings ready for a program without its own, and applies them just before the runtime starts."""

from __future__ import annotations

from typing import Callable, Iterable

from tf1mem.applying.apply import apply_to_session
from tf1mem.applying.execution import tell
from tf1mem.applying.in_force import NOW
from tf1mem.applying.outside import Origin, Outside
from tf1mem.applying.report import IN_CHILDREN, NO_EFFECT, Line
from tf1mem.errors import Tf1memError
from tf1mem.hooks.starts import before_first_start
from tf1mem.planning.steps import NONE, Step
from tf1mem.routes import default_config
from tf1mem.settings.settings import Settings

_HAS_ITS_OWN = "is for a program without settings, and this one has its own; --override overrides them"
# Waits in place of --config if there are only overrides.
_NOTHING = Origin("nothing", Settings({}, tf1_defaults=False, tree={}))


def keep_ready(outside: Outside, on_error: Callable[[Tf1memError], None]) -> None:
    """Keeps settings from outside ready: a program without its own gets them just before the runtime starts.

    Nothing is started or changed before that, so environment variables that the program sets first still count.

    Args:
        outside: The settings.
        on_error: A function to call with the error if they can't be applied.
    """
    with NOW.lock:
        NOW.pending, NOW.override = outside.config or _NOTHING, outside.override
        _add(
            Line(Step(name, text, NONE, "", ""), NO_EFFECT, "--config is given, and overrides the variables")
            for name, text in outside.unused.items()
        )

    def start() -> None:
        try:
            apply_pending()
        except Tf1memError as error:
            on_error(error)

    before_first_start(start)
    default_config.stand_by()


def apply_pending() -> None:
    """Applies the settings that were kept ready, if the program has applied none itself."""
    with NOW.lock:
        pending, NOW.pending = NOW.pending, None
        if pending is None:
            return
        if NOW.settings is None:
            apply_to_session(pending.settings(), alone=False)
            return
        _report_unapplied(pending, _HAS_ITS_OWN)


def only_overrides_wait() -> bool:
    """Returns True if only overrides of the program's own settings are kept ready."""
    with NOW.lock:
        return NOW.pending is _NOTHING


def close_pending(started_elsewhere: bool = False) -> None:
    """Reports settings that are still kept ready, and so had no effect in this process.

    Args:
        started_elsewhere: True if a child process has started the runtime with them.
    """
    with NOW.lock:
        pending, NOW.pending = NOW.pending, None
        if pending is None:
            return
        if NOW.settings is not None:
            _report_unapplied(pending, _HAS_ITS_OWN)
            return
        why = "has no effect: the program never started TensorFlow's runtime"
        if started_elsewhere:
            why = "holds in its children, see below: this process never started TensorFlow's runtime"
        for unused in filter(None, (pending, NOW.override)):
            _report_unapplied(unused, why, IN_CHILDREN if started_elsewhere else NO_EFFECT)


def _report_unapplied(pending: Origin, why: str, outcome: str = NO_EFFECT) -> None:
    """Reports that settings kept ready aren't applied, and why, except those that hold anyway."""
    pending_settings, current = pending.settings(), NOW.settings or _NOTHING.settings()
    _add(
        Line(Step(path, pending_settings.get(path), NONE, "", ""), outcome, f"{pending.name} {why}")
        for path in (*pending_settings.values, *pending_settings.spelled_defaults)
        if current.get(path) != pending_settings.get(path)
    )


def _add(lines: Iterable[Line]) -> None:
    new = list(lines)
    NOW.report = NOW.report.and_then(new)
    tell(new)
