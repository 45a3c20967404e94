# Copyright 2015-2019 The TensorFlow Authors. All Rights Reserved.
# Licensed under the Apache License, Version 2.0: see LICENSE.
# Written anew for tf1mem after tensorflow/contrib of TensorFlow 1.15.5, and changed: see NOTICE.

"""Parts of ResNet v1 and v2: a net is a list of blocks, a block a sequence of units, such as bottlenecks."""

from __future__ import annotations

from typing import Any, Callable, NamedTuple

import tf1mem.v1 as tf
from tf1mem.v1.contrib.framework.arg_scope import add_arg_scope, arg_scope
from tf1mem.v1.contrib.layers import utils
from tf1mem.v1.contrib.layers.batch_normalization import batch_norm
from tf1mem.v1.contrib.layers.initializers import variance_scaling_initializer
from tf1mem.v1.contrib.layers.layers import conv2d, max_pool2d, softmax
from tf1mem.v1.contrib.layers.regularizers import l2_regularizer


class Block(NamedTuple):
    """A block of a ResNet: a sequence of units.

    Attributes:
        scope: Name of the variable scope.
        unit_fn: Function from a `[batch, height, width, channels]` net, a dilation rate and further arguments to the
          net with one more unit.
        args: Dicts of arguments, one for each unit.
    """

    scope: Any
    unit_fn: Callable[..., Any]
    args: Any


def subsample(inputs: Any, factor: int, scope: Any = None) -> Any:
    """Returns every `factor`-th row and column of `[batch, height, width, channels]` images.

    Args:
        inputs: `[batch, height, width, channels]` tensor.
        factor: Distance between the returned rows and columns; 1 keeps all.
        scope: Name scope.
    """
    return inputs if factor == 1 else max_pool2d(inputs, [1, 1], stride=factor, scope=scope)


def conv2d_same(inputs: Any, num_outputs: int, kernel_size: int, stride: int, rate: int = 1, scope: Any = None) -> Any:
    """Convolution with padding that doesn't depend on the image size, unlike "SAME" with a stride.

    Args:
        inputs: `[batch, height, width, channels]` tensor.
        num_outputs: Number of output channels.
        kernel_size: Height and width of the kernel, an int.
        stride: Step of the kernel, an int.
        rate: Dilation rate; 1 by default.
        scope: Variable scope.

    Returns:
        `[batch, new_height, new_width, num_outputs]` tensor.
    """
    if stride == 1:
        return conv2d(inputs, num_outputs, kernel_size, stride=1, rate=rate, padding="SAME", scope=scope)
    total = (kernel_size - 1) * rate
    before, after = total // 2, total - total // 2
    inputs = tf.pad(inputs, [[0, 0], [before, after], [before, after], [0, 0]])
    return conv2d(inputs, num_outputs, kernel_size, stride=stride, rate=rate, padding="VALID", scope=scope)


@add_arg_scope
def stack_blocks_dense(net: Any, blocks: Any, output_stride: Any = None, outputs_collections: Any = None) -> Any:
    """Applies blocks in sequence; once `output_stride` is reached, dilation rates replace the units' strides.

    Args:
        net: `[batch, height, width, channels]` tensor.
        blocks: List of Blocks.
        output_stride: Ratio of input to output height and width; None for the product of the units' strides.
        outputs_collections: Collections that the output of each block is added to.

    Returns:
        `[batch, new_height, new_width, channels]` tensor.

    Raises:
        ValueError: No product of the units' strides equals `output_stride`.
    """
    current_stride, rate = 1, 1
    for block in blocks:
        with tf.variable_scope(block.scope, "block", [net]) as sc:
            for number, unit in enumerate(block.args, 1):
                if output_stride is not None and current_stride > output_stride:
                    raise ValueError(
                        "output_stride: it equals no product of the units' strides. Give such a product, or None."
                    )
                stride = unit.get("stride", 1)
                with tf.variable_scope(f"unit_{number}", values=[net]):
                    if output_stride is not None and current_stride == output_stride:
                        net = block.unit_fn(net, rate=rate, **dict(unit, stride=1))
                        rate *= stride
                    else:
                        net = block.unit_fn(net, rate=1, **unit)
                        current_stride *= stride
            net = utils.collect_named_outputs(outputs_collections, sc.name, net)
    if output_stride is not None and current_stride != output_stride:
        raise ValueError("output_stride: it equals no product of the units' strides. Give such a product, or None.")
    return net


def resnet_arg_scope(
    weight_decay: float = 0.0001,
    batch_norm_decay: float = 0.997,
    batch_norm_epsilon: float = 1e-5,
    batch_norm_scale: bool = True,
) -> Any:
    """Returns an `arg_scope` for ResNet's layers (arXiv:1512.03385).

    Args:
        weight_decay: Factor of the L2 regularizer.
        batch_norm_decay: Decay of the moving averages.
        batch_norm_epsilon: Added to the variance.
        batch_norm_scale: True to multiply by a variable `gamma`.
    """
    batch_norm_params = {
        "decay": batch_norm_decay,
        "epsilon": batch_norm_epsilon,
        "scale": batch_norm_scale,
        "updates_collections": tf.GraphKeys.UPDATE_OPS,
    }
    with arg_scope(
        [conv2d],
        weights_regularizer=l2_regularizer(weight_decay),
        weights_initializer=variance_scaling_initializer(),
        activation_fn=tf.nn.relu,
        normalizer_fn=batch_norm,
        normalizer_params=batch_norm_params,
    ), arg_scope([batch_norm], **batch_norm_params), arg_scope([max_pool2d], padding="SAME") as scope:
        return scope


def build(
    inputs: Any,
    blocks: Any,
    unit_fn: Callable[..., Any],
    num_classes: int | None,
    is_training: Any,
    global_pool: bool,
    output_stride: Any,
    include_root_block: bool,
    sc: Any,
    preactivated: bool,
) -> tuple[Any, dict[str, Any]]:
    """Builds a ResNet inside its variable scope.

    Args:
        inputs: `[batch, height, width, channels]` float tensor.
        blocks: List of Blocks.
        unit_fn: Function that builds a unit.
        num_classes: Number of classes; None for a net without the layer of logits.
        is_training: True to train batch normalization.
        global_pool: True to take the mean over height and width.
        output_stride: Ratio of input to output height and width; None for the product of the strides.
        include_root_block: True to begin with a convolution and a pooling.
        sc: Variable scope.
        preactivated: True if units normalize their inputs (version 2).

    Returns:
        The `[batch, height, width, channels]` output, and a dict of all layers' outputs.

    Raises:
        ValueError: There is a root block, and `output_stride` isn't a multiple of its stride, 4; or no product of the
            units' strides equals the rest.
    """
    collection = sc.original_name_scope + "_end_points"
    with arg_scope([conv2d, unit_fn, stack_blocks_dense], outputs_collections=collection), arg_scope(
        [batch_norm], is_training=is_training
    ):
        net = inputs
        if include_root_block:
            if output_stride is not None:
                if output_stride % 4 != 0:
                    raise ValueError(f"output_stride: {output_stride} is no multiple of 4, the root block's stride.")
                output_stride /= 4
            plain = {"activation_fn": None, "normalizer_fn": None} if preactivated else {}
            with arg_scope([conv2d], **plain):
                net = conv2d_same(net, 64, 7, stride=2, scope="conv1")
            net = max_pool2d(net, [3, 3], stride=2, scope="pool1")
        net = stack_blocks_dense(net, blocks, output_stride)
        if preactivated:
            net = batch_norm(net, activation_fn=tf.nn.relu, scope="postnorm")
        if global_pool:
            net = tf.reduce_mean(net, [1, 2], name="pool5", keepdims=True)
        if num_classes is not None:
            net = conv2d(net, num_classes, [1, 1], activation_fn=None, normalizer_fn=None, scope="logits")
        end_points = utils.convert_collection_to_dict(collection)
        if num_classes is not None:
            end_points["predictions"] = softmax(net, scope="predictions")
        return net, end_points


def block_of(unit_fn: Callable[..., Any], scope: str, base_depth: int, num_units: int, stride: int) -> Block:
    """Returns a Block of bottleneck units for `[batch, height, width, channels]` nets; the last unit has the stride.

    Args:
        unit_fn: Function that builds a unit.
        scope: Name of the variable scope.
        base_depth: Number of channels inside a unit; its output has four times as many.
        num_units: Number of units.
        stride: Stride of the last unit.
    """
    unit = {"depth": base_depth * 4, "depth_bottleneck": base_depth, "stride": 1}
    return Block(scope, unit_fn, [unit] * (num_units - 1) + [dict(unit, stride=stride)])


def net_of(resnet: Callable[..., Any], make_block: Callable[..., Block], name: str, *num_units: int) -> Any:
    """Returns a function that builds a ResNet of four blocks for `[batch, height, width, channels]` images.

    Args:
        resnet: Function that builds a net from Blocks.
        make_block: Function from scope, base depth, number of units and stride to a Block.
        name: Name of the net, and its default scope.
        *num_units: Number of units of each block.
    """

    def net(
        inputs: Any,
        num_classes: int | None = None,
        is_training: Any = True,
        global_pool: bool = True,
        output_stride: int | None = None,
        reuse: Any = None,
        scope: Any = name,
    ) -> tuple[Any, dict[str, Any]]:
        """Returns the output, and a dict of all layers' outputs, for `[batch, height, width, channels]` images."""
        strides = (2, 2, 2, 1)
        blocks = [
            make_block(f"block{number}", base_depth=32 * 2**number, num_units=units, stride=stride)
            for number, (units, stride) in enumerate(zip(num_units, strides), 1)
        ]
        return resnet(  # type: ignore[no-any-return]
            inputs,
            blocks,
            num_classes,
            is_training,
            global_pool,
            output_stride,
            include_root_block=True,
            reuse=reuse,
            scope=scope,
        )

    net.__name__ = net.__qualname__ = name
    net.__doc__ = f"""{name}; takes the arguments of {resnet.__name__}, except its blocks."""
    return net
