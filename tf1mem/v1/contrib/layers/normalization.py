# Copyright 2015-2019 The TensorFlow Authors. All Rights Reserved.
# Licensed under the Apache License, Version 2.0: see LICENSE.
# Written anew for tf1mem after tensorflow/contrib of TensorFlow 1.15.5, and changed: see NOTICE.

"""Instance and group normalization (tf.contrib.layers)."""

from __future__ import annotations

from typing import Any, Mapping, Sequence

import tf1mem.v1 as tf
from tf1mem.v1.contrib.framework.arg_scope import add_arg_scope
from tf1mem.v1.contrib.framework.variables import model_variable
from tf1mem.v1.contrib.layers import utils

_INITIALIZERS = {"beta": tf.zeros_initializer(), "gamma": tf.ones_initializer()}


def _parameter(
    name: str, channels: int, dtype: Any, initializers: Mapping[str, Any] | None, collections: Any, trainable: bool
) -> Any:
    return model_variable(
        name,
        shape=[channels],
        dtype=dtype,
        initializer=(initializers or {}).get(name, _INITIALIZERS[name]),
        collections=utils.get_variable_collections(collections, name),
        trainable=trainable,
    )


@add_arg_scope
def instance_norm(
    inputs: Any,
    center: bool = True,
    scale: bool = True,
    epsilon: float = 1e-6,
    activation_fn: Any = None,
    param_initializers: Mapping[str, Any] | None = None,
    reuse: Any = None,
    variables_collections: Any = None,
    outputs_collections: Any = None,
    trainable: bool = True,
    data_format: str = "NHWC",
    scope: Any = None,
) -> Any:
    """Instance normalization: mean 0 and variance 1 for each channel of each example.

    Ulyanov et al. 2016, arXiv:1607.08022.

    Args:
        inputs: `[batch, ..., channels]` tensor, or channels second for "NCHW".
        center: True to add the variable `beta`, of shape `[channels]`.
        scale: True to multiply by the variable `gamma`, of shape `[channels]`.
        epsilon: Added to the variance; 1e-6 by default.
        activation_fn: Function applied to the result; None for none.
        param_initializers: Dict with the keys "beta" and "gamma": initializers.
        reuse: True to share the variables of an earlier layer; needs `scope`.
        variables_collections: Collections for all variables; or a dict, name of a variable -> collections.
        outputs_collections: Collections that the result is added to.
        trainable: True to train `beta` and `gamma`.
        data_format: "NHWC" or "NCHW".
        scope: Variable scope.

    Returns:
        Tensor of the shape of the inputs.

    Raises:
        ValueError: The number of channels is unknown, or `data_format` isn't supported.
    """
    inputs = tf.convert_to_tensor(inputs)
    rank = inputs.shape.ndims
    if rank is None:
        raise ValueError(f"Inputs {inputs.name} has undefined rank.")
    if data_format not in ("NCHW", "NHWC"):
        raise ValueError("data_format has to be either NCHW or NHWC.")
    with tf.variable_scope(scope, "InstanceNorm", [inputs], reuse=reuse) as sc:
        axis = 1 if data_format == "NCHW" else rank - 1
        channels = inputs.shape.as_list()[axis]
        if channels is None:
            raise ValueError(f"Inputs {inputs.name} has undefined channels dimension {inputs.shape[axis : axis + 1]}.")

        def parameter(name: str) -> Any:
            """Makes the `[channels]` variable; for "NCHW" returns it reshaped to `[1, channels, 1, ...]`."""
            variable = _parameter(
                name, channels, inputs.dtype.base_dtype, param_initializers, variables_collections, trainable
            )
            return tf.reshape(variable, [1, channels] + [1] * (rank - 2)) if data_format == "NCHW" else variable

        beta = parameter("beta") if center else None
        gamma = parameter("gamma") if scale else None
        mean, variance = tf.nn.moments(inputs, [each for each in range(1, rank) if each != axis], keepdims=True)
        outputs = tf.nn.batch_normalization(inputs, mean, variance, beta, gamma, epsilon, name="instancenorm")
        if activation_fn is not None:
            outputs = activation_fn(outputs)
        return utils.collect_named_outputs(outputs_collections, sc.name, outputs)


@add_arg_scope
def group_norm(
    inputs: Any,
    groups: int = 32,
    channels_axis: int = -1,
    reduction_axes: Sequence[int] = (-3, -2),
    center: bool = True,
    scale: bool = True,
    epsilon: float = 1e-6,
    activation_fn: Any = None,
    param_initializers: Mapping[str, Any] | None = None,
    reuse: Any = None,
    variables_collections: Any = None,
    outputs_collections: Any = None,
    trainable: bool = True,
    scope: Any = None,
    mean_close_to_zero: bool = False,
) -> Any:
    """Group normalization: mean 0 and variance 1 for each group of channels of each example.

    Wu and He 2018, arXiv:1803.08494.

    Args:
        inputs: `[batch, height, width, channels]` tensor, or a tensor of another rank, with axes to match.
        groups: Number of groups; 32 by default.
        channels_axis: The channels' axis; -1 by default.
        reduction_axes: The axes, besides the channels, that mean and variance are computed over; (-3, -2) by default.
        center: True to add the variable `beta`, of shape `[channels]`.
        scale: True to multiply by the variable `gamma`, of shape `[channels]`.
        epsilon: Added to the variance; 1e-6 by default.
        activation_fn: Function applied to the result; None for none.
        param_initializers: Dict with the keys "beta" and "gamma": initializers.
        reuse: True to share the variables of an earlier layer; needs `scope`.
        variables_collections: Collections for all variables; or a dict, name of a variable -> collections.
        outputs_collections: Collections that the result is added to.
        trainable: True to train `beta` and `gamma`.
        scope: Variable scope.
        mean_close_to_zero: True to compute the variance from plain sums, which is faster and less exact.

    Returns:
        Tensor of the shape of the inputs.

    Raises:
        ValueError: An axis is out of range, its size is unknown, or the channels can't be divided into equal groups.
    """
    inputs = tf.convert_to_tensor(inputs)
    rank = inputs.shape.ndims
    if rank is None:
        raise ValueError(f"Inputs {inputs.name} has undefined rank.")
    if channels_axis > rank - 1:
        raise ValueError("Axis is out of bounds.")
    channels_at = channels_axis % rank
    static_sizes = inputs.shape.as_list()
    dynamic_sizes = tf.shape(inputs)
    sizes = [dynamic_sizes[axis] if size is None else size for axis, size in enumerate(static_sizes)]
    channels = static_sizes[channels_at]
    if channels is None:
        raise ValueError(f"Inputs {inputs.name} has undefined channel dimension: {channels_at}.")
    axes = [axis + rank if axis < 0 else axis for axis in reduction_axes]
    for axis in axes:
        if axis >= rank:
            raise ValueError("Axis is out of bounds.")
        if static_sizes[axis] is None:
            raise ValueError(f"Inputs {inputs.name} has undefined dimensions {axis}.")
        if axis == channels_at:
            raise ValueError("reduction_axis must be mutually exclusive with channels_axis")
    if groups > channels:
        raise ValueError(f"Invalid groups {groups} for {channels} channels.")
    if channels % groups:
        raise ValueError(f"{channels} channels is not commensurate with {groups} groups.")

    # The channels become two dimensions: the groups, and the channels in each.
    group_shape = [groups, channels // groups]
    along_channels = [1] * channels_at + group_shape + [1] * (rank - channels_at - 1)
    inputs = tf.reshape(inputs, sizes[:channels_at] + group_shape + sizes[channels_at + 1 :])
    moment_axes = [channels_at + 1] + [axis + 1 if axis > channels_at else axis for axis in axes]
    with tf.variable_scope(scope, "GroupNorm", [inputs], reuse=reuse) as sc:

        def parameter(name: str) -> Any:
            """Makes the `[channels]` variable; returns it as `[1, 1, 1, groups, channels / groups]` for images."""
            variable = _parameter(
                name, channels, inputs.dtype.base_dtype, param_initializers, variables_collections, trainable
            )
            return tf.reshape(variable, along_channels)

        beta = parameter("beta") if center else None
        gamma = parameter("gamma") if scale else None
        if mean_close_to_zero:
            count, mean_sum, variance_sum, _ = tf.nn.sufficient_statistics(inputs, moment_axes, keepdims=True)
            mean, variance = tf.nn.normalize_moments(count, mean_sum, variance_sum, shift=None)
        else:
            mean, variance = tf.nn.moments(inputs, moment_axes, keepdims=True)
        gain = tf.rsqrt(variance + epsilon)
        offset = -mean * gain
        if gamma is not None:
            gain *= gamma
            offset *= gamma
        if beta is not None:
            offset += beta
        outputs = tf.reshape(inputs * gain + offset, sizes)
        if activation_fn is not None:
            outputs = activation_fn(outputs)
        return utils.collect_named_outputs(outputs_collections, sc.name, outputs)
