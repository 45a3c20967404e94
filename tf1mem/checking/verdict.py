"""Decides whether a program or a repository runs here, from the summaries of its files."""

from __future__ import annotations

import os
from dataclasses import dataclass
from functools import cached_property
from typing import Iterator, NamedTuple, Sequence

from tf1mem.checking import kinds, python2
from tf1mem.checking.file_findings import ACTS, NAMES_MAIN, FileFinding, FileSummary, Import
from tf1mem.checking.here import Here
from tf1mem.checking.libraries import DISTRIBUTIONS, FOR_TENSORFLOW_1, GONE_FROM_PYTHON
from tf1mem.checking.own import OwnFiles
from tf1mem.doctor.finding import ERROR, WARNING
from tf1mem.era.repairs import LOADED, lost, of_library
from tf1mem.machine.tensorflow import INSTALL
from tf1mem.runner.module_names import HOME, ROOTS, new_name

STOPS, NOT_READ, MAY_STOP, RUNS = "stops", "not read", "may stop", "runs"
# The verdict of a repository with programs that stop, and others that run or may stop.
SOME_STOP = "some stop"
# Modules that `tf1mem run` replaces by those of tf1mem.v1.
_SUPPLIED = frozenset(root for root, home in ROOTS.items() if (home + ".").startswith(HOME + "."))
# Modules that tf1mem.v1 supplies whenever there is a TensorFlow.
_TENSORFLOWS = ("tensorflow", "tensorflow_core", "keras")
_NOT_PROGRAMS = ("setup.py", "conftest.py", "__init__.py", "conf.py")


class Placed(NamedTuple):
    """A finding with its file."""

    path: str
    finding: FileFinding


class CheckedProgram(NamedTuple):
    """A program, and the findings that stop it.

    Attributes:
        path: Path of the script.
        verdict: `STOPS`, `NOT_READ` if the script or a file that it imports was not read, `MAY_STOP` or `RUNS`.
        stops: The names that stop the program.
        is_test: True if its content is that of tests.
    """

    path: str
    verdict: str
    stops: tuple[str, ...]
    is_test: bool


@dataclass(frozen=True)
class Checked:
    """The result of one path.

    Attributes:
        path: The path as the user wrote it: a script or a folder.
        files: Number of files read.
        programs: The programs among them, in order; tests are programs, too.
        placed: The findings, in order.
        reached: The programs' files and the files that they import; all files if there is no program.
        of_tests: The reached files that only `tests` reach, no deciding program.
        sure: The reached files that every run of one of the programs imports.
        decisive: The reached files that every run of one of the deciding programs imports.
        problems: Files that could not be read, with the reason.
    """

    path: str
    files: int
    programs: tuple[CheckedProgram, ...]
    placed: tuple[Placed, ...]
    reached: frozenset[str]
    of_tests: frozenset[str] = frozenset()
    sure: frozenset[str] = frozenset()
    decisive: frozenset[str] = frozenset()
    problems: tuple[tuple[str, str], ...] = ()

    @cached_property
    def deciding(self) -> tuple[CheckedProgram, ...]:
        """Returns the programs that decide the verdict: those that aren't tests; the tests if there are no others."""
        return _deciding(self.programs)

    @cached_property
    def tests(self) -> tuple[CheckedProgram, ...]:
        """Returns the tests, which don't decide the verdict; none if there are no other programs."""
        deciding = frozenset(self.deciding)
        return tuple(program for program in self.programs if program not in deciding)

    def severity(self, placed: Placed) -> str:
        """Returns a finding's severity here: an error is a warning where it stops no program that decides the verdict.

        So it is in a file that only tests reach, that no program reaches, or that not every run imports.
        """
        severity = placed.finding.kind.severity
        return severity if placed.path in self.decisive or severity != ERROR else WARNING

    @cached_property
    def verdict(self) -> str:
        """Returns `SOME_STOP`, or the worst verdict of the deciding programs; of all files if there is no program."""
        severities = [placed.finding.kind.severity for placed in self.placed]
        verdicts = {program.verdict for program in self.deciding} or {_verdict(severities, bool(self.problems))}
        if STOPS in verdicts and not verdicts.isdisjoint((MAY_STOP, RUNS)):
            return SOME_STOP
        return next((verdict for verdict in (STOPS, NOT_READ, MAY_STOP) if verdict in verdicts), RUNS)


def judged(
    path: str, reads: dict[str, FileSummary], here: Here, root: str | None = None, script: str | None = None
) -> Checked:
    """Returns the result of a path's files.

    Args:
        path: The path as the user wrote it: a script or a folder.
        reads: Summary of each file, by path.
        here: The Python and packages to compare with.
        root: The repository's folder; None if unknown.
        script: The only program among them; by default all files that are programs.
    """
    own = OwnFiles(reads, here, root, script)
    scripts = [script] if script else list(_programs(reads, own))
    reached = {file: _reached(file, reads, own) for file in scripts}
    findings = {
        file: _findings_in(read, [script for script in scripts if file in reached[script]], own, here)
        for file, read in reads.items()
    }
    sure = {file: _reached(file, reads, own, only_sure=True) for file in scripts}
    programs = tuple(_program(file, reached[file], sure[file], findings, reads) for file in scripts)
    of_all: frozenset[str] = frozenset().union(*reached.values()) if scripts else frozenset(reads)
    deciding = [program.path for program in _deciding(programs)]
    of_deciding = {file for script in deciding for file in reached[script]}
    return Checked(
        path,
        len(reads),
        programs,
        tuple(Placed(file, finding) for file in reads for finding in findings[file]),
        of_all,
        of_all - of_deciding if scripts else frozenset(),
        frozenset().union(*sure.values()) if scripts else of_all,
        frozenset().union(*(sure[script] for script in deciding)) if scripts else of_all,
        tuple((file, read.problem) for file, read in reads.items() if read.problem),
    )


def _deciding(programs: tuple[CheckedProgram, ...]) -> tuple[CheckedProgram, ...]:
    return tuple(program for program in programs if not program.is_test) or programs


def _programs(reads: dict[str, FileSummary], own: OwnFiles) -> Iterator[str]:
    """Yields the programs among files. A file that doesn't name `__main__` counts if no other file imports it."""
    imported = {other for file in reads for other in _loaded(file, file, reads, own) if other != file}
    for file, read in reads.items():
        acts = read.why_program == ACTS and file not in imported
        if (read.why_program == NAMES_MAIN or acts) and os.path.basename(file) not in _NOT_PROGRAMS:
            yield file


def _loaded(
    file: str, script: str, reads: dict[str, FileSummary], own: OwnFiles, *, only_sure: bool = False
) -> Iterator[str]:
    for statement in reads[file].imports:
        if not only_sure or (statement.is_run_by_script if file == script else statement.is_sure):
            yield from own.files_of(statement.name, file, script)


def _reached(script: str, reads: dict[str, FileSummary], own: OwnFiles, *, only_sure: bool = False) -> set[str]:
    """Returns the files that a script imports, directly or not, and the script itself.

    Args:
        script: Path of the script.
        reads: Summary of each file, by path.
        own: The repository's files.
        only_sure: True for the files that every run of the script imports.
    """
    reached, waiting = {script}, [script]
    while waiting:
        ahead = set(_loaded(waiting.pop(), script, reads, own, only_sure=only_sure)) - reached
        reached |= ahead
        waiting.extend(ahead)
    return reached


def _program(
    path: str, reached: set[str], sure: set[str], findings: dict[str, list[FileFinding]], reads: dict[str, FileSummary]
) -> CheckedProgram:
    """Returns a program's verdict, from the findings in the files that it reaches."""
    severities: list[str] = []
    stops: dict[str, None] = {}
    for file, of_file in findings.items():
        for finding in of_file if file in reached else ():
            # A run may not import the file, so its errors may not stop the program.
            is_error = finding.kind.severity == ERROR
            severities.append(WARNING if is_error and file not in sure else finding.kind.severity)
            if severities[-1] == ERROR:
                stops[finding.what] = None
    verdict = _verdict(severities, any(reads[file].problem for file in reached))
    return CheckedProgram(path, verdict, tuple(stops), reads[path].is_test)


def _verdict(severities: Sequence[str], has_problems: bool) -> str:
    if ERROR in severities:
        return STOPS
    return NOT_READ if has_problems else MAY_STOP if WARNING in severities else RUNS


def _findings_in(read: FileSummary, scripts: list[str], own: OwnFiles, here: Here) -> list[FileFinding]:
    """Returns the findings of a file, including those for its missing imports."""
    missing: dict[tuple[str, str], FileFinding] = {}
    for statement in read.imports:
        top = _top(statement)
        if statement.name.startswith(".") or own.is_found(top, read.path, scripts):
            continue
        folder = None if here.has_module(top) else own.elsewhere(top)
        finding = _missing(statement, here) if folder is None else _not_looked_for(statement, folder or os.curdir)
        if finding is not None:
            missing.setdefault((finding.kind.severity, finding.what), finding)
    # If the program has a module keras of its own, `keras.…` means that module: findings about Keras are dropped.
    has_keras = own.is_found("keras", read.path, scripts)
    sure = {name for severity, name in missing if severity == ERROR}
    return sorted(
        [
            *(
                finding
                for finding in read.findings
                if not (has_keras and finding.kind == kinds.LACKING and finding.what.startswith("keras."))
            ),
            *(finding for (severity, name), finding in missing.items() if severity == ERROR or name not in sure),
        ],
        key=lambda finding: (finding.cell or 0, finding.line, finding.column, finding.kind.code, finding.what),
    )


def _not_looked_for(statement: Import, folder: str) -> FileFinding:
    message = f"{_top(statement)} is in {folder}, where Python doesn't look for it"
    return FileFinding(
        kinds.NOT_LOOKED_FOR,
        _top(statement),
        message,
        f"Put PYTHONPATH={folder} into the environment.",
        *statement.place,
    )


def _missing(statement: Import, here: Here) -> FileFinding | None:
    """Returns the finding for an import whose module isn't there, or is a library for TensorFlow 1; else None."""
    top = _top(statement)
    if here.tensorflow is not None and (top in _TENSORFLOWS or _is_supplied(statement, here)):
        return None
    if here.has_module(top):
        return _old_library_finding(statement, here)
    of_python2 = python2.module(statement)
    if of_python2 is not None or _is_repaired(statement):
        return of_python2
    if here.python >= GONE_FROM_PYTHON.get(top, (99,)):
        removed_in = "{}.{}".format(*GONE_FROM_PYTHON[top])
        return FileFinding(
            kinds.GONE,
            top,
            f"{top} was removed in Python {removed_in}",
            f"Run it on a Python older than {removed_in}.",
            *statement.place,
        )
    if top in ("distutils", "imp"):
        return FileFinding(
            kinds.ABSENT,
            statement.name,
            f"{statement.name} was removed in Python 3.12",
            "pip install setuptools",
            *statement.place,
        )
    remedy = INSTALL if top in _TENSORFLOWS else f"pip install {DISTRIBUTIONS.get(top, top)}"
    if top in FOR_TENSORFLOW_1:
        remedy += f", and {_with_package(top)}: it was written for TensorFlow 1"
    kind = kinds.ABSENT if statement.is_sure else kinds.MAY_BE_ABSENT
    return FileFinding(kind, top, f"{top} isn't installed", remedy, *statement.place)


def _is_supplied(statement: Import, here: Here) -> bool:
    """Returns True if tf1mem.v1 has a module in place of one that isn't installed: tf_slim, a part of TensorBoard."""
    home = new_name(statement.name, _SUPPLIED) if here.tensorflow and here.tensorflow.major > 1 else None
    return home is not None and not here.has_module(_top(statement))


def _old_library_finding(statement: Import, here: Here) -> FileFinding | None:
    distribution, until = FOR_TENSORFLOW_1.get(_top(statement), ("", ""))
    if not distribution or (until and here.is_as_new(f"{distribution} {until}")):
        return None
    if here.tensorflow is None or here.tensorflow.major < 2:
        return None
    message = f"{_top(statement)} was written for TensorFlow 1, and is installed"
    return FileFinding(
        kinds.OF_TENSORFLOW_1, _top(statement), message, f"Use {_with_package(_top(statement))}.", *statement.place
    )


def _with_package(top: str) -> str:
    return f"tf1mem run --with-package {top}"


def _is_repaired(statement: Import) -> bool:
    """Returns True if a module that Python removed is repaired, or the module that contained it."""
    for library in ("standard_library", "before_python3"):
        of_library(library)
    owner, _, leaf = statement.name.rpartition(".")
    return lost(statement.name) is not None or (lost(owner) is not None and (owner, leaf) in LOADED)


def _top(statement: Import) -> str:
    return statement.name.partition(".")[0]
