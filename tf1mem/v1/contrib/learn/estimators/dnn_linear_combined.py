# Copyright 2015-2019 The TensorFlow Authors. All Rights Reserved.
# Licensed under the Apache License, Version 2.0: see LICENSE.
# Written anew for tf1mem after tensorflow/contrib of TensorFlow 1.15.5, and changed: see NOTICE.

"""Estimators whose model is the sum of a network and a linear model."""

from __future__ import annotations

from typing import Any

import tf1mem.v1 as tf
from tf1mem.v1.contrib.layers.optimizers import optimize_loss
from tf1mem.v1.contrib.learn.estimators import canned
from tf1mem.v1.contrib.learn.estimators import head as head_lib
from tf1mem.v1.contrib.learn.estimators.estimator import Estimator
from tf1mem.v1.contrib.learn.estimators.model_fn import ModeKeys


def _optimizer(optimizer_or_fn: Any, default: str) -> Any:
    optimizer = optimizer_or_fn() if callable(optimizer_or_fn) else optimizer_or_fn or default
    if isinstance(optimizer, tf.train.SyncReplicasOptimizer):
        raise ValueError(
            "SyncReplicasOptimizer is not supported in DNNLinearCombined model: use a DNN or a Linear estimator"
        )
    return optimizer


def _summarize(layer: Any, name: str) -> None:
    tf.summary.scalar(f"{name}/fraction_of_zero_values", tf.nn.zero_fraction(layer))
    tf.summary.histogram(f"{name}/activation", layer)


def _check_columns(linear: Any, dnn: Any) -> None:
    if not linear and not dnn:
        raise ValueError("Either linear_feature_columns or dnn_feature_columns must be defined.")


def _dnn_linear_combined_model_fn(features: Any, labels: Any, mode: str, params: Any, config: Any = None) -> Any:
    """Builds the model of all estimators in this file.

    Args:
        features: `[batch, ...]` tensor, or a dict of such tensors.
        labels: Labels in the form that the head expects.
        mode: One of the values of `ModeKeys`.
        params: Dict of the arguments of `DNNLinearCombinedEstimator`, which include `head`.
        config: Instance of `RunConfig`.

    Returns:
        The `ModelFnOps`.
    """
    head = params["head"]
    columns, dnn_columns = params.get("linear_feature_columns"), params.get("dnn_feature_columns")
    _check_columns(columns, dnn_columns)
    features = canned.as_dict(features)
    linear_optimizer = _optimizer(params.get("linear_optimizer"), "Ftrl")
    dnn_optimizer = _optimizer(params.get("dnn_optimizer"), "Adagrad")
    parts, input_scope = {}, ""
    if dnn_columns:
        if not params.get("dnn_hidden_units"):
            raise ValueError("dnn_hidden_units must be defined when dnn_feature_columns is specified.")
        with canned.net_scope(features, config):
            parts["dnn"], input_scope = canned.net_logits(
                features,
                dnn_columns,
                params["dnn_hidden_units"],
                head.logits_dimension,
                params.get("dnn_activation_fn") or tf.nn.relu,
                params.get("dnn_dropout") if mode == ModeKeys.TRAIN else None,
                params.get("input_layer_partitioner") or canned.partitioner(config, canned.MIN_SLICE_BYTES),
                _summarize,
            )
    if columns:
        with canned.linear_scope(features, config) as scope:
            joint = params.get("joint_linear_weights")
            parts["linear"] = canned.linear_logits(features, columns, head.logits_dimension, joint, scope)
            _summarize(parts["linear"], scope.name)
    logits = parts["dnn"] + parts["linear"] if len(parts) > 1 else next(iter(parts.values()))
    # If False, the estimators' default, a training step increments the global step twice: once for the network, and
    # once for the linear model.
    increments_once = params.get("fix_global_step_increment_bug", True)

    def train_op_fn(loss: Any) -> Any:
        """Returns an op that applies the gradients of a loss of shape `[]` to the network and the linear model."""
        global_step = tf.train.get_global_step()

        def train_part(name: str, learning_rate: float, optimizer: Any, multipliers: Any = None) -> Any:
            """Returns an op that applies the loss's gradients to the variables of the collection `name`."""
            return optimize_loss(
                loss=loss,
                global_step=global_step,
                learning_rate=learning_rate,
                optimizer=optimizer,
                gradient_multipliers=multipliers,
                clip_gradients=params.get("gradient_clip_norm"),
                variables=tf.get_collection(name),
                name=name,
                summaries=[],
                increment_global_step=not increments_once,
            )

        steps = []
        if "dnn" in parts:
            multipliers = canned.embedding_multipliers(params.get("embedding_lr_multipliers"), input_scope)
            steps.append(train_part("dnn", canned.DNN_LEARNING_RATE, dnn_optimizer, multipliers))
        if "linear" in parts:
            steps.append(train_part("linear", canned.linear_learning_rate(columns), linear_optimizer))
        train_op = tf.group(*steps)
        if not increments_once:
            return train_op
        with tf.control_dependencies([train_op]), tf.colocate_with(global_step):
            return tf.assign_add(global_step, 1).op

    return head.create_model_fn_ops(features=features, mode=mode, labels=labels, train_op_fn=train_op_fn, logits=logits)


class DNNLinearCombinedEstimator(Estimator):
    """Trains a wide and deep model with a custom head; Cheng et al., 2016, arXiv:1606.07792.

    Features are a dict of `[batch, ...]` tensors; the logits of the network and of the linear model are added, both
    `[batch, head.logits_dimension]`.

    Args:
        head: Head that derives predictions, loss and metrics from the logits, such as `multi_class_head(3)`.
        model_dir: Folder for checkpoints and summaries.
        linear_feature_columns: Feature columns of the linear model; None for no linear model.
        linear_optimizer: Optimizer of the linear model; Ftrl by default.
        _joint_linear_weights: True if all weights of the linear model are in one variable.
        dnn_feature_columns: Feature columns of the network; None for no network.
        dnn_optimizer: Optimizer of the network; Adagrad by default.
        dnn_hidden_units: List of the hidden layers' sizes.
        dnn_activation_fn: Activation of the hidden layers; relu by default.
        dnn_dropout: Fraction of the units to drop in training, from 0 to 1; None for no dropout.
        gradient_clip_norm: Global norm to which gradients are clipped; None for no clipping.
        config: Instance of `RunConfig`.
        feature_engineering_fn: Function of features and labels that returns the model's features and labels.
        embedding_lr_multipliers: Dict of embedding column -> factor for the learning rate of its variables.
        fix_global_step_increment_bug: True if a training step increments the global step once; false if it does so
            twice, for the network and for the linear model.
        input_layer_partitioner: Partitioner of the variables of the network's columns.

    Raises:
        ValueError: There are no feature columns.
    """

    def __init__(
        self,
        head: head_lib.Head,
        model_dir: str | None = None,
        linear_feature_columns: Any = None,
        linear_optimizer: Any = None,
        _joint_linear_weights: bool = False,
        dnn_feature_columns: Any = None,
        dnn_optimizer: Any = None,
        dnn_hidden_units: Any = None,
        dnn_activation_fn: Any = None,
        dnn_dropout: float | None = None,
        gradient_clip_norm: float | None = None,
        config: Any = None,
        feature_engineering_fn: Any = None,
        embedding_lr_multipliers: Any = None,
        fix_global_step_increment_bug: bool = False,
        input_layer_partitioner: Any = None,
    ) -> None:
        _check_columns(linear_feature_columns, dnn_feature_columns)
        super().__init__(
            model_fn=_dnn_linear_combined_model_fn,
            model_dir=model_dir,
            config=config,
            params={
                "head": head,
                "linear_feature_columns": tuple(linear_feature_columns or ()),
                "linear_optimizer": linear_optimizer,
                "joint_linear_weights": _joint_linear_weights,
                "dnn_feature_columns": tuple(dnn_feature_columns or ()),
                "dnn_optimizer": dnn_optimizer,
                "dnn_hidden_units": dnn_hidden_units,
                "dnn_activation_fn": dnn_activation_fn,
                "dnn_dropout": dnn_dropout,
                "gradient_clip_norm": gradient_clip_norm,
                "embedding_lr_multipliers": embedding_lr_multipliers,
                "fix_global_step_increment_bug": fix_global_step_increment_bug,
                "input_layer_partitioner": input_layer_partitioner,
            },
            feature_engineering_fn=feature_engineering_fn,
        )


def _input_partitioner(config: Any, min_slice_size: int | None) -> Any:
    return None if min_slice_size is None else canned.partitioner(config, min_slice_size)


class DNNLinearCombinedClassifier(canned.Classifier, DNNLinearCombinedEstimator):
    """Classifies with a wide and deep model; Cheng et al., 2016, arXiv:1606.07792.

    `DNNLinearCombinedEstimator` and `multi_class_head` describe the arguments and shapes.

    Raises:
        ValueError: There are fewer than two classes, or no feature columns.
    """

    def __init__(
        self,
        model_dir: str | None = None,
        n_classes: int = 2,
        weight_column_name: str | None = None,
        linear_feature_columns: Any = None,
        linear_optimizer: Any = None,
        _joint_linear_weights: bool = False,
        dnn_feature_columns: Any = None,
        dnn_optimizer: Any = None,
        dnn_hidden_units: Any = None,
        dnn_activation_fn: Any = tf.nn.relu,
        dnn_dropout: float | None = None,
        gradient_clip_norm: float | None = None,
        enable_centered_bias: bool = False,
        config: Any = None,
        feature_engineering_fn: Any = None,
        embedding_lr_multipliers: Any = None,
        input_layer_min_slice_size: int | None = None,
        label_keys: Any = None,
        fix_global_step_increment_bug: bool = False,
    ) -> None:
        head = head_lib.multi_class_head(
            n_classes,
            weight_column_name=weight_column_name,
            enable_centered_bias=enable_centered_bias,
            label_keys=label_keys,
        )
        DNNLinearCombinedEstimator.__init__(
            self, head, model_dir, linear_feature_columns, linear_optimizer, _joint_linear_weights,
            dnn_feature_columns, dnn_optimizer, dnn_hidden_units, dnn_activation_fn, dnn_dropout, gradient_clip_norm,
            config, feature_engineering_fn, embedding_lr_multipliers, fix_global_step_increment_bug,
            _input_partitioner(config, input_layer_min_slice_size),
        )  # fmt: skip


class DNNLinearCombinedRegressor(canned.Regressor, DNNLinearCombinedEstimator):
    """Predicts numbers with a wide and deep model; Cheng et al., 2016, arXiv:1606.07792.

    `DNNLinearCombinedEstimator` and `regression_head` describe the arguments and shapes.

    Raises:
        ValueError: There are no feature columns.
    """

    def __init__(
        self,
        model_dir: str | None = None,
        weight_column_name: str | None = None,
        linear_feature_columns: Any = None,
        linear_optimizer: Any = None,
        _joint_linear_weights: bool = False,
        dnn_feature_columns: Any = None,
        dnn_optimizer: Any = None,
        dnn_hidden_units: Any = None,
        dnn_activation_fn: Any = tf.nn.relu,
        dnn_dropout: float | None = None,
        gradient_clip_norm: float | None = None,
        enable_centered_bias: bool = False,
        label_dimension: int = 1,
        config: Any = None,
        feature_engineering_fn: Any = None,
        embedding_lr_multipliers: Any = None,
        input_layer_min_slice_size: int | None = None,
        fix_global_step_increment_bug: bool = False,
    ) -> None:
        head = head_lib.regression_head(
            weight_column_name=weight_column_name,
            label_dimension=label_dimension,
            enable_centered_bias=enable_centered_bias,
        )
        DNNLinearCombinedEstimator.__init__(
            self, head, model_dir, linear_feature_columns, linear_optimizer, _joint_linear_weights,
            dnn_feature_columns, dnn_optimizer, dnn_hidden_units, dnn_activation_fn, dnn_dropout, gradient_clip_norm,
            config, feature_engineering_fn, embedding_lr_multipliers, fix_global_step_increment_bug,
            _input_partitioner(config, input_layer_min_slice_size),
        )  # fmt: skip
