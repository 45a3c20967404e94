"""Runs batches of jobs in worker processes, and survives jobs that kill their process."""

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

# The number of batches that a worker holds: one in progress, and the next one, so that the worker never has to wait.
_AT_ONCE = 2
# The time that `stop` gives a worker to end before it is killed.
_GRACE_S = 1.0

# The function that `prepare` returns in each worker. It processes a batch, and yields lists of answers: one answer for
# each job, in the order of the jobs.
Serve = Callable[[Sequence[Any]], Iterator[Any]]


class _Alone(List[Job]):
    """A batch of one job, from a batch whose process died: if the process dies again, this job is fatal."""


@dataclass
class _Worker(Generic[Job]):
    """A worker process.

    Attributes:
        process: The process.
        channel: This process's end of the pipe to it.
        batches: Batches sent to it; answered jobs are removed from the first one.
        ready: True once the worker has called `prepare`.
    """

    process: BaseProcess
    channel: Connection
    batches: Deque[list[Job]] = field(default_factory=deque)
    ready: bool = False


class Workers(Generic[Job, Answer]):
    """Up to `count` worker processes, each started when there is work for it.

    Each worker has a queue. A worker whose queue is empty takes from the longest one. A worker that dies is replaced,
    and its batch is sent again job by job: this identifies the fatal job, and completes the others.

    Args:
        count: The largest number of processes.
        prepare: Called once in each worker with `argument`; returns the function that processes batches (`Serve`). It
            has to be importable, since a worker may be a new Python.
        argument: The argument of `prepare`, which has to be picklable.
        died: Called with a fatal job and its worker's exit status (negative for a signal); returns the job's answer.
        swept: Called with the process id and the unfinished jobs of a worker that died or was stopped in a batch, to
            clean up after it.
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
            batch: Jobs that one worker processes in order.
            queue: Number of the preferred worker, below `count`; idle workers may take the batch.
        """
        self._queues[queue].append(batch)

    @property
    def busy(self) -> bool:
        """Returns True if a batch is queued or in progress."""
        return any(self._queues) or any(worker and worker.batches for worker in self._workers)

    def answers(self, *, wait: bool) -> list[Answer]:
        """Sends queued batches to workers, and returns the answers of one message from each that has sent any.

        Args:
            wait: True to wait for a message of a worker, if any is busy.

        Returns:
            Answers in any order; the list may be empty.

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
        """Ends all processes, also in the middle of a batch, and cleans up by `swept`."""
        workers = [worker for worker in self._workers if worker]
        for worker in workers:
            if worker.batches and worker.process.is_alive():
                worker.process.terminate()  # its handler, `_end`, lets it clean up
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
        """Sends queued batches to workers with fewer than `_AT_ONCE`, and starts missing workers."""
        for number in range(len(self._workers)):
            while True:
                worker = self._workers[number]
                if worker and len(worker.batches) >= _AT_ONCE:
                    break
                # A worker takes from other queues only if it has no batch.
                queue = self._queues[number] or (not (worker and worker.batches) and max(self._queues, key=len))
                if not queue:
                    break
                if worker is None:
                    worker = self._workers[number] = self._start()
                worker.batches.append(queue.popleft())
                try:
                    worker.channel.send(worker.batches[-1])
                except OSError:
                    break  # the worker is dead: the next receive from it fails, too, and `_bury` replaces it

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
        """Removes a worker that died. Queues its jobs again, or adds the answer of `died` for the job that killed it.

        Args:
            number: The worker's number.
            worker: The worker.
            answers: List to which the answer is added.

        Raises:
            WorkerError: The worker died before it was ready.
        """
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
    """Keeps a new Python from importing modules such as multiprocessing from the current folder while it starts.

    From 3.11 on an environment variable does so. For older Pythons, the current folder is the standard library's in the
    meantime, from which Python imports anyway. The worker changes to the right folder in `_work`.
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
    """Runs a worker process: prepares it, and answers batches until the parent closes the channel or ends.

    Args:
        channel: The worker's end of the pipe. It sends None when it is ready, then pairs of a list of answers and True
            at the end of a batch.
        prepare: See `Workers`.
        argument: See `Workers`.
        inherited: The parent's ends of pipes, which a forked process has to close.
        folder: The folder to change to; None in a forked process, which has the parent's.
    """
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
    """Handles a signal: ends the worker by an exception, so that `finally` blocks run."""
    raise SystemExit(128 + number)
