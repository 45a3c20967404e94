"""Python 2's functions for files that `tf1mem codemod --python3` has written.

    from tf1mem.era.python2.kept import map, print
    from tf1mem.era.python2 import kept as python2
    print(python2.divided(7, 2))

The first line gives Python 3's own names Python 2's meaning. When you have checked all uses of a name, remove it from
the line; without the line, the file is Python 3.
"""

from __future__ import annotations

from functools import wraps
from types import ModuleType
from typing import Any, Callable

from tf1mem.era import before_python3, sites
from tf1mem.era.python2.names import BUILTINS
from tf1mem.era.python2.runtime_functions import (
    class_,
    divided,
    divided_in_place,
    listed,
    message,
    parts,
    raised,
    shown_to,
    sort,
)
from tf1mem.era.repairs import of_library

__all__ = ["class_", "decoded", "divided", "divided_in_place", "divided_item", "generator", "has_key", "listed",
           "message", "next", "parts", "print", "raised", "sort"]  # fmt: skip

of_library("before_python3")  # from here on `sites.owner` supplies Python 2's names


def print(*values: Any, end: str = "\n", file: Any = None) -> None:
    """Prints as Python 2's statement did: bytes as text, and no space at the beginning or end of a line.

    Args:
        values: The values to print.
        end: A newline, or " " to leave the line open for the next `print` to the stream.
        file: The stream; None for standard output.
    """
    shown_to(file, *values, newline=end == "\n")


def decoded(text: Any, *args: Any, **kwargs: Any) -> Any:
    """Returns `text.decode(…)`; a str stays unchanged, except for encodings of bytes such as "hex"."""
    owner = sites.owner(text, "decode")
    return owner.decode(*args, **kwargs)


def divided_item(container: Any, key: Any, by: Any) -> None:
    """Runs `container[key] /= by` with Python 2's division."""
    container[key] = divided_in_place(container[key], by)


def generator(function: Callable[..., Any]) -> Callable[..., Any]:
    """Returns a generator function that a StopIteration ends, also one that a call in its body raises.

    Python 3.7 and later raise RuntimeError for the latter.
    """

    @wraps(function)
    def ended(*args: Any, **kwargs: Any) -> Any:
        try:
            return (yield from function(*args, **kwargs))
        except RuntimeError as error:
            if not isinstance(error.__cause__, StopIteration):
                raise

    return ended


def has_key(container: Any, key: Any) -> Any:
    """Returns `container.has_key(key)`; `key in container` if it has no such method."""
    return container.has_key(key) if hasattr(container, "has_key") else key in container


def next(iterator: Any) -> Any:
    """Returns `iterator.next()`; `iterator.__next__()` if it has no such method."""
    return iterator.next() if hasattr(iterator, "next") else iterator.__next__()


class _Overlaid(ModuleType):
    """A module that also has its names of Python 2.

    Args:
        module: Python 3's module.
    """

    def __init__(self, module: ModuleType) -> None:
        super().__init__(module.__name__)
        self._module = module

    def __getattr__(self, name: str) -> Any:
        return getattr(sites.owner(self._module, name), name)


def __getattr__(name: str) -> Any:
    """Returns Python 2's builtin of a name, or a module with its names of Python 2."""
    if name in BUILTINS:
        return BUILTINS[name]
    owned = {repair.owner for repair in before_python3.REPAIRS} | {
        repair.name for repair in before_python3.REPAIRS if repair.is_module
    }
    if name not in owned:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return globals().setdefault(name, _Overlaid(sites.module(name)))
