# Copyright 2015-2019 The TensorFlow Authors. All Rights Reserved.
# Licensed under the Apache License, Version 2.0: see LICENSE.
# Written anew for tf1mem after tensorflow/contrib of TensorFlow 1.15.5, and changed: see NOTICE.

"""An op that trains: learning rate, gradients, their noise and clipping, and summaries, by tf.contrib.layers."""

from __future__ import annotations

from typing import Any, Callable, Iterable, Mapping, Sequence

from tensorflow.python.training import moving_averages

import tf1mem.v1 as tf

# Pairs of a gradient and its variable.
Gradients = Sequence[Any]

OPTIMIZER_CLS_NAMES = {
    "Adagrad": tf.train.AdagradOptimizer,
    "Adam": tf.train.AdamOptimizer,
    "Ftrl": tf.train.FtrlOptimizer,
    "Momentum": lambda learning_rate: tf.train.MomentumOptimizer(learning_rate, momentum=0.9),
    "RMSProp": tf.train.RMSPropOptimizer,
    "SGD": tf.train.GradientDescentOptimizer,
}
OPTIMIZER_SUMMARIES = ["learning_rate", "loss", "gradients", "gradient_norm", "global_gradient_norm"]


def optimize_loss(
    loss: Any,
    global_step: Any,
    learning_rate: Any,
    optimizer: Any,
    gradient_noise_scale: float | None = None,
    gradient_multipliers: Mapping[Any, Any] | None = None,
    clip_gradients: Any = None,
    learning_rate_decay_fn: Callable[[Any, Any], Any] | None = None,
    update_ops: Iterable[Any] | None = None,
    variables: Sequence[Any] | None = None,
    name: str | None = None,
    summaries: Sequence[str] | None = None,
    colocate_gradients_with_ops: bool = False,
    increment_global_step: bool = True,
) -> Any:
    """The loss, once a step of training is taken.

    Args:
        loss: A scalar.
        global_step: The step's variable; None for the graph's.
        learning_rate: A float, for a variable of that value; or a scalar tensor, or None.
        optimizer: A name of `OPTIMIZER_CLS_NAMES`, a class, an optimizer, or a function of the learning rate (of
            nothing, where there is none).
        gradient_noise_scale: The standard deviation of noise that is added to gradients.
        gradient_multipliers: A variable or its name -> what its gradient is multiplied by.
        clip_gradients: The norm of all gradients that is kept to, a float; or a function of the pairs of gradient and
            variable that returns such.
        learning_rate_decay_fn: A function of learning rate and step that returns the learning rate.
        update_ops: What is run before; all of UPDATE_OPS by default.
        variables: What is trained; all that can be by default.
        name: The variable scope.
        summaries: Names of `OPTIMIZER_SUMMARIES`.
        colocate_gradients_with_ops: Whether gradients are computed where the ops are.
        increment_global_step: Whether this counts as a step.

    Raises:
        ValueError: The loss is no scalar, or an argument is none of these.
    """
    loss = tf.convert_to_tensor(loss)
    tf.debugging.assert_scalar(loss)
    if global_step is None:
        global_step = tf.train.get_global_step()
    else:
        tf.train.assert_global_step(global_step)
    with tf.variable_scope(name, "OptimizeLoss", [loss, global_step]):
        before = set(tf.get_collection(tf.GraphKeys.UPDATE_OPS) if update_ops is None else update_ops)
        if before:
            with tf.control_dependencies(list(before)):
                loss = tf.identity(loss)
        rate = _learning_rate(learning_rate)
        if summaries is None:
            summaries = ["loss", "learning_rate", "global_gradient_norm"]
        for each in summaries:
            if each not in OPTIMIZER_SUMMARIES:
                raise ValueError(f"Summaries should be one of [{', '.join(OPTIMIZER_SUMMARIES)}], you provided {each}.")
        if learning_rate is not None and learning_rate_decay_fn is not None:
            if global_step is None:
                raise ValueError("global_step is required for learning_rate_decay_fn.")
            rate = learning_rate_decay_fn(rate, global_step)
            if "learning_rate" in summaries:
                tf.summary.scalar("learning_rate", rate)

        trained_by = _optimizer(optimizer, rate)
        gradients = trained_by.compute_gradients(
            loss,
            tf.trainable_variables() if variables is None else variables,
            colocate_gradients_with_ops=colocate_gradients_with_ops,
        )
        if gradient_noise_scale is not None:
            gradients = _with_noise(gradients, gradient_noise_scale)
        if gradient_multipliers is not None:
            gradients = _multiplied(gradients, gradient_multipliers)
            if not gradients:
                raise ValueError("There are no gradients to train by: see to gradient_multipliers.")
        of_norms = "global_gradient_norm" in summaries or "gradient_norm" in summaries
        if of_norms:
            tf.summary.scalar("global_norm/gradient_norm", _global_norm(gradients))
        if isinstance(clip_gradients, float):
            clipped, _ = tf.clip_by_global_norm([gradient for gradient, _ in gradients], clip_gradients)
            gradients = [(gradient, variable) for gradient, (_, variable) in zip(clipped, gradients)]
        elif callable(clip_gradients):
            gradients = clip_gradients(gradients)
        elif clip_gradients is not None:
            raise ValueError(f"Unknown type {type(clip_gradients)} for clip_gradients")

        if "loss" in summaries:
            tf.summary.scalar("loss", loss)
        for gradient, variable in gradients:
            if gradient is not None:
                _summarize(gradient, variable.name.replace(":", "_"), summaries)
        if clip_gradients is not None and of_norms:
            tf.summary.scalar("global_norm/clipped_gradient_norm", _global_norm(gradients))
        step = global_step if increment_global_step else None
        with tf.control_dependencies([trained_by.apply_gradients(gradients, global_step=step, name="train")]):
            return tf.identity(loss)


def _learning_rate(given: Any) -> Any:
    if given is None or (isinstance(given, tf.Tensor) and given.shape.ndims == 0):
        return given
    if not isinstance(given, float):
        raise ValueError(f"learning_rate: {given} is of {type(given)}. Give a float, or a tensor of rank 0.")
    if given < 0.0:
        raise ValueError(f"Invalid learning_rate {given}.")
    return tf.get_variable("learning_rate", [], trainable=False, initializer=tf.constant_initializer(given))


def _optimizer(given: Any, rate: Any) -> Any:
    base = tf.train.Optimizer
    if isinstance(given, str) or (isinstance(given, type) and issubclass(given, base)):
        if rate is None:
            raise ValueError(
                f"Learning rate is None, but should be specified if optimizer is string or class ({given})."
            )
        if isinstance(given, str):
            if given not in OPTIMIZER_CLS_NAMES:
                names = ", ".join(OPTIMIZER_CLS_NAMES)
                raise ValueError(f"Optimizer name should be one of [{names}], you provided {given}.")
            given = OPTIMIZER_CLS_NAMES[given]
        return given(learning_rate=rate)
    if isinstance(given, base):
        return given
    if not callable(given):
        raise ValueError(
            f"optimizer: {given} isn't one. Give a name, an Optimizer or a class of Optimizers, or a function of the "
            "learning rate that returns an Optimizer."
        )
    made = given() if rate is None else given(rate)
    if not isinstance(made, base):
        raise ValueError(f"optimizer: the function returned {made}, which is no Optimizer. Let it return one.")
    return made


def _global_norm(gradients: Gradients) -> Any:
    return tf.global_norm([gradient for gradient, _ in gradients])


def _summarize(gradient: Any, name: str, summaries: Sequence[str]) -> None:
    values = gradient.values if isinstance(gradient, tf.IndexedSlices) else gradient
    if "gradients" in summaries:
        tf.summary.histogram(f"gradients/{name}", values)
    if "gradient_norm" in summaries:
        tf.summary.scalar(f"gradient_norm/{name}", tf.global_norm([values]))


def _times(gradient: Any, factor: Any) -> Any:
    if isinstance(gradient, tf.IndexedSlices):
        return tf.IndexedSlices(gradient.values * factor, gradient.indices, gradient.dense_shape)
    return gradient * tf.cast(factor, gradient.dtype)


def _with_noise(gradients: Gradients, scale: float) -> Gradients:
    def noisy(gradient: Any) -> Any:
        shape = gradient.dense_shape if isinstance(gradient, tf.IndexedSlices) else gradient.shape
        return gradient + tf.truncated_normal(shape) * scale

    return [(None if gradient is None else noisy(gradient), variable) for gradient, variable in gradients]


def _multiplied(gradients: Gradients, multipliers: Mapping[Any, Any]) -> Gradients:
    found = []
    for gradient, variable in gradients:
        key = variable if variable in multipliers else variable.name
        factor = multipliers.get(key)
        found.append((gradient if gradient is None or factor is None else _times(gradient, factor), variable))
    return found


def adaptive_clipping_fn(
    std_factor: float = 2.0,
    decay: float = 0.95,
    static_max_norm: float | None = None,
    global_step: Any = None,
    report_summary: bool = False,
    epsilon: float = 1e-8,
    name: str | None = None,
) -> Callable[[Gradients], Gradients]:
    """A function for `optimize_loss` that clips gradients whose norm is far above what it has been.

    Args:
        std_factor: How many standard deviations above the mean, of the norm's logarithm, the norm may be.
        decay: What the moving averages keep of themselves in a step.
        static_max_norm: The norm that it may never be above.
        global_step: The step's variable, for averages that count the first steps in full.
        report_summary: Whether the norm that is kept to is summarized.
        epsilon: Added to the norm, and the least variance.
        name: The variable scope.
    """

    def clipped(grads_and_vars: Gradients) -> Gradients:
        norm = _global_norm(grads_and_vars)
        max_norm, log_mean = _adaptive_max_norm(norm, std_factor, decay, global_step, epsilon, name)
        if report_summary:
            tf.summary.scalar("global_norm/adaptive_max_gradient_norm", max_norm)
        # Far above it a norm is no measure of the step to take: the mean is.
        factor = tf.where(norm < max_norm, tf.ones_like(norm), tf.exp(log_mean) / norm)
        if static_max_norm is not None:
            factor = tf.minimum(static_max_norm / norm, factor)
        return [
            (None if gradient is None else _times(gradient, factor), variable) for gradient, variable in grads_and_vars
        ]

    return clipped


def _adaptive_max_norm(
    norm: Any, std_factor: float, decay: Any, global_step: Any, epsilon: float, name: str | None
) -> tuple[Any, Any]:
    """What the norm may be, and the mean of its logarithm."""
    with tf.variable_scope(name, "AdaptiveMaxNorm", [norm]):
        log_norm = tf.log(norm + epsilon)
        if global_step is not None:
            steps = tf.cast(global_step, tf.float32)
            decay = tf.minimum(decay, steps / (steps + 1.0))

        def average(name: str, value: Any) -> Any:
            variable = tf.get_variable(
                name, shape=value.shape, dtype=value.dtype, initializer=tf.zeros_initializer(), trainable=False
            )
            return moving_averages.assign_moving_average(variable, value, decay, zero_debias=False)

        mean = average("mean", log_norm)
        square_mean = average("sq_mean", tf.square(log_norm))
        deviation = tf.sqrt(tf.maximum(epsilon, square_mean - tf.square(mean)))
        return tf.exp(mean + std_factor * deviation), mean
