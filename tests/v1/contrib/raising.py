"""Makes calls that may raise, and returns results or types of errors, which can be recorded as values of a program."""

from __future__ import annotations

from typing import Any, Callable


def raised(kind: Any, function: Callable[..., Any], *args: Any, **kwargs: Any) -> str | None:
    """Returns the name of the type of the error that a call raises, or None.

    Args:
        kind: The types that may be raised, as `except` takes them.
        function: The function to call.
        args: The positional arguments.
        kwargs: The keyword arguments.
    """
    try:
        function(*args, **kwargs)
    except kind as error:
        return type(error).__name__
    return None


def errors_of(*calls: Callable[[], Any]) -> list[Any]:
    """Returns the types of the errors that calls raise; None for a call that raises none."""
    errors: list[Any] = []
    for call in calls:
        try:
            call()
            errors.append(None)
        except (AssertionError, KeyError, NotImplementedError, TypeError, ValueError) as error:
            errors.append(type(error))
    return errors


def results_of(*calls: Callable[[], Any]) -> list[Any]:
    """Returns the result of each call, or the type of the error that it raises."""
    results = []
    for call in calls:
        try:
            results.append(call())
        except (TypeError, ValueError) as error:
            results.append(type(error))
    return results
