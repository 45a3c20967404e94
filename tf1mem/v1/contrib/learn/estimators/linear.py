# Copyright 2015-2019 The TensorFlow Authors. All Rights Reserved.
# Licensed under the Apache License, Version 2.0: see LICENSE.
# Written anew for tf1mem after tensorflow/contrib of TensorFlow 1.15.5, and changed: see NOTICE.

"""Estimators whose model is linear."""

from __future__ import annotations

from typing import Any

import tf1mem.v1 as tf
from tf1mem.v1.contrib.layers.optimizers import OPTIMIZER_CLS_NAMES
from tf1mem.v1.contrib.learn.estimators import canned
from tf1mem.v1.contrib.learn.estimators import head as head_lib
from tf1mem.v1.contrib.learn.estimators.estimator import Estimator


def _optimizer(optimizer: Any, columns: Any) -> Any:
    if not optimizer:
        return tf.train.FtrlOptimizer(learning_rate=canned.linear_learning_rate(columns))
    if isinstance(optimizer, str):
        return OPTIMIZER_CLS_NAMES[optimizer](learning_rate=canned.LINEAR_LEARNING_RATE)
    return optimizer() if callable(optimizer) else optimizer


def _linear_model_fn(features: Any, labels: Any, mode: str, params: Any, config: Any = None) -> Any:
    """Builds the model of all estimators in this file.

    Args:
        features: `[batch, ...]` tensor, or a dict of such tensors.
        labels: Labels in the form that the head expects.
        mode: One of the values of `ModeKeys`.
        params: Dict of the arguments of `LinearEstimator`; the key of `_joint_weights` is `joint_weights`.
        config: Instance of `RunConfig`.

    Returns:
        The `ModelFnOps`.
    """
    head, columns = params["head"], params["feature_columns"]
    features = canned.as_dict(features)
    with canned.linear_scope(features, config) as scope:
        joint = params.get("joint_weights", False)
        logits = canned.linear_logits(features, columns, head.logits_dimension, joint, scope)

        def train_op_fn(loss: Any) -> Any:
            """Returns an op that applies the gradients of a loss of shape `[]` to the linear model's variables."""
            variables = tf.get_collection("linear")
            gradients = tf.gradients(loss, variables)
            norm = params.get("gradient_clip_norm")
            if norm:
                gradients, _ = tf.clip_by_global_norm(gradients, norm)
            optimizer = _optimizer(params.get("optimizer"), columns)
            return optimizer.apply_gradients(zip(gradients, variables), global_step=tf.train.get_global_step())

        return head.create_model_fn_ops(
            features=features, mode=mode, labels=labels, train_op_fn=train_op_fn, logits=logits
        )


class LinearEstimator(Estimator):
    """Trains a linear model with a custom head.

    Features are a dict of `[batch, ...]` tensors; the model's logits are `[batch, head.logits_dimension]`.

    Args:
        feature_columns: Feature columns of tf.contrib.layers or of tf.feature_column.
        head: Head that derives predictions, loss and metrics from the logits, such as `multi_class_head(3)`.
        model_dir: Folder for checkpoints and summaries.
        weight_column_name: Ignored; the head holds the name of the column with the examples' weights.
        optimizer: Optimizer, its name, or a function that returns one; Ftrl by default.
        gradient_clip_norm: Global norm to which gradients are clipped; None for no clipping.
        _joint_weights: True if all weights are in one variable.
        config: Instance of `RunConfig`.
        feature_engineering_fn: Function of features and labels that returns the model's features and labels.

    Raises:
        AssertionError: There are no feature columns.
    """

    def __init__(
        self,
        feature_columns: Any,
        head: head_lib.Head,
        model_dir: str | None = None,
        weight_column_name: str | None = None,
        optimizer: Any = None,
        gradient_clip_norm: float | None = None,
        _joint_weights: bool = False,
        config: Any = None,
        feature_engineering_fn: Any = None,
    ) -> None:
        columns = tuple(feature_columns or ())
        assert columns, f"feature_columns={feature_columns}: a linear model needs at least one"
        super().__init__(
            model_fn=_linear_model_fn,
            model_dir=model_dir,
            config=config,
            params={
                "head": head,
                "feature_columns": columns,
                "optimizer": optimizer,
                "gradient_clip_norm": gradient_clip_norm,
                "joint_weights": _joint_weights,
            },
            feature_engineering_fn=feature_engineering_fn,
        )


class LinearClassifier(canned.Classifier, LinearEstimator):
    """Classifies with a linear model; `LinearEstimator` and `multi_class_head` describe the arguments and shapes.

    Raises:
        AssertionError: There are no feature columns.
        ValueError: There are fewer than two classes.
    """

    def __init__(
        self,
        feature_columns: Any,
        model_dir: str | None = None,
        n_classes: int = 2,
        weight_column_name: str | None = None,
        optimizer: Any = None,
        gradient_clip_norm: float | None = None,
        enable_centered_bias: bool = False,
        _joint_weight: bool = False,
        config: Any = None,
        feature_engineering_fn: Any = None,
        label_keys: Any = None,
    ) -> None:
        head = head_lib.multi_class_head(
            n_classes,
            weight_column_name=weight_column_name,
            enable_centered_bias=enable_centered_bias,
            label_keys=label_keys,
        )
        LinearEstimator.__init__(
            self, feature_columns, head, model_dir, None, optimizer, gradient_clip_norm, _joint_weight, config,
            feature_engineering_fn,
        )  # fmt: skip


class LinearRegressor(canned.Regressor, LinearEstimator):
    """Predicts numbers with a linear model.

    `LinearEstimator` and `regression_head` describe the arguments and shapes.

    Raises:
        AssertionError: There are no feature columns.
    """

    def __init__(
        self,
        feature_columns: Any,
        model_dir: str | None = None,
        weight_column_name: str | None = None,
        optimizer: Any = None,
        gradient_clip_norm: float | None = None,
        enable_centered_bias: bool = False,
        label_dimension: int = 1,
        _joint_weights: bool = False,
        config: Any = None,
        feature_engineering_fn: Any = None,
    ) -> None:
        head = head_lib.regression_head(
            weight_column_name=weight_column_name,
            label_dimension=label_dimension,
            enable_centered_bias=enable_centered_bias,
        )
        LinearEstimator.__init__(
            self, feature_columns, head, model_dir, None, optimizer, gradient_clip_norm, _joint_weights, config,
            feature_engineering_fn,
        )  # fmt: skip
