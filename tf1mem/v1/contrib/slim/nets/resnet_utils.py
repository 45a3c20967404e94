# Copyright 2015-2019 The TensorFlow Authors. All Rights Reserved.
# Licensed under the Apache License, Version 2.0: see LICENSE.
# Written anew for tf1mem after tensorflow/contrib of TensorFlow 1.15.5, and changed: see NOTICE.

"""What both versions of ResNet are made of: blocks of units, whose strides may become rates of dilation."""

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
    """Some units, one after the other.

    Attributes:
        scope: Of their variables.
        unit_fn: Builds a unit: called with the net, a rate and the unit's arguments, it returns the net.
        args: The arguments of each unit, dicts.
    """

    scope: Any
    unit_fn: Callable[..., Any]
    args: Any


def subsample(inputs: Any, factor: int, scope: Any = None) -> Any:
    """Every so manieth row and column of images.

    Args:
        inputs: A batch of images.
        factor: 1 for all.
        scope: Of the operation.
    """
    return inputs if factor == 1 else max_pool2d(inputs, [1, 1], stride=factor, scope=scope)


def conv2d_same(inputs: Any, num_outputs: int, kernel_size: int, stride: int, rate: int = 1, scope: Any = None) -> Any:
    """A convolution whose padding doesn't depend on the size of the images, as that of "SAME" does with a stride.

    Args:
        inputs: A batch of images.
        num_outputs: Channels of the result.
        kernel_size: Its rows and columns.
        stride: Rows and columns from one place of the kernel to the next.
        rate: Of dilation.
        scope: Of the variables.
    """
    if stride == 1:
        return conv2d(inputs, num_outputs, kernel_size, stride=1, rate=rate, padding="SAME", scope=scope)
    total = (kernel_size - 1) * rate
    before, after = total // 2, total - total // 2
    inputs = tf.pad(inputs, [[0, 0], [before, after], [before, after], [0, 0]])
    return conv2d(inputs, num_outputs, kernel_size, stride=stride, rate=rate, padding="VALID", scope=scope)


@add_arg_scope
def stack_blocks_dense(net: Any, blocks: Any, output_stride: Any = None, outputs_collections: Any = None) -> Any:
    """Blocks, one after the other; beyond a stride the strides of units become rates of dilation.

    Args:
        net: What goes in.
        blocks: The Blocks.
        output_stride: By how much less rows and columns come out, at most; None for what the units' strides make.
        outputs_collections: Where the output of each block is put.

    Raises:
        ValueError: The strides don't make that output_stride.
    """
    reached, rate = 1, 1
    for block in blocks:
        with tf.variable_scope(block.scope, "block", [net]) as sc:
            for number, unit in enumerate(block.args, 1):
                if output_stride is not None and reached > output_stride:
                    raise ValueError(
                        "output_stride: the blocks' strides don't come to it. Give one that they do, or None."
                    )
                stride = unit.get("stride", 1)
                with tf.variable_scope(f"unit_{number}", values=[net]):
                    if output_stride is not None and reached == output_stride:
                        net = block.unit_fn(net, rate=rate, **dict(unit, stride=1))
                        rate *= stride
                    else:
                        net = block.unit_fn(net, rate=1, **unit)
                        reached *= stride
            net = utils.collect_named_outputs(outputs_collections, sc.name, net)
    if output_stride is not None and reached != output_stride:
        raise ValueError("output_stride: the blocks' strides don't come to it. Give one that they do, or None.")
    return net


def resnet_arg_scope(
    weight_decay: float = 0.0001,
    batch_norm_decay: float = 0.997,
    batch_norm_epsilon: float = 1e-5,
    batch_norm_scale: bool = True,
) -> Any:
    """The arguments of ResNet's layers, for `arg_scope`.

    Args:
        weight_decay: Factor of the weights' regularization.
        batch_norm_decay: Of the moving averages.
        batch_norm_epsilon: Added to the variance.
        batch_norm_scale: Whether there is a gamma.
    """
    of_batch_norm = {
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
        normalizer_params=of_batch_norm,
    ), arg_scope([batch_norm], **of_batch_norm), arg_scope([max_pool2d], padding="SAME") as scope:
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
    """A ResNet, inside its variable scope.

    Args:
        inputs: A batch of images.
        blocks: The Blocks.
        unit_fn: Builds their units.
        num_classes: Number of classes; None for features.
        is_training: Whether batch_norm is.
        global_pool: Whether to take the mean over space.
        output_stride: By how much less rows and columns come out, at most.
        include_root_block: Whether a convolution and a pooling come before the blocks.
        sc: The variable scope.
        preactivated: Whether units normalize what goes in, as those of version 2 do.

    Returns:
        The net, and the outputs of its layers by name.

    Raises:
        ValueError: `output_stride` is no multiple of 4.
    """
    collection = sc.original_name_scope + "_end_points"
    with arg_scope([conv2d, unit_fn, stack_blocks_dense], outputs_collections=collection), arg_scope(
        [batch_norm], is_training=is_training
    ):
        net = inputs
        if include_root_block:
            if output_stride is not None:
                if output_stride % 4 != 0:
                    raise ValueError(f"output_stride: {output_stride} is no multiple of the root block's 4. Give one.")
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
    """A Block of bottleneck units, of which the last has the stride.

    Args:
        unit_fn: Builds a unit.
        scope: Of their variables.
        base_depth: Channels in the middle of a unit; four times as many come out.
        num_units: How many units there are.
        stride: Of the last.
    """
    unit = {"depth": base_depth * 4, "depth_bottleneck": base_depth, "stride": 1}
    return Block(scope, unit_fn, [unit] * (num_units - 1) + [dict(unit, stride=stride)])


def net_of(resnet: Callable[..., Any], make_block: Callable[..., Block], name: str, *num_units: int) -> Any:
    """A function that builds a ResNet with so many units in its four blocks.

    Args:
        resnet: Builds a net of Blocks.
        make_block: Makes a Block: called with its scope, its depth, its number of units and its stride.
        name: The net's, and its default scope.
        *num_units: Of each block.
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
    net.__doc__ = f"""{name}, with the arguments of {resnet.__name__} but for its blocks."""
    return net
