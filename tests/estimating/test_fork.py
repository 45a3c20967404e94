"""A fork of a process that has other threads."""

from __future__ import annotations

import hashlib
import sys
import threading
import time

import pytest

from tf1mem.estimating.fork import settle

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="reads /proc")


def _compute() -> None:
    """Computes while Python's other threads run."""
    hashlib.pbkdf2_hmac("sha256", b"", b"", 400_000)


def test_settle_waits_for_computing_threads():
    began = time.process_time()
    _compute()
    alone = time.process_time() - began
    thread = threading.Thread(target=_compute)
    thread.start()
    settle(limit_s=300)
    began = time.process_time()
    thread.join()
    assert time.process_time() - began < alone / 2


def test_settle_gives_up_on_a_thread_that_never_sleeps():
    stop = threading.Event()

    def compute_until_stopped():
        while not stop.is_set():
            _compute()

    thread = threading.Thread(target=compute_until_stopped)
    thread.start()
    settle(limit_s=0.02)
    assert thread.is_alive()
    stop.set()
    thread.join()
