# Copyright 2015-2019 The TensorFlow Authors. All Rights Reserved.
# Licensed under the Apache License, Version 2.0: see LICENSE.
# Written anew for tf1mem after tensorflow/contrib of TensorFlow 1.15.5, and changed: see NOTICE.

"""slim's training loop, built on a Supervisor."""

from __future__ import annotations

import os
import sys
import time
from typing import Any

from tensorflow.python.client import timeline

import tf1mem.v1 as tf
from tf1mem.v1.contrib.training import training
from tf1mem.v1.contrib.training.training import clip_gradient_norms, multiply_gradients
from tf1mem.v1.python.training import supervisor  # type: ignore[import-not-found]

# Arguments with these values get their defaults. None can't mark them: summary_op=None, say, means no summaries.
_USE_GLOBAL_STEP = training._USE_GLOBAL_STEP
_USE_DEFAULT = 0


def add_gradients_summaries(grads_and_vars: Any) -> list[Any]:
    """Adds a histogram and the norm of every gradient to the summaries.

    Args:
        grads_and_vars: List of (gradient, variable) pairs; gradients have any shape.

    Returns:
        The list of summaries.
    """
    return training.gradient_summaries(grads_and_vars, "/")


def create_train_op(
    total_loss: Any,
    optimizer: Any,
    global_step: Any = _USE_GLOBAL_STEP,
    update_ops: Any = None,
    variables_to_train: Any = None,
    clip_gradient_norm: Any = 0,
    summarize_gradients: bool = False,
    gate_gradients: Any = tf.train.Optimizer.GATE_OP,
    aggregation_method: Any = None,
    colocate_gradients_with_ops: bool = False,
    gradient_multipliers: Any = None,
    check_numerics: bool = True,
) -> Any:
    """Returns a tensor that takes a training step when it is evaluated; its value is the loss.

    Args:
        total_loss: Scalar loss tensor (shape `[]`).
        optimizer: A tf.train.Optimizer.
        global_step: Variable that is incremented; the graph's own by default, None for no variable.
        update_ops: Ops to run before the loss; the collection UPDATE_OPS by default.
        variables_to_train: Variables to train; all trainable variables by default.
        clip_gradient_norm: Norm that each gradient is clipped to; 0, the default, for no clipping.
        summarize_gradients: True to add summaries of the gradients.
        gate_gradients: Argument of `Optimizer.compute_gradients`.
        aggregation_method: Argument of `Optimizer.compute_gradients`.
        colocate_gradients_with_ops: Argument of `Optimizer.compute_gradients`.
        gradient_multipliers: Variable, or name of its op -> number or scalar tensor.
        check_numerics: True to raise an error for a loss that is infinite or NaN.
    """

    def transform(grads: Any) -> Any:
        """Returns the gradients (of any shape), multiplied and clipped."""
        if gradient_multipliers:
            with tf.name_scope("multiply_grads"):
                grads = multiply_gradients(grads, gradient_multipliers)
        if clip_gradient_norm > 0:
            with tf.name_scope("clip_grads"):
                grads = clip_gradient_norms(grads, clip_gradient_norm)
        return grads

    return training.create_train_op(
        total_loss,
        optimizer,
        global_step=global_step,
        update_ops=update_ops,
        variables_to_train=variables_to_train,
        transform_grads_fn=transform,
        summarize_gradients=summarize_gradients,
        gate_gradients=gate_gradients,
        aggregation_method=aggregation_method,
        colocate_gradients_with_ops=colocate_gradients_with_ops,
        check_numerics=check_numerics,
    )


def train_step(sess: Any, train_op: Any, global_step: Any, train_step_kwargs: Any) -> tuple[Any, Any]:
    """Takes a training step; logs and traces it if requested.

    Args:
        sess: The Session.
        train_op: Tensor of the loss, which is evaluated.
        global_step: Tensor of the step, of shape `[]`.
        train_step_kwargs: Dict with the scalar bool tensors "should_stop", "should_log" and "should_trace", the folder
            "logdir" for traces, and the "summary_writer"; all optional.

    Returns:
        The loss, and True to stop.

    Raises:
        ValueError: "should_trace" comes without "logdir".
    """
    started = time.time()
    options = metadata = None
    if "should_trace" in train_step_kwargs:
        if "logdir" not in train_step_kwargs:
            raise ValueError("train_step_kwargs: should_trace needs a logdir beside it. Give one.")
        if sess.run(train_step_kwargs["should_trace"]):
            options, metadata = tf.RunOptions(trace_level=tf.RunOptions.FULL_TRACE), tf.RunMetadata()
    loss, step = sess.run([train_op, global_step], options=options, run_metadata=metadata)
    elapsed = time.time() - started
    if metadata is not None:
        _write_trace(metadata, step, train_step_kwargs)
    if "should_log" in train_step_kwargs and sess.run(train_step_kwargs["should_log"]):
        tf.logging.info("global step %d: loss = %.4f (%.3f s)", step, loss, elapsed)
    stop = sess.run(train_step_kwargs["should_stop"]) if "should_stop" in train_step_kwargs else False
    return loss, stop


def _write_trace(metadata: Any, step: Any, train_step_kwargs: Any) -> None:
    file = os.path.join(train_step_kwargs["logdir"], f"tf_trace-{step}.json")
    tf.logging.info("Writing trace to %s", file)
    with tf.gfile.Open(file, "w") as stream:
        stream.write(timeline.Timeline(metadata.step_stats).generate_chrome_trace_format())
    if "summary_writer" in train_step_kwargs:
        train_step_kwargs["summary_writer"].add_run_metadata(metadata, f"run_metadata-{step}")


def train(
    train_op: Any,
    logdir: Any,
    train_step_fn: Any = train_step,
    train_step_kwargs: Any = _USE_DEFAULT,
    log_every_n_steps: int = 1,
    graph: Any = None,
    master: str = "",
    is_chief: bool = True,
    global_step: Any = None,
    number_of_steps: int | None = None,
    init_op: Any = _USE_DEFAULT,
    init_feed_dict: Any = None,
    local_init_op: Any = _USE_DEFAULT,
    init_fn: Any = None,
    ready_op: Any = _USE_DEFAULT,
    summary_op: Any = _USE_DEFAULT,
    save_summaries_secs: float = 600,
    summary_writer: Any = _USE_DEFAULT,
    startup_delay_steps: int = 0,
    saver: Any = None,
    save_interval_secs: float = 600,
    sync_optimizer: Any = None,
    session_config: Any = None,
    session_wrapper: Any = None,
    trace_every_n_steps: int | None = None,
    ignore_live_threads: bool = False,
) -> Any:
    """Runs a train op until the number of steps is reached, the data end, or a stop is requested.

    Args:
        train_op: Tensor of the loss (shape `[]`), which is evaluated in each step.
        logdir: Folder of checkpoints and summaries; None to write neither.
        train_step_fn: Function of the Session, the train op, the global step and `train_step_kwargs`, which takes a
            step and returns the loss, and True to stop.
        train_step_kwargs: Last argument of `train_step_fn`; by default a dict as `train_step` takes it.
        log_every_n_steps: Steps between log lines; 0 for none.
        graph: Graph; the default graph by default.
        master: Address of the TensorFlow master.
        is_chief: True if this process initializes and saves.
        global_step: Step variable; the graph's own by default.
        number_of_steps: Global step at which to stop; None for no limit.
        init_op: Op to run if there is no checkpoint; by default the initializer of all global variables.
        init_feed_dict: Feed dict of `init_op`.
        local_init_op: Op to run in any case; by default the initializer of local variables and tables.
        init_fn: Function of the Session, called after `init_op`.
        ready_op: Op that returns the names of uninitialized variables.
        summary_op: Summary op; all summaries of the graph by default.
        save_summaries_secs: Seconds between summaries; 600 by default.
        summary_writer: Summary writer; by default one for `logdir`, None for no writer.
        startup_delay_steps: Global step that a worker waits for before it starts.
        saver: A tf.train.Saver; by default a new one.
        save_interval_secs: Seconds between checkpoints; 600 by default.
        sync_optimizer: A SyncReplicasOptimizer, or a list of them.
        session_config: ConfigProto of the Session.
        session_wrapper: Function of the Session that returns the session to use.
        trace_every_n_steps: Steps between traces; None for no traces.
        ignore_live_threads: True to accept threads that still run at the end.

    Returns:
        The last loss.

    Raises:
        ValueError: There is no train op, an argument needs `logdir`, or a number of steps is out of range.
    """
    _check_train(train_op, logdir, summary_op, saver, trace_every_n_steps)
    optimizers = [sync_optimizer] if isinstance(sync_optimizer, tf.train.SyncReplicasOptimizer) else sync_optimizer
    if optimizers is not None and startup_delay_steps > 0:
        raise ValueError("startup_delay_steps: workers of a sync_optimizer start together. Leave it at 0.")
    if number_of_steps is not None and number_of_steps <= 0:
        raise ValueError(f"number_of_steps: {number_of_steps} steps can't be taken. Give 1 or more, or None.")
    graph = graph or tf.get_default_graph()
    with graph.as_default():
        if global_step is None:
            global_step = tf.train.get_or_create_global_step()
        saver = saver or tf.train.Saver()
        for optimizer in optimizers or ():
            if not isinstance(optimizer, tf.train.SyncReplicasOptimizer):
                raise ValueError(f"sync_optimizer: {optimizer!r} is no tf.train.SyncReplicasOptimizer. Give one.")
        init_op, local_init_op, ready_op, ready_for_local_init_op = _init_ops(
            init_op, local_init_op, ready_op, optimizers, is_chief
        )
        if _is_default(summary_op):
            summary_op = tf.summary.merge_all()
        if _is_default(summary_writer):
            summary_writer = tf.train.Supervisor.USE_DEFAULT
        start_chief: list[Any] = []
        chief_runners: list[Any] = []
        for each in (optimizers or ()) if is_chief else ():
            start_chief.append(each.get_init_tokens_op())
            chief_runners.append(each.get_chief_queue_runner())
        if _is_default(train_step_kwargs):
            train_step_kwargs = _step_tensors(
                global_step, number_of_steps, log_every_n_steps, trace_every_n_steps if is_chief else None, logdir
            )
    manager = supervisor.Supervisor(
        graph=graph,
        is_chief=is_chief,
        logdir=logdir,
        init_op=init_op,
        init_feed_dict=init_feed_dict,
        local_init_op=local_init_op,
        ready_for_local_init_op=ready_for_local_init_op,
        ready_op=ready_op,
        summary_op=summary_op,
        summary_writer=summary_writer,
        global_step=global_step,
        saver=saver,
        save_summaries_secs=save_summaries_secs,
        save_model_secs=save_interval_secs,
        init_fn=init_fn,
    )
    if summary_writer is not None:
        train_step_kwargs["summary_writer"] = manager.summary_writer

    while True:
        try:
            with manager.managed_session(master, start_standard_services=False, config=session_config) as sess:
                tf.logging.info("Starting Session.")
                wrapped = sess if session_wrapper is None else session_wrapper(sess)
                if is_chief and logdir:
                    manager.start_standard_services(wrapped)
                elif not is_chief and startup_delay_steps > 0:
                    _wait_for_step(wrapped, global_step, min(startup_delay_steps, number_of_steps or sys.maxsize))
                threads = manager.start_queue_runners(wrapped)
                tf.logging.info("Starting Queues.")
                if chief_runners:
                    manager.start_queue_runners(wrapped, chief_runners)
                    wrapped.run(start_chief)
                loss = _take_steps(manager, wrapped, train_step_fn, train_op, global_step, train_step_kwargs)
                if logdir and is_chief:
                    tf.logging.info("Finished training! Saving model to disk.")
                    manager.saver.save(wrapped, manager.save_path, global_step=manager.global_step)
                    manager.stop(threads, close_summary_writer=True, ignore_live_threads=ignore_live_threads)
            return loss
        except tf.errors.AbortedError:
            tf.logging.info("Retrying training!")


def _is_default(argument: Any) -> bool:
    # The argument may be a tensor or an op, which can't be compared to a number.
    return isinstance(argument, int) and argument == _USE_DEFAULT


def _check_train(train_op: Any, logdir: Any, summary_op: Any, saver: Any, trace_every_n_steps: Any) -> None:
    if train_op is None:
        raise ValueError("train_op cannot be None.")
    if logdir is not None:
        return
    for name, is_set in (
        ("summary_op", not _is_default(summary_op)),
        ("saver", saver is not None),
        ("trace_every_n_steps", trace_every_n_steps is not None),
    ):
        if is_set:
            raise ValueError(f"Cannot provide {name} because logdir=None")


def _init_ops(init_op: Any, local_init_op: Any, ready_op: Any, optimizers: Any, is_chief: bool) -> tuple[Any, ...]:
    """Returns a Supervisor's init_op, local_init_op, ready_op and ready_for_local_init_op, with defaults filled in."""
    with tf.name_scope("init_ops"):
        if _is_default(init_op):
            init_op = tf.global_variables_initializer()
        if _is_default(ready_op):
            ready_op = tf.report_uninitialized_variables()
        if _is_default(local_init_op):
            local_init_op = tf.group(tf.local_variables_initializer(), tf.tables_initializer())
        if optimizers is None:
            return init_op, local_init_op, ready_op, None
        with tf.control_dependencies([] if local_init_op is None else [local_init_op]):
            local_init_op = tf.group(
                *[each.chief_init_op if is_chief else each.local_step_init_op for each in optimizers]
            )
        ready_for_local_init_op = tf.group(*[each.ready_for_local_init_op for each in optimizers])
        return init_op, local_init_op, ready_op, ready_for_local_init_op


def _take_steps(
    manager: Any, sess: Any, train_step_fn: Any, train_op: Any, global_step: Any, train_step_kwargs: Any
) -> Any:
    """Trains until a stop is requested or the data end; returns the last loss."""
    loss = None
    try:
        while not manager.should_stop():
            loss, stop = train_step_fn(sess, train_op, global_step, train_step_kwargs)
            if stop:
                tf.logging.info("Stopping Training.")
                manager.request_stop()
                break
    except tf.errors.OutOfRangeError as error:
        tf.logging.info("Caught OutOfRangeError. Stopping Training. %s", error)
    return loss


def _step_tensors(
    global_step: Any, number_of_steps: Any, log_every_n_steps: int, trace_every_n_steps: Any, logdir: Any
) -> dict[str, Any]:
    """Returns the `train_step_kwargs` of `train_step`."""
    with tf.name_scope("train_step"):
        stop = tf.greater_equal(global_step, number_of_steps) if number_of_steps else tf.constant(False)
        tensors = {"should_stop": stop}
        if log_every_n_steps > 0:
            tensors["should_log"] = tf.equal(tf.mod(global_step, log_every_n_steps), 0)
        if trace_every_n_steps is not None:
            tensors["should_trace"] = tf.equal(tf.mod(global_step, trace_every_n_steps), 0)
            tensors["logdir"] = logdir
        return tensors


def _wait_for_step(sess: Any, global_step: Any, step: int) -> None:
    while tf.train.global_step(sess, global_step) < step:
        time.sleep(1.0)
