"""What the places of a program ask that were compiled anew: `np.bool` asks `owner(np, "bool").bool`.

What the library has it gives itself, and errors are its own; only what isn't there comes from here.
"""

from __future__ import annotations

import builtins
import os
import sys
import warnings
from functools import partial
from importlib import import_module
from importlib.machinery import EXTENSION_SUFFIXES
from importlib.util import find_spec
from types import ModuleType, SimpleNamespace
from typing import Any, Callable, Iterable

from tf1mem.era import notes
from tf1mem.era.repairs import BEFORE, FORMAT, LOADED, Moved, Repair, StandIn, lost

__all__ = ["builtin", "formatted", "is_beside", "member", "module", "owner"]

# By owner and name, as `LOADED`: a call of `int` comes by here often, and the hash of a whole repair takes long.
_stand_ins: dict[tuple[str, str], SimpleNamespace] = {}
_present: set[Repair] = set()


def owner(thing: Any, name: str) -> Any:
    """What to ask for `name`, as a program asks `thing` for it.

    Args:
        thing: A module, or any other object.
        name: The attribute.

    Returns:
        `thing` itself, or what has the attribute in its place.
    """
    if not isinstance(thing, ModuleType):
        return _instance(thing, name)
    repair = LOADED.get((thing.__name__, name))
    if repair is None:
        return thing
    if repair.is_in_need is not None:
        return _mended(thing, repair)
    if _is_there(thing, repair):
        return thing
    if not repair.is_module:  # whose names are noted one by one
        notes.note(repair)
    key = repair.owner, repair.name
    if key not in _stand_ins:
        _stand_ins[key] = SimpleNamespace(**{name: repair.value()})
    return _stand_ins[key]


def builtin(name: str, look: Callable[[], Any]) -> Any:
    """What a name stands for that may be a builtin's.

    Args:
        name: The name.
        look: Looks the name up where the program does: a star, a notebook's cell or `globals()` may have brought it.

    Raises:
        NameError: There is no such name, and was none.
    """
    try:
        found = look()
    except NameError:
        if ("builtins", name) not in LOADED:
            raise
        return getattr(owner(builtins, name), name)
    if name not in vars(builtins) or found is not vars(builtins)[name]:
        return found
    known = _stand_ins.get(("builtins", name))  # `int` is called so often that the way round shows
    if known is not None and getattr(known, "original", None) is found:
        return getattr(known, name)
    return getattr(owner(builtins, name), name)


def formatted(text: str, values: Any) -> Any:
    """What takes the place of the values in `text % values`."""
    repair = LOADED["str", FORMAT]
    return repair.value()(partial(notes.note, repair), text, values)


def _instance(thing: Any, name: str) -> Any:
    for kind in type(thing).__mro__:
        repair = LOADED.get((f"{kind.__module__}.{kind.__qualname__}", name))
        if repair is not None and not hasattr(thing, name):
            notes.note(repair)
            return SimpleNamespace(**{name: partial(repair.value(), thing)})
    return thing


def _is_there(library: ModuleType, repair: Repair) -> bool:
    if isinstance(library, StandIn):
        return False
    if repair in _present or (repair.name in vars(library) and not repair.is_another):
        return True
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of names that are to go: the program's own line has it said next
        try:
            today = getattr(library, repair.name)
        except AttributeError:
            return False
    if repair.is_another and today is not repair.value():
        return False
    _present.add(repair)
    return True


def _mended(library: ModuleType, repair: Repair) -> Any:
    original = getattr(library, repair.name)
    key = repair.owner, repair.name
    stand_in = _stand_ins.get(key)
    if stand_in is None or stand_in.original is not original:
        # What the program has put in the function's place is the program's.
        if str(getattr(original, "__module__", "")).partition(".")[0].lstrip("_") not in _homes(library):
            return library
        mended = partial(repair.value(), partial(notes.note, repair), original)
        stand_in = _stand_ins[key] = SimpleNamespace(original=original, **{repair.name: mended})
    return stand_in


def _homes(library: ModuleType) -> tuple[str, ...]:
    return (library.__name__.partition(".")[0], *(("io",) if library is builtins else ()))


def module(name: str) -> ModuleType:
    """What `import NAME as …` binds, where a version may have taken the module out.

    Args:
        name: An absolute module name.
    """
    try:
        return import_module(name)
    except ModuleNotFoundError as error:
        repair = lost(name)
        if repair is None or lost(str(error.name)) is None:
            raise
        if isinstance(repair.home, Moved):
            notes.note(repair)
            return import_module(repair.home.today)
        assert isinstance(repair.home, ModuleType)
        return repair.home


def member(name: str, leaf: str) -> Any:
    """What `from NAME import LEAF` binds.

    Args:
        name: An absolute module name.
        leaf: A name in it.
    """
    found = module(name)
    try:
        return getattr(owner(found, leaf), leaf)
    except AttributeError:
        raise ImportError(f"cannot import name {leaf!r} from {name!r}", name=name) from None


def is_beside(name: str, package: str) -> bool:
    """Whether a file's import is of what lies beside it in its package: where nothing else has the name.

    Args:
        name: The module, as the file imports it.
        package: The file's package, or "".
    """
    top = name.partition(".")[0]
    if not package or top in sys.modules:
        return False
    spec = find_spec(top)
    if spec is not None and (spec.origin is not None or _have_modules(spec.submodule_search_locations or ())):
        return False
    notes.note(Repair("", name, BEFORE, "", f"import {name}", f"looks for outside {package} alone"))
    return True


def _have_modules(folders: Iterable[str]) -> bool:
    """Whether folders without __init__.py are a package of Python 3's, and not of data."""
    for folder in folders:
        for path, inner, files in os.walk(folder):
            if any(name.endswith((".py", *EXTENSION_SUFFIXES)) for name in files):
                return True
            if path != folder:
                inner.clear()
    return False
