# Copyright 2015-2019 The TensorFlow Authors. All Rights Reserved.
# Licensed under the Apache License, Version 2.0: see LICENSE.
# Written anew for tf1mem after tensorflow/contrib of TensorFlow 1.15.5, and changed: see NOTICE.

"""Target columns (tf.contrib.layers): loss, predictions and metrics of a model's output.

contrib.learn used them before it had heads.
"""

from __future__ import annotations

from functools import partial
from typing import Any, Callable

import tf1mem.v1 as tf
from tf1mem.v1.contrib.losses import loss_ops
from tf1mem.v1.contrib.metrics import metric_ops


class ProblemType:
    """Kinds of problems; each kind has its own form of labels and logits.

    LINEAR_REGRESSION has number labels and float logits of shape `[batch, label_dimension]`. CLASSIFICATION has int
    labels of shape `[batch]` or `[batch, 1]`; its logits are `[batch, n_classes]`, or `[batch, 1]` for two classes. The
    other kinds aren't used here.
    """

    UNSPECIFIED = 0
    CLASSIFICATION = 1
    LINEAR_REGRESSION = 2
    LOGISTIC_REGRESSION = 3


class _MetricKeys:
    """The names of a binary classification's metrics."""

    AUC = "auc"
    PREDICTION_MEAN = "labels/prediction_mean"
    TARGET_MEAN = "labels/actual_target_mean"
    ACCURACY_BASELINE = "accuracy/baseline_target_mean"
    ACCURACY_MEAN = "accuracy/threshold_%f_mean"
    PRECISION_MEAN = "precision/positive_threshold_%f_mean"
    RECALL_MEAN = "recall/positive_threshold_%f_mean"


class _TargetColumn:
    """Base class of target columns: one output of a model.

    Args:
        loss_fn: Function of logits and labels that returns each example's loss.
        num_label_columns: Number of logits of an example.
        label_name: Name of the labels in a dict of labels.
        weight_column_name: Feature that holds the examples' weights; None for no weights.
        problem_type: Constant of `ProblemType`.

    Raises:
        ValueError: `loss_fn` or `num_label_columns` is missing.
    """

    def __init__(
        self, loss_fn: Any, num_label_columns: Any, label_name: Any, weight_column_name: Any, problem_type: int
    ) -> None:
        if not loss_fn:
            raise ValueError("loss_fn: this is missing. Give a function.")
        if num_label_columns is None:
            raise ValueError("num_label_columns: this is missing. Give the number of logits.")
        self._loss_fn = loss_fn
        self._num_label_columns = num_label_columns
        self._label_name = label_name
        self._weight_column_name = weight_column_name
        self._problem_type = problem_type

    @property
    def label_name(self) -> Any:
        """Returns the labels' key in a dict of labels; None if the labels are a single tensor, `[batch]` or larger."""
        return self._label_name

    @property
    def weight_column_name(self) -> Any:
        """Returns the name of the feature that holds the weights, one for each of `[batch]` examples, or None."""
        return self._weight_column_name

    @property
    def num_label_columns(self) -> Any:
        """Returns the number of logits of an example, the last axis of `[batch, num_label_columns]`."""
        return self._num_label_columns

    @property
    def problem_type(self) -> int:
        """Returns the constant of `ProblemType`, which documents the shapes of labels and logits."""
        return self._problem_type

    def logits_to_predictions(self, logits: Any, proba: bool = False) -> Any:
        """Converts logits to predictions.

        Args:
            logits: `[batch, num_label_columns]` float tensor.
            proba: True for probabilities, False for classes.
        """
        raise NotImplementedError(f"{type(self).__name__} has no predictions.")

    def get_eval_ops(self, features: Any, logits: Any, labels: Any, metrics: Any = None) -> dict[str, Any]:
        """Returns a dict, name of a metric -> its value and update op.

        Args:
            features: Dict that holds the weights.
            logits: `[batch, num_label_columns]` float tensor.
            labels: `[batch]` tensor, or `[batch, num_label_columns]`.
            metrics: Dict of name -> function of predictions, labels and, if there are any, weights.
        """
        raise NotImplementedError(f"{type(self).__name__} has no metrics.")

    def get_weight_tensor(self, features: Any) -> Any:
        """Returns the examples' weights, a `[batch]` float tensor, or None."""
        if not self._weight_column_name:
            return None
        return tf.reshape(tf.cast(features[self._weight_column_name], tf.float32), shape=(-1,))

    def _losses(self, logits: Any, target: Any, features: Any) -> tuple[Any, Any]:
        """Returns each example's weighted loss, and the weights."""
        target = target[self.label_name] if isinstance(target, dict) else target
        losses, weights = self._loss_fn(logits, target), self.get_weight_tensor(features)
        return losses if weights is None else tf.reshape(losses, (-1,)) * weights, weights

    def training_loss(self, logits: Any, target: Any, features: Any, name: str = "training_loss") -> Any:
        """Returns the training loss, a scalar: the mean of the weighted losses.

        Args:
            logits: `[batch, num_label_columns]` float tensor.
            target: The labels, or a dict of labels.
            features: Dict that holds the weights.
            name: Name of the op.
        """
        return tf.reduce_mean(self._losses(logits, target, features)[0], name=name)

    def loss(self, logits: Any, target: Any, features: Any) -> Any:
        """Returns the reported loss, a scalar: the weighted mean of the losses.

        Args:
            logits: `[batch, num_label_columns]` float tensor.
            target: The labels, or a dict of labels.
            features: Dict that holds the weights.
        """
        losses, weights = self._losses(logits, target, features)
        if weights is None:
            return tf.reduce_mean(losses, name="loss")
        return tf.div(tf.reduce_sum(losses), tf.reduce_sum(weights), name="loss")

    def _metric_results(self, metrics: Any, predictions: Any, labels: Any, features: Any) -> dict[str, Any]:
        labels, weights = tf.cast(labels, predictions.dtype), self.get_weight_tensor(features)
        weight_arguments = {} if weights is None else {"weights": weights}
        return {name: metric(predictions, labels, **weight_arguments) for name, metric in (metrics or {}).items()}


class _RegressionTargetColumn(_TargetColumn):
    def __init__(self, loss_fn: Any, label_name: Any, weight_column_name: Any, label_dimension: int) -> None:
        super().__init__(loss_fn, label_dimension, label_name, weight_column_name, ProblemType.LINEAR_REGRESSION)

    def logits_to_predictions(self, logits: Any, proba: bool = False) -> Any:
        """Returns the logits; `[batch, 1]` logits become `[batch]`."""
        return tf.squeeze(logits, axis=[1]) if self.num_label_columns == 1 else logits

    def get_eval_ops(self, features: Any, logits: Any, labels: Any, metrics: Any = None) -> dict[str, Any]:
        """Returns the loss and, if there are any, the metrics of `[batch, num_label_columns]` logits."""
        loss = metric_ops.streaming_mean(self.loss(logits, labels, features))
        if not metrics:
            return {"loss": loss}
        return {"loss": loss, **self._metric_results(metrics, self.logits_to_predictions(logits), labels, features)}


class _MultiClassTargetColumn(_TargetColumn):
    def __init__(self, loss_fn: Any, n_classes: int, label_name: Any, weight_column_name: Any) -> None:
        if n_classes < 2:
            raise ValueError(f"n_classes: {n_classes} is too few. Give 2 or more.")
        logits = 1 if n_classes == 2 else n_classes
        super().__init__(loss_fn, logits, label_name, weight_column_name, ProblemType.CLASSIFICATION)

    def logits_to_predictions(self, logits: Any, proba: bool = False) -> Any:
        """Returns `[batch]` int64 classes, or `[batch, n_classes]` probabilities."""
        if self.num_label_columns == 1:
            logits = tf.concat([tf.zeros_like(logits), logits], 1)
        return tf.nn.softmax(logits) if proba else tf.argmax(logits, 1)

    def get_eval_ops(self, features: Any, logits: Any, labels: Any, metrics: Any = None) -> dict[str, Any]:
        """Returns the loss and metrics of `[batch, num_label_columns]` logits; accuracy by default."""
        results = {"loss": metric_ops.streaming_mean(self.loss(logits, labels, features))}
        if metrics is None:
            metrics = {("accuracy", "classes"): metric_ops.streaming_accuracy}
        if self._num_label_columns == 1:
            probabilities, float_labels = tf.sigmoid(logits), tf.cast(labels, tf.float32)
            for name, metric in get_default_binary_metrics_for_eval([0.5]).items():
                results[name] = metric(probabilities, float_labels)
        by_prediction: dict[str, dict[str, Any]] = {"classes": {}, "probabilities": {}}
        for name, metric in metrics.items():
            pair = (name, "classes") if isinstance(name, str) else name
            if not (isinstance(pair, tuple) and len(pair) == 2 and pair[1] in by_prediction):
                raise ValueError(
                    f"Metric {name!r} has an unsupported name. Give a string, or a pair of a string and "
                    "'classes' or 'probabilities'"
                )
            by_prediction[pair[1]][pair[0]] = metric
        for kind, metrics_of_kind in by_prediction.items():
            if metrics_of_kind:
                predictions = self.logits_to_predictions(logits, proba=kind == "probabilities")
                results.update(self._metric_results(metrics_of_kind, predictions, labels, features))
        return results


class _BinarySvmTargetColumn(_MultiClassTargetColumn):
    def __init__(self, label_name: Any, weight_column_name: Any) -> None:
        super().__init__(_hinge_loss, 2, label_name, weight_column_name)

    def logits_to_predictions(self, logits: Any, proba: bool = False) -> Any:
        """Returns `[batch]` int64 classes."""
        if proba:
            raise ValueError("proba=True: an SVM's margin has no probabilities. Set proba=False.")
        return super().logits_to_predictions(logits)


def regression_target(label_name: Any = None, weight_column_name: Any = None, label_dimension: int = 1) -> Any:
    """Returns a target column for regression with squared loss.

    Args:
        label_name: Name of the labels in a dict of labels.
        weight_column_name: Feature that holds the examples' weights.
        label_dimension: Number of values of an example: the labels have the shape `[batch, label_dimension]`.
    """
    return _RegressionTargetColumn(_mean_squared_loss, label_name, weight_column_name, label_dimension)


def multi_class_target(n_classes: int, label_name: Any = None, weight_column_name: Any = None) -> Any:
    """Returns a target column for classification with cross entropy.

    Args:
        n_classes: Number of classes. Two classes have logits of shape `[batch, 1]`, more have `[batch, n_classes]`.
        label_name: Name of the labels in a dict of labels.
        weight_column_name: Feature that holds the examples' weights.

    Raises:
        ValueError: `n_classes` is below 2.
    """
    if n_classes < 2:
        raise ValueError(f"n_classes: {n_classes} is too few. Give 2 or more.")
    loss_fn = _log_loss_with_two_classes if n_classes == 2 else _softmax_cross_entropy_loss
    return _MultiClassTargetColumn(loss_fn, n_classes, label_name, weight_column_name)


def binary_svm_target(label_name: Any = None, weight_column_name: Any = None) -> Any:
    """Returns a target column for two classes with hinge loss and `[batch, 1]` logits.

    Args:
        label_name: Name of the labels in a dict of labels.
        weight_column_name: Feature that holds the examples' weights.
    """
    return _BinarySvmTargetColumn(label_name, weight_column_name)


def _as_matrix(target: Any) -> Any:
    return tf.expand_dims(target, axis=1) if target.shape.ndims == 1 else target


def _mean_squared_loss(logits: Any, target: Any) -> Any:
    target = _as_matrix(target)
    logits.shape.assert_is_compatible_with(target.shape)
    return tf.squared_difference(logits, tf.cast(target, tf.float32))


def _log_loss_with_two_classes(logits: Any, target: Any) -> Any:
    return tf.nn.sigmoid_cross_entropy_with_logits(labels=tf.cast(_as_matrix(target), tf.float32), logits=logits)


def _softmax_cross_entropy_loss(logits: Any, target: Any) -> Any:
    if not target.dtype.is_integer:
        raise ValueError(f"Target's dtype should be integer. Instead got {target.dtype}.")
    if target.shape.ndims == 2:
        target = tf.squeeze(target, axis=[1])
    return tf.nn.sparse_softmax_cross_entropy_with_logits(labels=target, logits=logits)


def _hinge_loss(logits: Any, target: Any) -> Any:
    rank_check = tf.Assert(tf.rank(target) <= 2, ["labels of more than two dimensions"])
    with tf.control_dependencies([rank_check]):
        target = tf.reshape(target, shape=[tf.shape(target)[0], 1])
    return loss_ops.hinge_loss(logits, target)


def get_default_binary_metrics_for_eval(thresholds: Any) -> dict[str, Callable[..., Any]]:
    """Returns metrics of a binary classification: name -> function of probabilities, labels and weights.

    Args:
        thresholds: Probabilities from which an example counts as class 1; each threshold has its own metrics.

    Returns:
        Dict of functions whose tensors have the shape `[batch, 1]` or `[batch]`.
    """
    metrics: dict[str, Callable[..., Any]] = {
        _MetricKeys.PREDICTION_MEAN: _mean_of_predictions,
        _MetricKeys.TARGET_MEAN: _mean_of_labels,
        # The mean of 0/1 labels is the accuracy of a model that always predicts 1.
        _MetricKeys.ACCURACY_BASELINE: _mean_of_labels,
        _MetricKeys.AUC: _auc,
    }
    for threshold in thresholds:
        metrics[_MetricKeys.ACCURACY_MEAN % threshold] = partial(_accuracy, threshold)
        metrics[_MetricKeys.PRECISION_MEAN % threshold] = partial(
            _at_threshold, metric_ops.streaming_precision_at_thresholds, threshold
        )
        metrics[_MetricKeys.RECALL_MEAN % threshold] = partial(
            _at_threshold, metric_ops.streaming_recall_at_thresholds, threshold
        )
    return metrics


def _as_floats(weights: Any) -> Any:
    return None if weights is None else tf.cast(weights, tf.float32)


def _mean_of_predictions(predictions: Any, labels: Any, weights: Any = None) -> Any:
    return metric_ops.streaming_mean(predictions, weights=weights)


def _mean_of_labels(predictions: Any, labels: Any, weights: Any = None) -> Any:
    return metric_ops.streaming_mean(labels, weights=weights)


def _auc(predictions: Any, labels: Any, weights: Any = None) -> Any:
    return metric_ops.streaming_auc(predictions, labels, weights=_as_floats(weights))


def _accuracy(threshold: float, predictions: Any, labels: Any, weights: Any = None) -> Any:
    classes = tf.cast(tf.greater_equal(predictions, threshold), tf.float32)
    return metric_ops.streaming_accuracy(predictions=classes, labels=labels, weights=weights)


def _at_threshold(metric: Any, threshold: float, predictions: Any, labels: Any, weights: Any = None) -> Any:
    value, update = metric(predictions, labels=labels, thresholds=[threshold], weights=_as_floats(weights))
    return tf.squeeze(value), update
