"""A fork of a process that has other threads."""

from __future__ import annotations

import hashlib
import sys
import threading
import time

import pytest

from tf1mem.estimating.fork import settle

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="reads /proc")


def _compute() -> float:
    """Computes while Python's other threads run; returns the seconds that it took."""
    began = time.perf_counter()
    hashlib.pbkdf2_hmac("sha256", b"", b"", 400_000)
    return time.perf_counter() - began


def test_settle_waits_for_computing_threads():
    alone = _compute()
    thread = threading.Thread(target=_compute)
    thread.start()
    settle(limit_s=60)
    began = time.perf_counter()
    thread.join()
    assert time.perf_counter() - began < alone / 2


def test_settle_gives_up_on_a_thread_that_never_sleeps():
    thread = threading.Thread(target=_compute)
    thread.start()
    settle(limit_s=0.02)
    assert thread.is_alive()
    thread.join()
