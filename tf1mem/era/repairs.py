"""The model of a repair, and the tables of repairs that this process has loaded."""

from __future__ import annotations

import ast
import re
import sys
from functools import lru_cache
from importlib import import_module
from itertools import groupby
from types import ModuleType
from typing import Any, Callable, Dict, Iterable, Iterator, NamedTuple, Tuple, Union

# Today's path ("numpy.inf"), a function that does the same, or a stand-in for a module.
Home = Union[str, Callable[..., Any], ModuleType]


# `since` of the repairs for names of Python 2. Programs test for these names to learn which Python runs them.
PYTHON_3 = "Python 3.0"
# Name of the repair of `"%.2f" % values`, which isn't a call.
FORMAT = "%"
# Name of the repair of `x[i] = value`, which isn't a call either.
ELEMENT = "["
# Name of the repair of matplotlib's LaTeX preamble, if it is a list of lines.
PREAMBLE = "preamble"


class StandIn(ModuleType):
    """A module that today's library may lack; its members are the repairs whose owner it is."""

    def __getattr__(self, name: str) -> Any:
        repair = LOADED.get((self.__name__, name))
        if repair is None:
            raise AttributeError(f"module {self.__name__!r} has no attribute {name!r}")
        return repair.value()


class Moved(StandIn):
    """A module that has another name today.

    Args:
        name: The old name.
        today: Today's name.
    """

    def __init__(self, name: str, today: str) -> None:
        super().__init__(name)
        self.today = today


class Repair(NamedTuple):
    """A repair of one name of a library, or of one behaviour.

    Attributes:
        owner: The module or class that had it: "numpy", "numpy.ndarray"; "" for a top-level module.
        name: The name in the owner.
        since: The first version without it: "NumPy 1.24".
        home: Today's equivalent. A function that replaces a method takes the instance first; one that repairs an
            existing function or method takes a callable that records the repair, then that function or bound method,
            then the call's arguments.
        what: The name as reports show it.
        did: The verb for that version's change: "removed", "refuses".
        is_another: True if the library has something else under the name today.
        is_method: True if the owner is a class.
        is_in_need: Returns True if a call, by its syntax, may need the repair; None if every use does.
        hint: Bytes that, like the name, occur in every file that needs the repair.
        is_for_indices: False if results that are used as an index, as in `x[np.meshgrid(i, j)]`, stay as they are.
        is_for_statements: False if calls whose result isn't used stay as they are.
    """

    owner: str
    name: str
    since: str
    home: Home
    what: str
    did: str = "removed"
    is_another: bool = False
    is_method: bool = False
    is_in_need: Callable[[ast.Call], bool] | None = None
    hint: bytes = b""
    is_for_indices: bool = True
    is_for_statements: bool = True

    @property
    def is_module(self) -> bool:
        """True for a module, which may be gone."""
        return isinstance(self.home, StandIn)

    def value(self) -> Any:
        """Returns the object that the name stood for."""
        return imported_object(self.home) if isinstance(self.home, str) else self.home


# The repairs of the libraries that files have mentioned so far, by owner and name.
LOADED: Dict[Tuple[str, str], Repair] = {}


def imported_object(path: str) -> Any:
    """Returns the object at a dotted path, or the module of a single name; imports the modules on the way."""
    module, _, name = path.rpartition(".")
    if not module:
        return import_module(name)
    try:
        return getattr(import_module(module), name)
    except ModuleNotFoundError:
        return getattr(imported_object(module), name)


def lost(module: str) -> Repair | None:
    """Returns the repair of a module that may be gone, by its full name."""
    owner, _, name = module.rpartition(".")
    repair = LOADED.get((owner, name))
    return repair if repair is not None and repair.is_module else None


def gone(owner: str, since: str, names: str = "", **homes: Home) -> Iterator[Repair]:
    """Yields repairs of names that a version removed from a module.

    Args:
        owner: The module that had the names.
        since: The first version without them: "NumPy 1.24".
        names: "old=home old=home"; each home is a name in `owner`, or a full path if it has a dot.
        homes: Further repairs, by name.
    """
    for name, _, home in (entry.partition("=") for entry in names.split()):
        path = home if "." in home else f"{owner}.{home}"
        yield Repair(owner, name, since, path, shown(owner, name), hint=_library(owner))
    for name, function in homes.items():
        yield Repair(owner, name, since, function, shown(owner, name), hint=_library(owner))


def _library(owner: str) -> bytes:
    """Returns the library's name as a hint; none for builtins and for NumPy, which a star import may bind as np."""
    library = owner.partition(".")[0].encode()
    return b"" if library in (b"numpy", b"builtins") else library


def methods(
    owner: str, since: str, is_in_need: Callable[[ast.Call], bool] | None = None, **homes: Callable[..., Any]
) -> Iterator[Repair]:
    """Yields repairs of methods, looked up on instances; if `is_in_need` is passed, only for the calls it accepts."""
    for name, function in homes.items():
        yield Repair(
            owner,
            name,
            since,
            function,
            shown(owner, name),
            is_method=True,
            is_in_need=is_in_need,
            hint=b"." + name.encode(),
        )


def modules(since: str, names: str) -> Iterator[Repair]:
    """Yields repairs of modules that a version removed; `gone` lists their members."""
    for name in names.split():
        owner, _, leaf = name.rpartition(".")
        yield Repair(owner, leaf, since, StandIn(name), name, hint=_library(name))


def moved(since: str, names: str) -> Iterator[Repair]:
    """Yields repairs of modules that a version renamed: "old=new old=new"."""
    for name, _, today in (entry.partition("=") for entry in names.split()):
        owner, _, leaf = name.rpartition(".")
        yield Repair(owner, leaf, since, Moved(name, today), name, did=f"calls {today}", hint=b"import")


def changed(
    owner: str,
    since: str,
    did: str,
    kind: str,
    is_in_need: Callable[[ast.Call], bool],
    *,
    hint: bytes = b"",
    is_for_indices: bool = True,
    **homes: Callable[..., Any],
) -> Iterator[Repair]:
    """Yields repairs of functions that still exist but that a version changed.

    Args:
        owner: The module that has them.
        since: The version with the change: "NumPy 1.24".
        did: The change, as a verb: "refuses".
        kind: The affected calls: "of a generator".
        is_in_need: Returns True if a call, by its syntax, may be affected.
        hint: Bytes that occur in every file with such calls.
        is_for_indices: False to leave results alone that are used as an index (see `Repair`).
        homes: The repairing functions, by name.
    """
    for name, home in homes.items():
        label = f"{shown(owner, name)} {kind}"
        yield Repair(
            owner, name, since, home, label, did, is_in_need=is_in_need, hint=hint, is_for_indices=is_for_indices
        )


def shown(owner: str, name: str) -> str:
    """Returns a name as people write it: np.bool."""
    library, _, path = owner.partition(".")
    return ".".join(filter(None, ({"numpy": "np", "builtins": ""}.get(library, library), path, name)))


@lru_cache(maxsize=None)
def of_library(library: str) -> Tuple[Repair, ...]:
    """Returns the repairs of one of `LIBRARIES` that this Python may need; from now on they are in force."""
    repairs: Iterable[Repair] = import_module(f"tf1mem.era.{library}").REPAIRS
    needed = tuple(repair for repair in repairs if not _is_to_come(repair.since))
    LOADED.update(((repair.owner, repair.name), repair) for repair in needed)
    return needed


@lru_cache(maxsize=None)
def _by_names(library: str) -> Tuple[Tuple[bytes, Tuple[Repair, ...]], ...]:
    """Returns a library's repairs as pairs: a name in bytes, and the neighbouring repairs of this name."""
    groups = groupby(of_library(library), lambda repair: repair.name.encode())
    return tuple((name, tuple(repairs)) for name, repairs in groups)


_WORD = re.compile(rb"\w+")
_OPERATORS = (FORMAT.encode(), ELEMENT.encode())
# The text before a name that is used as a value, and the number of bytes in which it is searched for.
_BEFORE_A_VALUE = re.compile(rb"(?:[(,=\[{:]|\b(?:and|else|is|not|or|return))\s*\Z")
_LOOK_BACK_BYTES = 200


def _is_used(name: bytes, source: bytes) -> bool:
    """Returns True if a file uses a name as a value, and not as a word of a comment."""
    for match in re.finditer(rb"%s\b" % name, source):
        start, end = match.span()
        before = source[max(start - _LOOK_BACK_BYTES, 0) : start]
        if not re.search(rb"[\w.]\Z", before[-1:]) and (
            source[end : end + 1] == b"(" or _BEFORE_A_VALUE.search(before)
        ):
            return True
    return False


def _is_word(name: bytes, source: bytes) -> bool:
    """Returns True if a file has a name as a whole word."""
    return re.search(rb"(?<![\w.])%s\b" % name, source) is not None


def _is_to_come(since: str) -> bool:
    product, _, version = since.partition(" ")
    return product == "Python" and tuple(map(int, version.split("."))) > sys.version_info[:2]


def needed_repairs(source: bytes, libraries: Iterable[str]) -> Iterator[Repair]:
    """Yields the repairs that a file may need: a cheap test, which errs on the safe side.

    Args:
        source: The file's bytes.
        libraries: The entries of `LIBRARIES` that it mentions.
    """
    imports = b"\n".join(line for line in source.replace(b"\\\n", b" ").split(b"\n") if b"import" in line)
    words = frozenset(_WORD.findall(source))
    is_owner_named: dict[str, bool] = {}
    for library in libraries:
        spelled = (
            (name, repair)
            for name, repairs in _by_names(library)
            if name in words or (name in _OPERATORS and name in source)
            for repair in repairs
        )
        for name, repair in spelled:
            if repair.hint not in source:
                continue
            owner = repair.owner or repair.name
            if owner == "builtins":
                is_needed = _is_word(name, source) if repair.is_in_need is not None else _is_used(name, source)
            elif repair.is_method or repair.hint not in (b"", _library(repair.owner or repair.name)):
                is_needed = True  # its own hint is enough
            elif owner.startswith("numpy"):
                # Any `.name` counts, not only `np.name`: `from pylab import *` binds np, too.
                is_needed = b"from numpy" in imports or re.search(rb"\.%s\b" % name, source) is not None
            else:
                if owner not in is_owner_named:
                    is_owner_named[owner] = _is_named(owner.rpartition(".")[2].encode(), source, imports)
                is_needed = is_owner_named[owner]
            if is_needed:
                yield repair


def _is_named(module: bytes, source: bytes, imports: bytes) -> bool:
    """Returns True if a file names a module: in an import, or before a dot."""
    return re.search(rb"\b%s\b" % module, imports) is not None or re.search(rb"%s\.\w" % module, source) is not None
