# Copyright 2015-2019 The TensorFlow Authors. All Rights Reserved.
# Licensed under the Apache License, Version 2.0: see LICENSE.
# Written anew for tf1mem after tensorflow/contrib of TensorFlow 1.15.5, and changed: see NOTICE.

"""Experiments: an estimator with its data, and the ways to train and evaluate it."""

from __future__ import annotations

import inspect
import math
import os
import time
from typing import Any, Callable, Iterable

import tf1mem.v1 as tf
from tf1mem.v1.contrib.learn import monitors
from tf1mem.v1.contrib.learn.estimators import run_config
from tf1mem.v1.contrib.learn.evaluable import Evaluable
from tf1mem.v1.contrib.learn.export_strategy import ExportStrategy
from tf1mem.v1.contrib.learn.trainable import Trainable

Predicate = Callable[..., bool]


def _with_checkpoint_path(predicate: Predicate | None) -> Predicate:
    """Returns the predicate as a function of eval_results and checkpoint_path; None becomes one that is always true."""
    if predicate is None:
        return lambda eval_results, checkpoint_path: True
    if not callable(predicate):
        raise ValueError("`continuous_eval_predicate_fn` must be a callable, or None.")
    if "checkpoint_path" in inspect.signature(predicate).parameters:
        return predicate
    results_predicate = predicate
    return lambda eval_results, checkpoint_path: results_predicate(eval_results)


class _EvalExportListener(tf.train.CheckpointSaverListener):  # type: ignore[misc]
    """Evaluates and exports every checkpoint when it is written."""

    def __init__(self, experiment: Experiment) -> None:
        self.experiment = experiment
        self.latest: Any = None
        self.eval_result: Any = None
        self.export_results: Any = None

    def after_save(self, session: Any, global_step_value: Any) -> None:
        """Evaluates and exports the latest checkpoint, if it is new, and keeps both results."""
        latest = tf.train.latest_checkpoint(self.experiment.estimator.model_dir)
        if latest and latest != self.latest:
            self.latest = latest
            self.eval_result = self.experiment._evaluate("intermediate_export", latest)
            self.export_results = self.experiment._maybe_export(self.eval_result, checkpoint_path=latest)


class Experiment:
    """Trains, evaluates and exports an estimator with its data.

    Args:
        estimator: A contrib.learn or tf.estimator Estimator.
        train_input_fn: Function that returns the features and labels for training, `[batch, ...]` tensors.
        eval_input_fn: Function that returns the features and labels for evaluation, `[batch, ...]` tensors.
        eval_metrics: Dict of metric name -> `MetricSpec`; must be None for a tf.estimator Estimator.
        train_steps: Global step at which training ends; None trains until the input ends.
        eval_steps: Number of steps of an evaluation; None evaluates until the input ends.
        train_monitors: Monitors or hooks for training.
        eval_hooks: Hooks for evaluation.
        local_eval_frequency: Value of `min_eval_frequency` in `local_run`.
        eval_delay_secs: Seconds to wait before the first evaluation.
        continuous_eval_throttle_secs: Minimum seconds between two continuous evaluations.
        min_eval_frequency: Steps between two checks for a new checkpoint in `train_and_evaluate`; 1 by default, 0
            evaluates only at the end.
        delay_workers_by_global_step: True if later workers wait for a global step instead of for seconds.
        export_strategies: An `ExportStrategy`, or an iterable of them.
        train_steps_per_iteration: Steps between two evaluations in `continuous_train_and_eval`.
        checkpoint_and_export: True if `train_and_evaluate` evaluates and exports each checkpoint.
        saving_listeners: tf.train.CheckpointSaverListeners; only for a tf.estimator Estimator.
        check_interval_secs: Minimum seconds between two checks for a new checkpoint.

    Raises:
        ValueError: `estimator` isn't an estimator, or an argument doesn't fit its kind.
    """

    def __init__(
        self,
        estimator: Any,
        train_input_fn: Callable[[], Any],
        eval_input_fn: Callable[[], Any],
        eval_metrics: Any = None,
        train_steps: int | None = None,
        eval_steps: int | None = 100,
        train_monitors: Any = None,
        eval_hooks: Any = None,
        local_eval_frequency: int | None = None,
        eval_delay_secs: float = 120,
        continuous_eval_throttle_secs: float = 60,
        min_eval_frequency: int | None = None,
        delay_workers_by_global_step: bool = False,
        export_strategies: Any = None,
        train_steps_per_iteration: int | None = None,
        checkpoint_and_export: bool = False,
        saving_listeners: Any = None,
        check_interval_secs: float = 5,
    ) -> None:
        self._core_estimator_used = isinstance(estimator, tf.estimator.Estimator)
        if self._core_estimator_used:
            if eval_metrics is not None:
                raise ValueError(
                    "`eval_metrics` must be `None` with `tf.estimator.Estimator`. "
                    "Use `eval_metric_ops` in `tf.estimator.EstimatorSpec` instead."
                )
        else:
            for kind in (Evaluable, Trainable):
                if not isinstance(estimator, kind):
                    raise ValueError(
                        f"`estimator` must implement `tf.contrib.learn.{kind.__name__}` or `tf.estimator.Estimator`."
                    )
            if saving_listeners is not None:
                raise ValueError("`saving_listeners` must be `None` with `tf.contrib.learn.Estimator`.")
        if train_steps_per_iteration is not None and not isinstance(train_steps_per_iteration, int):
            raise ValueError("`train_steps_per_iteration` must be an integer.")
        self._estimator = estimator
        self._train_input_fn = train_input_fn
        self._eval_input_fn = eval_input_fn
        self._eval_metrics = eval_metrics
        self._train_steps = train_steps
        self._eval_steps = eval_steps
        self._local_eval_frequency = local_eval_frequency
        self._eval_delay_secs = eval_delay_secs
        self._continuous_eval_throttle_secs = continuous_eval_throttle_secs
        self._checkpoint_and_export = checkpoint_and_export
        self._saving_listeners = saving_listeners
        self._min_eval_frequency = 1 if min_eval_frequency is None else min_eval_frequency
        self._check_interval_secs = check_interval_secs
        self._delay_workers_by_global_step = delay_workers_by_global_step
        self._train_monitors = list(train_monitors or ())
        self._eval_hooks = list(eval_hooks or ())
        self._export_strategies = _strategies(export_strategies)
        self._train_steps_per_iteration = train_steps_per_iteration

    @property
    def estimator(self) -> Any:
        """Returns the estimator."""
        return self._estimator

    @property
    def eval_metrics(self) -> Any:
        """Returns the dict of metric name -> `MetricSpec`, or None."""
        return self._eval_metrics

    @property
    def train_steps(self) -> int | None:
        """Returns the global step at which training ends, or None."""
        return self._train_steps

    @property
    def eval_steps(self) -> int | None:
        """Returns the number of steps of an evaluation, or None."""
        return self._eval_steps

    def extend_train_hooks(self, additional_hooks: Iterable[Any]) -> None:
        """Adds hooks for training.

        Args:
            additional_hooks: Monitors or hooks.
        """
        self._train_monitors.extend(additional_hooks)

    def reset_export_strategies(self, new_export_strategies: Any = None) -> tuple[ExportStrategy, ...]:
        """Replaces the export strategies.

        Args:
            new_export_strategies: An `ExportStrategy`, several, or None.

        Returns:
            The former strategies.
        """
        old, self._export_strategies = self._export_strategies, _strategies(new_export_strategies)
        return old

    def train(self, delay_secs: float | None = None) -> Any:
        """Trains the estimator on `train_input_fn`, and returns it.

        Args:
            delay_secs: Seconds to wait first; by default 5 for each task before this one, at most 60.

        Raises:
            ValueError: The experiment is in a cluster, and its config isn't contrib.learn's `RunConfig`.
        """
        config = self._estimator.config
        environment = run_config.Environment
        if config.cluster_spec and config.master:
            if not isinstance(config, run_config.RunConfig):
                raise ValueError(
                    "For distributed runtime, Experiment class only works with "
                    f"tf.contrib.learn.RunConfig for now, but provided {type(config)}"
                )
            if config.environment in (environment.LOCAL, environment.GOOGLE):
                tf.logging.warning(
                    f"environment is '{config.environment}' though there are a cluster_spec and a master, so no "
                    "server is started. Set environment to 'cloud' to train on the cluster."
                )
            else:
                self._start_server()
        hooks = list(self._train_monitors)
        if delay_secs is None:
            task = config.task_id or 0
            delay_secs = 0.0 if self._delay_workers_by_global_step else min(60, task * 5)
            if self._delay_workers_by_global_step:
                hooks.append(tf.train.GlobalStepWaiterHook(int(8000.0 * math.log(task + 1))))
        _wait(delay_secs, "starting training")
        return self._call_train(
            input_fn=self._train_input_fn,
            max_steps=self._train_steps,
            hooks=hooks,
            saving_listeners=self._saving_listeners,
        )

    def evaluate(self, delay_secs: float | None = None, name: str | None = None) -> Any:
        """Evaluates the estimator once.

        Args:
            delay_secs: Seconds to wait first; `eval_delay_secs` by default.
            name: Name of the evaluation, the suffix of its summaries' folder; "one_pass" by default.

        Returns:
            Dict of metric name -> value, a number (shape `[]`) or an array.
        """
        _wait(self._eval_delay_secs if delay_secs is None else delay_secs, "starting eval")
        return self._evaluate(name or "one_pass")

    def local_run(self) -> Any:
        """Runs `train_and_evaluate` with `local_eval_frequency` as `min_eval_frequency`.

        Returns:
            Results of the last evaluation, a dict of metric name -> number or array, and the list of exports.
        """
        before, self._min_eval_frequency = self._min_eval_frequency, self._local_eval_frequency or 0
        try:
            return self.train_and_evaluate()
        finally:
            self._min_eval_frequency = before

    def continuous_eval(
        self,
        delay_secs: float | None = None,
        throttle_delay_secs: float | None = None,
        evaluate_checkpoint_only_once: bool = True,
        continuous_eval_predicate_fn: Predicate | None = None,
        name: str = "continuous",
    ) -> None:
        """Evaluates each new checkpoint until training has reached its last step.

        Args:
            delay_secs: Seconds to wait first; `eval_delay_secs` by default.
            throttle_delay_secs: Minimum seconds between two evaluations; `continuous_eval_throttle_secs` by default.
            evaluate_checkpoint_only_once: True if a checkpoint is evaluated only once.
            continuous_eval_predicate_fn: Function of the last results, a dict of metric name -> number or array,
                and, if it has a `checkpoint_path` argument, their checkpoint; evaluation goes on while it returns true.
            name: Name of the evaluation, the suffix of its summaries' folder.

        Raises:
            ValueError: The predicate isn't callable.
        """
        self._continuous_eval(
            self._eval_input_fn,
            name,
            delay_secs,
            throttle_delay_secs,
            evaluate_checkpoint_only_once=evaluate_checkpoint_only_once,
            continuous_eval_predicate_fn=continuous_eval_predicate_fn,
        )

    def continuous_eval_on_train_data(
        self,
        delay_secs: float | None = None,
        throttle_delay_secs: float | None = None,
        continuous_eval_predicate_fn: Predicate | None = None,
        name: str = "continuous_on_train_data",
    ) -> None:
        """Evaluates each new checkpoint on the training data, without exports.

        Args:
            delay_secs: Seconds to wait first; `eval_delay_secs` by default.
            throttle_delay_secs: Minimum seconds between two evaluations; `continuous_eval_throttle_secs` by default.
            continuous_eval_predicate_fn: Argument of `continuous_eval`.
            name: Name of the evaluation, the suffix of its summaries' folder.
        """
        self._continuous_eval(
            self._train_input_fn,
            name,
            delay_secs,
            throttle_delay_secs,
            continuous_eval_predicate_fn=continuous_eval_predicate_fn,
            export=False,
        )

    def _continuous_eval(
        self,
        input_fn: Callable[[], Any],
        name: str,
        delay_secs: float | None,
        throttle_delay_secs: float | None,
        evaluate_checkpoint_only_once: bool = True,
        continuous_eval_predicate_fn: Predicate | None = None,
        export: bool = True,
    ) -> None:
        goes_on = _with_checkpoint_path(continuous_eval_predicate_fn)
        throttle = self._continuous_eval_throttle_secs if throttle_delay_secs is None else throttle_delay_secs
        _wait(self._eval_delay_secs if delay_secs is None else delay_secs, "starting eval")
        previous = result = None
        last_warning = 0.0
        while goes_on(result, checkpoint_path=previous) and not self._has_training_stopped(result):
            start = time.time()
            latest = tf.train.latest_checkpoint(self._estimator.model_dir)
            if latest and not (evaluate_checkpoint_only_once and latest == previous):
                result = self._evaluate(name, latest, input_fn) or {}
                if export:
                    self._maybe_export(result, checkpoint_path=latest)
                previous, last_warning = latest, 0.0
            else:
                result = {}
                if time.time() - last_warning > 600:
                    tf.logging.warning(
                        "There has been no new checkpoint to evaluate since the last one."
                        if latest
                        else "Estimator is not fitted yet. The first evaluation waits for a checkpoint."
                    )
                    last_warning = time.time()
            _wait(throttle - (time.time() - start), "starting next eval run")

    def _has_training_stopped(self, result: Any) -> bool:
        step = (result or {}).get(tf.GraphKeys.GLOBAL_STEP)
        return bool(step and self._train_steps and step >= self._train_steps)

    def train_and_evaluate(self) -> tuple[Any, Any]:
        """Trains the estimator, and evaluates it during training and at the end.

        Returns:
            Results of the last evaluation, a dict of metric name -> number or array, and the list of exports.
        """
        monitors_before = list(self._train_monitors)
        config = self._estimator.config
        listener = None
        if self._checkpoint_and_export and (config.save_checkpoints_secs or config.save_checkpoints_steps):
            listener = _EvalExportListener(self)
            saver_hook = tf.train.CheckpointSaverHook(
                checkpoint_dir=self._estimator.model_dir,
                save_secs=config.save_checkpoints_secs,
                save_steps=config.save_checkpoints_steps,
                listeners=[listener],
            )
            self._train_monitors.append(saver_hook)
        elif self._min_eval_frequency:
            validation = monitors.ValidationMonitor(
                input_fn=self._eval_input_fn,
                eval_steps=self._eval_steps,
                metrics=self._eval_metrics,
                every_n_steps=self._min_eval_frequency,
                check_interval_secs=self._check_interval_secs,
                hooks=self._eval_hooks,
            )
            self._train_monitors.append(validation)
        try:
            self.train(delay_secs=0)
        finally:
            self._train_monitors = monitors_before
        if listener is not None:
            return listener.eval_result, listener.export_results
        result = self._evaluate(None)
        return result, self._maybe_export(result)

    def continuous_train_and_eval(self, continuous_eval_predicate_fn: Predicate | None = None) -> tuple[Any, Any]:
        """Alternates evaluation with training for `train_steps_per_iteration` steps.

        By default these are a tenth of `train_steps`, or 1000 steps.

        Args:
            continuous_eval_predicate_fn: Argument of `continuous_eval`.

        Returns:
            Results of the last evaluation, a dict of metric name -> number or array, and the list of exports.

        Raises:
            ValueError: The predicate isn't callable.
        """
        goes_on = _with_checkpoint_path(continuous_eval_predicate_fn)
        steps = self._train_steps_per_iteration
        if steps is None:
            steps = 1000 if self._train_steps is None else int(self._train_steps / 10)
        result = exports = latest = None
        while goes_on(result, checkpoint_path=latest if result else None) and not self._has_training_stopped(result):
            self._call_train(
                input_fn=self._train_input_fn,
                steps=steps,
                hooks=self._train_monitors,
                saving_listeners=self._saving_listeners,
            )
            latest = tf.train.latest_checkpoint(self._estimator.model_dir)
            result = self._evaluate("one_pass", latest)
            exports = self._maybe_export(result)
        return result, exports

    def _maybe_export(self, eval_result: Any, checkpoint_path: str | None = None) -> list[Any]:
        folder = os.path.join(os.fsencode(self._estimator.model_dir), b"export")
        return [
            strategy.export(
                self._estimator,
                os.path.join(folder, os.fsencode(strategy.name)),
                checkpoint_path=checkpoint_path,
                eval_result=eval_result,
            )
            for strategy in self._export_strategies
        ]

    def run_std_server(self) -> None:
        """Runs this process as a parameter server; never returns."""
        self._start_server().join()

    def test(self) -> Any:
        """Trains and evaluates a single step, and exports the model.

        Returns:
            Results of the evaluation, a dict of metric name -> number or array.
        """
        self._call_train(
            input_fn=self._train_input_fn,
            steps=1,
            hooks=self._train_monitors,
            saving_listeners=self._saving_listeners,
        )
        result = self._call_evaluate(input_fn=self._eval_input_fn, steps=1, metrics=self._eval_metrics, name="one_pass")
        self._maybe_export(result)
        return result

    def _start_server(self) -> Any:
        config = self._estimator.config
        if not config.cluster_spec or not config.task_type or not config.master or config.task_id is None:
            raise ValueError(
                "server: RunConfig lacks cluster_spec, task_type, master or task. Give it all of them, or set the "
                "environment variable TF_CONFIG."
            )
        server = tf.python.training.server_lib.Server(  # looked up in its module, because programs patch it there
            config.cluster_spec,
            job_name=config.task_type,
            task_index=config.task_id,
            config=config.tf_config,
            start=False,
        )
        server.start()
        return server

    def _call_train(
        self,
        _sentinel: Any = None,
        input_fn: Any = None,
        steps: Any = None,
        hooks: Any = None,
        max_steps: Any = None,
        saving_listeners: Any = None,
    ) -> Any:
        hooks = monitors.replace_monitors_with_hooks(hooks, self._estimator)
        if self._core_estimator_used:
            return self._estimator.train(
                input_fn=input_fn, steps=steps, max_steps=max_steps, hooks=hooks, saving_listeners=saving_listeners
            )
        return self._estimator.fit(input_fn=input_fn, steps=steps, max_steps=max_steps, monitors=hooks)

    def _evaluate(self, name: str | None, checkpoint_path: str | None = None, input_fn: Any = None) -> Any:
        return self._call_evaluate(
            input_fn=input_fn or self._eval_input_fn,
            steps=self._eval_steps,
            metrics=self._eval_metrics,
            name=name,
            checkpoint_path=checkpoint_path,
            hooks=self._eval_hooks,
        )

    def _call_evaluate(
        self,
        _sentinel: Any = None,
        input_fn: Any = None,
        steps: Any = None,
        metrics: Any = None,
        name: Any = None,
        checkpoint_path: Any = None,
        hooks: Any = None,
    ) -> Any:
        options = {"checkpoint_path": checkpoint_path, "hooks": hooks}
        if not self._core_estimator_used:
            options["metrics"] = metrics
        return self._estimator.evaluate(input_fn=input_fn, steps=steps, name=name, **options)


def _strategies(export_strategies: Any) -> tuple[ExportStrategy, ...]:
    if not export_strategies:
        return ()
    strategies = (export_strategies,) if isinstance(export_strategies, ExportStrategy) else tuple(export_strategies)
    for strategy in strategies:
        if not isinstance(strategy, ExportStrategy):
            raise ValueError(
                "`export_strategies` must be an ExportStrategy, an iterable of ExportStrategy, or `None`, "
                f"found {strategy}."
            )
    return strategies


def _wait(seconds: float, before: str) -> None:
    if seconds > 0:
        tf.logging.info("Waiting %f secs before %s.", seconds, before)
        time.sleep(seconds)
