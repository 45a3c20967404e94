"""Trees of files: found, read, rewritten, and where wanted written, on all cores."""

from __future__ import annotations

import os
from collections import OrderedDict
from dataclasses import dataclass, replace
from hashlib import blake2b
from itertools import islice
from typing import Callable, Generator, Iterable, Iterator, NamedTuple, Optional, Sequence, Tuple

from tf1mem.codemod.prefilter import may_matter
from tf1mem.codemod.results import Result
from tf1mem.codemod.rewriting import rewrite, unread
from tf1mem.codemod.source.limits import TookTooLong, time_limit
from tf1mem.codemod.trees import temporaries
from tf1mem.codemod.trees.diff import unified
from tf1mem.codemod.trees.outcomes import Outcome
from tf1mem.codemod.trees.walk import Entry, File, LeftOut, Leftover, PassedOver, Unreadable
from tf1mem.codemod.trees.workers import Workers, cores
from tf1mem.codemod.trees.write import read_file, replace_file
from tf1mem.errors import SourceFileError

# A batch is so small that all cores are busy to the end, and so large that handing it out costs nothing beside it.
_BATCH_FILES = 32
_BATCH_BYTES = 1 << 18
_BATCH_NAMES = 1 << 14  # characters: a pipe takes two batches without anybody waiting
_WAITING_FILES = 50_000  # no more are held in memory at a time
_LOOK_EVERY_FILES = 256  # that are found, at what the workers have done
_KEPT_BYTES = 16 << 20
_BINARY_LOOK_BYTES = 8192


# What `Options.to` is where Python 2 becomes Python 3, and nothing else changes.
PYTHON3 = "python3"


@dataclass(frozen=True)
class Options:
    """What is to be done with each file.

    Attributes:
        to: "shim", "apply" or "native"; or `PYTHON3`.
        only: Codes or names of the rules to follow; all where there are none.
        skip: Codes or names of rules not to follow.
        gpu_memory_mib: The memory of the GPUs, for fractions that become limits.
        for_graphs: Whether the files are of a program that switches TensorFlow 2's behavior off.
        write: Whether files are written.
        diff: Whether outcomes have a diff.
    """

    to: str = "shim"
    only: tuple[str, ...] = ()
    skip: tuple[str, ...] = ()
    gpu_memory_mib: int | None = None
    for_graphs: bool = False
    write: bool = False
    diff: bool = False

    @property
    def mode(self) -> str:
        """What a report calls it: "show", "check" or "write"."""
        return "write" if self.write else "show" if self.diff else "check"

    def rewrite(self, source: bytes, kind: str, path: str | None = None) -> Result:
        """Rewrites one source, which lies at a path, if it does; one that takes too long is left, with a remark."""
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
    found: Iterable[Entry],
    options: Options,
    *,
    jobs: int | None = None,
    progress: Callable[[int, int | None], None] | None = None,
) -> Generator[Outcome, None, None]:
    """Rewrites the files of a tree.

        for outcome in work(walk(["src"]), Options(to="apply", write=True)):
            ...

    The files are read, rewritten and written in processes of their own, which end when the iterator is closed or
    interrupted. Where a process with threads calls it, or on another system than Linux, those start as new Pythons:
    the calling script then needs its `if __name__ == "__main__"`.

    Args:
        found: What `walk.walk` finds.
        options: What is to be done.
        jobs: How many processes; as many as there are cores by default.
        progress: Called now and then with how many files are done, and of how many, once that is known.

    Yields:
        What became of each file, in the order in which they were found, whatever the number of processes.

    Raises:
        ValueError: An option is wrong.
        WorkerError: No process could be started.
    """
    options.rewrite(b"", "python")
    run = _Run(options, jobs or cores())
    try:
        for outcome in run.outcomes(iter(found)):
            if progress is not None:
                progress(run.done, run.total)
            if outcome is not None:
                yield outcome
    finally:
        run.stop()


def outcome_of(path: str, kind: str, source: bytes, result: Result, *, diff: bool) -> Outcome:
    """What became of a source, before anything is written.

    Args:
        path: What it is called.
        kind: "python", "notebook", "markdown" or "rst".
        source: Its bytes.
        result: What rewriting it came to.
        diff: Whether to make a diff.
    """
    difference = unified(path, source, result.source) if diff and result.changed else b""
    return Outcome(path, kind, result.changes, result.remarks, result.tf1_names, result.supplied, difference)


class _Job(NamedTuple):
    number: int
    file: File
    names: tuple[str, ...]  # of a file with hard links all that are known


_Answer = Tuple[int, Optional[Outcome]]  # None: nothing to do


class _Run:
    """One pass over a tree, seen from the process that hands out the work."""

    def __init__(self, options: Options, jobs: int) -> None:
        self.done = 0
        self.total: int | None = None
        self._write = options.write
        self._workers: Workers[_Job, _Answer] = Workers(
            jobs, _FileWorker, options, died=_died, swept=_remove_temporaries if options.write else _nothing
        )
        self._batches: list[list[_Job]] = [[] for _ in range(jobs)]
        self._found = 0
        self._waiting: dict[int, File] = {}
        self._linked: dict[tuple[int, int], list[_Job]] = {}  # hard links of which more may come
        self._links: dict[int, Sequence[_Job]] = {}  # the other names of a file that is being worked on
        self._ready: dict[int, Outcome] = {}

    def outcomes(self, found: Iterator[Entry]) -> Iterator[Outcome | None]:
        """Outcomes in order; None now and then, for whoever watches."""
        next_one = 0
        while self.total is None or self._waiting:
            full = len(self._waiting) >= _WAITING_FILES
            if self.total is None and not full:
                some = list(islice(found, _LOOK_EVERY_FILES))
                for one in some:
                    self._take(one)
                if len(some) < _LOOK_EVERY_FILES:
                    self._take_the_rest()
            for index, outcome in self._workers.answers(wait=full or self.total is not None):
                self._settle(index, outcome)
            yield None
            while next_one in self._ready:
                yield self._ready.pop(next_one)
                next_one += 1

    def stop(self) -> None:
        self._workers.stop()

    def _take(self, one: Entry) -> None:
        if isinstance(one, Leftover):
            if self._write:
                temporaries.remove_old(one.path)
            return
        index = self._found
        self._found += 1
        if isinstance(one, PassedOver):
            self._end(index, Outcome(one.path, passed_over=one.why))
        elif isinstance(one, LeftOut):
            self._end(index, Outcome(one.path, "folder" if one.is_folder else "file", left_out=one.why))
        elif isinstance(one, Unreadable):
            self._end(index, Outcome(one.path, problem=one.why, remedy="Give a file or folder that can be read"))
        else:
            self._waiting[index] = one
            job = _Job(index, one, (one.path,))
            if one.inode is None:
                self._queue(job)
            else:
                group = self._linked.setdefault(one.inode, [])
                group.append(job)
                if len(group) == one.links:
                    self._queue_links(self._linked.pop(one.inode))

    def _take_the_rest(self) -> None:
        """When nothing more is found: what waited for more of its kind goes out."""
        self.total = self._found
        for group in self._linked.values():
            self._queue_links(group)
        self._linked.clear()
        rest = [job for batch in self._batches for job in batch]
        if len(rest) <= _BATCH_FILES:
            self._batches = [rest]  # not worth more than one process
        for number, batch in enumerate(self._batches):
            if batch:
                self._workers.give(batch, number)
        self._batches = []

    def _queue_links(self, group: Sequence[_Job]) -> None:
        first, *others = group
        self._links[first.number] = others
        self._queue(first._replace(names=tuple(job.file.path for job in group)))

    def _queue(self, job: _Job) -> None:
        # Files of one size go to one process: copies, of which trees of repositories are full, are rewritten once.
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
    """What a worker process does with a batch."""

    def __init__(self, options: Options) -> None:
        self._options = options
        self._known: OrderedDict[bytes, Result] = OrderedDict()
        self._known_bytes = 0

    def __call__(self, batch: Sequence[_Job]) -> Iterator[list[_Answer]]:
        answers: list[_Answer] = []
        for job in batch:
            outcome = self._outcome(job)
            answers.append((job.number, outcome))
            if outcome is not None and outcome.written:
                yield answers  # should this process die, what it has written is known
                answers = []
        yield answers

    def _outcome(self, job: _Job) -> Outcome | None:
        path, kind = job.file.path, job.file.kind
        try:
            source = read_file(path)
        except SourceFileError as error:
            return Outcome(path, kind, problem=error.wrong, remedy=error.remedy)
        if b"\0" in source[:_BINARY_LOOK_BYTES]:
            return Outcome(path, kind, passed_over="binary")
        if self._options.to != PYTHON3 and not may_matter(source):
            return None
        try:
            result = self._rewritten(source, kind, path)
        except Exception as error:  # a mistake of ours must not cost the other files
            problem = f"could not be rewritten, by a mistake in tf1mem: {type(error).__name__}: {error}"
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

    def _rewritten(self, source: bytes, kind: str, path: str) -> Result:
        if self._options.to == PYTHON3:
            return self._options.rewrite(source, kind, path)  # what lies beside it matters, too
        key = blake2b(source, digest_size=16, person=kind.encode()).digest()
        result = self._known.pop(key, None)
        if result is None:
            result = self._options.rewrite(source, kind)
            self._known_bytes += len(result.source)
        self._known[key] = result  # the last to be forgotten
        while self._known_bytes > _KEPT_BYTES:
            _, forgotten = self._known.popitem(last=False)
            self._known_bytes -= len(forgotten.source)
        return result


def _died(job: _Job, status: int) -> _Answer:
    how = f"was killed by signal {-status}" if status < 0 else f"ended with status {status}"
    problem = f"the process that rewrote it {how}"
    return job.number, Outcome(
        job.file.path, job.file.kind, problem=problem, remedy="Run the command again, on this file alone"
    )


def _remove_temporaries(process: int, jobs: Sequence[_Job]) -> None:
    for folder in {os.path.dirname(os.path.realpath(name)) for job in jobs for name in job.names}:
        temporaries.remove_those_of(process, folder)


def _nothing(process: int, jobs: Sequence[_Job]) -> None:
    """What there is to clean up where nothing is written."""
