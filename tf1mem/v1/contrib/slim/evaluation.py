# Copyright 2015-2019 The TensorFlow Authors. All Rights Reserved.
# Licensed under the Apache License, Version 2.0: see LICENSE.
# Written anew for tf1mem after tensorflow/contrib of TensorFlow 1.15.5, and changed: see NOTICE.

"""slim's evaluation of one checkpoint, or of every new one."""

from __future__ import annotations

from typing import Any

import tf1mem.v1 as tf
from tf1mem.v1.contrib.training import evaluation
from tf1mem.v1.contrib.training.evaluation import checkpoints_iterator, wait_for_new_checkpoint

__all__ = ["checkpoints_iterator", "evaluate_once", "evaluation_loop", "wait_for_new_checkpoint"]

# A `summary_op` of this value stands for all summaries of the graph. None means no summaries.
_USE_DEFAULT = 0


def evaluate_once(
    master: str,
    checkpoint_path: Any,
    logdir: Any,
    num_evals: int = 1,
    initial_op: Any = None,
    initial_op_feed_dict: Any = None,
    eval_op: Any = None,
    eval_op_feed_dict: Any = None,
    final_op: Any = None,
    final_op_feed_dict: Any = None,
    summary_op: Any = _USE_DEFAULT,
    summary_op_feed_dict: Any = None,
    variables_to_restore: Any = None,
    session_config: Any = None,
    hooks: Any = None,
) -> Any:
    """Evaluates a checkpoint.

    Args:
        master: Address of the TensorFlow master.
        checkpoint_path: Path of the checkpoint.
        logdir: Folder that summaries are written to.
        num_evals: Number of runs of `eval_op`; 1 by default.
        initial_op: Op that is run first.
        initial_op_feed_dict: Feed dict of `initial_op`.
        eval_op: Op that is run to evaluate.
        eval_op_feed_dict: Feed dict of `eval_op`.
        final_op: Tensors of any shape that are evaluated once at the end.
        final_op_feed_dict: Feed dict of `final_op`.
        summary_op: Summary op; all summaries of the graph by default, None for no summaries.
        summary_op_feed_dict: Feed dict of `summary_op`.
        variables_to_restore: Variables to restore; by default all that a tf.train.Saver saves.
        session_config: ConfigProto of the Session.
        hooks: More SessionRunHooks.

    Returns:
        The values of `final_op`; None if there is none.
    """
    return evaluation.evaluate_once(
        checkpoint_path,
        master=master,
        scaffold=_scaffold(variables_to_restore, init_op=initial_op, init_feed_dict=initial_op_feed_dict),
        eval_ops=eval_op,
        feed_dict=eval_op_feed_dict,
        final_ops=final_op,
        final_ops_feed_dict=final_op_feed_dict,
        hooks=_hooks(num_evals, logdir, summary_op, summary_op_feed_dict, hooks),
        config=session_config,
    )


def evaluation_loop(
    master: str,
    checkpoint_dir: Any,
    logdir: Any,
    num_evals: int = 1,
    initial_op: Any = None,
    initial_op_feed_dict: Any = None,
    init_fn: Any = None,
    eval_op: Any = None,
    eval_op_feed_dict: Any = None,
    final_op: Any = None,
    final_op_feed_dict: Any = None,
    summary_op: Any = _USE_DEFAULT,
    summary_op_feed_dict: Any = None,
    variables_to_restore: Any = None,
    eval_interval_secs: float = 60,
    max_number_of_evaluations: int | None = None,
    session_config: Any = None,
    timeout: float | None = None,
    timeout_fn: Any = None,
    hooks: Any = None,
) -> Any:
    """Evaluates each new checkpoint of a folder.

    Args:
        master: Address of the TensorFlow master.
        checkpoint_dir: Folder of the checkpoints.
        logdir: Folder that summaries are written to.
        num_evals: Number of runs of `eval_op` on each checkpoint; 1 by default.
        initial_op: Op that is run first.
        initial_op_feed_dict: Feed dict of `initial_op`.
        init_fn: Function of a Scaffold and the Session; it restores the checkpoint in place of a Saver.
        eval_op: Op that is run to evaluate.
        eval_op_feed_dict: Feed dict of `eval_op`.
        final_op: Tensors of any shape that are evaluated once at the end of each evaluation.
        final_op_feed_dict: Feed dict of `final_op`.
        summary_op: Summary op; all summaries of the graph by default, None for no summaries.
        summary_op_feed_dict: Feed dict of `summary_op`.
        variables_to_restore: Variables to restore; by default all that a tf.train.Saver saves.
        eval_interval_secs: Minimum seconds from the start of one evaluation to the next; 60 by default.
        max_number_of_evaluations: Number of evaluations after which to return; None for no limit.
        session_config: ConfigProto of the Sessions.
        timeout: Seconds to wait for a new checkpoint; None for no limit.
        timeout_fn: Function called after the timeout; it returns True to stop waiting.
        hooks: More SessionRunHooks.

    Returns:
        The last values of `final_op`; None if there is none.
    """
    return evaluation.evaluate_repeatedly(
        checkpoint_dir,
        master=master,
        scaffold=_scaffold(
            variables_to_restore, init_op=initial_op, init_feed_dict=initial_op_feed_dict, init_fn=init_fn
        ),
        eval_ops=eval_op,
        feed_dict=eval_op_feed_dict,
        final_ops=final_op,
        final_ops_feed_dict=final_op_feed_dict,
        eval_interval_secs=eval_interval_secs,
        hooks=_hooks(num_evals, logdir, summary_op, summary_op_feed_dict, hooks),
        config=session_config,
        max_number_of_evaluations=max_number_of_evaluations,
        timeout=timeout,
        timeout_fn=timeout_fn,
    )


def _scaffold(variables_to_restore: Any, **arguments: Any) -> Any:
    saver = None if variables_to_restore is None else tf.train.Saver(variables_to_restore)
    return tf.train.Scaffold(saver=saver, **arguments)


def _hooks(num_evals: int, logdir: Any, summary_op: Any, feed_dict: Any, more: Any) -> list[Any]:
    if isinstance(summary_op, int) and summary_op == _USE_DEFAULT:
        summary_op = tf.summary.merge_all()
    hooks = [evaluation.StopAfterNEvalsHook(num_evals)]
    if summary_op is not None:
        hooks.append(evaluation.SummaryAtEndHook(log_dir=logdir, summary_op=summary_op, feed_dict=feed_dict))
    return hooks + list(more or ())
