"""The calls that rewritten places of a program make: `np.bool` becomes `owner(np, "bool").bool`.

The library answers for every name that it has, and raises its own errors; this module supplies only missing names.
"""

from __future__ import annotations

import builtins
import os
import sys
import warnings
from functools import lru_cache, partial
from importlib import import_module
from importlib.machinery import EXTENSION_SUFFIXES
from importlib.util import find_spec
from types import ModuleType, SimpleNamespace
from typing import Any, Callable, Iterable

from tf1mem.era import repair_notes
from tf1mem.era.repairs import ELEMENT, FORMAT, LOADED, PREAMBLE, PYTHON_3, Moved, Repair, StandIn, lost, of_library

__all__ = [
    "builtin",
    "described",
    "element",
    "formatted",
    "is_beside",
    "member",
    "module",
    "owner",
    "preamble",
    "stored",
]

# By owner and name, as in `LOADED`: a call of `int` comes here often, and hashing a whole repair is slow.
_stand_ins: dict[tuple[str, str], SimpleNamespace] = {}
_present: set[Repair] = set()  # names that the library has


def owner(target: Any, name: str) -> Any:
    """Returns the object that has attribute `name`, where the program reads it from `target`.

    Args:
        target: A module, or any other object.
        name: The attribute's name.

    Returns:
        `target` itself, or a stand-in that has the attribute.
    """
    if not isinstance(target, ModuleType):
        return _instance(target, name)
    repair = LOADED.get((target.__name__, name))
    if repair is None:
        return target
    if repair.is_in_need is not None:
        return _mended(target, repair)
    if _is_there(target, repair):
        return target
    if not repair.is_module:  # a module's names are recorded one by one
        repair_notes.note(repair)
    key = repair.owner, repair.name
    if key not in _stand_ins:
        _stand_ins[key] = SimpleNamespace(**{name: repair.value()})
    return _stand_ins[key]


def builtin(name: str, look: Callable[[], Any]) -> Any:
    """Returns the value of a name that may be a builtin: the program's own, or else the builtin with its repair.

    Args:
        name: The builtin's name.
        look: Looks the name up in the program, where a star import, a notebook's cell or `globals()` may have bound it.

    Raises:
        NameError: The name doesn't exist and never did.
    """
    try:
        value = look()
    except NameError:
        if ("builtins", name) not in LOADED:
            raise
        return getattr(owner(builtins, name), name)
    if name not in vars(builtins) or value is not vars(builtins)[name]:
        return value
    known = _stand_ins.get(("builtins", name))  # `int` is called so often that the long way is measurable
    if known is not None and getattr(known, "original", None) is value:
        return getattr(known, name)
    return getattr(owner(builtins, name), name)


def described(description: bytes | str, names: dict[str, Any]) -> None:
    """Puts the descriptors, message classes and enums of a .proto file into a generated module, with its `DESCRIPTOR`.

    Args:
        description: The file's description, a serialized FileDescriptorProto; a text in files for Python 2.
        names: The module's names.
    """
    from google.protobuf import descriptor_pool
    from google.protobuf.internal import builder

    label = "descriptors made one by one"
    repair_notes.note(Repair("", str(names["__name__"]), "protobuf 4.0", "", label, "refuses"))
    serialized = description.encode("latin-1") if isinstance(description, str) else description
    names["DESCRIPTOR"] = file = descriptor_pool.Default().AddSerializedFile(serialized)
    builder.BuildMessageAndEnumDescriptors(file, names)
    builder.BuildTopDescriptorsAndMessages(file, names["__name__"], names)


def formatted(text: str, values: Any) -> Any:
    """Returns the values to use in `text % values`."""
    repair = LOADED["str", FORMAT]
    return repair.value()(partial(repair_notes.note, repair), text, values)


def preamble(value: Any) -> Any:
    """Returns matplotlib's LaTeX preamble as one text; the program may have it as a list of lines."""
    repair = LOADED["matplotlib.RcParams", PREAMBLE]
    return repair.value()(partial(repair_notes.note, repair), value)


def element(value: Any, target: Any) -> Any:
    """Returns the value to store in `target[…]`: `value`, or an array of one element without its dimensions.

    Any element or slice of an array of numbers takes on the same values either way.
    """
    is_array = _is_array.get(type(value))
    if is_array is None:
        numpy = sys.modules.get("numpy")
        if numpy is None:
            return value
        is_array = _is_array[type(value)] = isinstance(value, numpy.ndarray)
    if not is_array or value.size != 1 or not value.ndim:
        return value
    return _stand_in_for_arrays().without_dimensions(value, target)


# Type -> True for NumPy's arrays; cached, since elements are set in loops.
_is_array: dict[type, bool] = {}


def stored(target: Any) -> Any:
    """Returns the object whose element the program sets in `target[…] = value`: `target`, or an array's stand-in."""
    numpy = sys.modules.get("numpy")
    if numpy is None or not isinstance(target, numpy.ndarray):
        return target
    return _stand_in_for_arrays().of(target)


@lru_cache(maxsize=None)
def _stand_in_for_arrays() -> Any:
    """Returns the repair of elements: looked up once, since elements are set in loops."""
    of_library("numpy")
    repair = LOADED["numpy.ndarray", ELEMENT]
    return repair.value()(partial(repair_notes.note, repair))


def _instance(instance: Any, name: str) -> Any:
    """Returns an object, or a stand-in with the method that its class has lost or changed."""
    key = type(instance), name
    if _without_repair.get(key) == len(LOADED):
        return instance
    repairs = 0
    for kind in type(instance).__mro__:
        repair = LOADED.get((f"{kind.__module__}.{kind.__qualname__}", name))
        repairs += repair is not None
        if repair is not None and repair.is_another and repair.is_in_need is not None:
            method = getattr(instance, name)
            return SimpleNamespace(**{name: partial(repair.value(), partial(repair_notes.note, repair), method)})
        if repair is not None and (repair.is_another or not hasattr(instance, name)):
            repair_notes.note(repair)
            return SimpleNamespace(**{name: partial(repair.value(), instance)})
        if name in vars(kind):
            break  # also where a class of the program has its own
    if not repairs:
        _without_repair[key] = len(LOADED)
    return instance


# A type and a method's name -> the number of repairs in `LOADED` when none was for them: methods are called in loops.
_without_repair: dict[tuple[type, str], int] = {}


def _is_there(library: ModuleType, repair: Repair) -> bool:
    """Returns True if the library itself has the name."""
    if isinstance(library, StandIn):
        return False
    if repair in _present or (repair.name in vars(library) and not repair.is_another):
        return True
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # the program's own access warns again
        try:
            today = getattr(library, repair.name)
        except AttributeError:
            return False
    if repair.is_another and today is not repair.value():
        return False
    _present.add(repair)
    return True


def _mended(library: ModuleType, repair: Repair) -> Any:
    """Returns a stand-in with the repaired function; the library itself if the program has replaced the function."""
    original = getattr(library, repair.name)
    key = repair.owner, repair.name
    stand_in = _stand_ins.get(key)
    if stand_in is None or stand_in.original is not original:
        # A function that the program itself replaced stays.
        if _home(original).partition(".")[0].lstrip("_") not in _homes(library):
            return library
        mended = partial(repair.value(), partial(repair_notes.note, repair), original)
        stand_in = _stand_ins[key] = SimpleNamespace(original=original, **{repair.name: mended})
    return stand_in


def _home(function: Any) -> str:
    """Returns the module of a function; that of its class or object if NumPy, up to 2.0, names none."""
    own = getattr(function, "__module__", None)
    return str(own or type(getattr(function, "__self__", function)).__module__)


def _homes(library: ModuleType) -> tuple[str, ...]:
    return (library.__name__.partition(".")[0], *(("io",) if library is builtins else ()))


def module(name: str) -> ModuleType:
    """Returns the module that `import NAME as …` binds; a version may have removed it.

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
            repair_notes.note(repair)
            return import_module(repair.home.today)
        assert isinstance(repair.home, ModuleType)
        return repair.home


def member(name: str, leaf: str) -> Any:
    """Returns the value that `from NAME import LEAF` binds.

    Args:
        name: An absolute module name.
        leaf: The name to import from that module.
    """
    owning_module = module(name)
    try:
        return getattr(owner(owning_module, leaf), leaf)
    except AttributeError:
        raise ImportError(f"cannot import name {leaf!r} from {name!r}", name=name) from None


def is_beside(name: str, package: str) -> bool:
    """Returns True if an import means the module beside the file, since no other module has the name.

    Args:
        name: Module name, as the file imports it.
        package: The file's package; "" if none.
    """
    top = name.partition(".")[0]
    if not package or top in sys.modules:
        return False
    spec = find_spec(top)
    if spec is not None and (spec.origin is not None or _have_modules(spec.submodule_search_locations or ())):
        return False
    repair_notes.note(Repair("", name, PYTHON_3, "", f"import {name}", f"looks for only outside {package}"))
    return True


def _have_modules(folders: Iterable[str]) -> bool:
    """Returns True if folders without __init__.py, which Python 3 can import, hold modules and not only data."""
    for folder in folders:
        for path, inner, files in os.walk(folder):
            if any(name.endswith((".py", *EXTENSION_SUFFIXES)) for name in files):
                return True
            if path != folder:
                inner.clear()
    return False
