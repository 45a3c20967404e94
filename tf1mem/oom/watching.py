"""Being told of calls of TensorFlow's, from when its modules load."""

from __future__ import annotations

import functools
import sys
from typing import Any, Callable

from tf1mem.hooks import watch


def when_loaded(name: str, act: Callable[[Any], None]) -> None:
    """Calls `act` with a module of TensorFlow's: now, if it is loaded, or when it gets loaded.

    Args:
        name: The module's name without the package; one of those that `tf1mem.hooks.watch` looks out for.
        act: What to do with it.
    """
    for package in ("tensorflow", "tensorflow_core"):
        module = sys.modules.get(f"{package}.{name}")
        if module is not None:
            act(module)
            return
    before = watch._LOADED[name]

    def both(module: Any) -> None:
        act(module)
        before(module)

    watch._LOADED[name] = both


def call_before(owner: Any, name: str, act: Callable[..., None]) -> None:
    """Has `act` called with the arguments of each call of `owner.name`, before it. What it raises is dropped."""
    original = getattr(owner, name, None)
    if original is None:
        return

    @functools.wraps(original)
    def noting(*args: Any, **kwargs: Any) -> Any:
        try:
            act(*args, **kwargs)
        except Exception:
            pass  # called wrongly, which TensorFlow says best
        return original(*args, **kwargs)

    setattr(owner, name, noting)
