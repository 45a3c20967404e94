"""Reads and rewrites the files that `walk` finds, in several processes, and writes them if that is requested."""

from __future__ import annotations

import os
from collections import OrderedDict
from dataclasses import dataclass, replace
from itertools import islice
from typing import Callable, Generator, Iterable, Iterator, NamedTuple, Optional, Sequence, Tuple

from tf1mem.codemod.findings import unread
from tf1mem.codemod.prefilter import may_matter
from tf1mem.codemod.results import Result
from tf1mem.codemod.rewriting import rewrite
from tf1mem.codemod.source.limits import TookTooLong, time_limit
from tf1mem.codemod.trees import temporaries
from tf1mem.codemod.trees.cache import Row, digest_of
from tf1mem.codemod.trees.diff import unified
from tf1mem.codemod.trees.known import KnownFiles, known_files, restored
from tf1mem.codemod.trees.outcomes import Outcome
from tf1mem.codemod.trees.walk import Entry, File, LeftOut, Leftover, PassedOver, Unreadable
from tf1mem.codemod.trees.workers import Workers, cores
from tf1mem.codemod.trees.write import read_file, replace_file
from tf1mem.errors import SourceFileError

# A batch is small enough to keep all cores busy to the end, and large enough that handing it out costs little.
_BATCH_FILES = 32
_BATCH_BYTES = 1 << 18
_BATCH_NAMES = 1 << 14  # characters: a pipe holds two batches without blocking
_WAITING_FILES = 50_000  # no more are held in memory at a time
_LOOK_EVERY_FILES = 256  # found files between two looks at the workers' results
_KEPT_BYTES = 16 << 20
_BINARY_LOOK_BYTES = 8192


# The value of `Options.to` for a translation of Python 2 to Python 3, and nothing else.
PYTHON3 = "python3"


@dataclass(frozen=True)
class Options:
    """Options for each file.

    Attributes:
        to: "shim", "apply" or "native"; or `PYTHON3`.
        only: Codes or names of the rules to use; default: all.
        skip: Codes or names of rules to leave out.
        gpu_memory_mib: Memory of each GPU in MiB, by which fractions become limits.
        for_graphs: True if the files belong to a program that switches TensorFlow 2's behavior off.
        write: True if changed files are written.
        diff: True if outcomes have a diff.
    """

    to: str = "shim"
    only: tuple[str, ...] = ()
    skip: tuple[str, ...] = ()
    gpu_memory_mib: int | None = None
    for_graphs: bool = False
    write: bool = False
    diff: bool = False

    def known_files(self) -> KnownFiles:
        """Returns what earlier runs with these options found in files."""
        if self.to == PYTHON3:
            return KnownFiles()  # files beside a file matter to it, too
        return known_files((self.to, self.only, self.skip, self.gpu_memory_mib, self.for_graphs))

    @property
    def mode(self) -> str:
        """The mode's name in a report: "show", "check" or "write"."""
        return "write" if self.write else "show" if self.diff else "check"

    def rewrite(self, source: bytes, kind: str, path: str | None = None) -> Result:
        """Rewrites one source, which may have a path; one that takes too long is left unchanged, with a remark."""
        try:
            with time_limit(len(source)):
                return self._rewrite(source, kind, path)
        except TookTooLong as error:
            return unread(source, str(error))

    def _rewrite(self, source: bytes, kind: str, path: str | None) -> Result:
        if self.to == PYTHON3:
            from tf1mem.codemod.python3.rewriting import rewrite as written

            return written(source, kind, path)
        return rewrite(
            source, to=self.to, kind=kind, only=self.only, skip=self.skip, gpu_memory_mib=self.gpu_memory_mib,
            for_graphs=self.for_graphs,
        )  # fmt: skip


def work(
    entries: Iterable[Entry],
    options: Options,
    *,
    jobs: int | None = None,
    known: KnownFiles | None = None,
    progress: Callable[[int, int | None], None] | None = None,
) -> Generator[Outcome, None, None]:
    """Rewrites the files of a tree.

        for outcome in work(walk(["src"]), Options(to="apply", write=True)):
            ...

    The files are read, rewritten and written in child processes, which end when the iterator is closed or interrupted.
    On another system than Linux, or in a process with threads, the children start as new Pythons: then the calling
    script needs an `if __name__ == "__main__"`.

    Args:
        entries: Entries from `walk.walk`.
        options: Options for each file.
        jobs: Number of processes; default: the number of cores.
        known: The files that are known for these options; further ones are added to it. Default: none.
        progress: Called at times with the number of finished files and the total, once known.

    Yields:
        The outcome of each file, in the order of `entries`, whatever the number of processes.

    Raises:
        ValueError: An option is invalid.
        WorkerError: No process could be started.
    """
    options.rewrite(b"", "python")
    run = _Run(options, jobs or cores(), KnownFiles() if known is None else known)
    try:
        for outcome in run.outcomes(iter(entries)):
            if progress is not None:
                progress(run.done, run.total)
            if outcome is not None:
                yield outcome
    finally:
        run.stop()


def outcome_of(path: str, kind: str, source: bytes, result: Result, *, diff: bool) -> Outcome:
    """Returns the outcome of a source, before anything is written.

    Args:
        path: Path of the source.
        kind: "python", "notebook", "markdown" or "rst".
        source: The source's bytes.
        result: The result of rewriting it.
        diff: True to make a diff.
    """
    difference = unified(path, source, result.source) if diff and result.changed else b""
    return Outcome(path, kind, result.changes, result.remarks, result.tf1_names, result.supplied, difference)


class _Job(NamedTuple):
    number: int
    file: File
    names: tuple[str, ...]  # all known paths of a file with hard links


_Answer = Tuple[int, Optional[Outcome], bytes]  # None: nothing to do; the file's digest, if it isn't known yet


class _Run:
    """One pass over a tree, in the process that hands out the work."""

    def __init__(self, options: Options, jobs: int, known: KnownFiles) -> None:
        self.done = 0
        self.total: int | None = None
        self._write, self._known = options.write, known
        sweep = _remove_temporaries if options.write else _nothing
        self._workers: Workers[_Job, _Answer] = Workers(
            jobs, _FileWorker, (options, known.digests, known.results.rows), died=_died, swept=sweep
        )
        self._batches: list[list[_Job]] = [[] for _ in range(jobs)]
        self._count = 0
        self._waiting: dict[int, File] = {}
        self._linked: dict[tuple[int, int], list[_Job]] = {}  # files with hard links that may still come
        self._links: dict[int, Sequence[_Job]] = {}  # the other paths of a file in work
        self._ready: dict[int, Outcome] = {}

    def outcomes(self, entries: Iterator[Entry]) -> Iterator[Outcome | None]:
        """Yields outcomes in order; None at times, for progress."""
        next_index = 0
        while self.total is None or self._waiting:
            full = len(self._waiting) >= _WAITING_FILES
            if self.total is None and not full:
                batch = list(islice(entries, _LOOK_EVERY_FILES))
                for entry in batch:
                    self._add_entry(entry)
                if len(batch) < _LOOK_EVERY_FILES:
                    self._take_remaining()
            for index, outcome, digest in self._workers.answers(wait=full or self.total is not None):
                if digest:
                    self._known.add(digest, outcome)
                self._settle(index, outcome)
            yield None
            while next_index in self._ready:
                yield self._ready.pop(next_index)
                next_index += 1

    def stop(self) -> None:
        self._workers.stop()

    def _add_entry(self, entry: Entry) -> None:
        """Queues a file, or records the outcome of an entry that needs no work; hard links of one file wait for all."""
        if isinstance(entry, Leftover):
            if self._write:
                temporaries.remove_old(entry.path)
            return
        index = self._count
        self._count += 1
        if isinstance(entry, PassedOver):
            self._end(index, Outcome(entry.path, passed_over=entry.why))
        elif isinstance(entry, LeftOut):
            self._end(index, Outcome(entry.path, "folder" if entry.is_folder else "file", left_out=entry.why))
        elif isinstance(entry, Unreadable):
            self._end(index, Outcome(entry.path, problem=entry.why, remedy="Give a file or folder that can be read"))
        else:
            self._waiting[index] = entry
            job = _Job(index, entry, (entry.path,))
            if entry.inode is None:
                self._queue(job)
            else:
                group = self._linked.setdefault(entry.inode, [])
                group.append(job)
                if len(group) == entry.links:
                    self._queue_links(self._linked.pop(entry.inode))

    def _take_remaining(self) -> None:
        """Queues the files that waited for further ones, once the search has ended."""
        self.total = self._count
        for group in self._linked.values():
            self._queue_links(group)
        self._linked.clear()
        remaining = [job for batch in self._batches for job in batch]
        if len(remaining) <= _BATCH_FILES:
            self._batches = [remaining]  # so few are for one process
        for number, batch in enumerate(self._batches):
            if batch:
                self._workers.give(batch, number)
        self._batches = []

    def _queue_links(self, group: Sequence[_Job]) -> None:
        first, *others = group
        self._links[first.number] = others
        self._queue(first._replace(names=tuple(job.file.path for job in group)))

    def _queue(self, job: _Job) -> None:
        """Adds a job to a batch, and hands the batch to a worker when it is full."""
        # Files of equal size go to one process: copies, which trees of repositories are full of, are rewritten once.
        number = job.file.size_bytes % len(self._batches)
        batch = self._batches[number]
        batch.append(job)
        if (
            len(batch) >= _BATCH_FILES
            or sum(job.file.size_bytes for job in batch) >= _BATCH_BYTES
            or sum(len(name) for job in batch for name in job.names) >= _BATCH_NAMES
        ):
            self._workers.give(batch, number)
            self._batches[number] = []

    def _settle(self, index: int, outcome: Outcome | None) -> None:
        file = self._waiting.pop(index)
        self._end(index, outcome or Outcome(file.path, file.kind))
        for job in self._links.pop(index, ()):
            del self._waiting[job.number]
            why = "" if outcome is None else f"the same file as {file.path}: a hard link"
            self._end(job.number, Outcome(job.file.path, job.file.kind, passed_over=why))

    def _end(self, index: int, outcome: Outcome) -> None:
        self._ready[index] = outcome
        self.done += 1


class _FileWorker:
    """The function that a worker process applies to a batch."""

    def __init__(self, options_and_known: tuple[Options, frozenset[bytes], dict[str, Row]]) -> None:
        self._options, self._clean, self._rows = options_and_known
        self._recent: OrderedDict[bytes, Result] = OrderedDict()
        self._recent_bytes = 0

    def __call__(self, batch: Sequence[_Job]) -> Iterator[list[_Answer]]:
        answers: list[_Answer] = []
        for job in batch:
            outcome, digest = self._outcome(job)
            answers.append((job.number, outcome, digest))
            if outcome is not None and outcome.written:
                yield answers  # if this process dies, its written files are known
                answers = []
        yield answers

    def _outcome(self, job: _Job) -> tuple[Outcome | None, bytes]:
        """Returns a file's outcome, None if there is nothing to do, and then the digest of its content if it is new."""
        path, kind = job.file.path, job.file.kind
        try:
            source = read_file(path)
        except SourceFileError as error:
            return Outcome(path, kind, problem=error.wrong, remedy=error.remedy), b""
        digest = digest_of(source, kind)
        if digest in self._clean:
            return None, b""
        known = self._known_outcome(job, digest)
        return (self._outcome_of(job, source, digest), digest) if known is None else (known, b"")

    def _known_outcome(self, job: _Job, digest: bytes) -> Outcome | None:
        """Returns the outcome that an earlier run left, if it is all that this run needs."""
        row = self._rows.get(digest.hex())
        outcome = None if row is None else restored(row, job.file.path, job.file.kind)
        needs_source = outcome is not None and outcome.changes and (self._options.diff or self._options.write)
        return None if needs_source else outcome

    def _outcome_of(self, job: _Job, source: bytes, digest: bytes) -> Outcome | None:
        """Rewrites a file; returns the outcome, or None if there is nothing to do."""
        path, kind = job.file.path, job.file.kind
        if b"\0" in source[:_BINARY_LOOK_BYTES]:
            return Outcome(path, kind, passed_over="binary")
        if self._options.to != PYTHON3 and not may_matter(source):
            return None
        try:
            result = self._rewritten(source, kind, path, digest)
        except Exception as error:  # an error in tf1mem must not stop the other files
            problem = f"could not be rewritten, because of a mistake in tf1mem: {type(error).__name__}: {error}"
            return Outcome(path, kind, problem=problem, remedy="Please report it, with the file")
        if not result.changed and not result.remarks and not result.tf1_names:
            return None
        outcome = outcome_of(path, kind, source, result, diff=self._options.diff)
        if self._options.write and result.changed:
            try:
                replace_file(job.names, source, result.source)
            except SourceFileError as error:
                return replace(outcome, problem=error.wrong, remedy=error.remedy)
            return replace(outcome, written=True)
        return outcome

    def _rewritten(self, source: bytes, kind: str, path: str, digest: bytes) -> Result:
        """Returns the result for a file, from memory if a file of the same content was just rewritten."""
        if self._options.to == PYTHON3:
            return self._options.rewrite(source, kind, path)  # files beside it matter, too
        result = self._recent.pop(digest, None)
        if result is None:
            result = self._options.rewrite(source, kind)
            self._recent_bytes += len(result.source)
        self._recent[digest] = result  # as the newest entry
        while self._recent_bytes > _KEPT_BYTES:
            _, forgotten = self._recent.popitem(last=False)
            self._recent_bytes -= len(forgotten.source)
        return result


def _died(job: _Job, status: int) -> _Answer:
    how = f"was killed by signal {-status}" if status < 0 else f"ended with status {status}"
    problem = f"the process that rewrote it {how}"
    remedy = "Run the command again, on this file alone"
    return job.number, Outcome(job.file.path, job.file.kind, problem=problem, remedy=remedy), b""


def _remove_temporaries(process: int, jobs: Sequence[_Job]) -> None:
    for folder in {os.path.dirname(os.path.realpath(name)) for job in jobs for name in job.names}:
        temporaries.remove_those_of(process, folder)


def _nothing(process: int, jobs: Sequence[_Job]) -> None:
    """Cleans up nothing, since nothing is written."""
