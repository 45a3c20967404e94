"""What files that `tf1mem codemod --python3` has written ask for of Python 2.

    from tf1mem.era.python2.kept import map, print
    from tf1mem.era.python2 import kept as python2
    print(python2.divided(7, 2))

The first line has Python 3's own names do what Python 2's did. Whoever has looked at their uses takes them out of it,
one by one: what is left is Python 3.
"""

from __future__ import annotations

from functools import wraps
from types import ModuleType
from typing import Any, Callable

from tf1mem.era import before_python3, sites
from tf1mem.era.python2.given import class_, divided, divided_in_place, listed, message, parts, raised, shown_to, sort
from tf1mem.era.python2.names import BUILTINS
from tf1mem.era.repairs import of_library

__all__ = ["class_", "decoded", "divided", "divided_in_place", "divided_item", "generator", "has_key", "listed",
           "message", "next", "parts", "print", "raised", "sort"]  # fmt: skip

of_library("before_python3")


def print(*values: Any, end: str = "\n", file: Any = None) -> None:
    """Prints as Python 2's statement did: text that is bytes as text, and no space at a line's end or beginning.

    Args:
        values: What to print.
        end: " " leaves the line open.
        file: Where to; to standard output by default.
    """
    shown_to(file, *values, newline=end == "\n")


def decoded(thing: Any, *args: Any, **kwargs: Any) -> Any:
    """`thing.decode(…)`, of which text is what it was."""
    found = sites.owner(thing, "decode")
    return found.decode(*args, **kwargs)


def divided_item(things: Any, key: Any, by: Any) -> None:
    """`things[key] /= by`."""
    things[key] = divided_in_place(things[key], by)


def generator(function: Callable[..., Any]) -> Callable[..., Any]:
    """A generator that a StopIteration of whatever origin ends."""

    @wraps(function)
    def ended(*args: Any, **kwargs: Any) -> Any:
        try:
            return (yield from function(*args, **kwargs))
        except RuntimeError as error:
            if not isinstance(error.__cause__, StopIteration):
                raise

    return ended


def has_key(thing: Any, key: Any) -> Any:
    """`thing.has_key(key)`; `key in thing` of what hasn't got it."""
    return thing.has_key(key) if hasattr(thing, "has_key") else key in thing


def next(thing: Any) -> Any:
    """`thing.next()`, of what hasn't got it as of an iterator."""
    return thing.next() if hasattr(thing, "next") else thing.__next__()


class _Overlaid(ModuleType):
    """A module with the names that went.

    Args:
        module: It.
    """

    def __init__(self, module: ModuleType) -> None:
        super().__init__(module.__name__)
        self._module = module

    def __getattr__(self, name: str) -> Any:
        return getattr(sites.owner(self._module, name), name)


def __getattr__(name: str) -> Any:
    if name in BUILTINS:
        return BUILTINS[name]
    owned = {repair.owner for repair in before_python3.REPAIRS} | {
        repair.name for repair in before_python3.REPAIRS if repair.is_module
    }
    if name not in owned:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return globals().setdefault(name, _Overlaid(sites.module(name)))
