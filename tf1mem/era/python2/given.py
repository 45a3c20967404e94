"""What a file that was translated asks while it runs."""

from __future__ import annotations

import atexit
import operator
import sys
from functools import cmp_to_key
from typing import Any, Callable
from weakref import WeakKeyDictionary

from tf1mem.era.before_python3 import unicode

# The streams whose line a print left open.
_open_lines: WeakKeyDictionary[Any, bool] = WeakKeyDictionary()


def shown(*values: Any, newline: bool = True) -> None:
    """`print a, b`; without a newline, `print a, b,`."""
    shown_to(None, *values, newline=newline)


def shown_to(stream: Any, *values: Any, newline: bool = True) -> None:
    """`print >>stream, a, b`."""
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
    """Notes whether the next print to a stream goes on in its line; returns what held before."""
    try:
        before = _open_lines.pop(stream, False)
        if is_open:
            if not _open_lines:
                atexit.unregister(_end_line)
                atexit.register(_end_line)
            _open_lines[stream] = True
    except TypeError:  # it can't be referred to weakly
        return False
    return before


def _end_line() -> None:
    if sys.stdout is not None and _leave_open(sys.stdout, False):
        sys.stdout.write("\n")


def raised(kind: Any, value: Any, trace: Any = None) -> Any:
    """What `raise kind, value, trace` raises."""
    if isinstance(kind, tuple):
        kind = kind[0]
    if not isinstance(kind, type):
        error = kind
    elif isinstance(value, kind):
        error = value
    else:
        error = kind(*(value if isinstance(value, tuple) else () if value is None else (value,)))
    return error if trace is None else error.with_traceback(trace)


def parts(thing: Any) -> Any:
    """Returns the sequence that `thing[0]` and `a, b = thing` read: an error's args, if it has no items of its own."""
    is_plain = isinstance(thing, BaseException) and not hasattr(thing, "__getitem__") and not hasattr(thing, "__iter__")
    return thing.args if is_plain else thing


def message(thing: Any) -> Any:
    """`thing.message`: an error that has none of its own had its only argument as one."""
    if isinstance(thing, BaseException) and not hasattr(thing, "message"):
        return thing.args[0] if len(thing.args) == 1 else ""
    return thing.message


def divided(a: Any, b: Any) -> Any:
    """`a / b`, of integers an integer."""
    if isinstance(a, int) and isinstance(b, int):
        return a // b
    if isinstance(a, float) or isinstance(b, float):
        return a / b
    for thing, method, other in ((a, "__div__", b), (b, "__rdiv__", a)):
        divide = getattr(type(thing), method, None)
        if divide is not None:
            result = divide(thing, other)
            if result is not NotImplemented:
                return result
    return a // b if is_integral(a) and is_integral(b) else a / b


def divided_in_place(a: Any, b: Any) -> Any:
    """What `a /= b` leaves in `a`."""
    divide = getattr(type(a), "__idiv__", None)
    if divide is not None:
        return divide(a, b)
    if getattr(a, "dtype", None) is None:
        return divided(a, b)
    if is_integral(a) and is_integral(b):
        a //= b
    else:
        a /= b
    return a


def is_integral(thing: Any) -> bool:
    """Whether it is an integer, or an array or tensor of some."""
    if isinstance(thing, int):
        return True
    dtype = getattr(thing, "dtype", None)
    return getattr(dtype, "kind", "") in ("b", "i", "u") or bool(getattr(dtype, "is_integer", False))


def listed(result: Any) -> Any:
    """What `keys()`, `values()` or `items()` returned; a list if it is a view."""
    from collections.abc import ItemsView, KeysView, ValuesView

    if isinstance(result, (ItemsView, KeysView, ValuesView)):
        return list(result)
    return result


def type_(thing: Any) -> Any:
    """What `unicode` is where it isn't called; a program's own is its own."""
    return str if thing is unicode else thing


def sort(thing: Any, *args: Any, **kwargs: Any) -> Any:
    """`thing.sort(…)`, where a list's may have a function that compares."""
    if thing is list and args:  # list.sort(numbers, …)
        return list.sort(args[0], **_ordered(*args[1:], **kwargs))
    is_lists = getattr(type(thing), "sort", None) is list.sort
    return thing.sort(**_ordered(*args, **kwargs)) if is_lists else thing.sort(*args, **kwargs)


def sorted_(iterable: Any, cmp: Any = None, key: Any = None, reverse: Any = False) -> list[Any]:
    """Python 2's sorted."""
    return sorted(iterable, **_ordered(cmp, key, reverse))


def _ordered(cmp: Any = None, key: Any = None, reverse: Any = False) -> dict[str, Any]:
    if cmp is not None:
        compared = cmp_to_key(cmp)
        key = compared if key is None else lambda one, _key=key: compared(_key(one))
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
    """Gives a class the methods that Python 3 calls in place of its own."""
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
        del cls.__hash__  # what compares keeps the hash that it inherits
    if "__eq__" in has and cls.__ne__ is object.__ne__:
        cls.__ne__ = lambda self, other: NotImplemented  # what is said to be equal can be unequal, too
    return cls
