"""What a repair is, and the tables of those that this process has loaded."""

from __future__ import annotations

import ast
import re
import sys
from functools import lru_cache
from importlib import import_module
from types import ModuleType
from typing import Any, Callable, Dict, Iterable, Iterator, NamedTuple, Tuple, Union

# Where the object is today ("numpy.inf"), what does the same, or what stands in for a module.
Home = Union[str, Callable[..., Any], ModuleType]


# The version without what Python 2 had. Programs look whether it is there, to know on which Python they run.
BEFORE = "Python 3.0"
# The name of a repair of `"%.2f" % values`, which is no call.
FORMAT = "%"


class StandIn(ModuleType):
    """A module that may be gone: it has what the repairs have of it."""

    def __getattr__(self, name: str) -> Any:
        repair = LOADED.get((self.__name__, name))
        if repair is None:
            raise AttributeError(f"module {self.__name__!r} has no attribute {name!r}")
        return repair.value()


class Moved(StandIn):
    """A module that is there under another name.

    Args:
        name: The name that it had.
        today: The one that it has.
    """

    def __init__(self, name: str, today: str) -> None:
        super().__init__(name)
        self.today = today


class Repair(NamedTuple):
    """A name of a library, or what it once did.

    Attributes:
        owner: The module or class that had it: "numpy", "numpy.ndarray"; "" of a module that stood alone.
        name: Its name there.
        since: The first version without it: "NumPy 1.24".
        home: What it is today. A function in a method's place takes the instance first; one that repairs a function
            that is still there first takes what notes that it did, and that function.
        what: The name as people are told of it.
        did: What that version did.
        is_another: The library has something else under the name today.
        is_method: The owner is a class.
        is_in_need: Of a function that is still there: whether a call may be one that is to be repaired, by its looks.
        hint: What a file that asks for it mentions beside its name.
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

    @property
    def is_module(self) -> bool:
        """Whether it is a module, which may be gone."""
        return isinstance(self.home, StandIn)

    def value(self) -> Any:
        """The object that the name stood for."""
        return found(self.home) if isinstance(self.home, str) else self.home


# The repairs of the libraries that files have mentioned so far, by owner and name.
LOADED: Dict[Tuple[str, str], Repair] = {}


def found(path: str) -> Any:
    """The object at a dotted path; modules on the way are imported."""
    module, _, name = path.rpartition(".")
    try:
        return getattr(import_module(module), name)
    except ModuleNotFoundError:
        return getattr(found(module), name)


def lost(module: str) -> Repair | None:
    """The repair of a module that may be gone, by its whole name."""
    owner, _, name = module.rpartition(".")
    repair = LOADED.get((owner, name))
    return repair if repair is not None and repair.is_module else None


def gone(owner: str, since: str, names: str = "", **homes: Home) -> Iterator[Repair]:
    """Names that a version took out of a module.

    Args:
        owner: The module.
        since: The version.
        names: "old=home old=home", each home a name in `owner`, or a whole path if it has a dot.
        homes: More of them, by their names.
    """
    for name, _, home in (entry.partition("=") for entry in names.split()):
        path = home if "." in home else f"{owner}.{home}"
        yield Repair(owner, name, since, path, shown(owner, name), hint=_library(owner))
    for name, function in homes.items():
        yield Repair(owner, name, since, function, shown(owner, name), hint=_library(owner))


def _library(owner: str) -> bytes:
    """What a file mentions that has a library; of NumPy it may be no more than np, which came with a star, and builtins
    are just there.
    """
    library = owner.partition(".")[0].encode()
    return b"" if library in (b"numpy", b"builtins") else library


def methods(
    owner: str, since: str, is_in_need: Callable[[ast.Call], bool] | None = None, **homes: Callable[..., Any]
) -> Iterator[Repair]:
    """The same of a class, for what is asked of its instances; of calls alone, if it is said which."""
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
    """Modules that a version took out; `gone` says what they had."""
    for name in names.split():
        owner, _, leaf = name.rpartition(".")
        yield Repair(owner, leaf, since, StandIn(name), name, hint=_library(name))


def moved(since: str, names: str) -> Iterator[Repair]:
    """Modules that a version gave another name: "old=new old=new"."""
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
    **homes: Callable[..., Any],
) -> Iterator[Repair]:
    """Functions that are still there, and that a version had do otherwise.

    Args:
        owner: The module that has them.
        since: The version.
        did: What it does with calls of a kind: "refuses".
        kind: That kind: "of a generator".
        is_in_need: Whether a call may be one of those, by its looks.
        hint: What a file that has such calls mentions.
        homes: The functions, by their names.
    """
    for name, home in homes.items():
        what = f"{shown(owner, name)} {kind}"
        yield Repair(owner, name, since, home, what, did, is_in_need=is_in_need, hint=hint)


def shown(owner: str, name: str) -> str:
    """A name as people write it: np.bool."""
    library, _, rest = owner.partition(".")
    return ".".join(filter(None, ({"numpy": "np", "builtins": ""}.get(library, library), rest, name)))


@lru_cache(maxsize=None)
def of_library(library: str) -> Tuple[Repair, ...]:
    """The repairs of one of `LIBRARIES` that this Python may be in need of; from now on they are in force."""
    repairs: Iterable[Repair] = import_module(f"tf1mem.era.{library}").REPAIRS
    needed = tuple(repair for repair in repairs if not _is_to_come(repair.since))
    LOADED.update(((repair.owner, repair.name), repair) for repair in needed)
    return needed


_BEFORE_A_VALUE = re.compile(rb"(?:[(,=\[{:]|\b(?:and|else|is|not|or|return))\s*\Z")
_LOOK_BACK_BYTES = 200


def _is_used(name: bytes, source: bytes) -> bool:
    """Whether a file has a name where a value stands, and not as a word of a comment."""
    for found in re.finditer(rb"%s\b" % name, source):
        start, end = found.span()
        before = source[max(start - _LOOK_BACK_BYTES, 0) : start]
        if not re.search(rb"[\w.]\Z", before[-1:]) and (
            source[end : end + 1] == b"(" or _BEFORE_A_VALUE.search(before)
        ):
            return True
    return False


def _is_word(name: bytes, source: bytes) -> bool:
    """Whether a file has a name as a word of its own, which the end of another is not."""
    return re.search(rb"(?<![\w.])%s\b" % name, source) is not None


def _is_to_come(since: str) -> bool:
    what, _, version = since.partition(" ")
    return what == "Python" and tuple(map(int, version.split("."))) > sys.version_info[:2]


def wanted(source: bytes, libraries: Iterable[str]) -> Iterator[Repair]:
    """The repairs that a file may be in need of, cheaply, and wrong on the safe side.

    Args:
        source: The file's bytes.
        libraries: What of `LIBRARIES` it mentions.
    """
    imports = b"\n".join(line for line in source.replace(b"\\\n", b" ").split(b"\n") if b"import" in line)
    asked: dict[str, bool] = {}
    for library in libraries:
        for repair in of_library(library):
            name = repair.name.encode()
            if name not in source or repair.hint not in source:
                continue
            owner = repair.owner or repair.name
            if owner == "builtins":
                is_asked = _is_word(name, source) if repair.is_in_need is not None else _is_used(name, source)
            elif repair.is_method or repair.hint not in (b"", _library(repair.owner or repair.name)):
                is_asked = True  # its own hint says enough
            elif owner.startswith("numpy"):
                # It comes with a star, too, as np.
                is_asked = b"from numpy" in imports or re.search(rb"\.%s\b" % name, source) is not None
            else:
                if owner not in asked:
                    asked[owner] = _is_named(owner.rpartition(".")[2].encode(), source, imports)
                is_asked = asked[owner]
            if is_asked:
                yield repair


def _is_named(module: bytes, source: bytes, imports: bytes) -> bool:
    """Whether a file names a module: in its imports, or as what has something."""
    return re.search(rb"\b%s\b" % module, imports) is not None or re.search(rb"%s\.\w" % module, source) is not None
