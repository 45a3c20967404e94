# Copyright 2015-2019 The TensorFlow Authors. All Rights Reserved.
# Licensed under the Apache License, Version 2.0: see LICENSE.
# Written anew for tf1mem after tensorflow/contrib of TensorFlow 1.15.5, and changed: see NOTICE.

"""ResNet v1; He et al. 2015, https://arxiv.org/abs/1512.03385. Units normalize the outputs of their convolutions."""

from __future__ import annotations

from functools import partial
from typing import Any

import tf1mem.v1 as tf
from tf1mem.v1.contrib.framework.arg_scope import add_arg_scope
from tf1mem.v1.contrib.layers import utils
from tf1mem.v1.contrib.layers.layers import conv2d
from tf1mem.v1.contrib.slim.nets import resnet_utils
from tf1mem.v1.contrib.slim.nets.resnet_utils import conv2d_same, subsample

resnet_arg_scope = resnet_utils.resnet_arg_scope


@add_arg_scope
def bottleneck(
    inputs: Any,
    depth: int,
    depth_bottleneck: int,
    stride: int,
    rate: int = 1,
    outputs_collections: Any = None,
    scope: Any = None,
) -> Any:
    """Bottleneck unit of ResNet v1: three convolutions with fewer channels in the middle, plus a shortcut.

    Args:
        inputs: `[batch, height, width, channels]` tensor.
        depth: Number of output channels.
        depth_bottleneck: Number of channels in the middle.
        stride: Stride of the middle convolution.
        rate: Dilation rate of the middle convolution.
        outputs_collections: Collections that the output is added to.
        scope: Variable scope.

    Returns:
        `[batch, new_height, new_width, depth]` tensor.
    """
    with tf.variable_scope(scope, "bottleneck_v1", [inputs]) as sc:
        if depth == utils.last_dimension(inputs.get_shape(), min_rank=4):
            shortcut = subsample(inputs, stride, "shortcut")
        else:
            shortcut = conv2d(inputs, depth, [1, 1], stride=stride, activation_fn=None, scope="shortcut")
        residual = conv2d(inputs, depth_bottleneck, [1, 1], stride=1, scope="conv1")
        residual = conv2d_same(residual, depth_bottleneck, 3, stride, rate=rate, scope="conv2")
        residual = conv2d(residual, depth, [1, 1], stride=1, activation_fn=None, scope="conv3")
        return utils.collect_named_outputs(outputs_collections, sc.name, tf.nn.relu(shortcut + residual))


def resnet_v1(
    inputs: Any,
    blocks: Any,
    num_classes: int | None = None,
    is_training: Any = True,
    global_pool: bool = True,
    output_stride: int | None = None,
    include_root_block: bool = True,
    reuse: Any = None,
    scope: Any = None,
) -> tuple[Any, dict[str, Any]]:
    """ResNet v1 from blocks; He et al. 2015, arXiv:1512.03385.

    Args:
        inputs: `[batch, height, width, channels]` float tensor.
        blocks: List of `resnet_utils.Block`s.
        num_classes: Number of classes; None for a net without the layer of logits.
        is_training: True to train batch normalization.
        global_pool: True to take the mean over height and width.
        output_stride: Ratio of input to output height and width; None for the product of the blocks' strides.
        include_root_block: True to begin with a convolution and a pooling.
        reuse: True to share the variables of an earlier net.
        scope: Variable scope.

    Returns:
        The output, `[batch, 1, 1, num_classes]` logits if pooled, and a dict of a layer's name -> output.

    Raises:
        ValueError: No product of the units' strides, and of the root block's stride, 4, if there is one, equals
            `output_stride`.
    """
    with tf.variable_scope(scope, "resnet_v1", [inputs], reuse=reuse) as sc:
        return resnet_utils.build(
            inputs,
            blocks,
            bottleneck,
            num_classes,
            is_training,
            global_pool,
            output_stride,
            include_root_block,
            sc,
            preactivated=False,
        )


resnet_v1.default_image_size = 224  # type: ignore[attr-defined]
resnet_v1_block = partial(resnet_utils.block_of, bottleneck)
# The numbers are those of the units in the four blocks.
_net = partial(resnet_utils.net_of, resnet_v1, resnet_v1_block)
resnet_v1_50 = _net("resnet_v1_50", 3, 4, 6, 3)
resnet_v1_101 = _net("resnet_v1_101", 3, 4, 23, 3)
resnet_v1_152 = _net("resnet_v1_152", 3, 8, 36, 3)
resnet_v1_200 = _net("resnet_v1_200", 3, 24, 36, 3)
