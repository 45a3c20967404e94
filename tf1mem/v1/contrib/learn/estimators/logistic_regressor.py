# Copyright 2015-2019 The TensorFlow Authors. All Rights Reserved.
# Licensed under the Apache License, Version 2.0: see LICENSE.
# Written anew for tf1mem after tensorflow/contrib of TensorFlow 1.15.5, and changed: see NOTICE.

"""An estimator of two classes with a custom model function."""

from __future__ import annotations

from typing import Any, Callable

import tf1mem.v1 as tf
from tf1mem.v1.contrib.learn.estimators.constants import ProblemType
from tf1mem.v1.contrib.learn.estimators.estimator import Estimator
from tf1mem.v1.contrib.learn.estimators.metric_key import MetricKey
from tf1mem.v1.contrib.learn.estimators.model_fn import ModeKeys, ModelFnOps
from tf1mem.v1.contrib.metrics import metric_ops


def LogisticRegressor(  # noqa: N802 - TensorFlow 1's name
    model_fn: Callable[..., Any],
    thresholds: Any = None,
    model_dir: str | None = None,
    config: Any = None,
    feature_engineering_fn: Any = None,
) -> Estimator:
    """Returns an estimator that adds the metrics of binary classification to a model.

    Args:
        model_fn: Function of features, labels (`[batch, 1]`, 0 or 1) and mode that returns the probabilities of
            class 1 (`[batch, 1]`), a scalar loss and the training op.
        thresholds: Probabilities from which an example counts as class 1; 0.5 by default.
        model_dir: Folder for checkpoints and summaries.
        config: Instance of `RunConfig`.
        feature_engineering_fn: Function of features and labels that returns the model function's features and labels.
    """

    def with_metrics(features: Any, labels: Any, mode: str, params: Any) -> ModelFnOps:
        """Returns the `ModelFnOps` of `model_fn`, for `[batch, 1]` labels, with metrics for an evaluation."""
        predictions, loss, train_op = model_fn(features, labels, mode)
        return ModelFnOps(
            mode=mode,
            predictions=predictions,
            loss=loss,
            train_op=train_op,
            eval_metric_ops=_metrics(labels, predictions, params["thresholds"]) if mode == ModeKeys.EVAL else None,
            output_alternatives={"head": (ProblemType.LOGISTIC_REGRESSION, {"predictions": predictions})},
        )

    params = {"thresholds": thresholds or [0.5]}
    return Estimator(with_metrics, model_dir, config, params, feature_engineering_fn)


def _metrics(labels: Any, predictions: Any, thresholds: Any) -> dict[str, Any]:
    if isinstance(labels, dict) and len(labels) == 1:
        [labels] = labels.values()
    metrics = {
        MetricKey.PREDICTION_MEAN: metric_ops.streaming_mean(predictions),
        MetricKey.LABEL_MEAN: metric_ops.streaming_mean(labels),
        # The accuracy of always predicting 1.
        MetricKey.ACCURACY_BASELINE: metric_ops.streaming_mean(labels),
        MetricKey.AUC: metric_ops.streaming_auc(labels=labels, predictions=predictions),
    }
    for threshold in thresholds:
        classes = tf.cast(
            tf.greater_equal(predictions, threshold), tf.float32, name=f"predictions_at_threshold_{threshold:f}"
        )
        metrics[MetricKey.ACCURACY_MEAN % threshold] = metric_ops.streaming_accuracy(labels=labels, predictions=classes)
        metrics[MetricKey.PRECISION_MEAN % threshold] = metric_ops.streaming_precision(
            labels=labels, predictions=classes
        )
        metrics[MetricKey.RECALL_MEAN % threshold] = metric_ops.streaming_recall(labels=labels, predictions=classes)
    return metrics
