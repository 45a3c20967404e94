# Copyright 2015-2019 The TensorFlow Authors. All Rights Reserved.
# Licensed under the Apache License, Version 2.0: see LICENSE.
# Written anew for tf1mem after tensorflow/contrib of TensorFlow 1.15.5, and changed: see NOTICE.

"""The training op (tf.contrib.layers): learning rate, gradient noise, gradient clipping and summaries."""

from __future__ import annotations

from typing import Any, Callable, Iterable, Mapping, Sequence

from tensorflow.python.training import moving_averages

import tf1mem.v1 as tf

# List of (gradient, variable) pairs.
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
    """Returns the loss; evaluating this tensor runs a training step.

    Args:
        loss: Scalar float tensor (shape `[]`).
        global_step: Step variable; None for the graph's global step, if it has one.
        learning_rate: A float, which becomes a variable; a scalar tensor; or None, if `optimizer` is an Optimizer or a
            function without arguments.
        optimizer: A name in `OPTIMIZER_CLS_NAMES`, an Optimizer or a subclass; or a function of the learning rate
            (without arguments, if the learning rate is None) that returns an Optimizer.
        gradient_noise_scale: Factor of the truncated normal noise that is added to gradients; None for no noise.
        gradient_multipliers: Dict of a variable or its name -> factor of its gradient.
        clip_gradients: Maximum global norm of the gradients, a float; or a function from a list of (gradient, variable)
            pairs to such a list.
        learning_rate_decay_fn: Function of the learning rate and the step that returns the learning rate.
        update_ops: Ops to run before the step; the collection UPDATE_OPS by default.
        variables: Variables to train; all trainable variables by default.
        name: Variable scope; "OptimizeLoss" by default.
        summaries: Names from `OPTIMIZER_SUMMARIES`; loss, learning rate and global gradient norm by default. The
            learning rate is written only with `learning_rate_decay_fn`.
        colocate_gradients_with_ops: True to compute gradients on the devices of their ops.
        increment_global_step: True to increment the step variable.

    Returns:
        Scalar float tensor (shape `[]`).

    Raises:
        ValueError: The loss isn't a scalar, or an argument has an unsupported value.
    """
    loss = tf.convert_to_tensor(loss)
    tf.debugging.assert_scalar(loss)
    if global_step is None:
        global_step = tf.train.get_global_step()
    else:
        tf.train.assert_global_step(global_step)
    with tf.variable_scope(name, "OptimizeLoss", [loss, global_step]):
        updates = set(tf.get_collection(tf.GraphKeys.UPDATE_OPS) if update_ops is None else update_ops)
        if updates:
            with tf.control_dependencies(list(updates)):
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

        trainer = _optimizer(optimizer, rate)
        gradients = trainer.compute_gradients(
            loss,
            tf.trainable_variables() if variables is None else variables,
            colocate_gradients_with_ops=colocate_gradients_with_ops,
        )
        if gradient_noise_scale is not None:
            gradients = _with_noise(gradients, gradient_noise_scale)
        if gradient_multipliers is not None:
            gradients = _multiplied(gradients, gradient_multipliers)
            if not gradients:
                raise ValueError("There are no gradients to train by. Check gradient_multipliers.")
        summarize_norms = "global_gradient_norm" in summaries or "gradient_norm" in summaries
        if summarize_norms:
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
        if clip_gradients is not None and summarize_norms:
            tf.summary.scalar("global_norm/clipped_gradient_norm", _global_norm(gradients))
        step = global_step if increment_global_step else None
        with tf.control_dependencies([trainer.apply_gradients(gradients, global_step=step, name="train")]):
            return tf.identity(loss)


def _learning_rate(learning_rate: Any) -> Any:
    """Returns the learning rate as a variable if it is a float; a scalar tensor or None as it is."""
    if learning_rate is None or (isinstance(learning_rate, tf.Tensor) and learning_rate.shape.ndims == 0):
        return learning_rate
    if not isinstance(learning_rate, float):
        raise ValueError(
            f"learning_rate: {learning_rate} is of {type(learning_rate)}. Give a float, or a tensor of rank 0."
        )
    if learning_rate < 0.0:
        raise ValueError(f"Invalid learning_rate {learning_rate}.")
    return tf.get_variable("learning_rate", [], trainable=False, initializer=tf.constant_initializer(learning_rate))


def _optimizer(optimizer: Any, rate: Any) -> Any:
    """Returns the Optimizer that a name, a class, an instance or a function stands for."""
    base = tf.train.Optimizer
    if isinstance(optimizer, str) or (isinstance(optimizer, type) and issubclass(optimizer, base)):
        if rate is None:
            raise ValueError(
                f"Learning rate is None, but should be specified if optimizer is string or class ({optimizer})."
            )
        if isinstance(optimizer, str):
            if optimizer not in OPTIMIZER_CLS_NAMES:
                names = ", ".join(OPTIMIZER_CLS_NAMES)
                raise ValueError(f"Optimizer name should be one of [{names}], you provided {optimizer}.")
            optimizer = OPTIMIZER_CLS_NAMES[optimizer]
        return optimizer(learning_rate=rate)
    if isinstance(optimizer, base):
        return optimizer
    if not callable(optimizer):
        raise ValueError(
            f"optimizer: {optimizer} is no optimizer. Give a name, an Optimizer, its class, or a function of "
            "the learning rate that returns an Optimizer."
        )
    instance = optimizer() if rate is None else optimizer(rate)
    if not isinstance(instance, base):
        raise ValueError(f"optimizer: the function returned {instance}, which is no Optimizer. Let it return one.")
    return instance


def _global_norm(gradients: Gradients) -> Any:
    return tf.global_norm([gradient for gradient, _ in gradients])


def _summarize(gradient: Any, name: str, summaries: Sequence[str]) -> None:
    values = gradient.values if isinstance(gradient, tf.IndexedSlices) else gradient
    if "gradients" in summaries:
        tf.summary.histogram(f"gradients/{name}", values)
    if "gradient_norm" in summaries:
        tf.summary.scalar(f"gradient_norm/{name}", tf.global_norm([values]))


def _scaled(gradient: Any, factor: Any) -> Any:
    if isinstance(gradient, tf.IndexedSlices):
        return tf.IndexedSlices(gradient.values * factor, gradient.indices, gradient.dense_shape)
    return gradient * tf.cast(factor, gradient.dtype)


def _with_noise(gradients: Gradients, scale: float) -> Gradients:
    def noisy(gradient: Any) -> Any:
        """Returns the gradient, of any shape, plus noise."""
        shape = gradient.dense_shape if isinstance(gradient, tf.IndexedSlices) else gradient.shape
        return gradient + tf.truncated_normal(shape) * scale

    return [(None if gradient is None else noisy(gradient), variable) for gradient, variable in gradients]


def _multiplied(gradients: Gradients, multipliers: Mapping[Any, Any]) -> Gradients:
    """Returns gradients of any shape, each times the factor for its variable or for that variable's name, if any."""
    multiplied = []
    for gradient, variable in gradients:
        key = variable if variable in multipliers else variable.name
        factor = multipliers.get(key)
        multiplied.append((gradient if gradient is None or factor is None else _scaled(gradient, factor), variable))
    return multiplied


def adaptive_clipping_fn(
    std_factor: float = 2.0,
    decay: float = 0.95,
    static_max_norm: float | None = None,
    global_step: Any = None,
    report_summary: bool = False,
    epsilon: float = 1e-8,
    name: str | None = None,
) -> Callable[[Gradients], Gradients]:
    """Returns a clipping function for `optimize_loss`: it scales gradients whose norm is far above its moving average.

    Chorowski et al. 2014, arXiv:1412.1602, section 3.2.1.

    Args:
        std_factor: Number of standard deviations by which the norm's logarithm may exceed its mean; 2 by default.
        decay: Decay of the moving averages; 0.95 by default.
        static_max_norm: Absolute maximum of the norm; None for no such limit.
        global_step: Step variable, to lower the decay in the first steps; None for a constant decay.
        report_summary: True to summarize the maximum norm.
        epsilon: Added to the norm; also the minimum of the variance.
        name: Variable scope.

    Returns:
        A function from (gradient, variable) pairs, gradients of any shape, to clipped pairs.
    """

    def clipped(grads_and_vars: Gradients) -> Gradients:
        """Clips the gradients, tensors of any shape."""
        norm = _global_norm(grads_and_vars)
        max_norm, log_mean = _adaptive_max_norm(norm, std_factor, decay, global_step, epsilon, name)
        if report_summary:
            tf.summary.scalar("global_norm/adaptive_max_gradient_norm", max_norm)
        # Gradients whose global norm exceeds the maximum are scaled to the mean norm.
        factor = tf.where(norm < max_norm, tf.ones_like(norm), tf.exp(log_mean) / norm)
        if static_max_norm is not None:
            factor = tf.minimum(static_max_norm / norm, factor)
        return [
            (None if gradient is None else _scaled(gradient, factor), variable) for gradient, variable in grads_and_vars
        ]

    return clipped


def _adaptive_max_norm(
    norm: Any, std_factor: float, decay: Any, global_step: Any, epsilon: float, name: str | None
) -> tuple[Any, Any]:
    """Returns the maximum norm and the mean of the norm's logarithm."""
    with tf.variable_scope(name, "AdaptiveMaxNorm", [norm]):
        log_norm = tf.log(norm + epsilon)
        if global_step is not None:
            steps = tf.cast(global_step, tf.float32)
            decay = tf.minimum(decay, steps / (steps + 1.0))

        def average(name: str, value: Any) -> Any:
            """Adds a scalar, of shape `[]`, to the moving average of this name; returns the new average."""
            variable = tf.get_variable(
                name, shape=value.shape, dtype=value.dtype, initializer=tf.zeros_initializer(), trainable=False
            )
            return moving_averages.assign_moving_average(variable, value, decay, zero_debias=False)

        mean = average("mean", log_norm)
        square_mean = average("sq_mean", tf.square(log_norm))
        deviation = tf.sqrt(tf.maximum(epsilon, square_mean - tf.square(mean)))
        return tf.exp(mean + std_factor * deviation), mean
