# Copyright 2015-2019 The TensorFlow Authors. All Rights Reserved.
# Licensed under the Apache License, Version 2.0: see LICENSE.
# Written anew for tf1mem after tensorflow/contrib of TensorFlow 1.15.5, and changed: see NOTICE.

"""OverFeat; Sermanet et al. 2013, https://arxiv.org/abs/1312.6229."""

from __future__ import annotations

from typing import Any

import tf1mem.v1 as tf
from tf1mem.v1.contrib.framework.arg_scope import arg_scope
from tf1mem.v1.contrib.layers.layers import conv2d, fully_connected, max_pool2d
from tf1mem.v1.contrib.layers.regularizers import l2_regularizer
from tf1mem.v1.contrib.slim.nets.classification import classified


def overfeat_arg_scope(weight_decay: float = 0.0005) -> Any:
    """Returns an `arg_scope` for OverFeat's layers (arXiv:1312.6229).

    Args:
        weight_decay: Factor of the L2 regularizer; 0.0005 by default.
    """
    with arg_scope(
        [conv2d, fully_connected],
        activation_fn=tf.nn.relu,
        weights_regularizer=l2_regularizer(weight_decay),
        biases_initializer=tf.zeros_initializer(),
    ), arg_scope([conv2d], padding="SAME"), arg_scope([max_pool2d], padding="VALID") as scope:
        return scope


def overfeat(
    inputs: Any,
    num_classes: int = 1000,
    is_training: Any = True,
    dropout_keep_prob: float = 0.5,
    spatial_squeeze: bool = True,
    scope: Any = "overfeat",
) -> tuple[Any, dict[str, Any]]:
    """OverFeat for images of at least 231 x 231; Sermanet et al. 2013, arXiv:1312.6229.

    Args:
        inputs: `[batch, height, width, channels]` float tensor.
        num_classes: Number of classes.
        is_training: True to apply dropout.
        dropout_keep_prob: Probability that an activation is kept.
        spatial_squeeze: True to remove the logits' spatial axes, which must have size 1.
        scope: Variable scope.

    Returns:
        The `[batch, num_classes]` logits (`[batch, 1, 1, num_classes]` if not squeezed), and a dict of layer outputs.
    """
    with tf.variable_scope(scope, "overfeat", [inputs]) as sc:
        collection = sc.name + "_end_points"
        with arg_scope([conv2d, fully_connected, max_pool2d], outputs_collections=collection):
            net = conv2d(inputs, 64, [11, 11], 4, padding="VALID", scope="conv1")
            net = max_pool2d(net, [2, 2], scope="pool1")
            net = conv2d(net, 256, [5, 5], padding="VALID", scope="conv2")
            net = max_pool2d(net, [2, 2], scope="pool2")
            net = conv2d(net, 512, [3, 3], scope="conv3")
            net = conv2d(net, 1024, [3, 3], scope="conv4")
            net = conv2d(net, 1024, [3, 3], scope="conv5")
            net = max_pool2d(net, [2, 2], scope="pool5")
            with arg_scope(
                [conv2d],
                weights_initializer=tf.truncated_normal_initializer(0.0, 0.005),
                biases_initializer=tf.constant_initializer(0.1),
            ):
                net = conv2d(net, 3072, [6, 6], padding="VALID", scope="fc6")
                return classified(
                    net,
                    sc,
                    collection,
                    num_classes,
                    is_training,
                    dropout_keep_prob,
                    spatial_squeeze,
                    biases_initializer=tf.zeros_initializer(),
                )
