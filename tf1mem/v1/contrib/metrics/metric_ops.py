# Copyright 2015-2019 The TensorFlow Authors. All Rights Reserved.
# Licensed under the Apache License, Version 2.0: see LICENSE.
# Written anew for tf1mem after tensorflow/contrib of TensorFlow 1.15.5, and changed: see NOTICE.

"""Metrics accumulated in local variables (tf.contrib.metrics).

Each function returns a value and an update op, which adds a batch. The common arguments are `weights`, which broadcast
to the labels; `metrics_collections` and `updates_collections`, to which the value and the op are added; and `name`, a
variable scope. "With predictions first" is about the order of arguments: `tf.metrics` takes labels first.
"""

from __future__ import annotations

from collections import namedtuple
from typing import Any, Callable, Mapping, Sequence

from tensorflow.python.ops import metrics_impl, weights_broadcast_ops

import tf1mem.v1 as tf

_EPSILON = 1e-7

AucData = namedtuple("AucData", ["auc", "lower", "upper"])
PrecisionRecallData = namedtuple("PrecisionRecallData", ["tp", "fp", "tn", "fn", "precision", "recall", "thresholds"])


def _collected(value: Any, update: Any, metrics_collections: Any, updates_collections: Any) -> tuple[Any, Any]:
    if metrics_collections:
        tf.add_to_collections(metrics_collections, value)
    if updates_collections:
        tf.add_to_collections(updates_collections, update)
    return value, update


def _squeezed(predictions: Any, labels: Any, weights: Any) -> tuple[Any, Any, Any]:
    """Removes a last axis of size 1 that the other tensors lack."""
    predictions, labels, weights = metrics_impl._remove_squeezable_dimensions(predictions, labels, weights)
    predictions.shape.assert_is_compatible_with(labels.shape)
    return predictions, labels, weights


def _zeros(name: str, shape: Sequence[int] = (), dtype: Any = tf.float32) -> Any:
    """Makes a local variable of zeros, in which a metric accumulates."""
    return metrics_impl.metric_variable(shape, dtype, name=name)


def _predictions_first(counterpart: str) -> Callable[..., Any]:
    """Returns `streaming_NAME`, which is a function of `tf.metrics` with predictions first."""

    def streaming(
        predictions: Any,
        labels: Any,
        weights: Any = None,
        metrics_collections: Any = None,
        updates_collections: Any = None,
        name: str | None = None,
    ) -> Any:
        return getattr(tf.metrics, counterpart)(
            labels=labels,
            predictions=predictions,
            weights=weights,
            metrics_collections=metrics_collections,
            updates_collections=updates_collections,
            name=name,
        )

    streaming.__name__ = streaming.__qualname__ = f"streaming_{counterpart}"
    streaming.__doc__ = (
        f"Accumulates `tf.metrics.{counterpart}`, with predictions first; both tensors have the same shape."
    )
    return streaming


streaming_true_positives = _predictions_first("true_positives")
streaming_true_negatives = _predictions_first("true_negatives")
streaming_false_positives = _predictions_first("false_positives")
streaming_false_negatives = _predictions_first("false_negatives")
streaming_accuracy = _predictions_first("accuracy")
streaming_precision = _predictions_first("precision")
streaming_recall = _predictions_first("recall")
streaming_mean_absolute_error = _predictions_first("mean_absolute_error")
streaming_mean_squared_error = _predictions_first("mean_squared_error")
streaming_root_mean_squared_error = _predictions_first("root_mean_squared_error")


def streaming_mean(
    values: Any,
    weights: Any = None,
    metrics_collections: Any = None,
    updates_collections: Any = None,
    name: str | None = None,
) -> Any:
    """Accumulates the mean of values of any shape like `tf.metrics.mean`."""
    return tf.metrics.mean(
        values,
        weights=weights,
        metrics_collections=metrics_collections,
        updates_collections=updates_collections,
        name=name,
    )


def streaming_mean_tensor(
    values: Any,
    weights: Any = None,
    metrics_collections: Any = None,
    updates_collections: Any = None,
    name: str | None = None,
) -> Any:
    """Accumulates the element-wise mean of tensors of the same shape like `tf.metrics.mean_tensor`."""
    return tf.metrics.mean_tensor(
        values,
        weights=weights,
        metrics_collections=metrics_collections,
        updates_collections=updates_collections,
        name=name,
    )


def streaming_percentage_less(
    values: Any,
    threshold: float,
    weights: Any = None,
    metrics_collections: Any = None,
    updates_collections: Any = None,
    name: str | None = None,
) -> Any:
    """Accumulates the fraction of values (any shape) below a threshold like `tf.metrics.percentage_below`."""
    return tf.metrics.percentage_below(
        values,
        threshold,
        weights=weights,
        metrics_collections=metrics_collections,
        updates_collections=updates_collections,
        name=name,
    )


def streaming_precision_at_thresholds(
    predictions: Any,
    labels: Any,
    thresholds: Sequence[float],
    weights: Any = None,
    metrics_collections: Any = None,
    updates_collections: Any = None,
    name: str | None = None,
) -> Any:
    """Accumulates precisions, `[num_thresholds]`, like `tf.metrics.precision_at_thresholds`, with predictions first."""
    return tf.metrics.precision_at_thresholds(
        labels=labels,
        predictions=predictions,
        thresholds=thresholds,
        weights=weights,
        metrics_collections=metrics_collections,
        updates_collections=updates_collections,
        name=name,
    )


def streaming_recall_at_thresholds(
    predictions: Any,
    labels: Any,
    thresholds: Sequence[float],
    weights: Any = None,
    metrics_collections: Any = None,
    updates_collections: Any = None,
    name: str | None = None,
) -> Any:
    """Accumulates recalls, `[num_thresholds]`, like `tf.metrics.recall_at_thresholds`, with predictions first."""
    return tf.metrics.recall_at_thresholds(
        labels=labels,
        predictions=predictions,
        thresholds=thresholds,
        weights=weights,
        metrics_collections=metrics_collections,
        updates_collections=updates_collections,
        name=name,
    )


def streaming_mean_relative_error(
    predictions: Any,
    labels: Any,
    normalizer: Any,
    weights: Any = None,
    metrics_collections: Any = None,
    updates_collections: Any = None,
    name: str | None = None,
) -> Any:
    """Accumulates the relative error like `tf.metrics.mean_relative_error`, with predictions first.

    Predictions, labels and normalizer have the same shape.
    """
    return tf.metrics.mean_relative_error(
        labels=labels,
        predictions=predictions,
        normalizer=normalizer,
        weights=weights,
        metrics_collections=metrics_collections,
        updates_collections=updates_collections,
        name=name,
    )


def streaming_mean_iou(
    predictions: Any,
    labels: Any,
    num_classes: int,
    weights: Any = None,
    metrics_collections: Any = None,
    updates_collections: Any = None,
    name: str | None = None,
) -> Any:
    """Accumulates the mean intersection over union like `tf.metrics.mean_iou`, with predictions first.

    Predictions and labels are int tensors of classes, of the same shape.
    """
    return tf.metrics.mean_iou(
        labels=labels,
        predictions=predictions,
        num_classes=num_classes,
        weights=weights,
        metrics_collections=metrics_collections,
        updates_collections=updates_collections,
        name=name,
    )


def streaming_sparse_average_precision_at_k(
    predictions: Any,
    labels: Any,
    k: int,
    weights: Any = None,
    metrics_collections: Any = None,
    updates_collections: Any = None,
    name: str | None = None,
) -> Any:
    """Accumulates the average precision like `tf.metrics.average_precision_at_k`, with predictions first.

    Args:
        predictions: `[..., num_classes]` float tensor.
        labels: `[..., num_labels]` int64 tensor, dense or sparse.
        k: Number of top classes.
        weights: Weights that broadcast to `[...]`.
        metrics_collections: Collections that the value is added to.
        updates_collections: Collections that the update op is added to.
        name: Variable scope.
    """
    return tf.metrics.average_precision_at_k(
        labels=labels,
        predictions=predictions,
        k=k,
        weights=weights,
        metrics_collections=metrics_collections,
        updates_collections=updates_collections,
        name=name,
    )


def streaming_specificity_at_sensitivity(
    predictions: Any,
    labels: Any,
    sensitivity: float,
    weights: Any = None,
    num_thresholds: int = 200,
    metrics_collections: Any = None,
    updates_collections: Any = None,
    name: str | None = None,
) -> Any:
    """Accumulates the specificity (shape `[]`) like `tf.metrics.specificity_at_sensitivity` with predictions first."""
    return tf.metrics.specificity_at_sensitivity(
        labels=labels,
        predictions=predictions,
        sensitivity=sensitivity,
        num_thresholds=num_thresholds,
        weights=weights,
        metrics_collections=metrics_collections,
        updates_collections=updates_collections,
        name=name,
    )


def streaming_sensitivity_at_specificity(
    predictions: Any,
    labels: Any,
    specificity: float,
    weights: Any = None,
    num_thresholds: int = 200,
    metrics_collections: Any = None,
    updates_collections: Any = None,
    name: str | None = None,
) -> Any:
    """Accumulates the sensitivity (shape `[]`) like `tf.metrics.sensitivity_at_specificity` with predictions first."""
    return tf.metrics.sensitivity_at_specificity(
        labels=labels,
        predictions=predictions,
        specificity=specificity,
        num_thresholds=num_thresholds,
        weights=weights,
        metrics_collections=metrics_collections,
        updates_collections=updates_collections,
        name=name,
    )


def streaming_auc(
    predictions: Any,
    labels: Any,
    weights: Any = None,
    num_thresholds: int = 200,
    metrics_collections: Any = None,
    updates_collections: Any = None,
    curve: str = "ROC",
    name: str | None = None,
) -> Any:
    """Accumulates the area under a curve, of shape `[]`, like `tf.metrics.auc`, with predictions first."""
    return tf.metrics.auc(
        labels=labels,
        predictions=predictions,
        num_thresholds=num_thresholds,
        curve=curve,
        weights=weights,
        metrics_collections=metrics_collections,
        updates_collections=updates_collections,
        name=name,
    )


def streaming_sparse_recall_at_k(
    predictions: Any,
    labels: Any,
    k: int,
    class_id: int | None = None,
    weights: Any = None,
    metrics_collections: Any = None,
    updates_collections: Any = None,
    name: str | None = None,
) -> Any:
    """Accumulates the recall of the top k classes like `tf.metrics.recall_at_k`, with predictions first.

    Predictions are `[..., num_classes]`, labels `[..., num_labels]` or `[...]`.
    """
    return tf.metrics.recall_at_k(
        labels=labels,
        predictions=predictions,
        k=k,
        class_id=class_id,
        weights=weights,
        metrics_collections=metrics_collections,
        updates_collections=updates_collections,
        name=name,
    )


def streaming_sparse_precision_at_k(
    predictions: Any,
    labels: Any,
    k: int,
    class_id: int | None = None,
    weights: Any = None,
    metrics_collections: Any = None,
    updates_collections: Any = None,
    name: str | None = None,
) -> Any:
    """Accumulates the precision of the top k classes like `tf.metrics.precision_at_k`, with predictions first.

    Predictions are `[..., num_classes]`, labels `[..., num_labels]` or `[...]`.
    """
    return tf.metrics.precision_at_k(
        labels=labels,
        predictions=predictions,
        k=k,
        class_id=class_id,
        weights=weights,
        metrics_collections=metrics_collections,
        updates_collections=updates_collections,
        name=name,
    )


def _rate_of(
    parts: tuple[str, str], name: str | None, default: str, predictions: Any, labels: Any, weights: Any
) -> tuple[Any, Any]:
    """Returns a value and its update: the first of two counts, divided by the sum of both."""
    with tf.variable_scope(name, default, (predictions, labels, weights)):
        predictions, labels, weights = metrics_impl._remove_squeezable_dimensions(
            predictions=tf.cast(predictions, tf.bool), labels=tf.cast(labels, tf.bool), weights=weights
        )
        counts = [getattr(tf.metrics, count)(labels, predictions, weights) for count in parts]

        def fraction(count: Any, other: Any, name: str) -> Any:
            """Returns the quotient, of shape `[]`; 0 without examples."""
            both = count + other
            return tf.where(both > 0, count / both, tf.zeros_like(both), name)

        (value, update), (other_value, other_update) = counts
        return fraction(value, other_value, "value"), fraction(update, other_update, "update_op")


def streaming_false_positive_rate(
    predictions: Any,
    labels: Any,
    weights: Any = None,
    metrics_collections: Any = None,
    updates_collections: Any = None,
    name: str | None = None,
) -> Any:
    """Accumulates the fraction of negatives predicted as positive, of shape `[]`; both tensors have the same shape."""
    parts = ("false_positives", "true_negatives")
    value_and_update = _rate_of(parts, name, "false_positive_rate", predictions, labels, weights)
    return _collected(*value_and_update, metrics_collections, updates_collections)


def streaming_false_negative_rate(
    predictions: Any,
    labels: Any,
    weights: Any = None,
    metrics_collections: Any = None,
    updates_collections: Any = None,
    name: str | None = None,
) -> Any:
    """Accumulates the fraction of positives predicted as negative, of shape `[]`; both tensors have the same shape."""
    parts = ("false_negatives", "true_positives")
    value_and_update = _rate_of(parts, name, "false_negative_rate", predictions, labels, weights)
    return _collected(*value_and_update, metrics_collections, updates_collections)


# Counts at each threshold: (name of the variable, True if predicted positive, True if labeled positive).
_COUNTED = {
    "tp": ("true_positives", True, True),
    "fn": ("false_negatives", False, True),
    "tn": ("true_negatives", False, False),
    "fp": ("false_positives", True, False),
}


def _at_thresholds(
    predictions: Any, labels: Any, thresholds: Sequence[float], weights: Any, includes: Sequence[str] = tuple(_COUNTED)
) -> tuple[dict[str, Any], dict[str, Any]]:
    """Returns `[num_thresholds]` counts and their updates; a prediction above the threshold is positive."""
    predictions, labels, weights = _squeezed(predictions, labels, weights)
    positive = tf.reshape(predictions, [1, -1]) > tf.constant(thresholds, shape=[len(thresholds), 1])
    true = tf.logical_and(tf.reshape(tf.cast(labels, tf.bool), [1, -1]), tf.ones_like(positive))
    amounts: Any = 1.0
    if weights is not None:
        broadcast = weights_broadcast_ops.broadcast_weights(tf.cast(weights, tf.float32), predictions)
        amounts = tf.reshape(broadcast, [1, -1])
    values, updates = {}, {}
    for key in includes:
        name, predicted, is_true = _COUNTED[key]
        values[key] = _zeros(name, [len(thresholds)])
        hits = tf.logical_and(
            positive if predicted else tf.logical_not(positive), true if is_true else tf.logical_not(true)
        )
        updates[key] = tf.assign_add(values[key], tf.reduce_sum(tf.cast(hits, tf.float32) * amounts, 1))
    return values, updates


def _count_at_thresholds(key: str, predictions: Any, labels: Any, thresholds: Sequence[float], weights: Any) -> Any:
    values, updates = _at_thresholds(predictions, labels, thresholds, weights, [key])
    return values[key], updates[key]


def streaming_true_positives_at_thresholds(
    predictions: Any, labels: Any, thresholds: Sequence[float], weights: Any = None
) -> Any:
    """Counts true positives for each threshold, `[num_thresholds]`; both tensors have the same shape."""
    return _count_at_thresholds("tp", predictions, labels, thresholds, weights)


def streaming_false_negatives_at_thresholds(
    predictions: Any, labels: Any, thresholds: Sequence[float], weights: Any = None
) -> Any:
    """Counts false negatives for each threshold, `[num_thresholds]`; both tensors have the same shape."""
    return _count_at_thresholds("fn", predictions, labels, thresholds, weights)


def streaming_false_positives_at_thresholds(
    predictions: Any, labels: Any, thresholds: Sequence[float], weights: Any = None
) -> Any:
    """Counts false positives for each threshold, `[num_thresholds]`; both tensors have the same shape."""
    return _count_at_thresholds("fp", predictions, labels, thresholds, weights)


def streaming_true_negatives_at_thresholds(
    predictions: Any, labels: Any, thresholds: Sequence[float], weights: Any = None
) -> Any:
    """Counts true negatives for each threshold, `[num_thresholds]`; both tensors have the same shape."""
    return _count_at_thresholds("tn", predictions, labels, thresholds, weights)


def _rate_at(
    parts: tuple[str, str], name: str | None, default: str, predictions: Any, labels: Any, thresholds: Any, weights: Any
) -> tuple[Any, Any]:
    with tf.variable_scope(name, default, (predictions, labels, weights)):
        values_and_updates = _at_thresholds(predictions, labels, thresholds, weights, parts)
        value, update = (each[parts[0]] / (_EPSILON + each[parts[0]] + each[parts[1]]) for each in values_and_updates)
        return value, update


def streaming_false_positive_rate_at_thresholds(
    predictions: Any,
    labels: Any,
    thresholds: Sequence[float],
    weights: Any = None,
    metrics_collections: Any = None,
    updates_collections: Any = None,
    name: str | None = None,
) -> Any:
    """Accumulates the fraction of negatives predicted as positive for each threshold, `[num_thresholds]`."""
    default = "false_positive_rate_at_thresholds"
    value_and_update = _rate_at(("fp", "tn"), name, default, predictions, labels, thresholds, weights)
    return _collected(*value_and_update, metrics_collections, updates_collections)


def streaming_false_negative_rate_at_thresholds(
    predictions: Any,
    labels: Any,
    thresholds: Sequence[float],
    weights: Any = None,
    metrics_collections: Any = None,
    updates_collections: Any = None,
    name: str | None = None,
) -> Any:
    """Accumulates the fraction of positives predicted as negative for each threshold, `[num_thresholds]`."""
    default = "false_negative_rate_at_thresholds"
    value_and_update = _rate_at(("fn", "tp"), name, default, predictions, labels, thresholds, weights)
    return _collected(*value_and_update, metrics_collections, updates_collections)


def _equidistant_thresholds(number: int) -> list[float]:
    """Returns equidistant thresholds from just below 0 to just above 1."""
    between = [at / (number - 1) for at in range(1, number - 1)]
    return [0.0 - _EPSILON, *between, 1.0 + _EPSILON]


def streaming_curve_points(
    labels: Any = None,
    predictions: Any = None,
    weights: Any = None,
    num_thresholds: int = 200,
    metrics_collections: Any = None,
    updates_collections: Any = None,
    curve: str = "ROC",
    name: str | None = None,
) -> Any:
    """Accumulates points of a curve: (false positive rate, true positive rate), or (recall, precision).

    Args:
        labels: Bool tensor of any shape.
        predictions: Float tensor of the same shape, from 0 to 1.
        weights: Weights that broadcast to the labels.
        num_thresholds: Number of points; 200 by default.
        metrics_collections: Collections that the points are added to.
        updates_collections: Collections that the update op is added to.
        curve: "ROC" or "PR".
        name: Variable scope.

    Returns:
        The points, `[num_thresholds, 2]`, and the update op.

    Raises:
        ValueError: `curve` is unknown.
    """
    with tf.variable_scope(name, "curve_points", (labels, predictions, weights)):
        if curve not in ("ROC", "PR"):
            raise ValueError(f"curve must be either ROC or PR, {curve} unknown")
        values, updates = _at_thresholds(predictions, labels, _equidistant_thresholds(num_thresholds), weights)
        tp, fn, tn, fp = (values[key] for key in _COUNTED)
        epsilon = 1e-6
        recall = (tp + epsilon) / (tp + fn + epsilon)
        xs, ys = (
            (fp / (fp + tn + epsilon), recall) if curve == "ROC" else (recall, (tp + epsilon) / (tp + fp + epsilon))
        )
        points, update = tf.stack([xs, ys], axis=1), tf.group(*updates.values())
        return _collected(points, update, metrics_collections, updates_collections)


def _only_if_zeros_and_ones(labels: Any) -> Any:
    """Returns a context of control dependencies that check that all labels are 0 or 1."""
    below = tf.assert_greater_equal(labels, tf.zeros_like(labels), message="labels must be 0 or 1, at least one is <0")
    above = tf.assert_less_equal(labels, tf.ones_like(labels), message="labels must be 0 or 1, at least one is >1")
    return tf.control_dependencies([below, above])


def streaming_dynamic_auc(
    labels: Any,
    predictions: Any,
    curve: str = "ROC",
    metrics_collections: Any = (),
    updates_collections: Any = (),
    name: str | None = None,
    weights: Any = None,
) -> Any:
    """Accumulates the area under the exact curve: variables keep all predictions, and each is a threshold.

    Args:
        labels: 0 or 1, a tensor of any shape.
        predictions: Number tensor of the same shape.
        curve: "ROC" or "PR".
        metrics_collections: Collections that the area is added to.
        updates_collections: Collections that the update op is added to.
        name: Variable scope.
        weights: Weights, a tensor of the same shape.

    Returns:
        The area, a float64 of shape `[]`, and the update op.

    Raises:
        ValueError: `curve` is unknown.
    """
    if curve not in ("PR", "ROC"):
        raise ValueError(f"curve must be either ROC or PR, {curve} unknown")
    with tf.variable_scope(name, default_name="dynamic_auc"):
        labels.shape.assert_is_compatible_with(predictions.shape)
        predictions = tf.reshape(tf.cast(predictions, tf.float64), [-1])
        labels = tf.reshape(tf.cast(labels, tf.int64), [-1])
        with _only_if_zeros_and_ones(labels):
            kept_predictions, update_predictions = streaming_concat(predictions, name="concat_preds")
            kept_labels, update_labels = streaming_concat(labels, name="concat_labels")
            updates = [update_labels, update_predictions]
            kept_weights = None
            if weights is not None:
                weights = tf.reshape(tf.cast(weights, tf.float64), [-1])
                kept_weights, update_weights = streaming_concat(weights, name="concat_weights")
                updates.append(update_weights)
            update = tf.group(*updates)
            area = _area(kept_labels, kept_predictions, curve, kept_weights)
            return _collected(area, update, metrics_collections, updates_collections)


def _area(labels: Any, predictions: Any, curve: str, weights: Any) -> Any:
    """Returns the area under the ROC or precision-recall curve of all predictions, a float64 of shape `[]`.

    It is 0 if all labels are of one class.
    """
    if weights is None:
        weights = tf.ones_like(labels, dtype=tf.float64)
    positive_weights = tf.where(labels > 0, weights, tf.zeros_like(weights))
    total, ones = tf.reduce_sum(weights), tf.reduce_sum(positive_weights)

    def area() -> Any:
        """Returns the area, a float64 of shape `[]`, by the trapezoidal rule."""
        ordered, order = tf.nn.top_k(predictions, k=tf.size(predictions))
        # Equal predictions form a single step of the curve.
        _, _, counts = tf.unique_with_counts(ordered)
        ends = tf.pad(tf.cumsum(counts), [[1, 0]])

        def sums_at_ends(amounts: Any) -> Any:
            """Returns the cumulative sums at the ends of the curve's steps, `[num_steps + 1]`."""
            return tf.gather(tf.pad(tf.cumsum(tf.gather(amounts, order)), [[1, 0]]), ends)

        true_sums, all_sums = sums_at_ends(positive_weights), sums_at_ends(weights)
        if curve == "ROC":
            xs, ys = (all_sums - true_sums) / (total - ones), true_sums / ones
        else:
            xs, ys = true_sums / ones, tf.where(ends > 0, true_sums / all_sums, tf.ones_like(true_sums))
        return tf.reduce_sum((ys[1:] + ys[:-1]) / 2.0 * tf.abs(xs[1:] - xs[:-1]))

    is_single_class = tf.logical_or(tf.equal(ones, 0), tf.equal(ones, total))
    return tf.cond(is_single_class, lambda: tf.constant(0, tf.float64), area)


def auc_with_confidence_intervals(
    labels: Any,
    predictions: Any,
    weights: Any = None,
    alpha: float = 0.95,
    logit_transformation: bool = True,
    metrics_collections: Any = (),
    updates_collections: Any = (),
    name: str | None = None,
) -> Any:
    """Accumulates the area under the ROC curve, with its confidence interval.

    Args:
        labels: 0 or 1, a tensor of any shape.
        predictions: Number tensor of the same shape.
        weights: Weights, a tensor of the same shape; 1 by default.
        alpha: Confidence level; 0.95 by default.
        logit_transformation: True to compute the interval for the logit of the area.
        metrics_collections: Collections that the area is added to.
        updates_collections: Collections that the update op is added to.
        name: Variable scope.

    Returns:
        AucData with `auc`, `lower` and `upper`, each of shape `[]`; and the update op.

    Raises:
        ValueError: `alpha` isn't between 0 and 1.
    """
    if not 0 < alpha < 1:
        raise ValueError(f"alpha must be between 0 and 1; currently {alpha:.02f}")
    if weights is None:
        weights = tf.ones_like(predictions)
    with tf.variable_scope(name, "auc_with_confidence_intervals", [labels, predictions, weights]):
        predictions, labels, weights = metrics_impl._remove_squeezable_dimensions(predictions, labels, weights)
        total = tf.reduce_sum(weights)
        weights = tf.reshape(weights, [-1])
        predictions = tf.reshape(tf.cast(predictions, tf.float64), [-1])
        labels = tf.reshape(tf.cast(labels, tf.int64), [-1])
        with _only_if_zeros_and_ones(labels):
            kept_predictions, update_predictions = streaming_concat(predictions, name="concat_preds")
            kept_labels, update_labels = streaming_concat(labels, name="concat_labels")
            kept_weights, update_weights = streaming_concat(weights, name="concat_weights")
            updates = tf.group(update_labels, update_predictions, update_weights)
            has_both_classes = tf.logical_and(tf.equal(tf.reduce_min(labels), 0), tf.equal(tf.reduce_max(labels), 1))
            enough = total >= 1.0
            update = tf.cond(enough, lambda: updates, tf.no_op)
            estimated = _placement_area(kept_labels, kept_predictions, kept_weights, alpha, logit_transformation)
            area_and_bounds = tf.cond(
                tf.logical_and(has_both_classes, enough), lambda: estimated, lambda: [tf.constant(0.0)] * 3
            )
            return _collected(AucData(*area_and_bounds), update, metrics_collections, updates_collections)


def _placement_area(labels: Any, predictions: Any, weights: Any, alpha: float, by_logit: bool) -> list[Any]:
    """Returns the area and its bounds, computed from the variance of placements.

    A placement is a prediction's rank among the predictions of the other class.
    """
    ordered, order = tf.nn.top_k(predictions, k=tf.size(predictions), sorted=True)
    ordered, order = tf.reverse(ordered, [0]), tf.reverse(order, [0])
    _, steps = tf.unique(ordered)
    ones = tf.cast(tf.gather(labels, order), weights.dtype)
    ordered_weights = tf.gather(weights, order)
    class_weights = (ordered_weights * (1.0 - ones), ordered_weights * ones)  # weights of the zeros, and of the ones
    totals = [tf.reduce_sum(each) for each in class_weights]

    def fraction_below(other: Any) -> Any:
        """Returns the fraction of the other class below each prediction, `[num_predictions]`."""
        in_step = tf.segment_sum(other, steps)
        below = tf.cumsum(in_step, exclusive=True) + in_step / 2.0
        return tf.gather(below / (tf.reduce_sum(in_step) + _EPSILON), steps)

    placements = (1.0 - fraction_below(class_weights[1]), fraction_below(class_weights[0]))
    areas = [
        tf.reduce_sum(weight * placement) / (total + _EPSILON)
        for weight, placement, total in zip(class_weights, placements, totals)
    ]
    area = tf.where(totals[0] < totals[1], areas[1], areas[0])
    variances = [
        tf.reduce_sum(weight * tf.squared_difference(placement, each)) / (total - 1.0 + _EPSILON)
        for weight, placement, each, total in zip(class_weights, placements, areas, totals)
    ]
    error = tf.sqrt(sum(variance / (total + _EPSILON) for variance, total in zip(variances, totals)))
    # The quantile is negative, so the lower bound comes first.
    deviations = tf.distributions.Normal(loc=0.0, scale=1.0).quantile((1.0 - alpha) / 2.0)
    if by_logit:
        logit = tf.log(area / (1.0 - area + _EPSILON))
        distance = deviations * error / (area * (1.0 - area + _EPSILON))
        bounds = [1.0 / (1.0 + tf.exp(-each) + _EPSILON) for each in (logit + distance, logit - distance)]
    else:
        bounds = [area + deviations * error, area - deviations * error]
    exact = tf.logical_or(tf.equal(area, 1.0), tf.equal(area, 0.0))
    return [area, *(tf.where(exact, area, bound) for bound in bounds)]


def precision_recall_at_equal_thresholds(
    labels: Any,
    predictions: Any,
    weights: Any = None,
    num_thresholds: int | None = None,
    use_locking: bool | None = None,
    name: str | None = None,
) -> Any:
    """Accumulates precision and recall at equidistant thresholds from 0 to 1, and their counts.

    Args:
        labels: Bool tensor of any shape.
        predictions: Float tensor of the same shape, from 0 to 1.
        weights: Weights that broadcast to the labels.
        num_thresholds: Number of thresholds; 201 by default.
        use_locking: False to let updates run without locks; True by default.
        name: Variable scope.

    Returns:
        PrecisionRecallData with `tp`, `fp`, `tn`, `fn`, `precision`, `recall` and `thresholds`, each
        `[num_thresholds]`; and the update op.
    """
    number = 201 if num_thresholds is None else num_thresholds
    weights = 1.0 if weights is None else weights
    tf.debugging.assert_type(labels, tf.bool)
    with tf.variable_scope(name, "precision_recall_at_equal_thresholds", (labels, predictions, weights)):
        message = "predictions must be in [0, 1]"
        checks = [
            tf.assert_greater_equal(predictions, tf.cast(0.0, predictions.dtype), message=message),
            tf.assert_less_equal(predictions, tf.cast(1.0, predictions.dtype), message=message),
        ]
        with tf.control_dependencies(checks):
            predictions, labels, weights = _squeezed(predictions, labels, weights)
        exact_dtype = tf.float64
        true = tf.cast(labels, exact_dtype)
        weights = tf.cast(weights, exact_dtype)
        predictions = tf.reshape(predictions, [-1])
        bucket = tf.cast(tf.floor(predictions * (number - 1)), tf.int32)
        with tf.name_scope("variables"):
            counts = [_zeros(each, [number], exact_dtype) for each in ("tp_buckets", "fp_buckets")]
        locking = True if use_locking is None else use_locking
        updates = [
            tf.scatter_add(each, bucket, tf.reshape(amounts, [-1]), use_locking=locking)
            for each, amounts in zip(counts, (true * weights, (1.0 - true) * weights))
        ]
        tp, fp = (tf.cumsum(each, reverse=True) for each in counts)
        tn, fn = fp[0] - fp, tp[0] - tp
        least = tf.constant(_EPSILON, exact_dtype)
        columns = [tp, fp, tn, fn, tp / tf.maximum(least, tp + fp), tp / tf.maximum(least, tp + fn)]
        columns.append(tf.linspace(0.0, 1.0, number))
        return PrecisionRecallData(*(tf.cast(each, predictions.dtype) for each in columns)), tf.group(*updates)


def streaming_recall_at_k(
    predictions: Any,
    labels: Any,
    k: int,
    weights: Any = None,
    metrics_collections: Any = None,
    updates_collections: Any = None,
    name: str | None = None,
) -> Any:
    """Accumulates the fraction of examples whose label is among the top k predictions.

    Args:
        predictions: `[batch, num_classes]` float tensor.
        labels: `[batch]` int tensor of classes.
        k: Number of top classes.
        weights: `[batch]` weights.
        metrics_collections: Collections that the value is added to.
        updates_collections: Collections that the update op is added to.
        name: Variable scope.
    """
    hits = tf.cast(tf.nn.in_top_k(predictions, labels, k), tf.float32)
    return streaming_mean(hits, weights, metrics_collections, updates_collections, name or f"recall_at_{k}")


def _at_top_k(metric: str, name: str | None, class_id: int | None, values: Sequence[Any], **arguments: Any) -> Any:
    class_suffix = "" if class_id is None else f"_class{class_id}"
    with tf.name_scope(name, f"{metric}_at_k{class_suffix}", values) as scope:
        return getattr(metrics_impl, f"{metric}_at_top_k")(class_id=class_id, name=scope, **arguments)


def streaming_sparse_precision_at_top_k(
    top_k_predictions: Any,
    labels: Any,
    class_id: int | None = None,
    weights: Any = None,
    metrics_collections: Any = None,
    updates_collections: Any = None,
    name: str | None = None,
) -> Any:
    """Accumulates the precision like `tf.metrics.precision_at_top_k`, with predictions, `[..., k]`, first."""
    return _at_top_k(
        "precision",
        name,
        class_id,
        (top_k_predictions, labels, weights),
        labels=labels,
        predictions_idx=top_k_predictions,
        weights=weights,
        metrics_collections=metrics_collections,
        updates_collections=updates_collections,
    )


def sparse_recall_at_top_k(
    labels: Any,
    top_k_predictions: Any,
    class_id: int | None = None,
    weights: Any = None,
    metrics_collections: Any = None,
    updates_collections: Any = None,
    name: str | None = None,
) -> Any:
    """Accumulates the recall of predicted classes, `[..., k]`, like `tf.metrics.recall_at_top_k`."""
    return _at_top_k(
        "recall",
        name,
        class_id,
        (top_k_predictions, labels, weights),
        labels=labels,
        predictions_idx=top_k_predictions,
        weights=weights,
        metrics_collections=metrics_collections,
        updates_collections=updates_collections,
    )


def streaming_sparse_average_precision_at_top_k(
    top_k_predictions: Any,
    labels: Any,
    weights: Any = None,
    metrics_collections: Any = None,
    updates_collections: Any = None,
    name: str | None = None,
) -> Any:
    """Accumulates the average precision of predicted classes, `[..., k]` with the most likely first.

    See `tf.metrics.average_precision_at_k`.
    """
    return metrics_impl._streaming_sparse_average_precision_at_top_k(
        predictions_idx=top_k_predictions,
        labels=labels,
        weights=weights,
        metrics_collections=metrics_collections,
        updates_collections=updates_collections,
        name=name,
    )


def recall_at_precision(
    labels: Any,
    predictions: Any,
    precision: float,
    weights: Any = None,
    num_thresholds: int = 200,
    metrics_collections: Any = None,
    updates_collections: Any = None,
    name: str | None = None,
    strict_mode: bool = False,
) -> Any:
    """Accumulates the recall at the threshold whose precision is closest to `precision`.

    Args:
        labels: Bool tensor of any shape.
        predictions: Float tensor of the same shape, from 0 to 1.
        precision: Target precision, from 0 to 1.
        weights: Weights that broadcast to the labels.
        num_thresholds: Number of thresholds; 200 by default.
        metrics_collections: Collections that the recall is added to.
        updates_collections: Collections that the update op is added to.
        name: Variable scope.
        strict_mode: True to require at least that precision; if no threshold reaches it, the recall is 0.

    Returns:
        The recall, of shape `[]`, and the update op.

    Raises:
        ValueError: `precision` isn't from 0 to 1.
    """
    if not 0 <= precision <= 1:
        raise ValueError(f"precision: {precision} is out of range. Give a number from 0 to 1.")

    def recall(tp: Any, fn: Any, fp: Any, name: str) -> Any:
        """Returns the recall, of shape `[]`, from counts of shape `[num_thresholds]`."""
        precisions = tp / (tp + fp + _EPSILON)
        if strict_mode:
            # The smallest excess over `precision` has the largest reciprocal; a shortfall's is negative.
            index = tf.argmax(1.0 / (precisions - precision + _EPSILON), 0, output_type=tf.int32)
        else:
            index = tf.argmin(tf.abs(precisions - precision), 0, output_type=tf.int32)

        def recall_at_index() -> Any:
            """Returns the recall, of shape `[]`, at the chosen threshold."""
            return tf.div(tp[index], tp[index] + fn[index] + _EPSILON, name=name)

        return (
            tf.cond(precisions[index] >= precision, recall_at_index, lambda: tf.constant(0.0))
            if strict_mode
            else recall_at_index()
        )

    with tf.variable_scope(name, "recall_at_precision", (predictions, labels, weights)):
        return _from_counts(
            recall, predictions, labels, weights, num_thresholds, metrics_collections, updates_collections
        )


def precision_at_recall(
    labels: Any,
    predictions: Any,
    target_recall: float,
    weights: Any = None,
    num_thresholds: int = 200,
    metrics_collections: Any = None,
    updates_collections: Any = None,
    name: str | None = None,
) -> Any:
    """Accumulates the precision at the highest threshold whose recall is at least `target_recall`.

    Args:
        labels: Bool tensor of any shape.
        predictions: Float tensor of the same shape, from 0 to 1.
        target_recall: Target recall, from 0 to 1.
        weights: Weights that broadcast to the labels.
        num_thresholds: Number of thresholds; 200 by default.
        metrics_collections: Collections that the precision is added to.
        updates_collections: Collections that the update op is added to.
        name: Variable scope.

    Returns:
        The precision, of shape `[]`, and the update op.

    Raises:
        ValueError: `target_recall` isn't from 0 to 1.
    """
    if not 0 <= target_recall <= 1:
        raise ValueError(f"target_recall: {target_recall} is out of range. Give a number from 0 to 1.")

    def precision(tp: Any, fn: Any, fp: Any, name: str) -> Any:
        """Returns the precision, of shape `[]`, from counts of shape `[num_thresholds]`."""
        # Recall falls as the threshold rises, so the thresholds that reach the target come first.
        enough = tp / (tp + fn + _EPSILON) >= target_recall
        index = tf.reduce_sum(tf.cast(enough, tf.int64)) - 1
        return tf.div(tp[index] + _EPSILON, tp[index] + fp[index] + _EPSILON, name=name)

    with tf.variable_scope(name, "precision_at_recall", (predictions, labels, weights)):
        return _from_counts(
            precision, predictions, labels, weights, num_thresholds, metrics_collections, updates_collections
        )


def _from_counts(
    compute: Callable[..., Any],
    predictions: Any,
    labels: Any,
    weights: Any,
    number: int,
    metrics_collections: Any,
    updates_collections: Any,
) -> tuple[Any, Any]:
    """Returns a value and its update, computed from true positives, false negatives and false positives."""
    counts_and_updates = _at_thresholds(predictions, labels, _equidistant_thresholds(number), weights)
    value, update = (
        compute(counted["tp"], counted["fn"], counted["fp"], name)
        for counted, name in zip(counts_and_updates, ("value", "update_op"))
    )
    return _collected(value, update, metrics_collections, updates_collections)


def streaming_covariance(
    predictions: Any,
    labels: Any,
    weights: Any = None,
    metrics_collections: Any = None,
    updates_collections: Any = None,
    name: str | None = None,
) -> Any:
    """Accumulates the unbiased covariance, of shape `[]`; NaN before there are two examples.

    Args:
        predictions: Float tensor of any shape.
        labels: Float tensor of the same shape.
        weights: Weights that broadcast to the labels.
        metrics_collections: Collections that the covariance is added to.
        updates_collections: Collections that the update op is added to.
        name: Variable scope.
    """
    with tf.variable_scope(name, "covariance", (predictions, labels, weights)):
        predictions, labels, weights = _squeezed(predictions, labels, weights)
        count, mean_prediction, mean_label, comoment = map(
            _zeros, ("count", "mean_prediction", "mean_label", "comoment")
        )
        if weights is None:
            added = tf.cast(tf.size(labels), tf.float32)
            weights = tf.ones([])
        else:
            weights = weights_broadcast_ops.broadcast_weights(weights, labels)
            added = tf.reduce_sum(weights)
        after = tf.assign_add(count, added)
        before = after - added

        def update_mean(mean: Any, values: Any) -> tuple[Any, Any]:
            """Updates a mean; returns the mean before, and the batch's mean, of shape `[]`."""
            batch_mean = tf.div_no_nan(tf.reduce_sum(values * weights), added)
            step = tf.div_no_nan((batch_mean - mean) * added, after)
            return tf.assign_add(mean, step) - step, batch_mean

        prediction_before, prediction = update_mean(mean_prediction, predictions)
        label_before, label = update_mean(mean_label, labels)
        within = tf.reduce_sum((predictions - prediction) * (labels - label) * weights)
        across = (prediction_before - prediction) * (label_before - label) * (before * added / after)
        updated = tf.assign_add(comoment, within + across)

        def covariance(name: str) -> Any:
            """Returns the covariance, of shape `[]`."""
            quotient = comoment / (count - 1)
            return tf.where(count <= 1.0, tf.fill(tf.shape(quotient), float("nan")), quotient, name=name)

        value = covariance("covariance")
        with tf.control_dependencies([updated]):
            update = covariance("update_op")
    return _collected(value, update, metrics_collections, updates_collections)


def streaming_pearson_correlation(
    predictions: Any,
    labels: Any,
    weights: Any = None,
    metrics_collections: Any = None,
    updates_collections: Any = None,
    name: str | None = None,
) -> Any:
    """Accumulates the Pearson correlation, of shape `[]`: the covariance divided by both standard deviations.

    Args:
        predictions: Float tensor of any shape.
        labels: Float tensor of the same shape.
        weights: Weights that broadcast to the labels.
        metrics_collections: Collections that the correlation is added to.
        updates_collections: Collections that the update op is added to.
        name: Variable scope.
    """
    with tf.variable_scope(name, "pearson_r", (predictions, labels, weights)):
        predictions, labels, weights = _squeezed(predictions, labels, weights)
        if weights is not None:
            weights = weights_broadcast_ops.broadcast_weights(weights, labels)
        covariance = streaming_covariance(predictions, labels, weights, name="covariance")
        prediction_variances = streaming_covariance(predictions, predictions, weights, name="variance_predictions")
        label_variances = streaming_covariance(labels, labels, weights, name="variance_labels")
        value, update = (
            tf.truediv(covariance_part, tf.sqrt(prediction_variance) * tf.sqrt(label_variance), name=op)
            for covariance_part, prediction_variance, label_variance, op in zip(
                covariance, prediction_variances, label_variances, ("pearson_r", "update_op")
            )
        )
    return _collected(value, update, metrics_collections, updates_collections)


def streaming_mean_cosine_distance(
    predictions: Any,
    labels: Any,
    dim: int,
    weights: Any = None,
    metrics_collections: Any = None,
    updates_collections: Any = None,
    name: str | None = None,
) -> Any:
    """Accumulates the mean of 1 minus the cosine between unit vectors, of shape `[]`.

    Args:
        predictions: Float tensor of any shape.
        labels: Float tensor of the same shape.
        dim: Axis of the vectors.
        weights: Weights that broadcast to the labels.
        metrics_collections: Collections that the distance is added to.
        updates_collections: Collections that the update op is added to.
        name: Variable scope.
    """
    predictions, labels, weights = _squeezed(predictions, labels, weights)
    cosines = tf.reduce_sum(predictions * labels, axis=[dim], keepdims=True)
    value, update = streaming_mean(cosines, weights, name=name or "mean_cosine_distance")
    return _collected(1.0 - value, 1.0 - update, metrics_collections, updates_collections)


def streaming_concat(
    values: Any,
    axis: int = 0,
    max_size: int | None = None,
    metrics_collections: Any = None,
    updates_collections: Any = None,
    name: str | None = None,
) -> Any:
    """Accumulates all values, concatenated batch by batch.

    Args:
        values: Tensor of known shape, except for the size of `axis`.
        axis: Axis of the concatenation; 0 by default.
        max_size: Maximum size of that axis; None for no limit.
        metrics_collections: Collections that the values are added to.
        updates_collections: Collections that the update op is added to.
        name: Variable scope.

    Returns:
        The concatenated values, and the update op.

    Raises:
        ValueError: The size of another axis is unknown, or `axis` is out of range.
    """
    with tf.variable_scope(name, "streaming_concat", (values,)):
        rank = values.shape.ndims
        if rank is None:
            raise ValueError("values: the rank isn't known. Set the shape of values.")
        if not -rank <= axis < rank:
            raise ValueError(f"axis = {axis} not in [0, {rank})")
        axis %= rank
        others = [size for at, size in enumerate(values.shape.as_list()) if at != axis]
        if None in others:
            raise ValueError(f"values: only axis {axis} may have an unknown size; the shape is {values.shape}. Set it.")
        # The array stores `axis` first, and has spare capacity.
        array = metrics_impl.metric_variable([max_size or 0, *others], values.dtype, validate_shape=False, name="array")
        size = _zeros("size", dtype=tf.int32)
        axis_in_array = [0 if at == axis else at + 1 if at < axis else at for at in range(rank)]
        stored = array[:size]
        stored.set_shape([None, *others])
        value = tf.transpose(stored, axis_in_array, name="concat")

        added = tf.shape(values)[axis]
        if max_size is not None:
            added = tf.minimum(added, max_size - size)
        batch = tf.transpose(values, [axis, *(at for at in range(rank) if at != axis)])[:added]
        end = size + added

        def grow() -> Any:
            """Enlarges the array, of shape `[capacity, ...]`, and copies its values."""
            # Grows by half or more, so that steps seldom copy the array.
            power = tf.ceil(tf.log(tf.cast(end, tf.float32)) / tf.log(1.5))
            room = tf.cast(tf.ceil(1.5**power), tf.int32)
            before = array.value()
            with tf.control_dependencies([before]):
                larger = tf.assign(array, tf.zeros(tf.stack([room, *others]), dtype=values.dtype), validate_shape=False)
            with tf.control_dependencies([larger]):
                copied = array[:size].assign(before[:size])
            with tf.control_dependencies([copied]):
                return tf.no_op()

        # Reads the shape at run time: the variable's shape changes, and the static shape is the initial one.
        capacity = tf.raw_ops.Shape(input=array)[0]
        with tf.control_dependencies([tf.cond(end > capacity, grow, tf.no_op)]):
            appended = array[size:end].assign(batch)
        with tf.control_dependencies([appended]):
            update = size.assign(end)
        return _collected(value, update, metrics_collections, updates_collections)


def aggregate_metrics(*value_update_tuples: tuple[Any, Any]) -> tuple[list[Any], list[Any]]:
    """Returns the list of the values (any shape) of several metrics, and the list of their update ops.

    Raises:
        ValueError: There are no metrics.
    """
    if not value_update_tuples:
        raise ValueError("value_update_tuples: this is empty. Give one (value, update_op) or more.")
    values, updates = zip(*value_update_tuples)
    return list(values), list(updates)


def aggregate_metric_map(names_to_tuples: Mapping[str, tuple[Any, Any]]) -> tuple[dict[str, Any], dict[str, Any]]:
    """Returns a dict of the values (any shape) of several metrics, and a dict of their update ops, by name."""
    values = {name: value for name, (value, _) in names_to_tuples.items()}
    return values, {name: update for name, (_, update) in names_to_tuples.items()}


def count(
    values: Any,
    weights: Any = None,
    metrics_collections: Any = None,
    updates_collections: Any = None,
    name: str | None = None,
) -> Any:
    """Accumulates the number of values (any shape), or the sum of their weights, of shape `[]`."""
    with tf.variable_scope(name, "count", (values, weights)):
        number = _zeros("count")
        if weights is None:
            added = tf.cast(tf.size(values), tf.float32)
        else:
            values, _, weights = metrics_impl._remove_squeezable_dimensions(
                predictions=tf.cast(values, tf.float32), labels=None, weights=weights
            )
            added = tf.reduce_sum(weights_broadcast_ops.broadcast_weights(tf.cast(weights, tf.float32), values))
        with tf.control_dependencies([values]):
            update = tf.assign_add(number, added)
        return _collected(tf.identity(number), update, metrics_collections, updates_collections)


def cohen_kappa(
    labels: Any,
    predictions_idx: Any,
    num_classes: int,
    weights: Any = None,
    metrics_collections: Any = None,
    updates_collections: Any = None,
    name: str | None = None,
) -> Any:
    """Accumulates Cohen's kappa: the agreement of labels and predictions beyond chance; Cohen 1960.

    Args:
        labels: `[batch]` or `[batch, 1]` int tensor of classes.
        predictions_idx: `[batch]` int tensor of predicted classes.
        num_classes: Number of classes.
        weights: Weights that broadcast to the labels.
        metrics_collections: Collections that the value is added to.
        updates_collections: Collections that the update op is added to.
        name: Variable scope.

    Returns:
        The value, of shape `[]`, and the update op.

    Raises:
        ValueError: `num_classes` is below 2.
    """
    if num_classes < 2:
        raise ValueError(f"`num_classes` must be >= 2.Found: {num_classes}")
    with tf.variable_scope(name, "cohen_kappa", (labels, predictions_idx, weights)):
        labels.shape.with_rank_at_most(2)
        if labels.shape.ndims == 2:
            labels = tf.squeeze(labels, axis=[-1])
        predicted, labels, weights = _squeezed(predictions_idx, labels, weights)
        dtype = tf.int64 if weights is None or weights.dtype.is_integer else tf.float32
        counts = [_zeros(each, (num_classes,), dtype) for each in ("po", "pe_row", "pe_col")]
        table = tf.confusion_matrix(labels, predicted, num_classes=num_classes, weights=weights, dtype=dtype)
        batch_counts = [tf.diag_part(table), tf.reduce_sum(table, axis=0), tf.reduce_sum(table, axis=1)]
        updates = [tf.assign_add(each, added) for each, added in zip(counts, batch_counts)]

        def kappa(name: str, agreeing: Any, row: Any, column: Any) -> Any:
            """Returns kappa, of shape `[]`, from `[num_classes]` counts."""
            total = tf.cast(tf.reduce_sum(row), tf.float64)
            by_chance = tf.reduce_sum(tf.div_no_nan(tf.cast(row * column, tf.float64), total))
            beyond = tf.cast(tf.reduce_sum(agreeing), tf.float64) - by_chance
            return metrics_impl._safe_scalar_div(beyond, total - by_chance, name=name)

        value, update = kappa("value", *counts), kappa("update_op", *updates)
        return _collected(value, update, metrics_collections, updates_collections)
