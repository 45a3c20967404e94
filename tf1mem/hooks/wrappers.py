"""Putting functions of tf1mem's around TensorFlow's own."""

from __future__ import annotations

import functools
from typing import Any, Callable


def put_around(owner: Any, name: str, make: Callable[[Any], Callable[..., Any]]) -> Callable[[], None]:
    """Puts a function around one of TensorFlow's.

    Args:
        owner: The module or class that has it; where it hasn't, nothing is done.
        name: Its name there.
        make: Given TensorFlow's own, returns the one that takes its place.

    Returns:
        What puts TensorFlow's own back, unless something else has been put around it meanwhile.
    """
    before = getattr(owner, name, None)
    if before is None:
        return lambda: None
    after = functools.wraps(before)(make(before))
    setattr(owner, name, after)
    return lambda: setattr(owner, name, before) if getattr(owner, name) is after else None


def put_around_once(owner: Any, name: str, make: Callable[[Any], Callable[..., Any]]) -> Callable[[], None]:
    """As `put_around`, if tf1mem hasn't yet in this way.

    Returns:
        What puts TensorFlow's own back; nothing to do where an earlier call has done it.
    """
    before = getattr(owner, name)
    if hasattr(before, "tf1mem_default"):
        return lambda: None
    put_around(owner, name, make)
    getattr(owner, name).tf1mem_default = True
    return lambda: setattr(owner, name, before)


def call_before(owner: Any, name: str, act: Callable[..., None]) -> None:
    """Has `act` called with the arguments of each call of `owner.name`, before it. What it raises is dropped."""

    def noting(original: Any) -> Callable[..., Any]:
        def call(*args: Any, **kwargs: Any) -> Any:
            try:
                act(*args, **kwargs)
            except Exception:
                pass  # called wrongly, which TensorFlow says best
            return original(*args, **kwargs)

        return call

    put_around(owner, name, noting)
