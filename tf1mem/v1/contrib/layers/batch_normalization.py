# Copyright 2015-2019 The TensorFlow Authors. All Rights Reserved.
# Licensed under the Apache License, Version 2.0: see LICENSE.
# Written anew for tf1mem after tensorflow/contrib of TensorFlow 1.15.5, and changed: see NOTICE.

"""Batch normalization (tf.contrib.layers).

As in TensorFlow 1, one of three implementations runs, depending on the arguments: the fused op,
tf.layers.BatchNormalization, or tf.nn.moments.
"""

from __future__ import annotations

from typing import Any, Callable, Mapping

from tensorflow.python.training import moving_averages

import tf1mem.v1 as tf
from tf1mem.v1.contrib.framework.arg_scope import add_arg_scope
from tf1mem.v1.contrib.framework.variables import model_variable
from tf1mem.v1.contrib.layers import utils
from tf1mem.v1.contrib.layers.model_variables import add_to_collections, build_variable_getter

_UPDATE_OPS = tf.GraphKeys.UPDATE_OPS
# Variable of a layer -> initial value of its elements by default.
_INITIAL = {"beta": 0.0, "gamma": 1.0, "moving_mean": 0.0, "moving_variance": 1.0}


@add_arg_scope
def batch_norm(
    inputs: Any,
    decay: float = 0.999,
    center: bool = True,
    scale: bool = False,
    epsilon: float = 0.001,
    activation_fn: Any = None,
    param_initializers: Mapping[str, Any] | None = None,
    param_regularizers: Mapping[str, Any] | None = None,
    updates_collections: Any = _UPDATE_OPS,
    is_training: Any = True,
    reuse: Any = None,
    variables_collections: Any = None,
    outputs_collections: Any = None,
    trainable: bool = True,
    batch_weights: Any = None,
    fused: bool | None = None,
    data_format: str = "NHWC",
    zero_debias_moving_mean: bool = False,
    scope: Any = None,
    renorm: bool = False,
    renorm_clipping: Mapping[str, Any] | None = None,
    renorm_decay: float = 0.99,
    adjustment: Callable[..., Any] | None = None,
) -> Any:
    """Batch normalization: mean 0 and variance 1 for each channel; Ioffe and Szegedy 2015, arXiv:1502.03167.

    Training uses the batch's own mean and variance, inference their moving averages.

    Args:
        inputs: `[batch, ..., channels]` tensor, or channels second for "NCHW"; the number of channels must be known.
        decay: Decay of the moving averages; 0.999 by default.
        center: True to add the variable `beta`.
        scale: True to multiply by the variable `gamma`.
        epsilon: Added to the variance; 0.001 by default.
        activation_fn: Function applied to the result; None for a linear layer.
        param_initializers: Dict with the keys "beta", "gamma", "moving_mean" and "moving_variance": initializers.
        param_regularizers: Dict with the keys "beta" and "gamma": regularizers; without effect where tf.nn.moments
          normalizes.
        updates_collections: Collections that get the moving averages' update ops, for the program to run; None to
          update whenever the result is computed.
        is_training: True to use the batch's own mean and variance; a bool or a bool tensor.
        reuse: True to share the variables of an earlier layer; needs `scope`.
        variables_collections: Collections for all variables; or a dict, name of a variable -> collections.
        outputs_collections: Collections that the result is added to.
        trainable: True to train `beta` and `gamma`.
        batch_weights: `[batch]` tensor of the examples' weights; None for equal weights.
        fused: True, or None, to use the fused op where it supports the other arguments.
        data_format: "NHWC" or "NCHW".
        zero_debias_moving_mean: True to correct the moving mean's bias towards its initial zero.
        scope: Variable scope; "BatchNorm" by default.
        renorm: True for batch renormalization; Ioffe 2017, arXiv:1702.03275.
        renorm_clipping: Dict with the keys "rmax", "rmin" and "dmax": bounds of renormalization's corrections; None, or
          no entry, for no bound.
        renorm_decay: Decay of the moving averages of renormalization; 0.99 by default.
        adjustment: Function from the inputs' shape to a factor and an offset of the normalized inputs, which training
          applies before `gamma` and `beta`; None for none. Without effect where tf.nn.moments normalizes.

    Returns:
        Tensor of the shape of the inputs.

    Raises:
        ValueError: The number of channels is unknown, or `data_format` or a combination of arguments isn't supported.
    """
    inputs = tf.convert_to_tensor(inputs)
    rank = inputs.shape.ndims
    fused = fused is None or fused
    uses_layer = batch_weights is None and updates_collections is _UPDATE_OPS and not zero_debias_moving_mean
    uses_fused_op = fused and batch_weights is None and not renorm and adjustment is None and rank in (2, 4)
    uses_fused_op = uses_fused_op and (rank == 2 or not uses_layer)
    _check_format(data_format)
    getter = None if uses_fused_op else build_variable_getter()
    with tf.variable_scope(scope, "BatchNorm", [inputs], reuse=reuse, custom_getter=getter) as sc:
        variables = _Variables(param_initializers, param_regularizers, variables_collections, trainable)
        averages = _Averages(decay, zero_debias_moving_mean, is_training, updates_collections)
        if uses_fused_op:
            outputs = _by_op(tf.convert_to_tensor(inputs), center, scale, epsilon, data_format, variables, averages)
        elif uses_layer:
            layer = tf.layers.BatchNormalization(
                axis=1 if data_format == "NCHW" else -1,
                momentum=decay,
                epsilon=epsilon,
                center=center,
                scale=scale,
                **{f"{name}_initializer": variables.initializer(name) for name in _INITIAL},
                beta_regularizer=variables.regularizers.get("beta"),
                gamma_regularizer=variables.regularizers.get("gamma"),
                trainable=trainable,
                renorm=renorm,
                renorm_clipping=renorm_clipping,
                renorm_momentum=renorm_decay,
                adjustment=adjustment,
                name=sc.name,
                _scope=sc,
                _reuse=reuse,
                # Newer TensorFlows would use the fused op for rank 5, too; its moving variance differs.
                fused=fused and rank == 4,
            )
            outputs = layer(inputs, training=is_training)
            for name in _INITIAL:
                if getattr(layer, name) is not None:
                    add_to_collections(getattr(layer, name), variables_collections, name)
        else:
            if renorm:
                raise ValueError(
                    "renorm is not supported with batch_weights, updates_collections or zero_debias_moving_mean"
                )
            outputs = _by_moments(inputs, batch_weights, center, scale, epsilon, data_format, variables, averages)
        if activation_fn is not None:
            outputs = activation_fn(outputs)
        return utils.collect_named_outputs(outputs_collections, sc.name, outputs)


def _check_format(data_format: str) -> None:
    if data_format not in ("NCHW", "NHWC"):
        raise ValueError("data_format has to be either NCHW or NHWC.")


class _Variables:
    """Makes the variables of one layer.

    Args:
        initializers: Dict of variable's name -> initializer, or None.
        regularizers: Dict of variable's name -> regularizer, or None.
        collections: Collections for all variables; or a dict, name of a variable -> collections.
        trainable: True to train `beta` and `gamma`.
    """

    def __init__(self, initializers: Any, regularizers: Any, collections: Any, trainable: bool) -> None:
        self.initializers = initializers or {}
        self.regularizers = regularizers or {}
        self.collections = collections
        self.trainable = trainable

    def initializer(self, name: str) -> Any:
        """Returns the initializer of a variable of shape `[channels]`.

        By default `gamma` and `moving_variance` start as ones, `beta` and `moving_mean` as zeros.
        """
        if name in self.initializers:
            return self.initializers[name]
        return tf.ones_initializer() if _INITIAL[name] else tf.zeros_initializer()

    def parameter(self, name: str, shape: Any, dtype: Any, regularized: bool = False) -> Any:
        """Makes the variable `beta` or `gamma`, of shape `[channels]`.

        Args:
            name: "beta" or "gamma".
            shape: `[channels]`.
            dtype: Dtype of the variable.
            regularized: True to use the regularizer; TensorFlow 1 doesn't where tf.nn.moments normalizes.
        """
        return model_variable(
            name,
            shape=shape,
            dtype=dtype,
            initializer=self.initializer(name),
            regularizer=self.regularizers.get(name) if regularized else None,
            collections=utils.get_variable_collections(self.collections, name),
            trainable=self.trainable,
        )

    def averages(self, shape: Any, dtype: Any) -> tuple[Any, Any]:
        """Makes the moving mean and the moving variance, of shape `[channels]`."""
        # They are never partitioned: assign_moving_average takes no partitioned variable.
        with tf.variable_scope(tf.get_variable_scope()) as scope_copy:
            scope_copy.set_partitioner(None)
            mean, variance = (
                model_variable(
                    name,
                    shape=shape,
                    dtype=dtype,
                    initializer=self.initializer(name),
                    trainable=False,
                    collections=utils.get_variable_collections(self.collections, name),
                )
                for name in ("moving_mean", "moving_variance")
            )
        return mean, variance


class _Averages:
    """Updates the moving averages, either when the result is computed or by a collection's ops.

    Attributes:
        decay: Decay of the averages.
        zero_debias: True to correct the moving mean's bias towards its initial zero.
        is_training: A bool or a bool tensor.
        collections: Collections of the update ops; None to update when the result is computed.
        may_train: False if `is_training` is known to be False.
    """

    def __init__(self, decay: float, zero_debias: bool, is_training: Any, collections: Any) -> None:
        self.decay = decay
        self.zero_debias = zero_debias
        self.is_training = is_training
        self.collections = collections
        known = utils.constant_value(is_training)
        self.may_train = known is None or bool(known)

    def updates(self, moving: tuple[Any, Any], batch_moments: tuple[Any, Any]) -> tuple[Any, Any]:
        """Returns the update ops of moving mean and variance, two tensors of shape `[channels]`."""
        return tuple(
            moving_averages.assign_moving_average(average, value, self.decay, zero_debias=zero_debias)
            for average, value, zero_debias in zip(moving, batch_moments, (self.zero_debias, False))
        )  # type: ignore[return-value]

    def collect(self, moving: tuple[Any, Any], batch_moments: tuple[Any, Any]) -> None:
        """Adds the updates, or at inference the averages, all of shape `[channels]`, to the collections."""
        for update in utils.smart_cond(self.is_training, lambda: self.updates(moving, batch_moments), lambda: moving):
            tf.add_to_collections(self.collections, update)

    def after_update(
        self, moving: tuple[Any, Any], batch_moments: tuple[Any, Any], tensors: Callable[[], list[Any]]
    ) -> list[Any]:
        """Returns copies of tensors of any shape; the averages are updated before they are computed."""
        with tf.control_dependencies(list(self.updates(moving, batch_moments))):
            return [tf.identity(each) for each in tensors()]


def _by_op(
    inputs: Any, center: bool, scale: bool, epsilon: float, data_format: str, variables: _Variables, averages: _Averages
) -> Any:
    """Normalizes by the fused op, whose inputs are of rank 4; `[batch, channels]` inputs are reshaped for it."""
    original_inputs = inputs
    if inputs.shape.ndims == 2:
        channels = inputs.shape.as_list()[-1]
        if channels is None:
            raise ValueError("inputs: the number of channels isn't known (None). Set the shape of inputs.")
        inputs = tf.reshape(inputs, [-1, channels, 1, 1] if data_format == "NCHW" else [-1, 1, 1, channels])
    shape = inputs.shape[1:2] if data_format == "NCHW" else inputs.shape[-1:]
    if not shape.is_fully_defined():
        raise ValueError(f"Inputs {inputs.name} has undefined `C` dimension {shape}.")

    def parameter(name: str, exists: bool) -> Any:
        """Returns the float32 variable of shape `[channels]`, or a constant of its initial value if not `exists`."""
        if exists:
            return variables.parameter(name, shape, tf.float32, regularized=True)
        return tf.constant(_INITIAL[name], dtype=tf.float32, shape=shape)

    beta = parameter("beta", center)
    gamma = parameter("gamma", scale)
    moving = variables.averages(shape, tf.float32)
    outputs, mean, variance = utils.smart_cond(
        averages.is_training,
        lambda: tf.nn.fused_batch_norm(inputs, gamma, beta, epsilon=epsilon, data_format=data_format)[:3],
        lambda: tf.nn.fused_batch_norm(
            inputs,
            gamma,
            beta,
            mean=moving[0],
            variance=moving[1],
            epsilon=epsilon,
            is_training=False,
            data_format=data_format,
        )[:3],
    )
    if averages.may_train:
        if averages.collections is None:
            computed = outputs
            outputs = utils.smart_cond(
                averages.is_training,
                lambda: averages.after_update(moving, (mean, variance), lambda: [computed])[0],
                lambda: computed,
            )
        else:
            averages.collect(moving, (mean, variance))
    outputs.set_shape(inputs.shape)
    return tf.reshape(outputs, tf.shape(original_inputs)) if original_inputs.shape.ndims == 2 else outputs


def _by_moments(
    inputs: Any,
    batch_weights: Any,
    center: bool,
    scale: bool,
    epsilon: float,
    data_format: str,
    variables: _Variables,
    averages: _Averages,
) -> Any:
    """Normalizes by mean and variance from tf.nn.moments; inputs may have any known rank, examples may have weights."""
    rank = inputs.shape.ndims
    if rank is None:
        raise ValueError(f"Inputs {inputs.name} has undefined rank.")
    dtype = inputs.dtype.base_dtype
    if batch_weights is not None:
        batch_weights = tf.convert_to_tensor(batch_weights)
        inputs.shape[0:1].assert_is_compatible_with(batch_weights.shape)
        batch_weights = tf.reshape(batch_weights, [-1] + [1] * (rank - 1))
    channels_first = data_format == "NCHW"
    axis = 1 if channels_first else rank - 1
    shape = inputs.shape[axis : axis + 1]
    if not shape.is_fully_defined():
        raise ValueError(f"Inputs {inputs.name} has undefined channels dimension {shape}.")
    axes = [each for each in range(rank) if each != axis]
    along_channels = [1, shape.as_list()[0]] + [1] * (rank - 2)

    beta = variables.parameter("beta", shape, dtype) if center else None
    gamma = variables.parameter("gamma", shape, dtype) if scale else None
    moving = variables.averages(shape, dtype)
    mean, variance = moving
    if averages.may_train:
        if batch_weights is None:
            batch_moments = tf.nn.moments(inputs, axes, keepdims=channels_first)
        else:
            batch_moments = tf.nn.weighted_moments(inputs, axes, batch_weights, keepdims=channels_first)
        if channels_first:
            batch_moments = tuple(tf.reshape(each, [-1]) for each in batch_moments)
        if averages.collections is None:
            mean, variance = utils.smart_cond(
                averages.is_training,
                lambda: averages.after_update(moving, batch_moments, lambda: list(batch_moments)),
                lambda: list(moving),
            )
        else:
            averages.collect(moving, batch_moments)
            mean, variance = utils.smart_cond(averages.is_training, lambda: batch_moments, lambda: moving)
    if channels_first:
        mean, variance, beta, gamma = (
            None if each is None else tf.reshape(each, along_channels) for each in (mean, variance, beta, gamma)
        )
    outputs = tf.nn.batch_normalization(inputs, mean, variance, beta, gamma, epsilon)
    outputs.set_shape(inputs.shape)
    return outputs
