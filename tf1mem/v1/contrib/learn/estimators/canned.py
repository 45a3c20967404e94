# Copyright 2015-2019 The TensorFlow Authors. All Rights Reserved.
# Licensed under the Apache License, Version 2.0: see LICENSE.
# Written anew for tf1mem after tensorflow/contrib of TensorFlow 1.15.5, and changed: see NOTICE.

"""What estimators share whose model is ready: DNN, linear, and both at once."""

from __future__ import annotations

import math
from typing import Any, Callable, Iterable

import tf1mem.v1 as tf
from tf1mem.v1.contrib.layers import feature_column, feature_column_ops
from tf1mem.v1.contrib.layers.layers import dropout, fully_connected
from tf1mem.v1.contrib.learn.estimators.estimator import Estimator
from tf1mem.v1.contrib.learn.estimators.prediction_key import PredictionKey
from tf1mem.v1.contrib.learn.metric_spec import MetricSpec

DNN_LEARNING_RATE = 0.05
LINEAR_LEARNING_RATE = 0.2
LARGE = 64 << 20  # bytes; smaller variables of a linear model, and of a net's first layer, stay in one part


def as_dict(features: Any) -> dict[str, Any]:
    """Features by their names; one without a name has the name ""."""
    return features if isinstance(features, dict) else {"": features}


def linear_learning_rate(columns: Any) -> float:
    """A linear model's by default: it falls with the number of columns."""
    return min(LINEAR_LEARNING_RATE, 1.0 / math.sqrt(len(columns)))


def partitioner(config: Any, min_slice_size: int | None = None) -> Any:
    """Spreads variables over the parameter servers of a `RunConfig`.

    Args:
        config: The config, or None.
        min_slice_size: Smaller ones stay in one part, in bytes; `tf.min_max_variable_partitioner`'s own by default.
    """
    options = {} if min_slice_size is None else {"min_slice_size": min_slice_size}
    return tf.min_max_variable_partitioner(max_partitions=config.num_ps_replicas if config else 0, **options)


def net_scope(features: dict[str, Any], config: Any) -> Any:
    """The variable scope of a net, whose name its collection has, too."""
    return tf.variable_scope("dnn", values=tuple(features.values()), partitioner=partitioner(config))


def linear_scope(features: dict[str, Any], config: Any) -> Any:
    """The variable scope of a linear model, whose name its collection has, too."""
    return tf.variable_scope("linear", values=tuple(features.values()), partitioner=partitioner(config, LARGE))


def _are_contrib_columns(columns: Any) -> bool:
    return all(isinstance(column, feature_column._FeatureColumn) for column in columns)


def net_logits(
    features: dict[str, Any],
    columns: Any,
    units: Iterable[int],
    outputs: int,
    activation_fn: Callable[[Any], Any] | None,
    dropped: float | None,
    input_partitioner: Any,
    summarize: Callable[[Any, str], None],
) -> tuple[Any, str]:
    """The logits of a net, inside of `net_scope`.

    Args:
        features: A dict of tensors.
        columns: Feature columns, of contrib or of TensorFlow.
        units: How many units each hidden layer has.
        outputs: How many logits an example has.
        activation_fn: What hidden units go through.
        dropped: The part of the units that is dropped; None for none.
        input_partitioner: Of the variables of the columns.
        summarize: Takes each layer and its scope.

    Returns:
        The logits, and the columns' scope.
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
            if dropped is not None:
                layer = dropout(layer, keep_prob=1.0 - dropped)
        summarize(layer, scope.name)
    with tf.variable_scope("logits", values=(layer,)) as scope:
        logits = fully_connected(layer, outputs, activation_fn=None, variables_collections=["dnn"], scope=scope)
    summarize(logits, scope.name)
    return logits, str(input_scope.name)


def linear_logits(features: dict[str, Any], columns: Any, outputs: int, joint: bool, scope: Any) -> Any:
    """The logits of a linear model, inside of `linear_scope`.

    Args:
        features: A dict of tensors.
        columns: Feature columns, of contrib or of TensorFlow.
        outputs: How many logits an example has.
        joint: Whether all weights are one variable.
        scope: The scope.
    """
    if not _are_contrib_columns(columns):
        return tf.feature_column.linear_model(features, columns, units=outputs, weight_collections=["linear"])
    apart, together = (
        feature_column_ops.weighted_sum_from_feature_columns,
        feature_column_ops.joint_weighted_sum_from_feature_columns,
    )
    sums = together if joint else apart
    return sums(features, columns, num_outputs=outputs, weight_collections=["linear"], scope=scope)[0]


def embedding_multipliers(multipliers: Any, input_scope: str) -> Any:
    """Embedding columns' multipliers of the learning rate as those of their variables.

    Args:
        multipliers: Embedding column -> a number; None for none.
        input_scope: The first layer's scope.

    Raises:
        ValueError: A column is none of embeddings, or isn't the net's.
    """
    if not multipliers:
        return None
    found = {}
    for column, multiplier in multipliers.items():
        if not isinstance(column, feature_column._EmbeddingColumn):
            raise ValueError(
                f"Multipliers of the learning rate can only be defined for embedding columns, not for {column}"
            )
        variables = tf.get_collection("dnn", f"{input_scope}/{column.name}")
        if not variables:
            raise ValueError(f"Couldn't find a variable for column {column}")
        found.update(dict.fromkeys(variables, multiplier))
    return found


class _Canned(Estimator):
    """An estimator with a prediction that `predict` returns by default."""

    _predicted = PredictionKey.SCORES

    def predict(
        self, x: Any = None, input_fn: Any = None, batch_size: Any = None, outputs: Any = None, as_iterable: bool = True
    ) -> Any:
        """What the model predicts.

        Args:
            x: Features, where there is no `input_fn`.
            input_fn: Returns features, or features and labels.
            batch_size: How many of `x` are taken in a step.
            outputs: Names of predictions, which come as dicts then.
            as_iterable: Whether predictions come one by one while there is input.
        """
        if not outputs:
            return self._one(self._predicted, x, input_fn, batch_size, as_iterable)
        return super().predict(x, input_fn, batch_size, outputs, as_iterable)

    def _one(self, key: str, x: Any, input_fn: Any, batch_size: Any, as_iterable: bool) -> Any:
        found = super().predict(x, input_fn, batch_size, [key], as_iterable)
        return (each[key] for each in found) if as_iterable else found[key]


class Classifier(_Canned):
    """An estimator of classes."""

    _predicted = PredictionKey.CLASSES

    def predict_classes(
        self, x: Any = None, input_fn: Any = None, batch_size: Any = None, as_iterable: bool = True
    ) -> Any:
        """The classes; see `predict` for the arguments."""
        return self._one(PredictionKey.CLASSES, x, input_fn, batch_size, as_iterable)

    def predict_proba(
        self, x: Any = None, input_fn: Any = None, batch_size: Any = None, as_iterable: bool = True
    ) -> Any:
        """The classes' probabilities; see `predict` for the arguments."""
        return self._one(PredictionKey.PROBABILITIES, x, input_fn, batch_size, as_iterable)


class Regressor(_Canned):
    """An estimator of numbers."""

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
        """See `Evaluable.evaluate`; a metric that is a function is of the scores."""
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
        """The numbers; see `predict` for the arguments."""
        return self._one(PredictionKey.SCORES, x, input_fn, batch_size, as_iterable)
