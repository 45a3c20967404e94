# Copyright 2015-2019 The TensorFlow Authors. All Rights Reserved.
# Licensed under the Apache License, Version 2.0: see LICENSE.
# Written anew for tf1mem after tensorflow/contrib of TensorFlow 1.15.5, and changed: see NOTICE.

"""contrib.learn's Estimator, which runs a model function in MonitoredSessions."""

from __future__ import annotations

import copy
import inspect
import os
import tempfile
from collections import namedtuple
from typing import Any, Callable, Iterable, Iterator

import numpy as np

import tf1mem.v1 as tf
from tf1mem.errors import RemovedSymbolError
from tf1mem.v1._configs import anything_applied, config_in_force
from tf1mem.v1.contrib.learn import metric_spec
from tf1mem.v1.contrib.learn import monitors as monitor_lib
from tf1mem.v1.contrib.learn.estimators import constants, run_config, tensor_signature
from tf1mem.v1.contrib.learn.estimators._sklearn import BaseEstimator as Parameters
from tf1mem.v1.contrib.learn.estimators._sklearn import NotFittedError
from tf1mem.v1.contrib.learn.estimators.metric_key import MetricKey
from tf1mem.v1.contrib.learn.estimators.model_fn import ModeKeys, ModelFnOps
from tf1mem.v1.contrib.learn.evaluable import Evaluable
from tf1mem.v1.contrib.learn.learn_io import data_feeder
from tf1mem.v1.contrib.learn.trainable import Trainable
from tf1mem.v1.contrib.learn.utils import saved_model_export_utils

# Tags of a graph of a SavedModel, and names of the graph transforms to apply to it.
GraphRewriteSpec = namedtuple("GraphRewriteSpec", ["tags", "transforms"])

# Types of the ops that are placed on parameter servers.
_PLACED_ON_SERVERS = (
    "Variable VariableV2 AutoReloadVariable MutableHashTable MutableHashTableV2 MutableHashTableOfTensors "
    "MutableHashTableOfTensorsV2 MutableDenseHashTable MutableDenseHashTableV2 VarHandleOp"
).split()


def _verify_input(x: Any, y: Any, input_fn: Any, feed_fn: Any, batch_size: Any) -> None:
    if input_fn is not None:
        if x is not None or y is not None:
            raise ValueError("Can not provide both input_fn and x or y.")
        if batch_size is not None:
            raise ValueError("Can not provide both input_fn and batch_size.")
        return
    if x is None:
        raise ValueError("Either x or input_fn must be provided.")
    if tf.is_tensor(x) or tf.is_tensor(y):
        raise ValueError("Inputs cannot be tensors. Please provide input_fn.")
    if feed_fn is not None:
        raise ValueError("feed_fn: x or y is set, too. Set one or the other.")


def _input_of(
    x: Any, y: Any, batch_size: int | None, shuffle: bool = False, epochs: int | None = 1
) -> tuple[Callable[[], Any], Callable[[], Any]]:
    """Returns an input function over arrays, and a function that returns the feed dict of its placeholders.

    Args:
        x: `[num_examples, ...]` array of features, a dict of arrays, or an iterator over rows.
        y: `[num_examples, ...]` array of labels, or None.
        batch_size: Number of rows per batch; None for all rows of an array, and 1 of an iterator.
        shuffle: True for random order.
        epochs: Number of passes over all rows; None repeats without end.
    """
    _verify_input(x, y, None, None, batch_size)
    feeder = data_feeder.setup_train_data_feeder(
        x, y, n_classes=None, batch_size=batch_size, shuffle=shuffle, epochs=epochs
    )
    return feeder.input_builder, feeder.get_feed_dict_fn()


def infer_real_valued_columns_from_input_fn(input_fn: Callable[[], Any]) -> Any:
    """Returns a list of real-valued feature columns, one for each feature of an input function.

    Args:
        input_fn: Function that returns features, a `[batch, num_features]` tensor or a dict of tensors, and labels.
    """
    with tf.Graph().as_default():
        features, _ = input_fn()
        return tf.contrib.layers.infer_real_valued_columns(features)


def infer_real_valued_columns_from_input(x: Any) -> Any:
    """Returns a list with the real-valued feature column of an array, or of the rows of an iterator.

    Args:
        x: `[num_examples, num_features]` array, or an iterator over rows.
    """
    return infer_real_valued_columns_from_input_fn(_input_of(x, None, None)[0])


def _arguments(function: Any) -> tuple[str, ...]:
    """Returns the names of the parameters of a model function, without those that a functools.partial has set."""
    if hasattr(function, "func") and hasattr(function, "keywords"):
        names = _arguments(function.func)[len(function.args) :]
        return tuple(name for name in names if name not in function.keywords)
    return tuple(inspect.signature(function).parameters)


def _device_fn(config: Any) -> Any:
    if config.num_ps_replicas <= 0:
        return None
    return tf.train.replica_device_setter(
        ps_tasks=config.num_ps_replicas,
        worker_device=f"/job:{config.task_type}/task:{config.task_id}" if config.task_type else "/job:worker",
        merge_devices=True,
        ps_ops=_PLACED_ON_SERVERS,
        cluster=config.cluster_spec,
    )


def _metric_ops(metrics: Any, features: Any, labels: Any, predictions: Any) -> dict[str, Any]:
    """Returns a dict of metric name -> ops of the metric.

    Args:
        metrics: Dict of name -> `MetricSpec`; or of name, or (name, key of a prediction), -> function of predictions
            and labels. The key is required if the predictions are a dict, and can be that of labels, too.
        features: `[batch, ...]` tensor, or a dict of such tensors.
        labels: `[batch, ...]` tensor, or a dict of such tensors.
        predictions: `[batch, ...]` tensor, or a dict of such tensors.

    Raises:
        ValueError: A key doesn't fit the predictions.
    """
    only_label = next(iter(labels.values())) if isinstance(labels, dict) and len(labels) == 1 else labels
    metric_ops = {}
    for name, metric in sorted(metrics.items(), key=lambda entry: str(entry[0])):
        if isinstance(metric, metric_spec.MetricSpec):
            metric_ops[name] = metric.create_metric_ops(features, labels, predictions)
        elif isinstance(name, tuple):
            if len(name) != 2:
                raise ValueError(f"Invalid metric for {name}. It returned a tuple with len {len(name)}, expected 2.")
            label, key = name
            if not isinstance(predictions, dict):
                raise ValueError(
                    "metrics: a key names a prediction, but the predictions are no dict. Give the metric's name alone. "
                    f"Metrics: {metrics}, Predictions: {predictions}."
                )
            target = labels[key] if isinstance(labels, dict) and key in labels else only_label
            metric_ops[label] = metric(predictions[key], target)
        elif isinstance(predictions, dict):
            raise ValueError(
                "metrics: a key has a name alone, but the predictions are a dict. Give (name, prediction). "
                f"Metrics: {metrics}, Labels: {only_label}."
            )
        else:
            metric_ops[name] = metric(predictions, only_label)
    return metric_ops


def _write_summary(folder: str, values: dict[str, Any], step: Any) -> None:
    tf.logging.info(
        "Saving dict for global step %d: %s", step, ", ".join(f"{name} = {values[name]}" for name in sorted(values))
    )
    summary = tf.Summary()
    for name, value in values.items():
        if value is None or name == "global_step":
            continue
        if isinstance(value, (float, int, np.floating, np.integer)):
            summary.value.add(tag=name, simple_value=float(value))
        elif isinstance(value, bytes):
            for part in tf.Summary.FromString(value).value:
                part.tag = name
                summary.value.extend([part])
        elif isinstance(value, np.ndarray):
            summary.value.add(tag=name, node_name=name, tensor=tf.make_tensor_proto(value))
        else:
            tf.logging.warning("Skipping summary for %s, which is a %s.", name, type(value))
    writer = tf.summary.FileWriterCache.get(folder)
    writer.add_summary(summary, step)
    writer.flush()


class BaseEstimator(Parameters, Evaluable, Trainable):
    """Implements training, evaluation and predictions on `[batch, ...]` tensors; a subclass supplies the model.

    Args:
        model_dir: Folder for checkpoints and summaries; the config's by default, else a temporary folder.
        config: Instance of `RunConfig`; None for the default one.

    Raises:
        ValueError: `model_dir` and the config's model_dir differ.
    """

    _Config = run_config.RunConfig

    def __init__(self, model_dir: str | None = None, config: Any = None) -> None:
        self._config = BaseEstimator._Config() if config is None else config
        if model_dir is not None and self._config.model_dir not in (None, model_dir):
            raise ValueError(
                "model_dir are set both in constructor and RunConfig, but with different values. "
                f"In constructor: '{model_dir}', in RunConfig: '{self._config.model_dir}' "
            )
        self._model_dir = model_dir or self._config.model_dir
        if self._model_dir is None:
            self._model_dir = tempfile.mkdtemp()
            tf.logging.warning(
                "model_dir: none was given, so checkpoints go to a temporary folder: %s", self._model_dir
            )
        if self._config.model_dir is None:
            self._config = self._config.replace(model_dir=self._model_dir)
        tf.logging.info("Using config: %s", vars(self._config))
        self._device_fn = _device_fn(self._config)
        self._features_info: Any = None
        self._labels_info: Any = None
        self._graph: Any = None

    @property
    def _session_config(self) -> Any:
        """Returns the Sessions' ConfigProto: the RunConfig's, or else one with the settings applied so far."""
        config = self._config.session_config
        if config is None:
            config = tf.ConfigProto(allow_soft_placement=True)
            if anything_applied():
                config.MergeFrom(config_in_force())
        return config

    @property
    def config(self) -> Any:
        """Returns a copy of the `RunConfig`."""
        return copy.deepcopy(self._config)

    @property
    def model_dir(self) -> Any:
        """Returns the folder of checkpoints and summaries."""
        return self._model_dir

    @property
    def model_fn(self) -> Callable[..., Any]:
        """Returns a function of features and labels (`[batch, ...]` tensors), mode and config that makes the model."""

        def public_model_fn(features: Any, labels: Any, mode: Any, config: Any) -> Any:
            """Returns the `ModelFnOps` for features and labels, `[batch, ...]` tensors or dicts of them."""
            return self._call_model_fn(features, labels, mode, config=config)

        return public_model_fn

    def fit(
        self,
        x: Any = None,
        y: Any = None,
        input_fn: Any = None,
        steps: Any = None,
        batch_size: Any = None,
        monitors: Any = None,
        max_steps: Any = None,
    ) -> Any:
        """Trains the model; `Trainable.fit` describes the arguments and their shapes.

        Raises:
            ValueError: Both or neither of `x` and `input_fn`, or both `steps` and `max_steps` are set; or the features
                or labels don't match those of an earlier call.
        """
        if steps is not None and max_steps is not None:
            raise ValueError("steps, max_steps: both were given. Give one of them.")
        _verify_input(x, y, input_fn, None, batch_size)
        if x is not None:
            SKCompat(self).fit(x, y, batch_size, steps, max_steps, monitors)
            return self
        if max_steps is not None and self._step_of_checkpoint() >= max_steps:
            tf.logging.info("max_steps: the checkpoint has reached this step, so nothing is trained.")
            return self
        hooks = monitor_lib.replace_monitors_with_hooks(monitors, self)
        if steps is not None or max_steps is not None:
            hooks.append(tf.train.StopAtStepHook(steps, max_steps))
        loss = self._train_model(input_fn=input_fn, hooks=hooks)
        tf.logging.info("Loss for final step: %s.", loss)
        return self

    def _step_of_checkpoint(self) -> int:
        try:
            return int(tf.train.load_variable(self._model_dir, tf.GraphKeys.GLOBAL_STEP))
        except (ValueError, tf.errors.OpError):
            return -1

    def partial_fit(
        self,
        x: Any = None,
        y: Any = None,
        input_fn: Any = None,
        steps: Any = 1,
        batch_size: Any = None,
        monitors: Any = None,
    ) -> Any:
        """Trains the model for one step by default.

        Args:
            x: `[num_examples, ...]` array of features, or a dict of arrays; only without `input_fn`.
            y: `[num_examples, ...]` array of labels.
            input_fn: Function that returns the tensors of features and labels.
            steps: Number of steps.
            batch_size: Number of rows of `x` per step; None for all rows.
            monitors: List of monitors or SessionRunHooks.

        Returns:
            The model itself.
        """
        return self.fit(x=x, y=y, input_fn=input_fn, steps=steps, batch_size=batch_size, monitors=monitors)

    def evaluate(
        self,
        x: Any = None,
        y: Any = None,
        input_fn: Any = None,
        feed_fn: Any = None,
        batch_size: Any = None,
        steps: Any = None,
        metrics: Any = None,
        name: Any = None,
        checkpoint_path: Any = None,
        hooks: Any = None,
        log_progress: bool = True,
    ) -> Any:
        """Evaluates the model; `Evaluable.evaluate` describes the arguments and their shapes.

        Raises:
            ValueError: Both or neither of `x` and `input_fn` are set, or `metrics` isn't a dict.
            NotFittedError: There is no checkpoint.
        """
        _verify_input(x, y, input_fn, feed_fn, batch_size)
        if x is not None:
            return SKCompat(self).score(x, y, batch_size, steps, metrics, name)
        _check_metrics(metrics)
        results, global_step = self._evaluate_model(
            input_fn, steps, feed_fn, metrics, name, checkpoint_path, hooks, log_progress
        )
        results["global_step"] = global_step
        return results

    def predict(
        self,
        x: Any = None,
        input_fn: Any = None,
        batch_size: Any = None,
        outputs: Any = None,
        as_iterable: bool = True,
        iterate_batches: bool = False,
    ) -> Any:
        """Returns the predictions of the model.

        Args:
            x: `[num_examples, ...]` array of features, or a dict of arrays; only without `input_fn`.
            input_fn: Function that returns features, or features and labels.
            batch_size: Number of rows of `x` per step; None for all rows.
            outputs: Names of the predictions to return; all by default. As in TensorFlow 1, `x` without `as_iterable`
                returns all.
            as_iterable: True for an iterator over predictions, False for the predictions of all rows of `x`, or of the
                first batch of `input_fn`.
            iterate_batches: True if the iterator yields batches instead of single examples.

        Returns:
            Iterator over predictions, arrays or dicts of arrays, or the predictions themselves.

        Raises:
            ValueError: Both or neither of `x` and `input_fn` are set, or the model has no such output.
            NotFittedError: There is no checkpoint.
        """
        _verify_input(x, None, input_fn, None, batch_size)
        if x is not None and not as_iterable:
            return SKCompat(self).predict(x, batch_size)
        feed_fn = None
        if x is not None:
            input_fn, feed_fn = _input_of(x, None, batch_size)
        return self._infer_model(input_fn, feed_fn, outputs, as_iterable, iterate_batches)

    def get_variable_value(self, name: str) -> Any:
        """Returns a variable's value in the latest checkpoint, an array of the variable's shape.

        Args:
            name: Name of the variable.
        """
        return tf.train.load_variable(self.model_dir, name)

    def get_variable_names(self) -> list[str]:
        """Returns the names of all variables in the latest checkpoint."""
        return [name for name, _ in tf.train.list_variables(self.model_dir)]

    def _get_train_ops(self, features: Any, labels: Any) -> Any:
        raise NotImplementedError("_get_train_ops not implemented in BaseEstimator")

    def _get_predict_ops(self, features: Any) -> Any:
        raise NotImplementedError("_get_predict_ops not implemented in BaseEstimator")

    def _get_eval_ops(self, features: Any, labels: Any, metrics: Any) -> Any:
        raise NotImplementedError("_get_eval_ops not implemented in BaseEstimator")

    def _call_model_fn(
        self, features: Any, labels: Any, mode: Any, metrics: Any = None, config: Any = None
    ) -> ModelFnOps:
        raise NotImplementedError("_call_model_fn not implemented in BaseEstimator")

    def _check_inputs(self, features: Any, labels: Any) -> None:
        """Stores the signatures of the first inputs, and rejects later inputs that don't match them."""
        if self._features_info is None:
            self._features_info = tensor_signature.create_signatures(features)
        elif not tensor_signature.tensors_compatible(features, self._features_info):
            raise ValueError(
                "Features are incompatible with given information. "
                f"Given features: {features}, required signatures: {self._features_info}."
            )
        if labels is None:
            return
        if self._labels_info is None:
            self._labels_info = tensor_signature.create_signatures(labels)
        elif not tensor_signature.tensors_compatible(labels, self._labels_info):
            raise ValueError(
                "Labels are incompatible with given information. "
                f"Given labels: {labels}, required signatures: {self._labels_info}."
            )

    def _extract_metric_update_ops(self, eval_dict: dict[str, Any]) -> tuple[Any, dict[str, Any]]:
        updates, values = [], {}
        for name, metric in eval_dict.items():
            values[name] = metric
            if isinstance(metric, (list, tuple)) and len(metric) == 2:
                values[name] = metric[0]
                updates.append(metric[1])
        return tf.group(*updates) if updates else None, values

    def _checkpoint(self, checkpoint_path: str | None = None) -> str:
        path = checkpoint_path or tf.train.latest_checkpoint(self._model_dir)
        if not path:
            raise NotFittedError(f"Couldn't find trained model at {self._model_dir}.")
        return str(path)

    def _evaluate_model(
        self,
        input_fn: Any,
        steps: Any,
        feed_fn: Any = None,
        metrics: Any = None,
        name: str | None = "",
        checkpoint_path: str | None = None,
        hooks: Any = None,
        log_progress: bool = True,
    ) -> tuple[Any, Any]:
        from tensorflow.python.training import evaluation

        checkpoint = self._checkpoint(checkpoint_path)
        with tf.Graph().as_default() as graph:
            tf.set_random_seed(self._config.tf_random_seed)
            global_step = tf.train.create_global_step(graph)
            features, labels = input_fn()
            self._check_inputs(features, labels)
            ops = self._get_eval_ops(features, labels, metrics)
            update_op, values = self._extract_metric_update_ops(ops.eval_metric_ops)
            all_hooks = list(hooks or ())
            if feed_fn:
                all_hooks.append(tf.train.FeedFnHook(feed_fn))
            if steps:
                all_hooks.append(evaluation._StopAfterNEvalsHook(steps, log_progress=log_progress))
            step_key = "global_step"
            while step_key in values:
                step_key = "_" + step_key
            values[step_key] = global_step
            results = evaluation._evaluate_once(
                checkpoint_path=checkpoint,
                master=self._config.evaluation_master,
                scaffold=ops.scaffold,
                eval_ops=update_op,
                final_ops=values,
                hooks=all_hooks,
                config=self._session_config,
            )
            step = results[step_key]
            _write_summary(os.path.join(self._model_dir, "eval_" + name if name else "eval"), results, step)
        return results, step

    def _infer_model(
        self,
        input_fn: Any,
        feed_fn: Any = None,
        outputs: Any = None,
        as_iterable: bool = True,
        iterate_batches: bool = False,
    ) -> Any:
        checkpoint = self._checkpoint()
        with tf.Graph().as_default() as graph:
            tf.set_random_seed(self._config.tf_random_seed)
            tf.train.create_global_step(graph)
            features = input_fn()
            if isinstance(features, (list, tuple)):
                features = features[0]
            ops = self._get_predict_ops(features)
            predictions = _selected(ops.predictions, outputs)
            creator = tf.train.ChiefSessionCreator(
                checkpoint_filename_with_path=checkpoint, scaffold=ops.scaffold, config=self._session_config
            )
            session = tf.train.MonitoredSession(session_creator=creator)
            if as_iterable:
                return self._predictions(session, predictions, feed_fn, iterate_batches)
            with session:
                if not session.should_stop():
                    return session.run(predictions, feed_fn() if feed_fn else None)
        return None

    def _predictions(self, session: Any, predictions: Any, feed_fn: Any, iterate_batches: bool) -> Iterator[Any]:
        with session:
            while not session.should_stop():
                batch = session.run(predictions, feed_fn() if feed_fn else None)
                if iterate_batches:
                    yield batch
                elif not isinstance(predictions, dict):
                    yield from batch
                else:
                    first = next(iter(batch.values()))
                    rows = first.dense_shape[0] if isinstance(first, tf.SparseTensorValue) else first.shape[0]
                    for row in range(rows):
                        yield {key: value[row] for key, value in batch.items()}
                # Without a queue and without a feed, the loop would yield the same batch without end.
                if feed_fn is None and not session.graph.get_collection(tf.GraphKeys.QUEUE_RUNNERS):
                    return

    def _train_model(self, input_fn: Any, hooks: list[Any]) -> Any:
        from tensorflow.python.training import training_util

        config = self._config
        self._graph = tf.Graph()
        with self._graph.as_default() as graph, graph.device(self._device_fn):
            tf.set_random_seed(config.tf_random_seed)
            global_step = tf.train.create_global_step(graph)
            features, labels = input_fn()
            self._check_inputs(features, labels)
            training_util._get_or_create_global_step_read()
            ops = self._get_train_ops(features, labels)
            tf.add_to_collection(tf.GraphKeys.LOSSES, ops.loss)
            logged = {"loss": ops.loss, "step": global_step}
            all_hooks = [
                *hooks,
                tf.train.NanTensorHook(ops.loss),
                tf.train.LoggingTensorHook(logged, every_n_iter=100),
                *ops.training_hooks,
            ]
            scaffold = ops.scaffold or tf.train.Scaffold()
            if not (scaffold.saver or tf.get_collection(tf.GraphKeys.SAVERS)):
                saver = tf.train.Saver(
                    sharded=True,
                    max_to_keep=config.keep_checkpoint_max,
                    keep_checkpoint_every_n_hours=config.keep_checkpoint_every_n_hours,
                    defer_build=True,
                    save_relative_paths=True,
                )
                tf.add_to_collection(tf.GraphKeys.SAVERS, saver)
            chief_hooks = list(ops.training_chief_hooks)
            saves = any(isinstance(hook, tf.train.CheckpointSaverHook) for hook in all_hooks + chief_hooks)
            if (config.save_checkpoints_secs or config.save_checkpoints_steps) and not saves:
                saver_hook = tf.train.CheckpointSaverHook(
                    self._model_dir,
                    save_secs=config.save_checkpoints_secs,
                    save_steps=config.save_checkpoints_steps,
                    scaffold=scaffold,
                )
                chief_hooks.insert(0, saver_hook)
            with tf.train.MonitoredTrainingSession(
                master=config.master,
                is_chief=config.is_chief,
                checkpoint_dir=self._model_dir,
                scaffold=scaffold,
                hooks=all_hooks,
                chief_only_hooks=chief_hooks,
                save_checkpoint_secs=0,  # saver_hook saves checkpoints
                save_summaries_steps=config.save_summary_steps,
                config=self._session_config,
            ) as session:
                loss = None
                while not session.should_stop():
                    _, loss = session.run([ops.train_op, ops.loss])
        return loss


def _check_metrics(metrics: Any) -> None:
    if metrics is not None and not isinstance(metrics, dict):
        raise ValueError(f"metrics: {metrics} is no dict. Give a dict, or None.")


def _selected(predictions: Any, outputs: Any) -> Any:
    if not outputs:
        return predictions
    if not isinstance(predictions, dict):
        raise ValueError("outputs: the predictions are no dict to choose from. Leave outputs out.")
    selected = {key: value for key, value in predictions.items() if key in outputs}
    if not selected:
        raise ValueError(f"Expected to run at least one output from {predictions.keys()}, provided {outputs}.")
    return selected


class Estimator(BaseEstimator):
    """Trains, evaluates and runs a model function.

    Args:
        model_fn: Function of features and labels (`[batch, ...]` tensors, or dicts of them) and, by these names, any
            of mode, params, config and model_dir. It returns `ModelFnOps`, or predictions (`[batch, ...]`), loss (of
            shape `[]`) and train_op.
        model_dir: Folder for checkpoints and summaries; the config's by default, else a temporary folder.
        config: Instance of `RunConfig`; None for the default one.
        params: Value of the model function's `params`.
        feature_engineering_fn: Function of features and labels that returns those for the model function; None to pass
            them on unchanged.

    Raises:
        ValueError: `params` are set, but the model function has no such argument, or the config has another model_dir.
    """

    def __init__(
        self,
        model_fn: Callable[..., Any] | None = None,
        model_dir: str | None = None,
        config: Any = None,
        params: Any = None,
        feature_engineering_fn: Callable[[Any, Any], Any] | None = None,
    ) -> None:
        super().__init__(model_dir=model_dir, config=config)
        if model_fn is not None and params is not None and "params" not in _arguments(model_fn):
            raise ValueError(
                f"Estimator's model_fn ({model_fn}) does not have a params argument, but params ({params}) were "
                "passed to the Estimator's constructor."
            )
        self._model_fn = model_fn
        self.params = params
        self._feature_engineering_fn = feature_engineering_fn or (lambda features, labels: (features, labels))

    def _call_model_fn(
        self, features: Any, labels: Any, mode: Any, metrics: Any = None, config: Any = None
    ) -> ModelFnOps:
        model_fn: Any = self._model_fn
        features, labels = self._feature_engineering_fn(features, labels)
        arguments = _arguments(model_fn)
        options = {"mode": mode, "params": self.params, "model_dir": self.model_dir}
        if "config" in arguments:
            options["config"] = config or self.config
        ops = model_fn(features, labels, **{name: value for name, value in options.items() if name in arguments})
        if not isinstance(ops, ModelFnOps):
            if len(ops) != 3:
                raise ValueError("model_fn: it returned neither ModelFnOps nor three values. Return ModelFnOps.")
            predictions, loss, train_op = ops
            ops = ModelFnOps(mode=mode, predictions=predictions, loss=loss, train_op=train_op)
        if metrics:
            ops.eval_metric_ops.update(_metric_ops(metrics, features, labels, ops.predictions))
        return ops

    def _get_train_ops(self, features: Any, labels: Any) -> Any:
        return self._call_model_fn(features, labels, ModeKeys.TRAIN)

    def _get_eval_ops(self, features: Any, labels: Any, metrics: Any) -> Any:
        ops = self._call_model_fn(features, labels, ModeKeys.EVAL, metrics)
        if MetricKey.LOSS not in ops.eval_metric_ops:
            ops.eval_metric_ops[MetricKey.LOSS] = tf.metrics.mean(ops.loss)
        return ops

    def _get_predict_ops(self, features: Any) -> Any:
        labels = tensor_signature.create_placeholders_from_signatures(self._labels_info)
        return self._call_model_fn(features, labels, ModeKeys.INFER)

    def export(self, export_dir: str, *args: Any, **kwargs: Any) -> None:
        """Raises an error: in TensorFlow 1 it wrote a session bundle, a format that TensorFlow 2 lacks.

        Args:
            export_dir: Folder of the export.
            *args: Not used.
            **kwargs: Not used.

        Raises:
            RemovedSymbolError: Always.
        """
        raise RemovedSymbolError(
            "tf.contrib.learn.Estimator.export",
            "it wrote the format of session_bundle, which TensorFlow 2 lacks",
            "Call export_savedmodel, which TensorFlow 1 has, too",
        )

    def export_savedmodel(
        self,
        export_dir_base: Any,
        serving_input_fn: Callable[[], Any],
        default_output_alternative_key: str | None = None,
        assets_extra: Any = None,
        as_text: bool = False,
        checkpoint_path: str | None = None,
        graph_rewrite_specs: Iterable[Any] = (GraphRewriteSpec(("serve",), ()),),
        strip_default_attrs: bool = False,
    ) -> Any:
        """Writes the model with a checkpoint's variables as a SavedModel.

        Args:
            export_dir_base: Folder in which the export gets a folder named by the time, in seconds since 1970.
            serving_input_fn: Function that returns `InputFnOps`, whose default inputs are `[batch, ...]` placeholders.
            default_output_alternative_key: Name of the head that is served by default; required for several heads.
            assets_extra: Dict of path within the export's folder assets.extra -> file to copy there; None for none.
            as_text: True to write the protocol buffer as text.
            checkpoint_path: Path of the checkpoint; the latest by default.
            graph_rewrite_specs: List of one `GraphRewriteSpec`, with the graph's tags, and without transforms because
                TensorFlow 2 lacks them.
            strip_default_attrs: True to write no node attributes that have their default values.

        Returns:
            Folder of the export, as bytes.

        Raises:
            ValueError: `serving_input_fn` is None, or there is another number of specs than one, or a transform.
            NotFittedError: There is no checkpoint.
        """
        if serving_input_fn is None:
            raise ValueError("serving_input_fn must be defined.")
        specs = list(graph_rewrite_specs)
        if not specs or specs[0].transforms:
            raise ValueError("graph_rewrite_specs: the first is missing or has transforms. Put one without any first.")
        if specs[1:]:
            raise ValueError(
                "graph_rewrite_specs: TensorFlow 2 has no graph transforms. Export the graph as it is, and rewrite "
                "it with TensorFlow 1.15"
            )
        checkpoint = self._checkpoint(checkpoint_path)
        utils = saved_model_export_utils
        export_dir = utils.get_timestamped_export_dir(export_dir_base)
        temporary = utils.get_temp_export_dir(export_dir)
        builder = tf.saved_model.builder.SavedModelBuilder(temporary)
        with tf.Graph().as_default() as graph:
            tf.train.create_global_step(graph)
            inputs, features = utils.get_input_alternatives(serving_input_fn())
            for key in features:
                tf.add_to_collection(constants.COLLECTION_DEF_KEY_FOR_INPUT_FEATURE_KEYS, key)
            ops = self._call_model_fn(features, None, ModeKeys.INFER)
            outputs, default = utils.get_output_alternatives(ops, default_output_alternative_key)
            signatures = utils.build_all_signature_defs(inputs, outputs, default)
            main_op = tf.group(tf.local_variables_initializer(), tf.tables_initializer())
            with tf.Session("", config=self._session_config) as session:
                saver = ops.scaffold.saver if ops.scaffold is not None else None
                (saver or tf.train.Saver(sharded=True)).restore(session, checkpoint)
                builder.add_meta_graph_and_variables(
                    session,
                    specs[0].tags,
                    signature_def_map=signatures,
                    assets_collection=tf.get_collection(tf.GraphKeys.ASSET_FILEPATHS),
                    main_op=main_op,
                    strip_default_attrs=strip_default_attrs,
                )
        for destination, source in (assets_extra or {}).items():
            path = os.path.join(os.fsdecode(temporary), "assets.extra", os.fsdecode(destination))
            tf.gfile.MakeDirs(os.path.dirname(path))
            tf.gfile.Copy(source, path)
        builder.save(as_text)
        tf.gfile.Rename(temporary, export_dir)
        return export_dir


class SKCompat(Parameters):
    """Wraps an estimator so that it takes `[num_examples, ...]` arrays, as scikit-learn's do; arXiv:1309.0238.

    Args:
        estimator: The `BaseEstimator`.
    """

    def __init__(self, estimator: Any) -> None:
        self._estimator = estimator

    def fit(
        self, x: Any, y: Any, batch_size: Any = 128, steps: Any = None, max_steps: Any = None, monitors: Any = None
    ) -> Any:
        """Trains the estimator with rows in random order.

        Args:
            x: `[num_examples, ...]` array of features, or a dict of arrays.
            y: `[num_examples, ...]` array of labels.
            batch_size: Number of rows per batch; None for all rows.
            steps: Number of steps; None, without `max_steps`, trains without end.
            max_steps: Global step at which training ends; only without `steps`.
            monitors: List of monitors or SessionRunHooks.

        Returns:
            This object.

        Raises:
            ValueError: Both `steps` and `max_steps` are set.
        """
        input_fn, feed_fn = _input_of(x, y, batch_size, shuffle=True, epochs=None)
        hooks = [tf.train.FeedFnHook(feed_fn), *(monitors or ())]
        self._estimator.fit(input_fn=input_fn, steps=steps, max_steps=max_steps, monitors=hooks)
        return self

    def score(
        self,
        x: Any,
        y: Any,
        batch_size: Any = 128,
        steps: Any = None,
        metrics: Any = None,
        name: str | None = None,
    ) -> Any:
        """Evaluates the estimator.

        Args:
            x: `[num_examples, ...]` array of features, or a dict of arrays.
            y: `[num_examples, ...]` array of labels.
            batch_size: Number of rows per batch; None for all rows.
            steps: Number of batches; all by default.
            metrics: Dict of metric name -> `MetricSpec`, or function of predictions and labels; None for none.
            name: Name of the evaluation, the suffix of its summaries' folder.

        Returns:
            Dict of metric name -> value.

        Raises:
            ValueError: `metrics` isn't a dict.
            NotFittedError: There is no checkpoint.
        """
        input_fn, feed_fn = _input_of(x, y, batch_size)
        _check_metrics(metrics)
        results, global_step = self._estimator._evaluate_model(
            input_fn=input_fn, feed_fn=feed_fn, steps=steps, metrics=metrics, name=name
        )
        results["global_step"] = global_step
        return results

    def predict(self, x: Any, batch_size: Any = 128, outputs: Any = None) -> Any:
        """Returns the estimator's predictions.

        Args:
            x: `[num_examples, ...]` array of features, or a dict of arrays.
            batch_size: Number of rows per batch; None for all rows.
            outputs: Names of the predictions to return; all by default.

        Returns:
            `[num_examples, ...]` array, or a dict of such arrays.

        Raises:
            ValueError: The model has no such output.
            NotFittedError: There is no checkpoint.
        """
        input_fn, feed_fn = _input_of(x, None, batch_size)
        batches = list(
            self._estimator._infer_model(input_fn=input_fn, feed_fn=feed_fn, outputs=outputs, iterate_batches=True)
        )
        if not isinstance(batches[0], dict):
            return np.concatenate(batches, axis=0)
        return {key: np.concatenate([batch[key] for batch in batches], axis=0) for key in batches[0]}
