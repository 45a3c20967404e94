"""Worker processes for batches of jobs; a job may kill its process."""

from __future__ import annotations

import gc
import os
import signal
import sys
import threading
from collections import deque
from contextlib import contextmanager, nullcontext
from dataclasses import dataclass, field
from multiprocessing import connection, get_context
from multiprocessing.connection import Connection
from multiprocessing.process import BaseProcess
from typing import Any, Callable, Deque, Generic, Iterator, List, Sequence, TypeVar

from tf1mem.errors import WorkerError

Job = TypeVar("Job")
Answer = TypeVar("Answer")

# Batches of a worker: one in work, and one that waits, so that the worker never does.
_AT_ONCE = 2
_GRACE_S = 1.0

# The function that `prepare` returns in each worker: processes a batch, and yields its answers, in order, in lists.
Serve = Callable[[Sequence[Any]], Iterator[Any]]


class _Alone(List[Job]):
    """A batch of one job, made of a batch with which a process died."""


@dataclass
class _Worker(Generic[Job]):
    process: BaseProcess
    channel: Connection
    batches: Deque[list[Job]] = field(default_factory=deque)
    ready: bool = False


class Workers(Generic[Job, Answer]):
    """A few processes, started when there is work for them.

    Each has its own queue. A worker whose queue is empty takes from the longest one. A worker that dies is replaced,
    and its batch is handed out again job by job: this identifies the fatal job, and completes the others.

    Args:
        count: The largest number of processes.
        prepare: Called once in each worker with `argument`; returns the function for batches. Both must be importable.
        argument: The argument of `prepare`.
        died: Returns the answer for a fatal job, from the job and the exit status (a negative number is a signal).
        swept: Called to clean up after a worker that died or was ended at work: its process id, its unfinished jobs.
        command: The command that the workers serve, for errors.
    """

    def __init__(
        self,
        count: int,
        prepare: Callable[[Any], Serve],
        argument: Any,
        *,
        died: Callable[[Job, int], Answer],
        swept: Callable[[int, Sequence[Job]], None],
        command: str = "tf1mem codemod",
    ) -> None:
        self._prepare = prepare
        self._argument = argument
        self._died = died
        self._swept = swept
        self._command = command
        # Forking is quick and shares what is imported, but a copy of a process with threads may find a lock held.
        self._forks = sys.platform.startswith("linux") and threading.active_count() == 1
        self._workers: list[_Worker[Job] | None] = [None] * count
        self._queues: list[Deque[list[Job]]] = [deque() for _ in range(count)]

    def give(self, batch: list[Job], queue: int) -> None:
        """Queues a batch.

        Args:
            batch: Jobs that are done one after another.
            queue: Number of the preferred worker, below `count`; idle workers may take the batch.
        """
        self._queues[queue].append(batch)

    @property
    def busy(self) -> bool:
        """True if anything is queued or in work."""
        return any(self._queues) or any(worker and worker.batches for worker in self._workers)

    def answers(self, *, wait: bool) -> list[Answer]:
        """Hands out what is queued, and collects answers.

        Args:
            wait: True to wait for an answer, if one will come.

        Returns:
            Answers, in no order.

        Raises:
            WorkerError: No worker process can be started.
        """
        self._hand_out()
        channels = {worker.channel: number for number, worker in enumerate(self._workers) if worker}
        answers: list[Answer] = []
        if not channels:
            return answers
        for channel in connection.wait(list(channels), None if wait and self.busy else 0):
            assert isinstance(channel, Connection)
            number = channels[channel]
            worker = self._workers[number]
            assert worker is not None
            try:
                message = channel.recv()
            except (EOFError, OSError):
                self._bury(number, worker, answers)
                continue
            if message is None:
                worker.ready = True
                continue
            received, ended = message
            answers += received
            del worker.batches[0][: len(received)]
            if ended:
                worker.batches.popleft()
        self._hand_out()
        return answers

    def stop(self) -> None:
        """Ends all processes at once, whatever they are doing."""
        workers = [worker for worker in self._workers if worker]
        for worker in workers:
            if worker.batches and worker.process.is_alive():
                worker.process.terminate()  # it cleans up
            worker.channel.close()  # a worker that waits for work ends now
        for worker in workers:
            worker.process.join(_GRACE_S)
            if worker.process.exitcode is None:
                worker.process.kill()
                worker.process.join()
            if worker.batches and worker.process.pid is not None:
                self._swept(worker.process.pid, [job for batch in worker.batches for job in batch])
        self._workers = [None] * len(self._workers)

    def _hand_out(self) -> None:
        """Sends batches to workers that have few, and starts workers that are missing."""
        for number in range(len(self._workers)):
            while True:
                worker = self._workers[number]
                if worker and len(worker.batches) >= _AT_ONCE:
                    break
                # While it has work it leaves the other queues alone.
                queue = self._queues[number] or (not (worker and worker.batches) and max(self._queues, key=len))
                if not queue:
                    break
                if worker is None:
                    worker = self._workers[number] = self._start()
                worker.batches.append(queue.popleft())
                try:
                    worker.channel.send(worker.batches[-1])
                except OSError:
                    break  # it is dead, which the next receive shows

    def _start(self) -> _Worker[Job]:
        context = get_context("fork") if self._forks else get_context("spawn")
        ours, theirs = context.Pipe()
        # A forked process inherits this process's ends of all pipes. While it held them open, the other workers would
        # not notice when this process ends.
        inherited = [worker.channel for worker in self._workers if worker] + [ours] if self._forks else []
        folder = None if self._forks else os.getcwd()
        process = context.Process(
            target=_work, args=(theirs, self._prepare, self._argument, inherited, folder), daemon=True
        )
        if self._forks:
            gc.freeze()  # existing objects stay shared
        with _no_interrupt(), nullcontext() if self._forks else _without_this_folder():
            process.start()
        theirs.close()
        return _Worker(process, ours)

    def _bury(self, number: int, worker: _Worker[Job], answers: list[Answer]) -> None:
        """Removes a worker that died, and queues its jobs again, or answers for the job that killed it."""
        worker.channel.close()
        worker.process.join()
        status = worker.process.exitcode or 0
        self._workers[number] = None
        if not worker.ready:
            raise WorkerError(
                self._command,
                f"a worker process could not be started (it ended with status {status})",
                "Free memory or processes, or use fewer with --jobs",
            )
        if not worker.batches:
            return
        batch, *waiting = worker.batches  # the unanswered jobs of the first batch
        if worker.process.pid is not None:
            self._swept(worker.process.pid, batch)
        self._queues[number].extendleft(reversed(waiting))
        if isinstance(batch, _Alone) and batch:
            answers.append(self._died(batch[0], status))
        else:
            self._queues[number].extendleft(_Alone([job]) for job in reversed(batch))


def cores() -> int:
    """Returns the number of cores that this process may use, which is the default number of workers."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


@contextmanager
def _without_this_folder() -> Iterator[None]:
    """Keeps a new Python from importing multiprocessing from the current folder before it receives its path.

    Before 3.11, Python has no option for it. So the current folder is changed for this moment to the standard library's
    folder, from which Python imports anyway; `_work` changes it back.
    """
    if sys.version_info < (3, 11):
        before = os.getcwd()
        os.chdir(os.path.dirname(os.__file__))
        try:
            yield
        finally:
            os.chdir(before)
        return
    name = "PYTHONSAFEPATH"
    variable = os.environ.get(name)
    os.environ[name] = "1"
    try:
        yield
    finally:
        if variable is None:
            del os.environ[name]
        else:
            os.environ[name] = variable


@contextmanager
def _no_interrupt() -> Iterator[None]:
    """Blocks Ctrl-C, which reaches all processes of a terminal, until a new process has set its handler."""
    if not hasattr(signal, "pthread_sigmask"):
        yield
        return
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


def _work(
    channel: Connection,
    prepare: Callable[[Any], Serve],
    argument: Any,
    inherited: Sequence[Connection],
    folder: str | None,
) -> None:
    """Runs a worker process, in a folder, or where it was forked."""
    if folder is not None:
        os.chdir(folder)
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the parent decides when to end
    signal.signal(signal.SIGTERM, _end)
    if hasattr(signal, "pthread_sigmask"):
        signal.pthread_sigmask(signal.SIG_UNBLOCK, {signal.SIGINT})
    for other in inherited:
        other.close()
    parent = os.getppid()
    try:
        serve = prepare(argument)
        channel.send(None)
        while True:
            batch = channel.recv()
            for answers in serve(batch):
                channel.send((answers, False))
                if os.getppid() != parent:
                    return
            channel.send(([], True))
    except (EOFError, ConnectionError):
        return  # the parent has ended


def _end(number: int, frame: object) -> None:
    raise SystemExit(128 + number)
