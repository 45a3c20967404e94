# Copyright 2015-2019 The TensorFlow Authors. All Rights Reserved.
# Licensed under the Apache License, Version 2.0: see LICENSE.
# Written anew for tf1mem after tensorflow/contrib of TensorFlow 1.15.5, and changed: see NOTICE.

"""Functions and base classes of the DNN, linear, and combined estimators."""

from __future__ import annotations

import math
from typing import Any, Callable, Iterable

import tf1mem.v1 as tf
from tf1mem.v1.contrib.layers import feature_column, feature_column_ops
from tf1mem.v1.contrib.layers.layers import dropout, fully_connected
from tf1mem.v1.contrib.learn.estimators.estimator import Estimator
from tf1mem.v1.contrib.learn.estimators.prediction_key import PredictionKey
from tf1mem.v1.contrib.learn.metric_spec import MetricSpec

# Default learning rates of networks and, at most, of linear models: see `linear_learning_rate`.
DNN_LEARNING_RATE = 0.05
LINEAR_LEARNING_RATE = 0.2

# Default size of the smallest partition of a linear model's variables, and of those of a network's first layer.
MIN_SLICE_BYTES = 64 << 20


def as_dict(features: Any) -> dict[str, Any]:
    """Returns features as a dict; a single tensor gets the name "".

    Args:
        features: `[batch, ...]` tensor, or a dict of such tensors.
    """
    return features if isinstance(features, dict) else {"": features}


def linear_learning_rate(columns: Any) -> float:
    """Returns the default learning rate of a linear model, 0.2 or `1 / sqrt(number of columns)` if that is lower.

    Args:
        columns: List of feature columns.
    """
    return min(LINEAR_LEARNING_RATE, 1.0 / math.sqrt(len(columns)))


def partitioner(config: Any, min_slice_size: int | None = None) -> Any:
    """Returns a partitioner of variables for the parameter servers of a `RunConfig`.

    Args:
        config: Instance of `RunConfig`, or None for no partitions.
        min_slice_size: Bytes of the smallest partition; None for 256 KiB, TensorFlow's default.
    """
    options = {} if min_slice_size is None else {"min_slice_size": min_slice_size}
    return tf.min_max_variable_partitioner(max_partitions=config.num_ps_replicas if config else 0, **options)


def net_scope(features: dict[str, Any], config: Any) -> Any:
    """Returns the variable scope of a network, "dnn", which is also the name of its collection of variables.

    Args:
        features: Dict of name -> `[batch, ...]` tensor.
        config: Instance of `RunConfig`, or None.
    """
    return tf.variable_scope("dnn", values=tuple(features.values()), partitioner=partitioner(config))


def linear_scope(features: dict[str, Any], config: Any) -> Any:
    """Returns the variable scope of a linear model, "linear", which is also the name of its collection of variables.

    Args:
        features: Dict of name -> `[batch, ...]` tensor.
        config: Instance of `RunConfig`, or None.
    """
    return tf.variable_scope(
        "linear", values=tuple(features.values()), partitioner=partitioner(config, MIN_SLICE_BYTES)
    )


def _are_contrib_columns(columns: Any) -> bool:
    return all(isinstance(column, feature_column._FeatureColumn) for column in columns)


def net_logits(
    features: dict[str, Any],
    columns: Any,
    units: Iterable[int],
    outputs: int,
    activation_fn: Callable[[Any], Any] | None,
    dropout_rate: float | None,
    input_partitioner: Any,
    summarize: Callable[[Any, str], None],
) -> tuple[Any, str]:
    """Builds the layers of a network in its `net_scope`.

    Args:
        features: Dict of name -> `[batch, ...]` tensor.
        columns: Feature columns of tf.contrib.layers or of tf.feature_column.
        units: Sizes of the hidden layers.
        outputs: Number of logits per example.
        activation_fn: Activation of the hidden layers; None for linear layers.
        dropout_rate: Fraction of the units to drop; None for no dropout.
        input_partitioner: Partitioner of the columns' variables.
        summarize: Function of a layer's output and scope name that adds summaries.

    Returns:
        `[batch, outputs]` tensor of logits, and the name of the variable scope of the columns.
    """
    with tf.variable_scope(
        "input_from_feature_columns", values=tuple(features.values()), partitioner=input_partitioner
    ) as input_scope:
        if _are_contrib_columns(columns):
            layer = feature_column_ops.input_from_feature_columns(
                features, columns, weight_collections=["dnn"], scope=input_scope
            )
        else:
            layer = tf.feature_column.input_layer(features, columns, weight_collections=["dnn"])
    for number, size in enumerate(units):
        with tf.variable_scope(f"hiddenlayer_{number}", values=(layer,)) as scope:
            layer = fully_connected(
                layer, size, activation_fn=activation_fn, variables_collections=["dnn"], scope=scope
            )
            if dropout_rate is not None:
                layer = dropout(layer, keep_prob=1.0 - dropout_rate)
        summarize(layer, scope.name)
    with tf.variable_scope("logits", values=(layer,)) as scope:
        logits = fully_connected(layer, outputs, activation_fn=None, variables_collections=["dnn"], scope=scope)
    summarize(logits, scope.name)
    return logits, str(input_scope.name)


def linear_logits(features: dict[str, Any], columns: Any, outputs: int, joint: bool, scope: Any) -> Any:
    """Builds the logits of a linear model in its `linear_scope`.

    Args:
        features: Dict of name -> `[batch, ...]` tensor.
        columns: Feature columns of tf.contrib.layers or of tf.feature_column.
        outputs: Number of logits per example.
        joint: True if all weights are in one variable; columns of tf.feature_column ignore it.
        scope: The VariableScope that `linear_scope` opened.

    Returns:
        `[batch, outputs]` tensor of logits.
    """
    if not _are_contrib_columns(columns):
        return tf.feature_column.linear_model(features, columns, units=outputs, weight_collections=["linear"])
    ops = feature_column_ops
    sums = ops.joint_weighted_sum_from_feature_columns if joint else ops.weighted_sum_from_feature_columns
    return sums(features, columns, num_outputs=outputs, weight_collections=["linear"], scope=scope)[0]


def embedding_multipliers(multipliers: Any, input_scope: str) -> Any:
    """Returns a dict of embedding variable (`[vocabulary, dimension]`) -> factor of its learning rate; None for none.

    Args:
        multipliers: Dict of embedding column -> factor; None for no factors.
        input_scope: Name of the variable scope of the columns, which `net_logits` returned.

    Raises:
        ValueError: A column isn't an embedding column, or has no variable in the network.
    """
    if not multipliers:
        return None
    variable_multipliers = {}
    for column, multiplier in multipliers.items():
        if not isinstance(column, feature_column._EmbeddingColumn):
            raise ValueError(
                f"Multipliers of the learning rate can only be defined for embedding columns, not for {column}"
            )
        variables = tf.get_collection("dnn", f"{input_scope}/{column.name}")
        if not variables:
            raise ValueError(f"Couldn't find a variable for column {column}")
        variable_multipliers.update(dict.fromkeys(variables, multiplier))
    return variable_multipliers


class _Canned(Estimator):
    """An estimator whose `predict` returns the prediction `_predicted` by default: `[batch]` or `[batch, ...]`."""

    _predicted = PredictionKey.SCORES

    def predict(
        self, x: Any = None, input_fn: Any = None, batch_size: Any = None, outputs: Any = None, as_iterable: bool = True
    ) -> Any:
        """Returns the predictions of the model.

        Args:
            x: `[num_examples, ...]` array of features, or a dict of arrays; only without `input_fn`.
            input_fn: Function that returns features, or features and labels.
            batch_size: Number of rows of `x` per step; None for all rows.
            outputs: Names of the predictions to return as dicts; None returns the values of the default prediction.
            as_iterable: True for an iterator over examples, False for the predictions of all rows of `x`, or of the
                first batch of `input_fn`.
        """
        if not outputs:
            return self._single_prediction(self._predicted, x, input_fn, batch_size, as_iterable)
        return super().predict(x, input_fn, batch_size, outputs, as_iterable)

    def _single_prediction(self, key: str, x: Any, input_fn: Any, batch_size: Any, as_iterable: bool) -> Any:
        predictions = super().predict(x, input_fn, batch_size, [key], as_iterable)
        return (each[key] for each in predictions) if as_iterable else predictions[key]


class Classifier(_Canned):
    """An estimator of classes: `predict_classes` returns `[batch]`, `predict_proba` returns `[batch, num_classes]`."""

    _predicted = PredictionKey.CLASSES

    def predict_classes(
        self, x: Any = None, input_fn: Any = None, batch_size: Any = None, as_iterable: bool = True
    ) -> Any:
        """Returns the classes, `[batch]`.

        Args:
            x: `[num_examples, ...]` array of features, or a dict of arrays; only without `input_fn`.
            input_fn: Function that returns features, or features and labels.
            batch_size: Number of rows of `x` per step; None for all rows.
            as_iterable: True for an iterator over examples, False for the predictions of all rows of `x`, or of the
                first batch of `input_fn`.
        """
        return self._single_prediction(PredictionKey.CLASSES, x, input_fn, batch_size, as_iterable)

    def predict_proba(
        self, x: Any = None, input_fn: Any = None, batch_size: Any = None, as_iterable: bool = True
    ) -> Any:
        """Returns the classes' probabilities, `[batch, num_classes]`.

        Args:
            x: `[num_examples, ...]` array of features, or a dict of arrays; only without `input_fn`.
            input_fn: Function that returns features, or features and labels.
            batch_size: Number of rows of `x` per step; None for all rows.
            as_iterable: True for an iterator over examples, False for the predictions of all rows of `x`, or of the
                first batch of `input_fn`.
        """
        return self._single_prediction(PredictionKey.PROBABILITIES, x, input_fn, batch_size, as_iterable)


class Regressor(_Canned):
    """An estimator of numbers: `predict_scores` returns `[batch]` or `[batch, num_outputs]`."""

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

        A metric that is a function gets the scores, `[batch]` or `[batch, num_outputs]`, unless its key is a pair of
        names, (metric, prediction).
        """
        of_scores = {
            key if isinstance(metric, MetricSpec) or isinstance(key, tuple) else (key, PredictionKey.SCORES): metric
            for key, metric in (metrics or {}).items()
        }
        return super().evaluate(
            x, y, input_fn, feed_fn, batch_size, steps, of_scores, name, checkpoint_path, hooks, log_progress
        )

    def predict_scores(
        self, x: Any = None, input_fn: Any = None, batch_size: Any = None, as_iterable: bool = True
    ) -> Any:
        """Returns the predicted numbers, `[batch]` or `[batch, num_outputs]`.

        Args:
            x: `[num_examples, ...]` array of features, or a dict of arrays; only without `input_fn`.
            input_fn: Function that returns features, or features and labels.
            batch_size: Number of rows of `x` per step; None for all rows.
            as_iterable: True for an iterator over examples, False for the predictions of all rows of `x`, or of the
                first batch of `input_fn`.
        """
        return self._single_prediction(PredictionKey.SCORES, x, input_fn, batch_size, as_iterable)
