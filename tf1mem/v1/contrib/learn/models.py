# Copyright 2015-2019 The TensorFlow Authors. All Rights Reserved.
# Licensed under the Apache License, Version 2.0: see LICENSE.
# Written anew for tf1mem after tensorflow/contrib of TensorFlow 1.15.5, and changed: see NOTICE.

"""Building blocks of a model_fn: linear and logistic regression, and a bidirectional recurrent network."""

from __future__ import annotations

from typing import Any

import tf1mem.v1 as tf


def _layer(x: Any, y: Any, outputs: Any, init_mean: float | None, init_stddev: float) -> tuple[Any, Any]:
    """Creates the weights and bias of a regression in the current scope, with histogram summaries."""
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
    """Builds a linear regression with its variables in the scope "linear_regression".

    Args:
        x: `[batch, num_features]` float tensor.
        y: `[batch]` or `[batch, num_outputs]` float tensor of labels.
        init_mean: Mean of the normal distribution for weights and bias; None uses get_variable's default
            initializer.
        init_stddev: Standard deviation of that distribution.

    Returns:
        Predictions, a tensor with the shape of `y`, and the mean squared error, a scalar.
    """
    with tf.variable_scope("linear_regression"):
        weights, bias = _layer(x, y, 1 if len(y.get_shape()) == 1 else y.get_shape()[1], init_mean, init_stddev)
        with tf.name_scope("mean_squared_error_regressor", values=[x, y]):
            predictions = tf.nn.xw_plus_b(x, weights, bias)
            if len(y.get_shape()) == 1 and len(predictions.get_shape()) == 2:
                predictions = tf.squeeze(predictions, axis=[1])
            return predictions, tf.losses.mean_squared_error(y, predictions)


def linear_regression_zero_init(x: Any, y: Any) -> tuple[Any, Any]:
    """Builds a `linear_regression` whose weights and bias start at zero.

    Args:
        x: `[batch, num_features]` float tensor.
        y: `[batch]` or `[batch, num_outputs]` float tensor of labels.

    Returns:
        Predictions, a tensor with the shape of `y`, and the mean squared error, a scalar.
    """
    return linear_regression(x, y, init_mean=0.0, init_stddev=0.0)


def logistic_regression(
    x: Any, y: Any, class_weight: Any = None, init_mean: float | None = None, init_stddev: float = 1.0
) -> tuple[Any, Any]:
    """Builds a logistic regression with its variables in the scope "logistic_regression".

    Args:
        x: `[batch, num_features]` float tensor.
        y: `[batch, num_classes]` float tensor of one-hot labels.
        class_weight: `[num_classes]` tensor of factors for the logits; by default the graph's tensor
            `class_weight:0`, if it exists.
        init_mean: Mean of the normal distribution for weights and bias; None uses get_variable's default
            initializer.
        init_stddev: Standard deviation of that distribution.

    Returns:
        `[batch, num_classes]` tensor of probabilities, and the softmax cross entropy, a scalar.
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
    """Builds a `logistic_regression` whose weights and bias start at zero.

    Args:
        x: `[batch, num_features]` float tensor.
        y: `[batch, num_classes]` float tensor of one-hot labels.

    Returns:
        `[batch, num_classes]` tensor of probabilities, and the softmax cross entropy, a scalar.
    """
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
    """Runs a bidirectional recurrent network (Schuster and Paliwal, 1997).

    Args:
        cell_fw: RNNCell that reads from the start; its state is a single tensor.
        cell_bw: RNNCell that reads from the end; its state is a single tensor.
        inputs: List of `[batch, input_size]` tensors, one per time step.
        initial_state_fw: `[batch, cell_fw.state_size]` tensor; zeros by default.
        initial_state_bw: `[batch, cell_bw.state_size]` tensor; zeros by default.
        dtype: Dtype of the zero initial states.
        sequence_length: `[batch]` integer tensor of the sequences' lengths; None if all have full length.
        scope: Prefix of both variable scopes; "BiRNN" by default.

    Returns:
        List of `[batch, cell_fw.output_size + cell_bw.output_size]` tensors, one per time step, and the final
        states as a `[batch, cell_fw.state_size + cell_bw.state_size]` tensor.

    Raises:
        TypeError: A cell isn't an RNNCell, or `inputs` isn't a list.
        ValueError: `inputs` is empty.
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
            cell_bw, _reversed_steps(inputs, sequence_length), initial_state_bw, dtype, sequence_length
        )
    backward = _reversed_steps(backward, sequence_length)
    return [tf.concat(pair, 1) for pair in zip(forward, backward)], tf.concat([state_fw, state_bw], 1)


def _reversed_steps(steps: list[Any], lengths: Any) -> list[Any]:
    """Reverses each sequence of a batch, up to its length."""
    if lengths is None:
        return steps[::-1]
    return list(tf.unstack(tf.reverse_sequence(tf.stack(steps), lengths, seq_axis=0, batch_axis=1)))
