# Copyright 2015-2019 The TensorFlow Authors. All Rights Reserved.
# Licensed under the Apache License, Version 2.0: see LICENSE.
# Written anew for tf1mem after tensorflow/contrib of TensorFlow 1.15.5, and changed: see NOTICE.

"""Queue runners that run for the length of a `with` block."""

from __future__ import annotations

import threading
from contextlib import contextmanager
from typing import Any, Iterator

import tf1mem.v1 as tf

_running = threading.Lock()


class NestedQueueRunnerError(Exception):
    """Raised when a `QueueRunners` block contains another one."""


@contextmanager
def QueueRunners(session: Any) -> Iterator[None]:  # noqa: N802
    """Starts the graph's queue runners, and stops them at the end of the block; waits up to 120 seconds for them.

    Args:
        session: The Session in which the queue runners run; closed if a queue runner doesn't end in time.

    Raises:
        NestedQueueRunnerError: Another `QueueRunners` block is active.
    """
    if not _running.acquire(False):
        raise NestedQueueRunnerError("QueueRunners cannot be nested")
    coordinator = tf.train.Coordinator()
    threads: list[Any] = []
    for runner in tf.get_collection(tf.GraphKeys.QUEUE_RUNNERS):
        threads.extend(runner.create_threads(session, coord=coordinator, daemon=True, start=True))
    try:
        yield
    finally:
        coordinator.request_stop()
        try:
            coordinator.join(threads, stop_grace_period_secs=120)
        except RuntimeError:  # A thread didn't end in time; it ends when its Session is closed.
            session.close()
        _running.release()
