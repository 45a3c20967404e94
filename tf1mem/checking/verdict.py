"""What a program or a repository comes to, by what its files came to."""

from __future__ import annotations

import os
from dataclasses import dataclass
from functools import cached_property
from typing import Iterator, NamedTuple, Sequence

from tf1mem.checking import kinds, python2
from tf1mem.checking.found import ACTS, NAMES_MAIN, Found, Import, Read
from tf1mem.checking.here import Here
from tf1mem.checking.libraries import DISTRIBUTIONS, FOR_TENSORFLOW_1, GONE_FROM_PYTHON
from tf1mem.checking.own import Own
from tf1mem.doctor.finding import ERROR, WARNING
from tf1mem.era.repairs import LOADED, lost, of_library
from tf1mem.machine.tensorflow import INSTALL

STOPS, NOT_READ, MAY_STOP, RUNS = "stops", "not read", "may stop", "runs"
# What tf1mem.v1 gives whenever there is a TensorFlow.
_TENSORFLOWS = ("tensorflow", "tensorflow_core", "keras")
_NOT_PROGRAMS = ("setup.py", "conftest.py", "__init__.py", "conf.py")


class Placed(NamedTuple):
    """Something that is found, and the file that it is in."""

    path: str
    found: Found


class Program(NamedTuple):
    """A program, and what of its files is found.

    Attributes:
        path: Its script.
        verdict: `STOPS`, `NOT_READ` where it or a file that it imports was not, `MAY_STOP` or `RUNS`.
        stops: The names that stop it.
    """

    path: str
    verdict: str
    stops: tuple[str, ...]


@dataclass(frozen=True)
class Checked:
    """What a path that was asked for comes to.

    Attributes:
        path: The path.
        files: How many files were read.
        programs: The programs among them, in order.
        placed: What is found, in order.
        reached: The files that its programs come to import, and they themselves; all where there is no program.
        problems: Files that could not be read, and why.
    """

    path: str
    files: int
    programs: tuple[Program, ...]
    placed: tuple[Placed, ...]
    reached: frozenset[str]
    problems: tuple[tuple[str, str], ...] = ()

    @cached_property
    def verdict(self) -> str:
        """That of its programs; of all files where there is no program among them."""
        said = {program.verdict for program in self.programs} or {_verdict(self.placed, bool(self.problems))}
        return next((verdict for verdict in (STOPS, NOT_READ, MAY_STOP) if verdict in said), RUNS)


def judged(
    path: str, reads: dict[str, Read], here: Here, root: str | None = None, script: str | None = None
) -> Checked:
    """What files that belong together come to.

    Args:
        path: What was asked for.
        reads: What each file came to, by its path.
        here: What they are held against.
        root: The repository's folder; None where it isn't known.
        script: The one program among them; by default all files that are programs by themselves.
    """
    own = Own(reads, here, root, script)
    scripts = [script] if script else list(_programs(reads, own))
    reached = {file: _reached(file, reads, own) for file in scripts}
    found = {
        file: _all(read, [one for one in scripts if file in reached[one]], own, here) for file, read in reads.items()
    }
    return Checked(
        path,
        len(reads),
        tuple(_program(file, reached[file], found, reads) for file in scripts),
        tuple(Placed(file, one) for file in reads for one in found[file]),
        frozenset().union(*reached.values()) if scripts else frozenset(reads),
        tuple((file, read.problem) for file, read in reads.items() if read.problem),
    )


def _programs(reads: dict[str, Read], own: Own) -> Iterator[str]:
    """The files that are programs by themselves; one that does something as it loads, if no other imports it."""
    imported = {other for file in reads for other in _runs(file, file, reads, own) if other != file}
    for file, read in reads.items():
        acts = read.is_program == ACTS and file not in imported
        if (read.is_program == NAMES_MAIN or acts) and os.path.basename(file) not in _NOT_PROGRAMS:
            yield file


def _runs(file: str, script: str, reads: dict[str, Read], own: Own) -> Iterator[str]:
    return (other for one in reads[file].imports for other in own.files_of(one.name, file, script))


def _reached(script: str, reads: dict[str, Read], own: Own) -> set[str]:
    """The files that a script comes to import, and itself."""
    reached, waiting = {script}, [script]
    while waiting:
        ahead = set(_runs(waiting.pop(), script, reads, own)) - reached
        reached |= ahead
        waiting.extend(ahead)
    return reached


def _program(path: str, reached: set[str], found: dict[str, list[Found]], reads: dict[str, Read]) -> Program:
    placed = [Placed(file, one) for file in found if file in reached for one in found[file]]
    stops = dict.fromkeys(one.found.what for one in placed if one.found.kind.severity == ERROR)
    return Program(path, _verdict(placed, any(reads[file].problem for file in reached)), tuple(stops))


def _verdict(placed: Sequence[Placed], has_problems: bool) -> str:
    severities = {one.found.kind.severity for one in placed}
    if ERROR in severities:
        return STOPS
    return NOT_READ if has_problems else MAY_STOP if WARNING in severities else RUNS


def _all(read: Read, scripts: list[str], own: Own, here: Here) -> list[Found]:
    """What is found in a file, and what of its imports isn't there."""
    missing: dict[tuple[str, str], Found] = {}
    for one in read.imports:
        top = _top(one)
        if one.name.startswith(".") or own.is_found(top, read.path, scripts):
            continue
        folder = None if here.has_module(top) else own.elsewhere(top)
        found = _missing(one, here) if folder is None else _not_looked_for(one, folder or os.curdir)
        if found is not None:
            missing.setdefault((found.kind.severity, found.what), found)
    # Imports of TensorFlow's are read by themselves, and "keras" may mean the program's.
    has_keras = own.is_found("keras", read.path, scripts)
    sure = {what for severity, what in missing if severity == ERROR}
    return sorted(
        [
            *(
                one
                for one in read.found
                if not (has_keras and one.kind == kinds.LACKING and one.what.startswith("keras."))
            ),
            *(one for (severity, what), one in missing.items() if severity == ERROR or what not in sure),
        ],
        key=lambda one: (one.cell or 0, one.line, one.column, one.kind.code, one.what),
    )


def _not_looked_for(one: Import, folder: str) -> Found:
    says = f"{_top(one)} lies in {folder}, where Python doesn't look for it"
    return Found(kinds.NOT_LOOKED_FOR, _top(one), says, f"PYTHONPATH={folder} has Python look there.", *one.place)


def _missing(one: Import, here: Here) -> Found | None:
    top = _top(one)
    if here.tensorflow is not None and top in _TENSORFLOWS:
        return None
    if here.has_module(top):
        return _of_tensorflow_1(one, here)
    of_python2 = python2.module(one)
    if of_python2 is not None or _is_repaired(one):
        return of_python2
    if here.python >= GONE_FROM_PYTHON.get(top, (99,)):
        went = "{}.{}".format(*GONE_FROM_PYTHON[top])
        return Found(
            kinds.GONE, top, f"{top} went with Python {went}", f"Run it on a Python older than {went}.", *one.place
        )
    if top in ("distutils", "imp"):
        return Found(kinds.ABSENT, one.name, f"{one.name} went with Python 3.12", "pip install setuptools", *one.place)
    mend = INSTALL if top in _TENSORFLOWS else f"pip install {DISTRIBUTIONS.get(top, top)}"
    if top in FOR_TENSORFLOW_1:
        mend += f", and {_with_package(top)}: it was written for TensorFlow 1"
    kind = kinds.ABSENT if one.is_sure else kinds.MAY_BE_ABSENT
    return Found(kind, top, f"{top} isn't installed", mend, *one.place)


def _of_tensorflow_1(one: Import, here: Here) -> Found | None:
    distribution, until = FOR_TENSORFLOW_1.get(_top(one), ("", ""))
    if not distribution or (until and here.is_as_new(f"{distribution} {until}")):
        return None
    if here.tensorflow is None or here.tensorflow.major < 2:
        return None
    says = f"{_top(one)} was written for TensorFlow 1, and is installed"
    return Found(kinds.OF_TENSORFLOW_1, _top(one), says, f"Use {_with_package(_top(one))}.", *one.place)


def _with_package(top: str) -> str:
    return f"tf1mem run --with-package {top}"


def _is_repaired(one: Import) -> bool:
    """Whether a module of Python's that went is given back, or the module that has the name."""
    of_library("standard_library")
    owner, _, leaf = one.name.rpartition(".")
    return lost(one.name) is not None or (lost(owner) is not None and (owner, leaf) in LOADED)


def _top(one: Import) -> str:
    return one.name.partition(".")[0]
