# Copyright 2015-2019 The TensorFlow Authors. All Rights Reserved.
# Licensed under the Apache License, Version 2.0: see LICENSE.
# Written anew for tf1mem after tensorflow/contrib of TensorFlow 1.15.5, and changed: see NOTICE.

"""Functions that train, evaluate and run a graph, from before TensorFlow 1 had estimators."""

from __future__ import annotations

import itertools
import time
from typing import Any, Callable, Iterable, Iterator

import numpy as np

import tf1mem.v1 as tf
from tf1mem.v1.contrib.learn import monitors as monitors_lib
from tf1mem.v1.contrib.learn.estimators.model_fn import flat


def clear_summary_writers() -> None:
    """Closes the writers of `get_summary_writer`."""
    tf.summary.FileWriterCache.clear()


def get_summary_writer(logdir: str) -> Any:
    """Returns the FileWriter of a folder, the same for every call.

    Args:
        logdir: Path of the folder.
    """
    return tf.summary.FileWriterCache.get(logdir)


def _make_saver(graph: Any, keep_checkpoint_max: int | None = 5) -> Any:
    saved = graph.get_collection(tf.GraphKeys.GLOBAL_VARIABLES) + graph.get_collection(tf.GraphKeys.SAVEABLE_OBJECTS)
    return tf.train.Saver(saved, sharded=True, max_to_keep=keep_checkpoint_max) if saved else None


def _global_step(graph: Any, tensor: Any) -> Any:
    if tensor is None:
        return tf.train.get_global_step(graph)
    tf.train.assert_global_step(tensor)
    return tensor


def train(
    graph: Any,
    output_dir: str,
    train_op: Any,
    loss_op: Any,
    global_step_tensor: Any = None,
    init_op: Any = None,
    init_feed_dict: Any = None,
    init_fn: Any = None,
    log_every_steps: int = 10,
    supervisor_is_chief: bool = True,
    supervisor_master: str = "",
    supervisor_save_model_secs: float = 600,
    keep_checkpoint_max: int | None = 5,
    supervisor_save_summaries_steps: int = 100,
    feed_fn: Callable[[], Any] | None = None,
    steps: int | None = None,
    fail_on_nan_loss: bool = True,
    monitors: Any = None,
    max_steps: int | None = None,
) -> Any:
    """Trains a graph under a Supervisor.

    Args:
        graph: The tf.Graph.
        output_dir: Folder for checkpoints and summaries.
        train_op: Op that makes one training step.
        loss_op: Loss, a scalar float tensor (shape `[]`).
        global_step_tensor: Global step, a scalar integer variable; the graph's by default.
        init_op: Op that initializes the variables; the Supervisor's by default.
        init_feed_dict: Feed dict for `init_op`.
        init_fn: Function of the session, called after `init_op`.
        log_every_steps: Steps between two logs of the loss.
        supervisor_is_chief: True if this process writes checkpoints and summaries.
        supervisor_master: Target of the session.
        supervisor_save_model_secs: Seconds between two checkpoints.
        keep_checkpoint_max: Number of checkpoints to keep; None keeps all.
        supervisor_save_summaries_steps: Steps between two summaries.
        feed_fn: Function that returns the feed dict of a step.
        steps: Number of steps to train.
        fail_on_nan_loss: True if a loss of NaN raises an error instead of a warning.
        monitors: List of monitors; by default, monitors that log the loss and write summaries.
        max_steps: Global step at which training ends.

    Returns:
        The last loss, a NumPy scalar; None if no step was made.

    Raises:
        ValueError: A required argument is missing, or both `steps` and `max_steps` are set.
        NanLossDuringTrainingError: A step's loss is NaN, and `fail_on_nan_loss` is True.
    """
    if steps is not None and max_steps is not None:
        raise ValueError("steps, max_steps: both were given. Give one of them.")
    if not output_dir:
        raise ValueError(f"Output directory should be non-empty {output_dir}.")
    if train_op is None:
        raise ValueError("Missing train_op.")
    if loss_op is None:
        raise ValueError("Missing loss_op.")
    while True:
        try:
            with graph.as_default():
                global_step = _global_step(graph, global_step_tensor)
                if global_step is None:
                    raise ValueError(
                        'global_step_tensor: none was given, and the graph has no "global_step". Make one in the graph.'
                    )
                writer = get_summary_writer(output_dir) if supervisor_is_chief else None
                active_monitors = monitors
                if not active_monitors:
                    active_monitors = (
                        monitors_lib.get_default_monitors(
                            loss_op=loss_op,
                            summary_op=_summary_op(),
                            save_summary_steps=supervisor_save_summaries_steps,
                            summary_writer=writer,
                        )
                        if supervisor_is_chief
                        else []
                    )
                if not supervisor_is_chief:
                    active_monitors = [monitor for monitor in active_monitors if monitor.run_on_all_workers]
                last_step = max_steps
                if last_step is None and steps:
                    last_step = _start_step(output_dir, global_step) + steps
                for monitor in active_monitors:
                    monitor.begin(max_steps=last_step)
            supervisor = tf.train.Supervisor(
                graph,
                init_op=tf.train.Supervisor.USE_DEFAULT if init_op is None else init_op,
                init_feed_dict=init_feed_dict,
                is_chief=supervisor_is_chief,
                logdir=output_dir,
                saver=_make_saver(graph, keep_checkpoint_max),
                global_step=global_step,
                summary_op=None,
                summary_writer=writer,
                save_model_secs=supervisor_save_model_secs,
                init_fn=init_fn,
            )
            session = supervisor.PrepareSession(master=supervisor_master, start_standard_services=True)
            supervisor.StartQueueRunners(session)
            with session:
                training = _Training(session, supervisor, global_step, active_monitors, last_step, supervisor_is_chief)
                return training.run(train_op, loss_op, feed_fn, fail_on_nan_loss, log_every_steps)
        except tf.errors.AbortedError:  # A parameter server was restarted.
            tf.logging.warning("Training got Aborted error. Keep training.")


def _summary_op() -> Any:
    summary_ops = tf.get_collection(tf.GraphKeys.SUMMARY_OP)
    if summary_ops:
        return summary_ops[0]
    merged = tf.summary.merge_all()
    if merged is not None:
        tf.add_to_collection(tf.GraphKeys.SUMMARY_OP, merged)
    return merged


def _start_step(output_dir: str, global_step: Any) -> int:
    try:
        return int(tf.train.load_variable(output_dir, global_step.name.partition(":")[0]))
    except (tf.errors.NotFoundError, ValueError):
        return 0


class _Training:
    """Runs the training steps of `train` and the final checkpoint."""

    def __init__(
        self, session: Any, supervisor: Any, global_step: Any, monitors: Any, last_step: int | None, is_chief: bool
    ) -> None:
        self.session = session
        self.supervisor = supervisor
        self.global_step = global_step
        self.monitors = monitors
        self.last_step = last_step
        self.is_chief = is_chief

    def run(self, train_op: Any, loss_op: Any, feed_fn: Any, fail_on_nan_loss: bool, log_every_steps: int) -> Any:
        """Runs all steps and writes the last checkpoint; returns the last loss, a number of shape `[]`, or None."""
        try:
            loss = self._steps(train_op, loss_op, feed_fn, fail_on_nan_loss, log_every_steps)
        except BaseException:
            try:
                self._finish()
            except Exception as error:  # Only logged, so that the first error is raised.
                tf.logging.error("The last checkpoint couldn't be written: %s", error)
            raise
        self._finish()
        return loss

    def _steps(self, train_op: Any, loss_op: Any, feed_fn: Any, fail_on_nan_loss: bool, log_every_steps: int) -> Any:
        step = last_logged = self.session.run(self.global_step)
        loss = None
        try:
            while not self.supervisor.ShouldStop() and (self.last_step is None or step < self.last_step):
                start = time.time()
                feed = feed_fn() if feed_fn is not None else None
                loss, stop = self._step(step + 1, train_op, loss_op, feed)
                if np.isnan(loss):
                    if fail_on_nan_loss:
                        tf.logging.error("Model diverged with loss = NaN.")
                        raise monitors_lib.NanLossDuringTrainingError()
                    tf.logging.warning("Model diverged with loss = NaN.")
                if stop:
                    break
                before, step = step, self.session.run(self.global_step)
                if step <= before:
                    tf.logging.error("The train op didn't advance the global step: it was %s, and is %d", before, step)
                if step - last_logged >= log_every_steps or (self.last_step is not None and step >= self.last_step):
                    duration = time.time() - start
                    tf.logging.info("training step %d: loss = %.5f, %.3f seconds a step", step, loss, duration)
                    last_logged = step
        except tf.errors.OutOfRangeError as error:
            tf.logging.warning("Got exception during tf.learn training loop possibly due to exhausted input %s.", error)
        except StopIteration:
            tf.logging.info("Exhausted input iterator.")
        return loss

    def _step(self, step: int, train_op: Any, loss_op: Any, feed: Any) -> tuple[Any, bool]:
        requests = {tensor.name: tensor for tensor in (train_op, loss_op)}
        for monitor in self.monitors:
            for request in monitor.step_begin(step):
                requests[request if isinstance(request, str) else request.name] = request
        outputs = self.session.run(requests, feed_dict=feed)
        stops = [monitor.step_end(step, outputs) for monitor in self.monitors]
        return outputs[loss_op.name], any(stops)

    def _finish(self) -> None:
        try:
            self.supervisor.Stop(close_summary_writer=False)
            if self.is_chief:
                step = self.session.run(self.global_step)
                self.supervisor.saver.save(self.session, self.supervisor.save_path, global_step=step)
                for monitor in self.monitors:
                    monitor.end()
        except tf.errors.OutOfRangeError as error:
            tf.logging.warning("OutOfRangeError in tf.learn final checkpoint: %s.", error)


def _first(collection: str, make: Callable[[], Any]) -> Any:
    """Returns the first entry of a collection, or adds one by `make` if there is none."""
    entries = tf.get_collection(collection)
    if entries:
        return entries[0]
    entry = make()
    if entry is not None:
        tf.add_to_collection(collection, entry)
    return entry


def evaluate(
    graph: Any,
    output_dir: str,
    checkpoint_path: str | None,
    eval_dict: dict[str, Any],
    update_op: Any = None,
    global_step_tensor: Any = None,
    supervisor_master: str = "",
    log_every_steps: int = 10,
    feed_fn: Callable[[], Any] | None = None,
    max_steps: int | None = None,
) -> tuple[Any, Any]:
    """Evaluates tensors of a graph step by step with a checkpoint's variables.

    Args:
        graph: The tf.Graph.
        output_dir: Folder for the summary of the results.
        checkpoint_path: Path of the checkpoint; None if there are no variables to restore.
        eval_dict: Dict of name -> tensor of any shape. The summary holds the scalar floats among the values.
        update_op: Op that is run in each step; by default `eval_dict` is evaluated in each step.
        global_step_tensor: Global step, a scalar integer variable; the graph's by default.
        supervisor_master: Target of the session.
        log_every_steps: Steps between two logs of the results.
        feed_fn: Function that returns the feed dict of a step.
        max_steps: Number of steps; None evaluates until the input ends.

    Returns:
        Dict of name -> last value of the tensor, and the global step.

    Raises:
        ValueError: `output_dir` is empty.
    """
    if not output_dir:
        raise ValueError(f"Output directory should be non-empty {output_dir}.")
    keys = tf.GraphKeys
    with graph.as_default():
        global_step = _global_step(graph, global_step_tensor)
        saver = _first(keys.SAVERS, lambda: tf.train.Saver() if tf.global_variables() else None)
        local_init = _first(
            keys.LOCAL_INIT_OP, lambda: tf.group(tf.local_variables_initializer(), tf.tables_initializer())
        )
        manager = tf.train.SessionManager(
            local_init_op=local_init,
            ready_op=_first(keys.READY_OP, tf.report_uninitialized_variables),
            ready_for_local_init_op=_first(keys.READY_FOR_LOCAL_INIT_OP, lambda: None),
        )
        session, initialized = manager.recover_session(
            master=supervisor_master, saver=saver, checkpoint_dir=checkpoint_path
        )
        coordinator = tf.train.Coordinator()
        threads = tf.train.start_queue_runners(session, coordinator)
        with session:
            if not initialized:
                tf.logging.warning("Failed to initialize from %s.", checkpoint_path)
                session.run(tf.global_variables_initializer())
                if checkpoint_path:
                    _restore(session, graph, checkpoint_path, saver)
            step_of_graph = session.run(global_step)
            results = None
            is_current = False
            feed = None
            try:
                try:
                    for step in itertools.count(1) if max_steps is None else range(1, max_steps + 1):
                        feed = feed_fn() if feed_fn is not None else None
                        is_current = False
                        if update_op is not None:
                            session.run(update_op, feed_dict=feed)
                        if update_op is None or step % log_every_steps == 0:
                            results = session.run(eval_dict, feed_dict=feed)
                            is_current = True
                        if step % log_every_steps == 0:
                            tf.logging.info("Results after %d steps: %s.", step, results)
                finally:
                    if not is_current:
                        results = session.run(eval_dict, feed_dict=feed)
                    session.close()
                    try:
                        coordinator.request_stop()
                        coordinator.join(threads, stop_grace_period_secs=120)
                    except (RuntimeError, tf.errors.CancelledError) as error:
                        tf.logging.warning("Coordinator didn't stop cleanly: %s", error)
            except (tf.errors.OutOfRangeError, StopIteration) as error:
                tf.logging.info("Input is exhausted: %s.", error)
    _write_results(output_dir, results, step_of_graph)
    return results, step_of_graph


def _write_results(output_dir: str, results: Any, step: Any) -> None:
    summary = tf.Summary()
    for name, value in (results or {}).items():
        if isinstance(value, (float, np.float32)):
            summary.value.add(tag=name, simple_value=float(value))
        elif value is not None:
            tf.logging.warning("%s is no float, so no summary of it is written.", name)
    writer = get_summary_writer(output_dir)
    writer.add_summary(summary, step)
    writer.flush()


def _restore(session: Any, graph: Any, checkpoint_path: str, saver: Any = None) -> None:
    tf.logging.info("Loading model from checkpoint: %s.", checkpoint_path)
    saver = saver or _make_saver(graph)
    if saver:
        saver.restore(session, checkpoint_path)


def run_n(
    output_dict: dict[str, Any], feed_dict: Any = None, restore_checkpoint_path: str | None = None, n: int = 1
) -> list[Any]:
    """Runs tensors `n` times with the same feed.

    Args:
        output_dict: Dict of name -> tensor of any shape.
        feed_dict: Feed dict of each run.
        restore_checkpoint_path: Path of the checkpoint to restore; by default the variables are initialized.
        n: Number of runs.

    Returns:
        List of `n` dicts of name -> value of the tensor.
    """
    return run_feeds(output_dict, itertools.repeat(feed_dict, n), restore_checkpoint_path)


def run_feeds_iter(
    output_dict: dict[str, Any], feed_dicts: Iterable[Any], restore_checkpoint_path: str | None = None
) -> Iterator[Any]:
    """Runs tensors with each feed in turn.

    Args:
        output_dict: Dict of name -> tensor of any shape.
        feed_dicts: Feed dicts, one for each run.
        restore_checkpoint_path: Path of the checkpoint to restore; by default the variables are initialized.

    Yields:
        For each feed a dict of name -> value of the tensor.

    Raises:
        ValueError: `output_dict` or `feed_dicts` is empty.
    """
    if not output_dict:
        raise ValueError(f"output_dict is invalid: {output_dict}.")
    if not feed_dicts:
        raise ValueError(f"feed_dicts is invalid: {feed_dicts}.")
    graph = flat([output_dict])[0].graph
    with graph.as_default(), tf.Session("") as session:
        session.run(_initialize_resources())
        if restore_checkpoint_path:
            _restore(session, graph, restore_checkpoint_path)
        else:
            session.run(tf.global_variables_initializer())
        session.run(tf.local_variables_initializer())
        session.run(tf.tables_initializer())
        coordinator = tf.train.Coordinator()
        threads = None
        try:
            threads = tf.train.start_queue_runners(session, coord=coordinator)
            for feed in feed_dicts:
                yield session.run(output_dict, feed)
        finally:
            coordinator.request_stop()
            if threads:
                coordinator.join(threads, stop_grace_period_secs=120)


def _initialize_resources() -> Any:
    from tensorflow.python.ops import resources

    return resources.initialize_resources(resources.shared_resources() + resources.local_resources())


def run_feeds(
    output_dict: dict[str, Any], feed_dicts: Iterable[Any], restore_checkpoint_path: str | None = None
) -> list[Any]:
    """Returns the results of `run_feeds_iter` as a list.

    Args:
        output_dict: Dict of name -> tensor of any shape.
        feed_dicts: Feed dicts, one for each run.
        restore_checkpoint_path: Path of the checkpoint to restore; by default the variables are initialized.
    """
    return list(run_feeds_iter(output_dict, feed_dicts, restore_checkpoint_path))


def infer(restore_checkpoint_path: str | None, output_dict: dict[str, Any], feed_dict: Any = None) -> Any:
    """Runs tensors once.

    Args:
        restore_checkpoint_path: Path of the checkpoint to restore; None initializes the variables.
        output_dict: Dict of name -> tensor of any shape.
        feed_dict: Feed dict of the run.

    Returns:
        Dict of name -> value of the tensor.
    """
    return run_feeds(output_dict, [feed_dict], restore_checkpoint_path)[0]
