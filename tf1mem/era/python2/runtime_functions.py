"""Functions that a translated file calls at run time, with Python 2's meaning."""

from __future__ import annotations

import atexit
import operator
import sys
from functools import cmp_to_key, lru_cache
from importlib import import_module
from typing import Any, Callable
from weakref import WeakKeyDictionary

from tf1mem.era import promotes_by_dtype
from tf1mem.era.before_python3 import unicode
from tf1mem.era.targets import Item, Member, slice_  # noqa: F401 -- the program's files name them here

# Streams on which a print left the line open.
_open_lines: WeakKeyDictionary[Any, bool] = WeakKeyDictionary()


def shown(*values: Any, newline: bool = True) -> None:
    """Prints as `print a, b`; with `newline=False`, as `print a, b,`."""
    shown_to(None, *values, newline=newline)


def shown_to(stream: Any, *values: Any, newline: bool = True) -> None:
    """Prints as `print >>stream, a, b`."""
    stream = sys.stdout if stream is None else stream
    if stream is None:
        return
    goes_on = _leave_open(stream, False)
    for value in values:
        text = value.decode("utf-8", "surrogateescape") if isinstance(value, bytes) else str(value)
        stream.write(" " + text if goes_on else text)
        goes_on = not (text[-1:].isspace() and text[-1] != " ")
    if newline:
        stream.write("\n")
    elif goes_on and values:
        _leave_open(stream, True)


def _leave_open(stream: Any, is_open: bool) -> bool:
    """Records whether the next print to a stream continues the line; returns the previous state."""
    try:
        before = _open_lines.pop(stream, False)
        if is_open:
            if not _open_lines:
                atexit.unregister(_end_line)
                atexit.register(_end_line)
            _open_lines[stream] = True
    except TypeError:  # the stream has no weak references
        return False
    return before


def _end_line() -> None:
    if sys.stdout is not None and _leave_open(sys.stdout, False):
        sys.stdout.write("\n")


def raised(kind: Any, value: Any, trace: Any = None) -> Any:
    """Returns the exception that `raise kind, value, trace` raises."""
    if isinstance(kind, tuple):
        kind = kind[0]
    if not isinstance(kind, type):
        error = kind
    elif isinstance(value, kind):
        error = value
    else:
        error = kind(*(value if isinstance(value, tuple) else () if value is None else (value,)))
    return error if trace is None else error.with_traceback(trace)


def parts(value: Any) -> Any:
    """Returns the sequence that `value[0]` and `a, b = value` read: a plain exception's args, else the value itself."""
    is_plain = isinstance(value, BaseException) and not hasattr(value, "__getitem__") and not hasattr(value, "__iter__")
    return value.args if is_plain else value


def message(error: Any) -> Any:
    """Returns `error.message`: for an error without that attribute, its only argument or ""."""
    if isinstance(error, BaseException) and not hasattr(error, "message"):
        return error.args[0] if len(error.args) == 1 else ""
    return error.message


@lru_cache(maxsize=None)
def _operators() -> Any:
    """Returns the module of operators: Python's, or those with NumPy 1's promotion if NumPy 2 is installed."""
    return import_module("tf1mem.era.operators") if promotes_by_dtype() else operator


def divided(a: Any, b: Any) -> Any:
    """Returns `a / b`: an integer for integers."""
    if isinstance(a, int) and isinstance(b, int):
        return a // b
    if isinstance(a, float) or isinstance(b, float):
        return _operators().truediv(a, b)
    for operand, method, other in ((a, "__div__", b), (b, "__rdiv__", a)):
        divide = getattr(type(operand), method, None)
        if divide is not None:
            result = divide(operand, other)
            if result is not NotImplemented:
                return result
    return _operators().floordiv(a, b) if is_integral(a) and is_integral(b) else _operators().truediv(a, b)


def divided_in_place(a: Any, b: Any) -> Any:
    """Returns the value of `a` after `a /= b`."""
    divide = getattr(type(a), "__idiv__", None)
    if divide is not None:
        return divide(a, b)
    if getattr(a, "dtype", None) is None:
        return divided(a, b)
    return _operators().ifloordiv(a, b) if is_integral(a) and is_integral(b) else _operators().itruediv(a, b)


def is_integral(value: Any) -> bool:
    """Returns True for an integer, or an array or tensor of integers."""
    if isinstance(value, int):
        return True
    dtype = getattr(value, "dtype", None)
    return getattr(dtype, "kind", "") in ("b", "i", "u") or bool(getattr(dtype, "is_integer", False))


def listed(result: Any) -> Any:
    """Returns the result of `keys()`, `values()` or `items()`; a view becomes a list."""
    from collections.abc import ItemsView, KeysView, ValuesView

    if isinstance(result, (ItemsView, KeysView, ValuesView)):
        return list(result)
    return result


def type_(value: Any) -> Any:
    """Returns `str` for `unicode` where it isn't called; any other value unchanged."""
    return str if value is unicode else value


def sort(owner: Any, *args: Any, **kwargs: Any) -> Any:
    """Sorts as `owner.sort(…)`, where a list also takes a comparison function."""
    if owner is list and args:  # list.sort(numbers, …)
        return list.sort(args[0], **_ordered(*args[1:], **kwargs))
    is_lists = getattr(type(owner), "sort", None) is list.sort
    return owner.sort(**_ordered(*args, **kwargs)) if is_lists else owner.sort(*args, **kwargs)


def sorted_(iterable: Any, cmp: Any = None, key: Any = None, reverse: Any = False) -> list[Any]:
    """Returns a sorted list, as Python 2's `sorted`, which also takes a comparison function."""
    return sorted(iterable, **_ordered(cmp, key, reverse))


def _ordered(cmp: Any = None, key: Any = None, reverse: Any = False) -> dict[str, Any]:
    if cmp is not None:
        compared = cmp_to_key(cmp)
        key = compared if key is None else lambda element, _key=key: compared(_key(element))
    return {"key": key, "reverse": bool(reverse)}


def _by_cmp(compare: Callable[[int, int], bool]) -> Callable[[Any, Any], bool]:
    return lambda self, other: compare(type(self).__cmp__(self, other), 0)


_NEW_NAMES = {
    "next": "__next__",
    "__nonzero__": "__bool__",
    "__div__": "__truediv__",
    "__rdiv__": "__rtruediv__",
    "__idiv__": "__itruediv__",
}


def class_(cls: Any) -> Any:
    """Adds Python 3's special methods to a class that defines Python 2's."""
    has = vars(cls)
    for old, new in _NEW_NAMES.items():
        if old in has and new not in has:
            setattr(cls, new, has[old])
    if "__unicode__" in has:
        cls.__str__ = has["__unicode__"]
    if "__cmp__" in has:
        for name in ("lt", "le", "eq", "ne", "gt", "ge"):
            if f"__{name}__" not in has:
                setattr(cls, f"__{name}__", _by_cmp(getattr(operator, name)))
        if "__hash__" not in has:
            cls.__hash__ = object.__hash__
    elif has.get("__hash__", 0) is None and "__eq__" in has:
        del cls.__hash__  # in Python 2, a class with __eq__ inherits its hash
    if "__eq__" in has and cls.__ne__ is object.__ne__:
        cls.__ne__ = lambda self, other: NotImplemented  # in Python 2, != is not derived from ==
    return cls
