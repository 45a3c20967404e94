# Copyright 2015-2019 The TensorFlow Authors. All Rights Reserved.
# Licensed under the Apache License, Version 2.0: see LICENSE.
# Written anew for tf1mem after tensorflow/contrib of TensorFlow 1.15.5, and changed: see NOTICE.

"""Evaluation of one checkpoint, or of every new one."""

from __future__ import annotations

import time
from typing import Any

from tensorflow.python.training import checkpoint_utils
from tensorflow.python.training import evaluation as _evaluation

import tf1mem.v1 as tf
from tf1mem.v1._configs import with_config

StopAfterNEvalsHook = _evaluation._StopAfterNEvalsHook
checkpoints_iterator = tf.train.checkpoints_iterator
evaluate_once = with_config(_evaluation._evaluate_once)
get_or_create_eval_step = _evaluation._get_or_create_eval_step
wait_for_new_checkpoint = checkpoint_utils.wait_for_new_checkpoint


class SummaryAtEndHook(tf.train.SessionRunHook):  # type: ignore[misc]
    """Writes summaries when a Session ends, with the value of the global step then.

    Args:
        log_dir: Folder to write to if there is no writer.
        summary_writer: A tf.summary.FileWriter.
        summary_op: Serialized summaries, a string tensor of shape `[]`; all summaries of the graph by default.
        feed_dict: Feed dict of `summary_op`.

    Raises:
        ValueError: Both folder and writer are missing.
    """

    def __init__(
        self, log_dir: Any = None, summary_writer: Any = None, summary_op: Any = None, feed_dict: Any = None
    ) -> None:
        if log_dir is None and summary_writer is None:
            raise ValueError("log_dir, summary_writer: both are missing. Give one of them.")
        self._summary_op = summary_op
        self._replace_summary_op = summary_op is None
        self._feed_dict = feed_dict
        self._summary_writer = summary_writer
        self._log_dir = log_dir

    def begin(self) -> None:
        """Stores the graph's summary op, unless one is set, and its global step, both of shape `[]`."""
        if self._replace_summary_op:
            self._summary_op = tf.summary.merge_all()
        self._global_step = tf.train.get_or_create_global_step()

    def after_create_session(self, session: Any, coord: Any) -> None:
        """Opens the writer, unless the constructor has one."""
        if self._summary_writer is None and self._log_dir:
            self._summary_writer = tf.summary.FileWriterCache.get(self._log_dir)

    def end(self, session: Any) -> None:
        """Runs the summary op and writes its serialized summary, a string of shape `[]`, at the global step."""
        if self._summary_op is not None:
            global_step = tf.train.global_step(session, self._global_step)
            summary = session.run(self._summary_op, self._feed_dict)
            if self._summary_writer:
                self._summary_writer.add_summary(summary, global_step)
        if self._summary_writer:
            self._summary_writer.flush()


def evaluate_repeatedly(
    checkpoint_dir: Any,
    master: str = "",
    scaffold: Any = None,
    eval_ops: Any = None,
    feed_dict: Any = None,
    final_ops: Any = None,
    final_ops_feed_dict: Any = None,
    eval_interval_secs: float = 60,
    hooks: Any = None,
    config: Any = None,
    max_number_of_evaluations: int | None = None,
    timeout: float | None = None,
    timeout_fn: Any = None,
) -> Any:
    """Evaluates each new checkpoint of a folder.

    Args:
        checkpoint_dir: Folder of the checkpoints.
        master: Address of the TensorFlow master.
        scaffold: A tf.train.Scaffold; its `init_fn` restores the checkpoint in place of its Saver.
        eval_ops: Ops that are run until a hook, such as `StopAfterNEvalsHook`, requests a stop.
        feed_dict: Feed dict of `eval_ops`.
        final_ops: Tensors of any shape that are evaluated once at the end of each evaluation.
        final_ops_feed_dict: Feed dict of `final_ops`.
        eval_interval_secs: Minimum seconds from the start of one evaluation to the next; 60 by default.
        hooks: SessionRunHooks.
        config: ConfigProto of the Sessions.
        max_number_of_evaluations: Number of evaluations after which to return; None for no limit.
        timeout: Seconds to wait for a new checkpoint; None for no limit.
        timeout_fn: Function called after the timeout; it returns True to stop waiting.

    Returns:
        The last values of `final_ops`; None if there are none.
    """
    eval_step = get_or_create_eval_step()
    hooks = hooks or []
    if eval_ops is not None:
        update_eval_step = tf.assign_add(eval_step, 1)
        for hook in hooks:
            if isinstance(hook, StopAfterNEvalsHook):
                hook._set_evals_completed_tensor(update_eval_step)
        if isinstance(eval_ops, dict):
            eval_ops["update_eval_step"] = update_eval_step
        else:
            eval_ops = [*(eval_ops if isinstance(eval_ops, (tuple, list)) else [eval_ops]), update_eval_step]
    final_ops_hook = tf.train.FinalOpsHook(final_ops, final_ops_feed_dict)
    hooks.append(final_ops_hook)

    checkpoints = checkpoints_iterator(
        checkpoint_dir, min_interval_secs=eval_interval_secs, timeout=timeout, timeout_fn=timeout_fn
    )
    for number, checkpoint_path in enumerate(checkpoints, 1):
        creator = tf.train.ChiefSessionCreator(
            scaffold=scaffold, checkpoint_filename_with_path=checkpoint_path, master=master, config=config
        )
        with tf.train.MonitoredSession(session_creator=creator, hooks=hooks) as session:
            _log("Starting")
            if eval_ops is not None:
                while not session.should_stop():
                    session.run(eval_ops, feed_dict)
            _log("Finished")
        if max_number_of_evaluations is not None and number >= max_number_of_evaluations:
            break
    return final_ops_hook.final_ops_values


def _log(action: str) -> None:
    tf.logging.info("%s evaluation at %s", action, time.strftime("%Y-%m-%d-%H:%M:%S", time.gmtime()))
