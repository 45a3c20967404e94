# Copyright 2015-2019 The TensorFlow Authors. All Rights Reserved.
# Licensed under the Apache License, Version 2.0: see LICENSE.
# Written anew for tf1mem after tensorflow/contrib of TensorFlow 1.15.5, and changed: see NOTICE.

"""Functions that make an experiment and run one of its methods."""

from __future__ import annotations

from typing import Any, Callable

import tf1mem.v1 as tf
from tf1mem.v1.contrib.learn.estimators import run_config as run_config_lib
from tf1mem.v1.contrib.learn.experiment import Experiment


def _execute(experiment: Experiment, schedule: str) -> Any:
    public = (name for name in dir(experiment) if not name.startswith("_"))
    allowed = (
        f"Allowed values for this experiment are: {[name for name in public if callable(getattr(experiment, name))]}"
    )
    if not hasattr(experiment, schedule):
        raise ValueError(f"Schedule references non-existent task {schedule}. {allowed}")
    task = getattr(experiment, schedule)
    if not callable(task):
        raise TypeError(f"Schedule references non-callable member {schedule}. {allowed}")
    return task()


def _checked(experiment: Any) -> Experiment:
    if not isinstance(experiment, Experiment):
        raise TypeError(f"Experiment builder did not return an Experiment instance, got {type(experiment)} instead.")
    return experiment


def _with_config(experiment_fn: Callable[..., Any], require_hparams: bool = False) -> Callable[[Any, Any], Experiment]:
    """Returns `experiment_fn` with checks that its estimator uses the RunConfig passed in."""

    def checked_experiment_fn(run_config: Any, hparams: Any) -> Experiment:
        if not isinstance(run_config, run_config_lib.RunConfig):
            raise ValueError("`run_config` must be `tf.contrib.learn.RunConfig` instance")
        if not run_config.model_dir:
            raise ValueError("Must specify a model directory `model_dir` in `run_config`.")
        if hparams is not None and not isinstance(hparams, tf.contrib.training.HParams):
            raise ValueError("`hparams` must be `HParams` instance")
        if require_hparams and hparams is None:
            raise ValueError("`hparams` cannot be `None`.")
        expected = run_config.uid()
        experiment = _checked(experiment_fn(run_config, hparams))
        config = experiment.estimator.config
        if not hasattr(config, "uid"):
            raise RuntimeError(
                "Pass `run_config` argument of the `experiment_fn` to the Estimator in Experiment. This Estimator has "
                "another `RunConfig`, or none: give it as its `config`."
            )
        if config.uid() != expected:
            raise RuntimeError(
                "`RunConfig` instance is expected to be used by the `Estimator` inside the `Experiment`. "
                f"expected {expected}, but got {config.uid()}"
            )
        return experiment

    return checked_experiment_fn


def run(
    experiment_fn: Callable[..., Any],
    output_dir: str | None = None,
    schedule: str | None = None,
    run_config: Any = None,
    hparams: Any = None,
) -> Any:
    """Makes an experiment and runs one of its methods.

    Args:
        experiment_fn: Function of `run_config` and `hparams`, or of `output_dir` if that is set, that returns an
            Experiment.
        output_dir: Folder of the estimator; excludes `run_config`.
        schedule: Name of the method; by default the task's type in TF_CONFIG decides, else it is
            "train_and_evaluate".
        run_config: `RunConfig` with a model_dir.
        hparams: Instance of tf.contrib.training.HParams.

    Returns:
        Result of the method.

    Raises:
        ValueError: Both or neither of `output_dir` and `run_config` are set, or the experiment has no such method.
        TypeError: `experiment_fn` isn't callable, or doesn't return an Experiment.
        RuntimeError: The Experiment's estimator doesn't use `run_config`.
    """
    if output_dir is not None and run_config is not None:
        raise ValueError("Cannot provide both `output_dir` and `run_config`")
    if output_dir is None and run_config is None:
        raise ValueError("Must set value for `output_dir` or `run_config`")
    if not callable(experiment_fn):
        raise TypeError(f'Experiment builder "{experiment_fn}" is not callable.')
    if run_config is not None:
        experiment = _with_config(experiment_fn)(run_config, hparams)
    else:
        if not output_dir:
            raise ValueError("Must specify an output directory")
        if hparams is not None:
            raise ValueError("Must set `hparams` as None for `experiment_fn` with `output_dir`.")
        experiment = _checked(experiment_fn(output_dir=output_dir))
    return _execute(experiment, schedule or _default_schedule(run_config or experiment.estimator.config))


def tune(experiment_fn: Callable[..., Any], tuner: Any) -> None:
    """Runs one experiment per trial of a tuner.

    Args:
        experiment_fn: Function of a `RunConfig` and HParams that returns an Experiment.
        tuner: Instance of tf.contrib.training.Tuner.
    """
    while tuner.next_trial():
        tuner.run_experiment(_with_config(experiment_fn, require_hparams=True))


def _default_schedule(config: Any) -> str:
    tasks = sum(len(tasks) for tasks in config.cluster_spec.as_dict().values()) if config else 0
    if tasks <= 1:
        return "train_and_evaluate"
    if not config.task_type:
        raise ValueError("Must specify a schedule")
    types = run_config_lib.TaskType
    schedules = {types.MASTER: "train_and_evaluate", types.PS: "run_std_server", types.WORKER: "train"}
    if config.task_type not in schedules:
        raise ValueError(f"No default schedule for task type: {config.task_type}")
    return schedules[config.task_type]
