"""Checks scripts and folders, reads their files in several processes, and yields the verdict of each path."""

from __future__ import annotations

import os
from dataclasses import replace
from typing import Generator, Iterable, Iterator, NamedTuple, Sequence

from tf1mem.checking import kinds
from tf1mem.checking.file_findings import FileSummary
from tf1mem.checking.here import Here
from tf1mem.checking.own import beside
from tf1mem.checking.reading import read
from tf1mem.checking.remembered import Remembered
from tf1mem.checking.verdict import Checked, judged
from tf1mem.codemod.trees.cache import Row
from tf1mem.codemod.trees.walk import Exclusion, File, Unreadable, kind_of, repository, walk
from tf1mem.codemod.trees.workers import Workers

_AT_ONCE_FILES = 4096  # paths are read in groups of at least so many files, and then their verdicts are yielded
_ALONE_FILES = 48  # the largest number of files in a group that this process reads by itself, without workers
_BATCH_FILES = 16  # the number of files sent to a worker at a time
_SOURCES = dict.fromkeys((".cc", ".cpp", ".cu", ".cxx"), "c++")  # source of C++ ops


class _Job(NamedTuple):
    number: int  # the file's index in its group
    file: File


class _Reader:
    """The function that a worker process applies to a batch; it yields the batch's numbers with the summaries."""

    def __init__(self, here_and_known: tuple[Here, dict[str, Row]]) -> None:
        self._here, self._known = here_and_known

    def __call__(self, batch: Sequence[_Job]) -> Iterator[list[tuple[int, FileSummary]]]:
        yield [(job.number, _read(job.file, self._here, self._known)) for job in batch]


def check(
    paths: Iterable[str],
    here: Here,
    *,
    jobs: int = 1,
    exclude: Sequence[Exclusion] = (),
    known: Remembered | None = None,
) -> Generator[Checked, None, None]:
    """Checks programs and repositories, without running anything.

    Args:
        paths: Scripts, read together with the files that they import; or folders, each one a repository.
        here: The Python and packages to compare with.
        jobs: Number of worker processes that read the folders' files; 1 for this process, which also reads scripts.
        exclude: Patterns of files to leave out of folders.
        known: The summaries of files from earlier checks; further ones are added to it. Default: none.

    Yields:
        The result of each path, in the order of the paths. An error in tf1mem, or the death of a worker, is a problem
            of the file in question.
    """
    known = Remembered() if known is None else known
    workers: Workers[_Job, tuple[int, FileSummary]] = Workers(
        jobs, _Reader, (here, known.rows), died=_died, swept=lambda process, left: None, command="tf1mem check"
    )
    try:
        group: list[tuple[str, list[File], list[tuple[str, str]]]] = []
        for path in paths:
            group.append((path, *_files(path, exclude)))
            if sum(len(files) for _, files, _ in group) >= _AT_ONCE_FILES:
                yield from _checked(group, here, workers, jobs, exclude=exclude, known=known)
                group = []
        yield from _checked(group, here, workers, jobs, exclude=exclude, known=known)
    finally:
        workers.stop()


def _files(path: str, exclude: Sequence[Exclusion]) -> tuple[list[File], list[tuple[str, str]]]:
    """Returns the files at a path; and the paths of unreadable ones, each with the reason."""
    entries = list(walk([path], exclude=exclude))
    return (
        [entry for entry in entries if isinstance(entry, File)],
        [(entry.path, entry.why) for entry in entries if isinstance(entry, Unreadable)],
    )


def _checked(
    group: Sequence[tuple[str, list[File], list[tuple[str, str]]]],
    here: Here,
    workers: Workers[_Job, tuple[int, FileSummary]],
    jobs: int,
    *,
    exclude: Sequence[Exclusion],
    known: Remembered,
) -> Iterator[Checked]:
    """Yields the result for each path of a group, whose files are read together."""
    every = [file for path, files, _ in group if os.path.isdir(path) for file in files]
    reads = _all_read(every, here, workers, jobs, known.rows)
    for each in reads.values():
        known.add(each)
    number = 0
    for path, files, problems in group:
        if os.path.isdir(path):
            own = {file.path: reads[number + offset] for offset, file in enumerate(files)}
            number += len(files)
            root = path.rstrip(os.sep)
            result = _with_sources(judged(path, own, here, "" if root == os.curdir else root), exclude)
        elif files:
            root_above = repository(os.path.dirname(path))
            followed = _followed(path, root_above, here, known)
            result = judged(path, followed, here, root_above, path)
        else:
            result = judged(path, {}, here)
        yield replace(result, problems=(*result.problems, *problems))


def _with_sources(checked: Checked, exclude: Sequence[Exclusion]) -> Checked:
    """Returns a repository's result, in which the findings of C++ ops name the source files to rebuild."""
    if not any(finding.kind == kinds.OPS for _, finding in checked.placed):
        return checked
    sources = sorted(
        os.path.relpath(entry.path, checked.path)
        for entry in walk([checked.path], exclude=exclude, kinds=_SOURCES)
        if isinstance(entry, File) and _registers_op(entry.path)
    )
    which = ", ".join(sources) or "them, whose source isn't here,"
    remedy = f"Rebuild {which} with the installed TensorFlow."
    placed = (
        placed_finding._replace(finding=placed_finding.finding._replace(remedy=remedy))
        if placed_finding.finding.kind == kinds.OPS
        else placed_finding
        for placed_finding in checked.placed
    )
    return replace(checked, placed=tuple(placed))


def _registers_op(path: str) -> bool:
    try:
        with open(path, "rb") as file:
            return b"REGISTER_OP(" in file.read()
    except OSError:
        return False


def _all_read(
    files: list[File], here: Here, workers: Workers[_Job, tuple[int, FileSummary]], jobs: int, rows: dict[str, Row]
) -> dict[int, FileSummary]:
    """Reads files, by workers if there are many; returns the summaries by the files' indices."""
    if jobs == 1 or len(files) <= _ALONE_FILES:
        return {number: _read(file, here, rows) for number, file in enumerate(files)}
    waiting = [_Job(number, file) for number, file in enumerate(files)]
    for start in range(0, len(waiting), _BATCH_FILES):
        workers.give(waiting[start : start + _BATCH_FILES], start // _BATCH_FILES % jobs)
    reads: dict[int, FileSummary] = {}
    while len(reads) < len(files):
        reads.update(workers.answers(wait=True))
    return reads


def _followed(script: str, root: str | None, here: Here, known: Remembered) -> dict[str, FileSummary]:
    """Returns the summaries of a script and of its own files that it imports."""
    reads: dict[str, FileSummary] = {}
    waiting = [script]
    while waiting:
        path = waiting.pop(0)
        if path not in reads:
            reads[path] = _read(File(path, kind_of(path), 0), here, known.rows)
            known.add(reads[path])
            waiting += [
                file for statement in reads[path].imports for file in beside(path, script, root, statement.name)
            ]
    return reads


def _read(file: File, here: Here, rows: dict[str, Row]) -> FileSummary:
    try:
        return read(file.path, file.kind, here, rows)
    except Exception as error:  # an error in tf1mem must not stop the other files
        return FileSummary(
            file.path, problem=f"could not be read, because of a mistake in tf1mem: {type(error).__name__}: {error}"
        )


def _died(job: _Job, status: int) -> tuple[int, FileSummary]:
    return job.number, FileSummary(job.file.path, problem=f"the process that read it ended with status {status}")
