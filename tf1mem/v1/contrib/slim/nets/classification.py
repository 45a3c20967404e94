# Copyright 2015-2019 The TensorFlow Authors. All Rights Reserved.
# Licensed under the Apache License, Version 2.0: see LICENSE.
# Written anew for tf1mem after tensorflow/contrib of TensorFlow 1.15.5, and changed: see NOTICE.

"""The last layers of AlexNet, OverFeat and VGG: fully connected layers, computed as convolutions."""

from __future__ import annotations

from typing import Any

import tf1mem.v1 as tf
from tf1mem.v1.contrib.layers import utils
from tf1mem.v1.contrib.layers.layers import conv2d, dropout


def classified(
    net: Any,
    sc: Any,
    end_points_collection: str,
    num_classes: int,
    is_training: Any,
    dropout_keep_prob: float,
    spatial_squeeze: bool,
    **last_layer: Any,
) -> tuple[Any, dict[str, Any]]:
    """Adds the last layers to a net; returns its logits, and a dict of all layers' outputs by name.

    The logits are `[batch, height, width, num_classes]`, or `[batch, num_classes]` if `spatial_squeeze` is True.

    Args:
        net: `[batch, height, width, depth]` output of the layer fc6.
        sc: Variable scope of the net.
        end_points_collection: Collection of the layers' outputs.
        num_classes: Number of classes.
        is_training: True to apply dropout.
        dropout_keep_prob: Probability that an activation is kept.
        spatial_squeeze: True to remove the logits' spatial axes, which must have size 1.
        **last_layer: More arguments of the last layer.
    """
    net = dropout(net, dropout_keep_prob, is_training=is_training, scope="dropout6")
    net = conv2d(net, 4096, [1, 1], scope="fc7")
    net = dropout(net, dropout_keep_prob, is_training=is_training, scope="dropout7")
    net = conv2d(net, num_classes, [1, 1], activation_fn=None, normalizer_fn=None, scope="fc8", **last_layer)
    end_points = utils.convert_collection_to_dict(end_points_collection)
    if spatial_squeeze:
        net = tf.squeeze(net, [1, 2], name="fc8/squeezed")
        end_points[sc.name + "/fc8"] = net
    return net, end_points
