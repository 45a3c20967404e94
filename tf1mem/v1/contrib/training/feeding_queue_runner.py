# Copyright 2015-2019 The TensorFlow Authors. All Rights Reserved.
# Licensed under the Apache License, Version 2.0: see LICENSE.
# Written anew for tf1mem after tensorflow/contrib of TensorFlow 1.15.5, and changed: see NOTICE.

"""A queue runner that feeds its enqueue ops."""

from __future__ import annotations

import threading
from typing import Any, NoReturn

import tf1mem.v1 as tf

# Exceptions of an enqueue op that mean that the queue is closed.
_CLOSED = (tf.errors.OutOfRangeError, tf.errors.CancelledError)


class FeedingQueueRunner(tf.train.QueueRunner):  # type: ignore[misc]
    """A queue runner whose enqueue ops are fed.

    Args:
        queue: The tf.QueueBase that the enqueue ops fill.
        enqueue_ops: Enqueue ops, each of which is run in a thread.
        close_op: Op that closes the queue; None for the queue's own.
        cancel_op: Op that closes the queue and cancels pending enqueues; None for the queue's own.
        feed_fns: For each enqueue op None, or a function that returns a feed dict: placeholder -> array of its shape.
            None to feed no op.
        queue_closed_exception_types: Tuple of the exceptions in the property of this name. As in TensorFlow 1, feeding
            takes only OutOfRangeError and CancelledError as signs that the queue is closed.

    Raises:
        ValueError: The numbers of functions and ops differ.
    """

    def __init__(
        self,
        queue: Any = None,
        enqueue_ops: Any = None,
        close_op: Any = None,
        cancel_op: Any = None,
        feed_fns: Any = None,
        queue_closed_exception_types: Any = None,
    ) -> None:
        closed = queue_closed_exception_types or _CLOSED
        super().__init__(queue, enqueue_ops, close_op, cancel_op, queue_closed_exception_types=closed)
        self._feed_fns = [None] * len(enqueue_ops) if feed_fns is None else feed_fns
        if len(self._feed_fns) != len(enqueue_ops):
            raise ValueError("If feed_fns is not None, it must have the same length as enqueue_ops.")

    def create_threads(self, sess: Any, coord: Any = None, daemon: bool = False, start: bool = False) -> list[Any]:
        """Returns threads that run the enqueue ops; [] if an earlier call's threads still run in this Session.

        With a coordinator there is one more thread, which closes the queue when the coordinator stops.

        Args:
            sess: The Session.
            coord: Coordinator that can stop the threads, and that receives their errors; None for none.
            daemon: True if the process may end while the threads run.
            start: True to start the threads.
        """
        with self._lock:
            if self._runs_per_session.get(sess, 0) > 0:
                return []
            self._runs_per_session[sess] = len(self._enqueue_ops)
            self._exceptions_raised: list[Exception] = []
        threads = [
            threading.Thread(target=self._feed, args=(sess, op, feed_fn, coord), daemon=daemon)
            for op, feed_fn in zip(self._enqueue_ops, self._feed_fns)
        ]
        if coord:
            closing = threading.Thread(target=self._close_on_stop, args=(sess, self._cancel_op, coord), daemon=daemon)
            threads.append(closing)
        for thread in threads:
            if coord:
                coord.register_thread(thread)
            if start:
                thread.start()
        return threads

    def _feed(self, sess: Any, enqueue_op: Any, feed_fn: Any, coord: Any) -> None:
        """Enqueues fed values until the coordinator stops, or the queue is closed.

        When the queue is closed, the last thread to end runs `close_op`.
        """
        closed = False
        try:
            while not (coord and coord.should_stop()):
                sess.run(enqueue_op, feed_dict=None if feed_fn is None else feed_fn())
        except _CLOSED:
            closed = True
        except Exception as error:
            if coord:
                coord.request_stop(error)
                return
            tf.logging.error("Exception in QueueRunner: %s", error)
            with self._lock:
                self._exceptions_raised.append(error)
            raise
        finally:
            with self._lock:
                self._runs_per_session[sess] -= 1
                is_last = closed and self._runs_per_session[sess] == 0
            if is_last:
                self._close(sess)

    def _close(self, sess: Any) -> None:
        try:
            sess.run(self._close_op)
        except Exception as error:
            tf.logging.vlog(1, "Ignored exception: %s", error)

    def _init_from_proto(self, queue_runner_def: Any, import_scope: Any = None) -> NoReturn:
        raise NotImplementedError(f"{type(self).__name__} does not support initialization from proto.")

    def to_proto(self, export_scope: Any = None) -> NoReturn:
        """Raises an error, because a graph can't store feed functions.

        Raises:
            NotImplementedError: Always.
        """
        raise NotImplementedError(f"{type(self).__name__} does not support serialization to proto.")
