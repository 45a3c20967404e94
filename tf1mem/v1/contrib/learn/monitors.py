# Copyright 2015-2019 The TensorFlow Authors. All Rights Reserved.
# Licensed under the Apache License, Version 2.0: see LICENSE.
# Written anew for tf1mem after tensorflow/contrib of TensorFlow 1.15.5, and changed: see NOTICE.

"""Monitors, TensorFlow 1's predecessors of SessionRunHooks, and the hook that runs them."""

from __future__ import annotations

import copy
import inspect
import os
import time
from typing import Any, Iterable

import numpy as np

import tf1mem.v1 as tf

NanLossDuringTrainingError = tf.train.NanLossDuringTrainingError


def _is_core(estimator: Any) -> bool:
    """Returns true for a tf.estimator Estimator, without importing tf.estimator."""
    return any(base.__module__.startswith("tensorflow_estimator.") for base in type(estimator).__mro__)


class BaseMonitor:
    """Watches the steps of training, and may stop it.

    `step_begin` requests tensors of any shape; `step_end` gets their values, and returns True to stop.
    """

    def __init__(self) -> None:
        self._begun = False
        self._current_epoch: int | None = None
        self._current_step: int | None = None
        self._max_steps: int | None = None
        self._estimator: Any = None

    @property
    def run_on_all_workers(self) -> bool:
        """Returns true if the monitor runs on every worker, and false if on the chief alone."""
        return False

    def set_estimator(self, estimator: Any) -> None:
        """Sets the estimator that is trained.

        Args:
            estimator: The estimator that calls the monitor.

        Raises:
            ValueError: `estimator` is None.
        """
        if estimator is None:
            raise ValueError("Missing estimator.")
        self._estimator = estimator

    def begin(self, max_steps: int | None = None) -> None:
        """Starts training; called with the training's graph as the default graph.

        Args:
            max_steps: Global step at which training ends, or None.

        Raises:
            ValueError: Training has started already.
        """
        if self._begun:
            raise ValueError("begin called twice without end.")
        self._max_steps = max_steps
        self._begun = True

    def end(self, session: Any = None) -> None:
        """Ends training.

        Args:
            session: The session, or None.

        Raises:
            ValueError: Training hasn't started.
        """
        if not self._begun:
            raise ValueError("end called without begin.")
        self._max_steps = None
        self._begun = False

    def epoch_begin(self, epoch: int) -> None:
        """Starts an epoch.

        Args:
            epoch: Number of the epoch, at least 0.

        Raises:
            ValueError: The previous epoch hasn't ended, or the number is negative.
        """
        if self._current_epoch is not None:
            raise ValueError(f"epoch_begin({epoch}): epoch {self._current_epoch} hasn't ended. Call epoch_end first.")
        if epoch < 0:
            raise ValueError(f"Invalid epoch {epoch}.")
        self._current_epoch = epoch

    def epoch_end(self, epoch: int) -> None:
        """Ends an epoch.

        Args:
            epoch: Number of the epoch.

        Raises:
            ValueError: `epoch` isn't the current epoch.
        """
        if self._current_epoch != epoch:
            raise ValueError(f"epoch_end expected {self._current_epoch} but got {epoch}.")
        self._current_epoch = None

    def step_begin(self, step: int) -> list[Any]:
        """Starts a step; called before it is run.

        Args:
            step: Number of the step.

        Returns:
            Tensors of any shape, or their names, to run with the step.

        Raises:
            ValueError: The step is negative or beyond the last step.
        """
        if step < 0 or (self._max_steps is not None and step > self._max_steps):
            raise ValueError(f"Invalid step {step}.")
        self._current_step = step
        return []

    def step_end(self, step: int, output: Any) -> Any:
        """Ends a step; called after it has run without an error.

        Args:
            step: Number of the step.
            output: Dict of tensor or tensor name requested by `step_begin` -> value, an array of the tensor's shape.

        Returns:
            True if training should stop.

        Raises:
            ValueError: `step` isn't the current step.
        """
        if self._current_step != step:
            raise ValueError(f"step_end expected {self._current_step} but got {step}.")
        self._current_step = None
        return False

    def post_step(self, step: int, session: Any) -> None:
        """Runs after `step_end` of all monitors; does nothing here.

        Args:
            step: Number of the step.
            session: The session, for further calls of `run`, which may fetch tensors of any shape.
        """


def _value(outputs: Any, request: Any) -> Any:
    return outputs[request] if request in outputs else outputs[request.name]


class EveryN(BaseMonitor):
    """Watches every n-th step of training; a subclass requests tensors, of any shape, in `every_n_step_begin`.

    Args:
        every_n_steps: Steps from one watched step to the next.
        first_n_steps: Number of first steps that are all watched.
    """

    def __init__(self, every_n_steps: int = 100, first_n_steps: int = 1) -> None:
        super().__init__()
        self._every_n_steps = every_n_steps
        self._first_n_steps = first_n_steps
        self._last_successful_step: int | None = None
        self._last_active_step = 0
        self._every_n_step_begin_called = False

    def every_n_step_begin(self, step: int) -> list[Any]:
        """Starts an n-th step; called before it is run.

        Args:
            step: Number of the step.

        Returns:
            Tensors of any shape, or their names, to run with the step.
        """
        return []

    def every_n_step_end(self, step: int, outputs: Any) -> Any:
        """Ends an n-th step; called after it has run without an error.

        Args:
            step: Number of the step.
            outputs: Dict of tensor or tensor name requested by `every_n_step_begin` -> value, an array of the tensor's
                shape.

        Returns:
            True if training should stop.
        """
        return False

    def every_n_post_step(self, step: int, session: Any) -> None:
        """Runs after an n-th step and after the last; does nothing here.

        Args:
            step: Number of the step.
            session: The session, for further calls of `run`, which may fetch tensors of any shape.
        """

    def step_begin(self, step: int) -> list[Any]:
        """Returns the tensors, of any shape, that `every_n_step_begin` requests; none at a step that isn't watched."""
        super().step_begin(step)
        self._every_n_step_begin_called = (
            step <= self._first_n_steps
            or step >= self._every_n_steps + self._last_active_step
            or step == self._max_steps
        )
        return self.every_n_step_begin(step) if self._every_n_step_begin_called else []

    def step_end(self, step: int, output: Any) -> Any:
        """Passes the values, arrays of the tensors' shapes, to `every_n_step_end` if the step is watched."""
        super().step_end(step, output)
        return self.every_n_step_end(step, output) if self._every_n_step_begin_called else False

    def post_step(self, step: int, session: Any) -> None:
        """Calls `every_n_post_step` if the step is watched."""
        super().post_step(step, session)
        if self._every_n_step_begin_called:
            self.every_n_post_step(step, session)
            self._last_active_step = step
        self._last_successful_step = step

    def end(self, session: Any = None) -> None:
        """Calls `every_n_post_step` for the last step, unless it was called for it already."""
        super().end(session=session)
        if self._last_successful_step != self._last_active_step:
            self.every_n_post_step(self._last_successful_step or 0, session)


class StopAtStep(BaseMonitor):
    """Stops after a number of steps, or at a step.

    Args:
        num_steps: Number of steps to train.
        last_step: Number of the last step.

    Raises:
        ValueError: Both or neither of `num_steps` and `last_step` are set.
    """

    def __init__(self, num_steps: int | None = None, last_step: int | None = None) -> None:
        super().__init__()
        if num_steps is None and last_step is None:
            raise ValueError("One of num_steps or last_step must be specified.")
        if num_steps is not None and last_step is not None:
            raise ValueError("num_steps, last_step: both were given. Give one of them.")
        self._num_steps = num_steps
        self._last_step = last_step

    @property
    def run_on_all_workers(self) -> bool:
        return True

    def step_begin(self, step: int) -> list[Any]:
        """Derives the last step from `num_steps` at the first step; requests no tensors."""
        super().step_begin(step)
        if self._last_step is None:
            self._last_step = step + (self._num_steps or 0) - 1
        return []

    def step_end(self, step: int, output: Any) -> Any:
        """Returns True at the last step and after it."""
        super().step_end(step, output)
        return self._last_step is not None and step >= self._last_step


class PrintTensor(EveryN):
    """Logs the values of tensors of any shape.

    Args:
        tensor_names: List of tensor names, or a dict of label -> name.
        every_n: Steps between two logs.
        first_n: Number of first steps that are all logged.
    """

    def __init__(self, tensor_names: Any, every_n: int = 100, first_n: int = 1) -> None:
        super().__init__(every_n, first_n)
        self._tensor_names = tensor_names if isinstance(tensor_names, dict) else {name: name for name in tensor_names}

    def every_n_step_begin(self, step: int) -> list[Any]:
        """Returns the names of the tensors, which may have any shape."""
        super().every_n_step_begin(step)
        return list(self._tensor_names.values())

    def every_n_step_end(self, step: int, outputs: Any) -> Any:
        """Logs the values, arrays of the tensors' shapes, such as "Step 1: loss = 0.5"."""
        super().every_n_step_end(step, outputs)
        tf.logging.info("Step %d: %s", step, _joined_values(self._tensor_names, outputs))


def _joined_values(names: dict[str, Any], outputs: Any) -> str:
    texts = (f"{label} = {_value(outputs, name)}" for label, name in names.items() if name in outputs)
    return ", ".join(texts)


class LoggingTrainable(EveryN):
    """Logs the values of the trainable variables, of any shape.

    Args:
        scope: Regular expression that the variables' names start with; None logs all.
        every_n: Steps between two logs.
        first_n: Number of first steps that are all logged.
    """

    def __init__(self, scope: str | None = None, every_n: int = 100, first_n: int = 1) -> None:
        super().__init__(every_n, first_n)
        self._scope = scope

    def every_n_step_begin(self, step: int) -> list[Any]:
        """Returns the names of the variables' values, tensors of any shape."""
        super().every_n_step_begin(step)
        variables = tf.get_collection(tf.GraphKeys.TRAINABLE_VARIABLES, scope=self._scope)
        self._names = {variable.name: variable.value().name for variable in variables}
        return list(self._names.values())

    def every_n_step_end(self, step: int, outputs: Any) -> Any:
        """Logs the values, arrays of the variables' shapes."""
        super().every_n_step_end(step, outputs)
        tf.logging.info("Logging Trainable: Step %d: %s", step, _joined_values(self._names, outputs))


class SummarySaver(EveryN):
    """Writes summaries.

    Args:
        summary_op: Summary, a scalar string tensor (shape `[]`); the scaffold's by default.
        save_steps: Steps between two summaries.
        output_dir: Folder of the summaries if there is no writer; the estimator's folder by default.
        summary_writer: Instance of tf.summary.FileWriter.
        scaffold: Instance of tf.train.Scaffold.
    """

    def __init__(
        self,
        summary_op: Any,
        save_steps: int = 100,
        output_dir: str | None = None,
        summary_writer: Any = None,
        scaffold: Any = None,
    ) -> None:
        super().__init__(every_n_steps=save_steps)
        self._summary_op = summary_op
        self._summary_writer = summary_writer
        if summary_writer is None and output_dir:
            self._summary_writer = tf.summary.FileWriter(output_dir)
        self._scaffold = scaffold

    def set_estimator(self, estimator: Any) -> None:
        """Stores the estimator, and opens a writer in its folder unless the constructor has one."""
        super().set_estimator(estimator)
        if self._summary_writer is None:
            self._summary_writer = tf.summary.FileWriter(estimator.model_dir)

    def every_n_step_begin(self, step: int) -> list[Any]:
        """Returns the summary op, a string tensor of shape `[]`, in a list; an empty list if there is none."""
        super().every_n_step_begin(step)
        if self._summary_op is None and self._scaffold is not None:
            self._summary_op = self._scaffold.summary_op
        return [] if self._summary_op is None else [self._summary_op]

    def every_n_step_end(self, step: int, outputs: Any) -> Any:
        """Writes the serialized summary, bytes of shape `[]`; returns False."""
        super().every_n_step_end(step, outputs)
        if self._summary_op is not None and self._summary_writer:
            self._summary_writer.add_summary(_value(outputs, self._summary_op), step)
        return False

    def end(self, session: Any = None) -> None:
        super().end(session=session)
        if self._summary_writer:
            self._summary_writer.flush()


class ValidationMonitor(EveryN):
    """Evaluates each new checkpoint, and stops training when the model no longer improves.

    Args:
        x: `[num_examples, ...]` array of features; None with an `input_fn`.
        y: `[num_examples, ...]` array of labels.
        input_fn: Function that returns the tensors of features and labels.
        batch_size: Number of rows of `x` per step.
        eval_steps: Number of steps of an evaluation; None evaluates until the input ends.
        every_n_steps: Steps between two checks for a new checkpoint.
        metrics: Dict of metric name -> `MetricSpec`.
        hooks: Hooks for evaluation.
        early_stopping_rounds: Steps without improvement after which training stops; None never stops it.
        early_stopping_metric: Name of the metric that must improve.
        early_stopping_metric_minimize: True if lower values are better.
        name: Name of the evaluation, the suffix of its summaries' folder.
        check_interval_secs: Minimum seconds between two checks for a new checkpoint.

    Raises:
        ValueError: Neither `x` nor `input_fn` is set.
    """

    def __init__(
        self,
        x: Any = None,
        y: Any = None,
        input_fn: Any = None,
        batch_size: int | None = None,
        eval_steps: int | None = None,
        every_n_steps: int = 100,
        metrics: Any = None,
        hooks: Any = None,
        early_stopping_rounds: int | None = None,
        early_stopping_metric: str = "loss",
        early_stopping_metric_minimize: bool = True,
        name: str | None = None,
        check_interval_secs: float | None = 5,
    ) -> None:
        super().__init__(every_n_steps=every_n_steps, first_n_steps=-1)
        if x is None and input_fn is None:
            raise ValueError("x, input_fn: both are missing. Give one of them.")
        self.x = x
        self.y = y
        self.input_fn = input_fn
        self.batch_size = batch_size
        self.eval_steps = eval_steps
        self.metrics = metrics
        self.hooks = hooks
        self.early_stopping_rounds = early_stopping_rounds
        self.early_stopping_metric = early_stopping_metric
        self.early_stopping_metric_minimize = early_stopping_metric_minimize
        self.name = name
        self._best_value_step: int | None = None
        self._best_value: Any = None
        self._best_metrics: Any = None
        self._early_stopped = False
        self._latest_path: Any = None
        self._last_checkpoint_check_time: float | None = None
        self._check_interval_secs = check_interval_secs

    @property
    def early_stopped(self) -> bool:
        """Returns True if the monitor has stopped training."""
        return self._early_stopped

    @property
    def best_step(self) -> int | None:
        """Returns the step of the best value, or None."""
        return self._best_value_step

    @property
    def best_value(self) -> Any:
        """Returns the best value of the early stopping metric, a number (shape `[]`), or None before the first."""
        return self._best_value

    @property
    def best_metrics(self) -> Any:
        """Returns all results of the best evaluation, a dict of metric name -> number or array, or None."""
        return self._best_metrics

    def _evaluate_estimator(self) -> Any:
        options = {"input_fn": self.input_fn, "steps": self.eval_steps, "hooks": self.hooks, "name": self.name}
        others = {"x": self.x, "y": self.y, "batch_size": self.batch_size, "metrics": self.metrics}
        if not _is_core(self._estimator):
            options.update(others)
        elif any(value is not None for value in others.values()):
            raise ValueError(
                "ValidationMonitor: a tf.estimator.Estimator takes no x, y, batch_size or metrics. Give an input_fn in "
                "their place."
            )
        return self._estimator.evaluate(**options)

    def every_n_step_end(self, step: int, outputs: Any) -> Any:
        """Evaluates the latest checkpoint, if it is new, and logs its metrics.

        Args:
            step: Number of the step.
            outputs: Not used.

        Returns:
            True if the metric hasn't improved for `early_stopping_rounds` steps.

        Raises:
            ValueError: There is no estimator, or it is tf.estimator's and an argument is set that it doesn't take.
        """
        super().every_n_step_end(step, outputs)
        if self._estimator is None:
            raise ValueError("Missing call to set_estimator.")
        now, last = time.time(), self._last_checkpoint_check_time
        if self._check_interval_secs is not None and last is not None and now - last <= self._check_interval_secs:
            return False
        self._last_checkpoint_check_time = now
        path = tf.train.latest_checkpoint(self._estimator.model_dir)
        if path is None or path == self._latest_path:
            return False
        self._latest_path = path
        results = self._evaluate_estimator()
        tf.logging.info(
            "Validation (step %d): %s", step, ", ".join(f"{name} = {value}" for name, value in results.items())
        )
        return self.early_stopping_rounds is not None and self._is_stale(step, results)

    def _is_stale(self, step: int, results: Any) -> bool:
        """Returns True if the metric hasn't improved for `early_stopping_rounds` steps."""
        value = results[self.early_stopping_metric]
        if self._best_value is None or (
            value < self._best_value if self.early_stopping_metric_minimize else value > self._best_value
        ):
            self._best_value = value
            self._best_metrics = copy.deepcopy(results)
            self._best_value_step = step
        self._early_stopped = step - (self._best_value_step or 0) >= (self.early_stopping_rounds or 0)
        if self._early_stopped:
            tf.logging.info(
                f"Stopping. Best step: {self._best_value_step} with {self.early_stopping_metric} = {self._best_value}."
            )
        return self._early_stopped


class CaptureVariable(EveryN):
    """Records the values of a variable.

    Args:
        var_name: Name of the variable's tensor, of any shape.
        every_n: Steps between two values.
        first_n: Number of first steps that are all recorded.
    """

    def __init__(self, var_name: str, every_n: int = 100, first_n: int = 1) -> None:
        super().__init__(every_n, first_n)
        self._var_name = var_name
        self._var_values: dict[int, Any] = {}

    @property
    def values(self) -> dict[int, Any]:
        """Returns a dict of step -> value of the variable, an array of its shape."""
        return self._var_values

    def every_n_step_begin(self, step: int) -> list[Any]:
        """Returns the name of the variable's tensor, of any shape, in a list."""
        super().every_n_step_begin(step)
        return [self._var_name]

    def every_n_step_end(self, step: int, outputs: Any) -> Any:
        """Records the value, an array of the variable's shape."""
        super().every_n_step_end(step, outputs)
        self._var_values[step] = _value(outputs, self._var_name)


def get_default_monitors(
    loss_op: Any = None,
    summary_op: Any = None,
    save_summary_steps: int = 100,
    output_dir: str | None = None,
    summary_writer: Any = None,
) -> list[BaseMonitor]:
    """Returns a `PrintTensor` of the loss and a `SummarySaver`.

    Args:
        loss_op: Loss, a scalar tensor (shape `[]`); None logs no loss.
        summary_op: Summary, a scalar string tensor; None writes no summary.
        save_summary_steps: Steps between two summaries.
        output_dir: Folder of the summaries if there is no writer.
        summary_writer: Instance of tf.summary.FileWriter.
    """
    monitors: list[BaseMonitor] = []
    if loss_op is not None:
        monitors.append(PrintTensor(tensor_names={"loss": loss_op.name}))
    if summary_op is not None:
        monitors.append(SummarySaver(summary_op, save_summary_steps, output_dir, summary_writer))
    return monitors


class GraphDump(BaseMonitor):
    """Records the first output, of any shape, of nearly every op in each step, which takes time and memory.

    Args:
        ignore_ops: Types of ops to leave out; `IGNORE_OPS` by default.
    """

    IGNORE_OPS = ("Const", "Assign", "Identity", "Placeholder", "RandomUniform", "Cast", "RestoreSlice")

    def __init__(self, ignore_ops: Iterable[str] | None = None) -> None:
        super().__init__()
        self._ignore_ops = ignore_ops or GraphDump.IGNORE_OPS
        self._data: dict[int, Any] = {}

    def begin(self, max_steps: int | None = None) -> None:
        """Selects the tensors of the default graph to record, of any shape."""
        super().begin(max_steps=max_steps)
        operations = tf.get_default_graph().get_operations()
        self._tensors = [each.outputs[0] for each in operations if each.type not in self._ignore_ops and each.outputs]

    def step_begin(self, step: int) -> list[Any]:
        """Returns the tensors to record, of any shape."""
        super().step_begin(step)
        return self._tensors

    def step_end(self, step: int, output: Any) -> Any:
        """Records the values, arrays of the tensors' shapes."""
        super().step_end(step, output)
        self._data[step] = output

    @property
    def data(self) -> dict[int, Any]:
        """Returns a dict of step -> (name of a tensor -> value, an array of the tensor's shape)."""
        return self._data

    def compare(self, other_dump: GraphDump, step: int, atol: float = 1e-06) -> Any:
        """Compares a step with the same step of another dump.

        Args:
            other_dump: The dump to compare with.
            step: Number of the step.
            atol: Absolute tolerance for arrays.

        Returns:
            List of the names with equal values, and a dict of name -> difference: an array of the values' shape for
            arrays, a pair of both values otherwise.

        Raises:
            ValueError: The other dump lacks a name.
        """
        matched, differing = [], {}
        other = other_dump.data.get(step, {})
        for name, value in self.data.get(step, {}).items():
            if not isinstance(name, str) or isinstance(value, str):
                continue
            if name not in other:
                raise ValueError(f"{name} missing at step {step}.")
            if isinstance(value, np.ndarray):
                if np.allclose(value, other[name], atol=atol):
                    matched.append(name)
                else:
                    differing[name] = value - other[name]
            elif value == other[name]:
                matched.append(name)
            else:
                differing[name] = (value, other[name])
        return matched, differing


class CheckpointSaver(BaseMonitor):
    """Writes checkpoints of all variables, of any shape, or of those of the Saver.

    Args:
        checkpoint_dir: Folder of the checkpoints.
        save_secs: Seconds between two checkpoints.
        save_steps: Steps between two checkpoints.
        saver: Instance of tf.train.Saver; the scaffold's by default.
        checkpoint_basename: Prefix of the checkpoints' names.
        scaffold: Instance of tf.train.Scaffold.

    Raises:
        ValueError: Both or neither of `save_secs` and `save_steps` are set.
    """

    def __init__(
        self,
        checkpoint_dir: str,
        save_secs: float | None = None,
        save_steps: int | None = None,
        saver: Any = None,
        checkpoint_basename: str = "model.ckpt",
        scaffold: Any = None,
    ) -> None:
        super().__init__()
        if save_steps is None and save_secs is None:
            raise ValueError("save_steps, save_secs: both are missing. Give one of them.")
        if save_steps is not None and save_secs is not None:
            raise ValueError("save_steps, save_secs: both were given. Give one of them.")
        self._saver = saver
        self._summary_writer = tf.summary.FileWriterCache.get(checkpoint_dir)
        self._save_path = os.path.join(checkpoint_dir, checkpoint_basename)
        self._scaffold = scaffold
        self._save_secs = save_secs
        self._save_steps = save_steps
        self._reset()

    def _reset(self) -> None:
        self._last_saved_time: float | None = None
        self._last_begin_step: int | None = None
        self._last_saved_step: int | None = None

    def begin(self, max_steps: int | None = None) -> None:
        super().begin(max_steps)
        self._reset()

    def step_begin(self, step: int) -> list[Any]:
        super().step_begin(step)
        self._last_begin_step = step
        return []

    def post_step(self, step: int, session: Any) -> None:
        """Writes a checkpoint after the first step, and whenever `save_steps` or `save_secs` have passed."""
        super().post_step(step, session)
        if (
            self._last_saved_time is None
            or (self._save_steps is not None and step >= (self._last_saved_step or 0) + self._save_steps)
            or (self._save_secs is not None and time.time() >= self._last_saved_time + self._save_secs)
        ):
            self._save(step, session)

    def end(self, session: Any = None) -> None:
        """Writes a checkpoint of the last step, unless it is written already."""
        super().end(session)
        self._save(self._last_begin_step, session)

    def _save(self, step: int | None, session: Any) -> None:
        if step == self._last_saved_step:
            return
        tf.logging.info("Saving checkpoints for %d into %s.", step, self._save_path)
        self._last_saved_time = time.time()
        self._last_saved_step = step
        (self._saver or self._scaffold.saver).save(session, self._save_path, global_step=step)
        log = tf.SessionLog(status=tf.SessionLog.CHECKPOINT, checkpoint_path=self._save_path)
        self._summary_writer.add_session_log(log, step)


class StepCounter(EveryN):
    """Writes the steps per second as a summary, "global_step/sec", a number of shape `[]`.

    Args:
        every_n_steps: Steps between two summaries.
        output_dir: Folder of the summaries if there is no writer; the estimator's folder by default.
        summary_writer: Instance of tf.summary.FileWriter.
    """

    def __init__(self, every_n_steps: int = 100, output_dir: str | None = None, summary_writer: Any = None) -> None:
        super().__init__(every_n_steps=every_n_steps)
        self._summary_tag = "global_step/sec"
        self._last_reported_step: int | None = None
        self._last_reported_time: float | None = None
        self._summary_writer = summary_writer
        if summary_writer is None and output_dir:
            self._summary_writer = tf.summary.FileWriterCache.get(output_dir)

    def set_estimator(self, estimator: Any) -> None:
        """Stores the estimator, and opens a writer in its folder unless the constructor has one."""
        super().set_estimator(estimator)
        if self._summary_writer is None:
            self._summary_writer = tf.summary.FileWriterCache.get(estimator.model_dir)

    def every_n_step_end(self, step: int, outputs: Any) -> Any:
        """Writes the mean steps per second since the last call, a number of shape `[]`; the first call writes none."""
        super().every_n_step_end(step, outputs)
        now = time.time()
        if self._summary_writer is not None and self._last_reported_time is not None:
            rate = (step - (self._last_reported_step or 0)) / (now - self._last_reported_time)
            summary = tf.Summary(value=[tf.Summary.Value(tag=self._summary_tag, simple_value=rate)])
            self._summary_writer.add_summary(summary, step)
        self._last_reported_step, self._last_reported_time = step, now


class NanLoss(EveryN):
    """Stops training when the loss is NaN.

    Args:
        loss_tensor: Loss, a scalar float tensor (shape `[]`), or its name.
        every_n_steps: Steps between two checks.
        fail_on_nan_loss: True if NaN raises NanLossDuringTrainingError instead of stopping.
    """

    def __init__(self, loss_tensor: Any, every_n_steps: int = 100, fail_on_nan_loss: bool = True) -> None:
        super().__init__(every_n_steps=every_n_steps)
        self._loss_tensor = loss_tensor
        self._fail_on_nan_loss = fail_on_nan_loss

    def every_n_step_begin(self, step: int) -> list[Any]:
        """Returns the loss, of shape `[]`, in a list."""
        super().every_n_step_begin(step)
        return [self._loss_tensor]

    def every_n_step_end(self, step: int, outputs: Any) -> Any:
        """Returns True if the loss, a number of shape `[]`, is NaN, else None.

        Raises:
            NanLossDuringTrainingError: The loss is NaN, and `fail_on_nan_loss` is set.
        """
        super().every_n_step_end(step, outputs)
        if not np.isnan(_value(outputs, self._loss_tensor)):
            return None
        if self._fail_on_nan_loss:
            tf.logging.error("Model diverged with loss = NaN.")
            raise NanLossDuringTrainingError
        tf.logging.warning("Model diverged with loss = NaN.")
        return True


class RunHookAdapterForMonitors(tf.train.SessionRunHook):  # type: ignore[misc]
    """Runs monitors as a SessionRunHook: fetches the tensors, of any shape, that they request with each step.

    Args:
        monitors: List of `BaseMonitor` objects.
    """

    def __init__(self, monitors: list[Any]) -> None:
        self._monitors = monitors

    def begin(self) -> None:
        """Calls `begin` of the monitors, and looks up the graph's global step, of shape `[]`."""
        self._last_step: int | None = None
        self._global_step_tensor = tf.train.get_global_step()
        for monitor in self._monitors:
            monitor.begin(max_steps=None)

    def before_run(self, run_context: Any) -> Any:
        """Calls `step_begin` of the monitors; returns SessionRunArgs of their tensors (any shape) and the global step.

        Raises:
            ValueError: A monitor returned no list, or requested a tensor of another graph.
        """
        if self._last_step is None:
            self._last_step = run_context.session.run(self._global_step_tensor) + 1
        fetches = {}
        for monitor in self._monitors:
            requests = monitor.step_begin(self._last_step)
            if requests and not isinstance(requests, list):
                raise ValueError(f"step_begin: {monitor} returned no list. Let it return a list of tensors, or None.")
            for request in requests or ():
                fetches[_key(request)] = _element(request)
        return tf.train.SessionRunArgs({"step": self._global_step_tensor, "monitors": fetches})

    def after_run(self, run_context: Any, run_values: Any) -> None:
        """Passes the values, arrays of the tensors' shapes, to the monitors; stops training if one returns True."""
        outputs = _Outputs(run_values.results["monitors"])
        for monitor in self._monitors:
            if monitor.step_end(self._last_step, outputs):
                run_context.request_stop()
        for monitor in self._monitors:
            monitor.post_step(self._last_step, run_context.session)
        self._last_step = run_values.results["step"] + 1

    def end(self, session: Any) -> None:
        self._last_step = None
        for monitor in self._monitors:
            if "session" in inspect.signature(monitor.end).parameters:
                monitor.end(session=session)
            else:
                monitor.end()


def _key(request: Any) -> str:
    """Returns the name of a requested tensor, a dict key in place of the tensor, which TensorFlow 2 can't hash."""
    return request if isinstance(request, str) else str(request.name)


class _Outputs(dict):  # type: ignore[type-arg]
    """Looks up values by a tensor or by its name."""

    def __contains__(self, request: Any) -> bool:
        return super().__contains__(_key(request))

    def __getitem__(self, request: Any) -> Any:
        return super().__getitem__(_key(request))


def _element(request: Any) -> Any:
    """Returns the tensor for a tensor or a tensor name."""
    graph = tf.get_default_graph()
    if not isinstance(request, str):
        if getattr(request, "graph", None) is not graph:
            raise ValueError(f"Passed {request} should have graph attribute that is equal to current graph {graph}.")
        return request
    if ":" in request:
        return graph.as_graph_element(request)
    element = graph.as_graph_element(request + ":0")
    if len(element.op.outputs) > 1:
        raise ValueError(f"Name {request} is ambiguous, as this `Operation` has multiple outputs (at least 2).")
    return element


def replace_monitors_with_hooks(monitors_or_hooks: Any, estimator: Any) -> list[Any]:
    """Returns hooks that do the work of a list of monitors and hooks.

    Args:
        monitors_or_hooks: List of monitors and SessionRunHooks, or None.
        estimator: The estimator that is trained.

    Returns:
        List of SessionRunHooks; one of them runs all monitors.
    """
    monitors_and_hooks = monitors_or_hooks or []
    hooks = [each for each in monitors_and_hooks if isinstance(each, tf.train.SessionRunHook)]
    monitors = [each for each in monitors_and_hooks if not isinstance(each, tf.train.SessionRunHook)]
    if not estimator.config.is_chief:
        monitors = [monitor for monitor in monitors if monitor.run_on_all_workers]
    for monitor in monitors:
        monitor.set_estimator(estimator)
    return [*hooks, RunHookAdapterForMonitors(monitors)] if monitors else hooks
