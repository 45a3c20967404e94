# Copyright 2015-2019 The TensorFlow Authors. All Rights Reserved.
# Licensed under the Apache License, Version 2.0: see LICENSE.
# Written anew for tf1mem after tensorflow/contrib of TensorFlow 1.15.5, and changed: see NOTICE.

"""Fake quantization: ops that round values to those that some number of bits can represent."""

from __future__ import annotations

from typing import Any, Callable

from tensorflow.python.training import moving_averages

import tf1mem.v1 as tf


def FixedQuantize(inputs: Any, init_min: float = -6.0, init_max: float = 6.0, scope: str | None = None) -> Any:  # noqa: N802
    """Quantizes a tensor to 8 bits within a fixed range.

    Args:
        inputs: Float tensor of any shape.
        init_min: Lower end of the range.
        init_max: Upper end of the range.
        scope: Name scope of the op.

    Returns:
        Tensor of the shape of `inputs`.
    """
    with tf.name_scope(scope, "FixedQuantize", values=[inputs]):
        return tf.fake_quant_with_min_max_args(inputs, min=init_min, max=init_max)


def LastValueQuantize(  # noqa: N802
    inputs: Any,
    per_channel: bool = False,
    init_min: float = -6.0,
    init_max: float = 6.0,
    vars_collection: Any = None,
    name_prefix: str = "LastValueQuant",
    reuse: Any = None,
    is_training: bool = True,
    num_bits: int = 8,
    narrow_range: bool = False,
    symmetric: bool = False,
) -> Any:
    """Quantizes a tensor within the range of the last batch's values; Jacob et al., 2017, arXiv:1712.05877.

    Args:
        inputs: Float tensor of any shape; with `per_channel` of rank 1, 2 or 4.
        per_channel: True for a range per channel, the last dimension.
        init_min: Initial lower end of the range.
        init_max: Initial upper end of the range.
        vars_collection: Collection of the variables besides the global variables.
        name_prefix: Variable scope.
        reuse: True to reuse the variables of the scope.
        is_training: True to update the range by the inputs.
        num_bits: Number of bits.
        narrow_range: True to leave out the lowest quantized value.
        symmetric: True for a range that is symmetric about zero.

    Returns:
        Tensor of the shape of `inputs`.
    """

    def update(variable: Any, value: Any, name: str) -> Any:
        """Returns the variable after an assignment of the last value, `[channels]` or `[]`."""
        return tf.assign(variable, value, name=f"Assign{name}Last")

    return _quantize(
        update,
        inputs,
        per_channel,
        init_min,
        init_max,
        vars_collection,
        name_prefix,
        reuse,
        is_training,
        num_bits,
        narrow_range,
        symmetric,
    )


def MovingAvgQuantize(  # noqa: N802
    inputs: Any,
    per_channel: bool = False,
    init_min: float = -6.0,
    init_max: float = 6.0,
    ema_decay: float = 0.999,
    vars_collection: Any = tf.GraphKeys.MOVING_AVERAGE_VARIABLES,
    name_prefix: str = "MovingAvgQuantize",
    reuse: Any = None,
    is_training: bool = True,
    num_bits: int = 8,
    narrow_range: bool = False,
    symmetric: bool = False,
) -> Any:
    """Quantizes a tensor within a moving average of its range; Jacob et al., 2017, arXiv:1712.05877.

    Args:
        inputs: Float tensor of any shape; with `per_channel` of rank 1, 2 or 4.
        per_channel: True for a range per channel, the last dimension.
        init_min: Initial lower end of the range.
        init_max: Initial upper end of the range.
        ema_decay: Decay of the moving averages, from 0 to 1.
        vars_collection: Collection of the variables besides the global variables.
        name_prefix: Variable scope.
        reuse: True to reuse the variables of the scope.
        is_training: True to update the range by the inputs.
        num_bits: Number of bits.
        narrow_range: True to leave out the lowest quantized value.
        symmetric: True for a range that is symmetric about zero.

    Returns:
        Tensor of the shape of `inputs`.
    """

    def update(variable: Any, value: Any, name: str) -> Any:
        """Returns the variable after an update of its moving average, of shape `[channels]` or `[]`."""
        return moving_averages.assign_moving_average(variable, value, ema_decay, name=f"Assign{name}Ema")

    return _quantize(
        update,
        inputs,
        per_channel,
        init_min,
        init_max,
        vars_collection,
        name_prefix,
        reuse,
        is_training,
        num_bits,
        narrow_range,
        symmetric,
    )


def _quantize(
    update: Callable[[Any, Any, str], Any],
    inputs: Any,
    per_channel: bool,
    init_min: float,
    init_max: float,
    vars_collection: Any,
    name_prefix: str,
    reuse: Any,
    is_training: bool,
    num_bits: int,
    narrow_range: bool,
    symmetric: bool,
) -> Any:
    """Returns the inputs, of the same shape, after fake quantization between a minimum and a maximum in variables."""
    with tf.variable_scope(None, default_name=name_prefix, values=[inputs], reuse=reuse) as scope:
        scope.set_partitioner(None)
        shape = inputs.get_shape()
        if per_channel and len(shape) not in (1, 2, 4):
            raise AssertionError(f"Expected 1D, 2D or 4D input, was: {shape} in scope: {name_prefix}")
        collections = [vars_collection] if vars_collection else []

        def bound(name: str, value: float) -> Any:
            """Returns a new variable for an end of the range: of shape `[channels]` if `per_channel`, else `[]`."""
            return tf.get_variable(
                name,
                shape=[shape[-1]] if per_channel else [],
                initializer=tf.constant_initializer(value),
                collections=[*collections, tf.GraphKeys.GLOBAL_VARIABLES],
                trainable=False,
                aggregation=tf.VariableAggregation.MEAN,
            )

        least, greatest = bound("min", init_min), bound("max", init_max)
        if is_training:
            axes = list(range(len(shape) - 1)) if per_channel else None
            batch_min = inputs if axes == [] else tf.reduce_min(inputs, axis=axes, name="BatchMin")
            batch_max = inputs if axes == [] else tf.reduce_max(inputs, axis=axes, name="BatchMax")
            if symmetric:
                # The lowest quantized value is further from zero than the highest by one, unless narrow_range drops it.
                ratio = -1 if narrow_range else -((1 << num_bits) - 2) / (1 << num_bits)
                range_min = tf.minimum(batch_min, batch_max / ratio)
                range_max = tf.maximum(batch_max, batch_min * ratio)
            else:
                # The range has to include zero.
                range_min, range_max = tf.minimum(batch_min, 0.0), tf.maximum(batch_max, 0.0)
            least, greatest = update(least, range_min, "Min"), update(greatest, range_max, "Max")
        fake_quant = tf.fake_quant_with_min_max_vars_per_channel if per_channel else tf.fake_quant_with_min_max_vars
        return fake_quant(inputs, least, greatest, num_bits=num_bits, narrow_range=narrow_range)
