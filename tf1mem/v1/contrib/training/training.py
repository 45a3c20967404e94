# Copyright 2015-2019 The TensorFlow Authors. All Rights Reserved.
# Licensed under the Apache License, Version 2.0: see LICENSE.
# Written anew for tf1mem after tensorflow/contrib of TensorFlow 1.15.5, and changed: see NOTICE.

"""A train op from a loss and an optimizer, and the loop that runs it."""

from __future__ import annotations

from typing import Any, Callable

from tensorflow.python.ops.control_flow_ops import with_dependencies

import tf1mem.v1 as tf

# Default of an argument `global_step`, for the graph's own global step; None means no global step.
_USE_GLOBAL_STEP = 0


def gradient_summaries(grads_and_vars: Any, separator: str) -> list[Any]:
    """Returns summaries of every gradient: a histogram and a scalar, the L2 norm.

    Args:
        grads_and_vars: List of (gradient, variable) pairs; gradients have any shape, and None has no summary.
        separator: Text between the variable's name and "gradient" in a summary's name.
    """
    summaries = []
    for grad, var in grads_and_vars:
        if grad is None:
            tf.logging.info("Var %s has no gradient", var.op.name)
            continue
        values = grad.values if isinstance(grad, tf.IndexedSlices) else grad
        name = f"{var.op.name}{separator}gradient"
        summaries.append(tf.summary.histogram(name, values))
        summaries.append(tf.summary.scalar(name + "_norm", tf.global_norm([values])))
    return summaries


def add_gradients_summaries(grads_and_vars: Any) -> list[Any]:
    """Adds a histogram and the norm of every gradient to the summaries.

    Args:
        grads_and_vars: List of (gradient, variable) pairs; gradients have any shape.

    Returns:
        The list of summaries.
    """
    return gradient_summaries(grads_and_vars, "_")


def _with_values(grad: Any, change: Callable[[Any], Any]) -> Any:
    """Returns a gradient, dense or sparse, with changed values."""
    if isinstance(grad, tf.IndexedSlices):
        return tf.IndexedSlices(change(grad.values), grad.indices, grad.dense_shape)
    return change(grad)


def clip_gradient_norms(gradients_to_variables: Any, max_norm: Any) -> list[Any]:
    """Scales each gradient whose norm is above a maximum down to it.

    Args:
        gradients_to_variables: List of (gradient, variable) pairs; gradients have any shape, and None stays None.
        max_norm: Maximum L2 norm of each gradient, a float or a tensor of shape `[]`.

    Returns:
        The pairs with clipped gradients.
    """
    return [
        (grad if grad is None else _with_values(grad, lambda values: tf.clip_by_norm(values, max_norm)), var)
        for grad, var in gradients_to_variables
    ]


def clip_gradient_norms_fn(max_norm: Any) -> Callable[[Any], list[Any]]:
    """Returns `clip_gradient_norms` as a function of the pairs alone, for `create_train_op`.

    Args:
        max_norm: Maximum L2 norm of each gradient, a float or a tensor of shape `[]`.

    Returns:
        Function from a list of (gradient, variable) pairs, gradients of any shape, to the pairs with clipped gradients.
    """
    return lambda gradients_to_variables: clip_gradient_norms(gradients_to_variables, max_norm)


def multiply_gradients(grads_and_vars: Any, gradient_multipliers: Any) -> list[Any]:
    """Multiplies the gradients of some variables.

    Args:
        grads_and_vars: List of (gradient, variable) pairs; gradients have any shape.
        gradient_multipliers: Dict of variable, or name of a variable's op -> factor, a number or a tensor.

    Returns:
        The pairs with multiplied gradients.

    Raises:
        ValueError: `grads_and_vars` isn't a list, `gradient_multipliers` isn't a dict or is empty, or a variable in the
            dict has no gradient.
    """
    if not isinstance(grads_and_vars, list):
        raise ValueError("`grads_and_vars` must be a list.")
    if not gradient_multipliers:
        raise ValueError("`gradient_multipliers` is empty.")
    if not isinstance(gradient_multipliers, dict):
        raise ValueError(
            f"gradient_multipliers: {type(gradient_multipliers)} is no dict. Give a dict with variables or their names "
            "as keys."
        )
    multiplied = []
    for grad, var in grads_and_vars:
        key = var if var in gradient_multipliers else var.op.name
        if key not in gradient_multipliers:
            multiplied.append((grad, var))
            continue
        if grad is None:
            raise ValueError(f"gradient_multipliers: {var.op.name} has no gradient to multiply. Leave it out.")
        factor = tf.convert_to_tensor(gradient_multipliers[key], dtype=grad.dtype)
        multiplied.append((_with_values(grad, lambda values, factor=factor: values * factor), var))  # type: ignore[misc]
    return multiplied


def create_train_op(
    total_loss: Any,
    optimizer: Any,
    global_step: Any = _USE_GLOBAL_STEP,
    update_ops: Any = None,
    variables_to_train: Any = None,
    transform_grads_fn: Any = None,
    summarize_gradients: bool = False,
    gate_gradients: Any = tf.train.Optimizer.GATE_OP,
    aggregation_method: Any = None,
    colocate_gradients_with_ops: bool = False,
    check_numerics: bool = True,
) -> Any:
    """Returns a tensor that takes a training step when it is evaluated; its value is the loss.

    Args:
        total_loss: Scalar loss tensor (shape `[]`).
        optimizer: A tf.train.Optimizer.
        global_step: Variable that is incremented; the graph's own by default, None for no variable.
        update_ops: Ops to run before the loss; the collection UPDATE_OPS by default.
        variables_to_train: Variables to train; all trainable variables by default.
        transform_grads_fn: Function from a list of (gradient, variable) pairs to the pairs to apply, such as that of
            `clip_gradient_norms_fn`; None to apply them unchanged.
        summarize_gradients: True to add summaries of the gradients.
        gate_gradients: Argument of `Optimizer.compute_gradients`.
        aggregation_method: Argument of `Optimizer.compute_gradients`.
        colocate_gradients_with_ops: Argument of `Optimizer.compute_gradients`.
        check_numerics: True to raise an InvalidArgumentError, at run time, for a loss that is infinite or NaN.

    Raises:
        AssertionError: There is no variable to train, or a variable isn't trainable.
    """
    if global_step is _USE_GLOBAL_STEP:
        global_step = tf.train.get_or_create_global_step()
    in_collection = set(tf.get_collection(tf.GraphKeys.UPDATE_OPS))
    update_ops = in_collection if update_ops is None else set(update_ops)
    if not in_collection.issubset(update_ops):
        tf.logging.warning(
            "create_train_op: update_ops leaves out some of the collection GraphKeys.UPDATE_OPS, so they won't run"
        )
    if update_ops:
        with tf.control_dependencies(update_ops):
            barrier = tf.no_op(name="update_barrier")
        total_loss = with_dependencies([barrier], total_loss)
    if variables_to_train is None:
        variables_to_train = tf.trainable_variables()
    else:
        assert all(var.trainable or var in tf.trainable_variables() for var in variables_to_train)
    assert variables_to_train

    grads = optimizer.compute_gradients(
        total_loss,
        variables_to_train,
        gate_gradients=gate_gradients,
        aggregation_method=aggregation_method,
        colocate_gradients_with_ops=colocate_gradients_with_ops,
    )
    if transform_grads_fn:
        grads = transform_grads_fn(grads)
    if summarize_gradients:
        with tf.name_scope("summarize_grads"):
            add_gradients_summaries(grads)
    grad_updates = optimizer.apply_gradients(grads, global_step=global_step)
    with tf.name_scope("train_op"):
        if check_numerics:
            total_loss = tf.check_numerics(total_loss, "LossTensor is inf or nan")
        train_op = with_dependencies([grad_updates], total_loss)
    train_ops = tf.get_collection_ref(tf.GraphKeys.TRAIN_OP)
    if train_op not in train_ops:
        train_ops.append(train_op)
    return train_op


def train(
    train_op: Any,
    logdir: Any,
    master: str = "",
    is_chief: bool = True,
    scaffold: Any = None,
    hooks: Any = None,
    chief_only_hooks: Any = None,
    save_checkpoint_secs: Any = 600,
    save_summaries_steps: Any = 100,
    config: Any = None,
    max_wait_secs: int = 7200,
    run_metadata: Any = None,
) -> Any:
    """Runs a train op in a MonitoredTrainingSession until a hook stops it.

    Args:
        train_op: Tensor of the loss (shape `[]`), which is evaluated in each step.
        logdir: Folder of checkpoints and summaries; None to write neither.
        master: Address of the TensorFlow server; "" for this process.
        is_chief: True if this process initializes the variables and saves checkpoints and summaries.
        scaffold: A tf.train.Scaffold; None for the default one.
        hooks: List of SessionRunHooks; None for none.
        chief_only_hooks: List of SessionRunHooks that only the chief runs; None for none.
        save_checkpoint_secs: Seconds between checkpoints; None for no checkpoints.
        save_summaries_steps: Steps between summaries; None for no summaries.
        config: ConfigProto of the Session; None for the default one.
        max_wait_secs: Seconds that other workers wait for the chief's Session; 7200 by default.
        run_metadata: RunMetadata protocol buffer that each step fills; None for none.

    Returns:
        The last value of the train op; None if it never ran.

    Raises:
        ValueError: `logdir` is None in the chief, but checkpoints or summaries are requested.
    """
    if logdir is None and is_chief:
        for name, is_requested in (
            ("save_summaries_steps", save_summaries_steps),
            ("save_checkpoint_secs", save_checkpoint_secs),
        ):
            if is_requested:
                raise ValueError(f"logdir cannot be None when {name} is not None")
    loss = None
    with tf.train.MonitoredTrainingSession(
        master=master,
        is_chief=is_chief,
        checkpoint_dir=logdir,
        scaffold=scaffold,
        hooks=hooks,
        chief_only_hooks=chief_only_hooks,
        save_checkpoint_secs=save_checkpoint_secs,
        save_summaries_steps=save_summaries_steps,
        config=config,
        max_wait_secs=max_wait_secs,
    ) as session:
        while not session.should_stop():
            loss = session.run(train_op, run_metadata=run_metadata)
    return loss
