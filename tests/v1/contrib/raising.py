"""Makes calls that may raise, and returns their results or errors in the form of the records."""

from __future__ import annotations

from typing import Any, Callable


def raised(kind: Any, function: Callable[..., Any], *args: Any, **kwargs: Any) -> str | None:
    """The name of the type of the error that a call ends with; None where it ends well.

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
    """The types of the errors that calls end with; None for each that ends well."""
    errors: list[Any] = []
    for call in calls:
        try:
            call()
            errors.append(None)
        except (AssertionError, KeyError, NotImplementedError, TypeError, ValueError) as error:
            errors.append(type(error))
    return errors


def results_of(*calls: Callable[[], Any]) -> list[Any]:
    """Returns the results of calls, or the types of the errors that they end with."""
    results = []
    for call in calls:
        try:
            results.append(call())
        except (TypeError, ValueError) as error:
            results.append(type(error))
    return results
