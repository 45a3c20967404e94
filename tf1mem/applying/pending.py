"""Settings for a program that brings none: kept ready, and applied just before the runtime starts."""

from __future__ import annotations

from typing import Any, Callable

from tf1mem.applying.apply import apply_to_session
from tf1mem.applying.execution import tell
from tf1mem.applying.in_force import NOW
from tf1mem.applying.report import NO_EFFECT, Line
from tf1mem.errors import Tf1memError
from tf1mem.hooks.starts import before_first_start
from tf1mem.planning.steps import NONE, Step
from tf1mem.settings.settings import Settings


def apply_if_none(config: Any, on_error: Callable[[Tf1memError], None]) -> None:
    """Keeps settings ready for a program that brings none: applied just before the runtime starts.

    Nothing is started or changed before that, so what the program does to its environment first still counts.

    Args:
        config: As for `apply`.
        on_error: Called with what is wrong if they can't be applied.
    """
    settings = Settings.of(config)
    with NOW.lock:
        NOW.pending = settings

    def start() -> None:
        try:
            apply_pending()
        except Tf1memError as error:
            on_error(error)

    before_first_start(start)


def apply_pending() -> None:
    """Applies the settings that were kept ready, if the program has brought none."""
    with NOW.lock:
        pending, NOW.pending = NOW.pending, None
        if pending is None:
            return
        if NOW.settings is None:
            apply_to_session(pending, alone=False)
            return
        _leave(pending, "kept ready for a program without settings; this one has its own")


def close_pending() -> None:
    """Says of settings that are still kept ready that nothing came of them."""
    with NOW.lock:
        pending, NOW.pending = NOW.pending, None
        if pending is not None:
            unused = "the program never started TensorFlow's runtime"
            _leave(pending, unused if NOW.settings is None else "the program has its own")


def _leave(settings: Settings, why: str) -> None:
    lines = [Line(Step(path, value, NONE, "", ""), NO_EFFECT, why) for path, value in settings.values.items()]
    NOW.report = NOW.report.and_then(lines)
    tell(lines)
