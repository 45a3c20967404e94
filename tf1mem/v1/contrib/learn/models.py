# Copyright 2015-2019 The TensorFlow Authors. All Rights Reserved.
# Licensed under the Apache License, Version 2.0: see LICENSE.
# Written anew for tf1mem after tensorflow/contrib of TensorFlow 1.15.5, and changed: see NOTICE.

"""Models of contrib.learn's for a model_fn: regressions, and a recurrent net that reads both ways."""

from __future__ import annotations

from typing import Any

import tf1mem.v1 as tf


def _layer(x: Any, y: Any, outputs: Any, init_mean: float | None, init_stddev: float) -> tuple[Any, Any]:
    """The weights and bias of a regression, in its scope, and summaries of what it is made of."""
    scope, dtype = tf.get_variable_scope().name, x.dtype.base_dtype
    tf.summary.histogram(f"{scope}.x", x)
    tf.summary.histogram(f"{scope}.y", y)
    initializer = None
    if init_mean is not None:
        initializer = tf.random_normal_initializer(init_mean, init_stddev, dtype=dtype)
    weights = tf.get_variable("weights", [x.get_shape()[1], outputs], dtype, initializer)
    bias = tf.get_variable("bias", [outputs], dtype, initializer)
    tf.summary.histogram(f"{scope}.weights", weights)
    tf.summary.histogram(f"{scope}.bias", bias)
    return weights, bias


def linear_regression(x: Any, y: Any, init_mean: float | None = None, init_stddev: float = 1.0) -> tuple[Any, Any]:
    """A linear regression, whose variables are in the scope "linear_regression".

    Args:
        x: The features, a row for each example.
        y: The labels, one or several for each.
        init_mean: Of the normal distribution that weights and bias are drawn from; by default they are made by
            get_variable's own initializer.
        init_stddev: Of that distribution.

    Returns:
        The predictions and the mean squared error.
    """
    with tf.variable_scope("linear_regression"):
        weights, bias = _layer(x, y, 1 if len(y.get_shape()) == 1 else y.get_shape()[1], init_mean, init_stddev)
        with tf.name_scope("mean_squared_error_regressor", values=[x, y]):
            predictions = tf.nn.xw_plus_b(x, weights, bias)
            if len(y.get_shape()) == 1 and len(predictions.get_shape()) == 2:
                predictions = tf.squeeze(predictions, axis=[1])
            return predictions, tf.losses.mean_squared_error(y, predictions)


def linear_regression_zero_init(x: Any, y: Any) -> tuple[Any, Any]:
    """The same, which begins with zeros."""
    return linear_regression(x, y, init_mean=0.0, init_stddev=0.0)


def logistic_regression(
    x: Any, y: Any, class_weight: Any = None, init_mean: float | None = None, init_stddev: float = 1.0
) -> tuple[Any, Any]:
    """A logistic regression, whose variables are in the scope "logistic_regression".

    Args:
        x: The features, a row for each example.
        y: The labels, one-hot.
        class_weight: What each class's logits are multiplied by; by default the graph's tensor `class_weight:0`, if it
            has one.
        init_mean: As for `linear_regression`.
        init_stddev: As there.

    Returns:
        The probabilities and the softmax's loss.
    """
    with tf.variable_scope("logistic_regression"):
        weights, bias = _layer(x, y, y.get_shape()[-1], init_mean, init_stddev)
        if class_weight is None:
            try:
                class_weight = tf.get_default_graph().get_tensor_by_name("class_weight:0")
            except KeyError:
                pass
        with tf.name_scope("softmax_classifier", values=[x, y]):
            logits = tf.nn.xw_plus_b(x, weights, bias)
            if class_weight is not None:
                logits = tf.multiply(logits, class_weight)
            return tf.nn.softmax(logits), tf.losses.softmax_cross_entropy(y, logits)


def logistic_regression_zero_init(x: Any, y: Any) -> tuple[Any, Any]:
    """The same, which begins with zeros."""
    return logistic_regression(x, y, init_mean=0.0, init_stddev=0.0)


def bidirectional_rnn(
    cell_fw: Any,
    cell_bw: Any,
    inputs: list[Any],
    initial_state_fw: Any = None,
    initial_state_bw: Any = None,
    dtype: Any = None,
    sequence_length: Any = None,
    scope: str | None = None,
) -> tuple[list[Any], Any]:
    """Two recurrent nets, of which one reads from the end.

    Args:
        cell_fw: The cell that reads from the start. Its state is one tensor.
        cell_bw: The one that reads from the end.
        inputs: A tensor for each step.
        initial_state_fw: What the first begins with; zeros by default.
        initial_state_bw: What the other begins with.
        dtype: The states' type, where they aren't given.
        sequence_length: How long each of the batch is.
        scope: What their scopes' names begin with; "BiRNN" by default.

    Returns:
        The outputs of both side by side, for each step, and the final states, side by side.

    Raises:
        TypeError: A cell is none, or the inputs are no list.
        ValueError: There are no inputs.
    """
    for name, cell in (("cell_fw", cell_fw), ("cell_bw", cell_bw)):
        if not isinstance(cell, tf.nn.rnn_cell.RNNCell):
            raise TypeError(f"{name} must be an instance of RNNCell")
    if not isinstance(inputs, list):
        raise TypeError("inputs must be a list")
    if not inputs:
        raise ValueError("inputs must not be empty")
    scope = scope or "BiRNN"
    with tf.variable_scope(scope + "_FW"):
        forward, state_fw = tf.nn.static_rnn(cell_fw, inputs, initial_state_fw, dtype, sequence_length)
    with tf.variable_scope(scope + "_BW"):
        backward, state_bw = tf.nn.static_rnn(
            cell_bw, _turned(inputs, sequence_length), initial_state_bw, dtype, sequence_length
        )
    backward = _turned(backward, sequence_length)
    return [tf.concat(pair, 1) for pair in zip(forward, backward)], tf.concat([state_fw, state_bw], 1)


def _turned(steps: list[Any], lengths: Any) -> list[Any]:
    """Each sequence of a batch from its end, which is at its length."""
    if lengths is None:
        return steps[::-1]
    return list(tf.unstack(tf.reverse_sequence(tf.stack(steps), lengths, seq_axis=0, batch_axis=1)))
