"""Worker processes answer every job, even if one of them is killed by its job."""

from __future__ import annotations

import multiprocessing
import os
import signal
import subprocess
import sys
import textwrap
import threading
import time

import pytest

from tests.codemod.trees import ROOT
from tests.processes.environment import LIMIT_S
from tf1mem.codemod.trees.workers import Workers
from tf1mem.errors import WorkerError


def double(argument):
    """Returns a function that doubles numbers; words make it fail in various ways."""

    def serve(batch):
        for job in batch:
            if job == "die":
                os.kill(os.getpid(), signal.SIGKILL)
            elif job == "leave":
                os._exit(3)
            elif job == "hang":
                signal.signal(signal.SIGTERM, signal.SIG_IGN)
                time.sleep(600)
            elif job == "sleep":
                time.sleep(600)
            yield [os.getpid() if job == "who" else job * argument]

    return serve


def no_start(argument):
    os._exit(9)


def workers(count=2, prepare=double, swept=None) -> Workers:
    return Workers(
        count, prepare, 2, died=lambda job, status: (job, status), swept=swept or (lambda process, jobs: None)
    )


def answers(pool: Workers) -> list:
    received = []
    while pool.busy:
        received += pool.answers(wait=True)
    return received


def no_worker_is_left() -> bool:
    return multiprocessing.active_children() == []


@pytest.mark.parametrize("count", [1, 2, 5])
def test_all_answers_come(count):
    pool = workers(count)
    for number in range(0, 3000, 30):
        pool.give(list(range(number, number + 30)), number % count)
    assert sorted(answers(pool)) == list(range(0, 6000, 2))
    pool.stop()
    assert no_worker_is_left()


def test_workers_are_new_pythons_if_there_are_threads():
    """In a fork of a process with threads, a lock may stay held for ever."""
    ended = threading.Event()
    thread = threading.Thread(target=ended.wait)
    thread.start()
    try:
        pool = workers()
        pool.give([1, 2, 3], 0)
        assert sorted(answers(pool)) == [2, 4, 6]
        pool.stop()
    finally:
        ended.set()
        thread.join()
    assert no_worker_is_left()


def test_no_more_processes_than_batches():
    pool = workers(50)
    pool.give([1], 7)
    assert answers(pool) == [2]
    assert len(multiprocessing.active_children()) == 1
    pool.stop()


def test_an_idle_worker_takes_from_the_longest_queue():
    pool = workers(2)
    for _ in range(40):
        pool.give(["who"], 0)
    pool.give(["who"], 1)
    assert len(set(answers(pool))) == 2
    pool.stop()


@pytest.mark.parametrize(("death", "status"), [("die", -signal.SIGKILL), ("leave", 3)])
def test_the_job_that_kills_is_identified(death, status):
    swept = []
    pool = workers(2, swept=lambda process, jobs: swept.append(list(jobs)))
    pool.give([1, 2, death, 3], 0)
    pool.give([4, 5], 0)
    pool.give([6], 1)
    received = answers(pool)
    pool.stop()
    assert sorted(received, key=str) == sorted([(death, status), 2, 4, 6, 8, 10, 12], key=str)
    assert [death] in swept
    assert no_worker_is_left()


def test_several_fatal_jobs():
    pool = workers(2)
    for number in range(10):
        pool.give(["die", number], number % 2)
    received = answers(pool)
    pool.stop()
    assert sorted(received, key=str) == sorted([("die", -signal.SIGKILL)] * 10 + list(range(0, 20, 2)), key=str)


def test_no_process_can_be_started():
    pool = workers(prepare=no_start)
    pool.give([1], 0)
    with pytest.raises(WorkerError, match="status 9"):
        answers(pool)
    pool.stop()
    assert no_worker_is_left()


@pytest.mark.parametrize("job", ["sleep", "hang"])
def test_stopping_does_not_wait(job):
    swept = []
    pool = workers(2, swept=lambda process, jobs: swept.append(list(jobs)))
    pool.give([job], 0)
    pool.give([job], 1)
    begun = time.monotonic()
    while time.monotonic() - begun < 1:  # until both jobs have begun
        pool.answers(wait=False)
        time.sleep(0.01)
    started = time.monotonic()
    pool.stop()
    assert time.monotonic() - started < 300  # the jobs take 600
    assert no_worker_is_left()
    assert swept == [[job], [job]]


def test_workers_end_with_their_parent():
    program = """
        import os, signal
        from tests.codemod.trees.test_workers import workers
        pool = workers(3)
        for number in range(3):
            pool.give(["who"], number)
        found = set()
        while pool.busy:
            found.update(pool.answers(wait=True))
        print(*found, flush=True)
        os.kill(os.getpid(), signal.SIGKILL)
    """
    done = subprocess.run(
        [sys.executable, "-c", textwrap.dedent(program)], cwd=ROOT, stdout=subprocess.PIPE, check=False
    )
    processes = [int(word) for word in done.stdout.split()]
    assert processes
    assert done.returncode == -signal.SIGKILL
    deadline = time.monotonic() + LIMIT_S
    while any(os.path.exists(f"/proc/{process}") for process in processes):
        assert time.monotonic() < deadline
        time.sleep(0.01)
