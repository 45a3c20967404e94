# Copyright 2015-2019 The TensorFlow Authors. All Rights Reserved.
# Licensed under the Apache License, Version 2.0: see LICENSE.
# Written anew for tf1mem after tensorflow/contrib of TensorFlow 1.15.5, and changed: see NOTICE.

"""Estimators whose model is a feed-forward network of fully connected layers."""

from __future__ import annotations

from typing import Any

import tf1mem.v1 as tf
from tf1mem.v1.contrib.layers.optimizers import optimize_loss
from tf1mem.v1.contrib.learn.estimators import canned
from tf1mem.v1.contrib.learn.estimators import head as head_lib
from tf1mem.v1.contrib.learn.estimators.estimator import Estimator
from tf1mem.v1.contrib.learn.estimators.model_fn import ModeKeys

_ACTIVATIONS = {"relu": tf.nn.relu, "tanh": tf.nn.tanh, "sigmoid": tf.nn.sigmoid}


def _activation(activation_fn: Any) -> Any:
    if not isinstance(activation_fn, str):
        return activation_fn
    if activation_fn not in _ACTIVATIONS:
        names = ", ".join(_ACTIVATIONS)
        raise ValueError(f"Activation name should be one of [{names}], you provided {activation_fn}.")
    return _ACTIVATIONS[activation_fn]


def _summarize(layer: Any, name: str) -> None:
    tf.summary.scalar(f"{name}_fraction_of_zero_values", tf.nn.zero_fraction(layer))
    tf.summary.histogram(f"{name}_activation", layer)


def _dnn_model_fn(features: Any, labels: Any, mode: str, params: Any, config: Any = None) -> Any:
    """Builds the model of all estimators in this file.

    Args:
        features: `[batch, ...]` tensor, or a dict of such tensors.
        labels: Labels in the form that the head expects.
        mode: One of the values of `ModeKeys`.
        params: Dict of the arguments of `DNNEstimator`, which include `head`.
        config: Instance of `RunConfig`.

    Returns:
        The `ModelFnOps`.
    """
    head, optimizer = params["head"], params.get("optimizer") or "Adagrad"
    features = canned.as_dict(features)
    with canned.net_scope(features, config):
        logits, input_scope = canned.net_logits(
            features,
            params["feature_columns"],
            params["hidden_units"],
            head.logits_dimension,
            _activation(params.get("activation_fn")),
            params.get("dropout") if mode == ModeKeys.TRAIN else None,
            canned.partitioner(config, params.get("input_layer_min_slice_size") or canned.MIN_SLICE_BYTES),
            _summarize,
        )

        def train_op_fn(loss: Any) -> Any:
            """Returns an op that applies the gradients of a loss of shape `[]` to all trainable variables."""
            multipliers = params.get("embedding_lr_multipliers")
            return optimize_loss(
                loss=loss,
                global_step=tf.train.get_global_step(),
                learning_rate=canned.DNN_LEARNING_RATE,
                optimizer=optimizer() if callable(optimizer) else optimizer,
                gradient_multipliers=canned.embedding_multipliers(multipliers, input_scope),
                clip_gradients=params.get("gradient_clip_norm"),
                name="dnn",
                summaries=[],
            )

        return head.create_model_fn_ops(
            features=features, mode=mode, labels=labels, train_op_fn=train_op_fn, logits=logits
        )


class DNNEstimator(Estimator):
    """Trains a feed-forward network with a custom head.

    Features are a dict of `[batch, ...]` tensors; the network's logits are `[batch, head.logits_dimension]`.

    Args:
        head: Head that derives predictions, loss and metrics from the logits, such as `multi_class_head(3)`.
        hidden_units: List of the hidden layers' sizes.
        feature_columns: Feature columns of tf.contrib.layers or of tf.feature_column.
        model_dir: Folder for checkpoints and summaries.
        optimizer: Optimizer, its name, or a function that returns one; Adagrad by default.
        activation_fn: Activation of the hidden layers: a function, "relu", "tanh" or "sigmoid".
        dropout: Fraction of the units to drop in training, from 0 to 1; None for no dropout.
        gradient_clip_norm: Global norm to which gradients are clipped; None for no clipping.
        config: Instance of `RunConfig`.
        feature_engineering_fn: Function of features and labels that returns the model's features and labels.
        embedding_lr_multipliers: Dict of embedding column -> factor for the learning rate of its variables.
        input_layer_min_slice_size: Bytes of the smallest partition of a column's variable; 64 MiB by default.
    """

    def __init__(
        self,
        head: head_lib.Head,
        hidden_units: Any,
        feature_columns: Any,
        model_dir: str | None = None,
        optimizer: Any = None,
        activation_fn: Any = tf.nn.relu,
        dropout: float | None = None,
        gradient_clip_norm: float | None = None,
        config: Any = None,
        feature_engineering_fn: Any = None,
        embedding_lr_multipliers: Any = None,
        input_layer_min_slice_size: int | None = None,
    ) -> None:
        super().__init__(
            model_fn=_dnn_model_fn,
            model_dir=model_dir,
            config=config,
            params={
                "head": head,
                "hidden_units": hidden_units,
                "feature_columns": tuple(feature_columns or ()),
                "optimizer": optimizer,
                "activation_fn": activation_fn,
                "dropout": dropout,
                "gradient_clip_norm": gradient_clip_norm,
                "embedding_lr_multipliers": embedding_lr_multipliers,
                "input_layer_min_slice_size": input_layer_min_slice_size,
            },
            feature_engineering_fn=feature_engineering_fn,
        )


class DNNClassifier(canned.Classifier, DNNEstimator):
    """Classifies with a feed-forward network; `DNNEstimator` and `multi_class_head` describe the arguments and shapes.

    Raises:
        ValueError: There are fewer than two classes.
    """

    def __init__(
        self,
        hidden_units: Any,
        feature_columns: Any,
        model_dir: str | None = None,
        n_classes: int = 2,
        weight_column_name: str | None = None,
        optimizer: Any = None,
        activation_fn: Any = tf.nn.relu,
        dropout: float | None = None,
        gradient_clip_norm: float | None = None,
        enable_centered_bias: bool = False,
        config: Any = None,
        feature_engineering_fn: Any = None,
        embedding_lr_multipliers: Any = None,
        input_layer_min_slice_size: int | None = None,
        label_keys: Any = None,
    ) -> None:
        head = head_lib.multi_class_head(
            n_classes,
            weight_column_name=weight_column_name,
            enable_centered_bias=enable_centered_bias,
            label_keys=label_keys,
        )
        DNNEstimator.__init__(
            self, head, hidden_units, feature_columns, model_dir, optimizer, activation_fn, dropout,
            gradient_clip_norm, config, feature_engineering_fn, embedding_lr_multipliers, input_layer_min_slice_size,
        )  # fmt: skip


class DNNRegressor(canned.Regressor, DNNEstimator):
    """Predicts numbers with a feed-forward network.

    `DNNEstimator` and `regression_head` describe the arguments and shapes.
    """

    def __init__(
        self,
        hidden_units: Any,
        feature_columns: Any,
        model_dir: str | None = None,
        weight_column_name: str | None = None,
        optimizer: Any = None,
        activation_fn: Any = tf.nn.relu,
        dropout: float | None = None,
        gradient_clip_norm: float | None = None,
        enable_centered_bias: bool = False,
        config: Any = None,
        feature_engineering_fn: Any = None,
        label_dimension: int = 1,
        embedding_lr_multipliers: Any = None,
        input_layer_min_slice_size: int | None = None,
    ) -> None:
        head = head_lib.regression_head(
            weight_column_name=weight_column_name,
            label_dimension=label_dimension,
            enable_centered_bias=enable_centered_bias,
        )
        DNNEstimator.__init__(
            self, head, hidden_units, feature_columns, model_dir, optimizer, activation_fn, dropout,
            gradient_clip_norm, config, feature_engineering_fn, embedding_lr_multipliers, input_layer_min_slice_size,
        )  # fmt: skip
