# Copyright 2015-2019 The TensorFlow Authors. All Rights Reserved.
# Licensed under the Apache License, Version 2.0: see LICENSE.
# Written anew for tf1mem after tensorflow/contrib of TensorFlow 1.15.5, and changed: see NOTICE.

"""Inception v1, or GoogLeNet; Szegedy et al. 2014, https://arxiv.org/abs/1409.4842."""

from __future__ import annotations

from typing import Any

import tf1mem.v1 as tf
from tf1mem.v1.contrib.framework.arg_scope import arg_scope
from tf1mem.v1.contrib.layers.batch_normalization import batch_norm
from tf1mem.v1.contrib.layers.layers import avg_pool2d, conv2d, dropout, fully_connected, max_pool2d, softmax
from tf1mem.v1.contrib.slim.nets.inception_utils import (
    Step,
    build,
    conv,
    inception_arg_scope,
    logits_of,
    mixed,
    normal,
    pool,
)


def _mixed(
    name: str, depth_1x1: int, reduce_3x3: int, depth_3x3: int, reduce_5x5: int, depth_5x5: int, depth_pool: int
) -> Step:
    # The published checkpoint has "0a" in the name of this variable scope, where other steps have "0b".
    last_name = "Conv2d_0a_3x3" if name == "Mixed_5b" else "Conv2d_0b_3x3"
    return mixed(
        name,
        [conv("Conv2d_0a_1x1", depth_1x1)],
        [conv("Conv2d_0a_1x1", reduce_3x3), conv("Conv2d_0b_3x3", depth_3x3)],
        [conv("Conv2d_0a_1x1", reduce_5x5), conv(last_name, depth_5x5)],
        [pool("MaxPool_0a_3x3"), conv("Conv2d_0b_1x1", depth_pool)],
    )


# The steps of the net, from the images to the last features. The numbers are output channels, in a mixed step those of
# each convolution of its branches.
_STEPS = [
    conv("Conv2d_1a_7x7", 64, stride=2),
    pool("MaxPool_2a_3x3", stride=2),
    conv("Conv2d_2b_1x1", 64),
    conv("Conv2d_2c_3x3", 192),
    pool("MaxPool_3a_3x3", stride=2),
    _mixed("Mixed_3b", 64, 96, 128, 16, 32, 32),
    _mixed("Mixed_3c", 128, 128, 192, 32, 96, 64),
    pool("MaxPool_4a_3x3", stride=2),
    _mixed("Mixed_4b", 192, 96, 208, 16, 48, 64),
    _mixed("Mixed_4c", 160, 112, 224, 24, 64, 64),
    _mixed("Mixed_4d", 128, 128, 256, 24, 64, 64),
    _mixed("Mixed_4e", 112, 144, 288, 32, 64, 64),
    _mixed("Mixed_4f", 256, 160, 320, 32, 128, 128),
    pool("MaxPool_5a_2x2", stride=2),
    _mixed("Mixed_5b", 256, 160, 320, 32, 128, 128),
    _mixed("Mixed_5c", 384, 192, 384, 48, 128, 128),
]


def inception_v1_base(
    inputs: Any, final_endpoint: str = "Mixed_5c", scope: Any = "InceptionV1"
) -> tuple[Any, dict[str, Any]]:
    """Builds Inception v1 up to one of its steps; Szegedy et al. 2014, arXiv:1409.4842.

    Args:
        inputs: `[batch, height, width, channels]` float tensor.
        final_endpoint: Name of the final step, such as "Mixed_4b".
        scope: Variable scope.

    Returns:
        The `[batch, height, width, channels]` output of the final step, and a dict of step's name -> output.

    Raises:
        ValueError: There is no step of that name.
    """
    end_points: dict[str, Any] = {}
    with tf.variable_scope(scope, "InceptionV1", [inputs]), arg_scope(
        [conv2d, fully_connected], weights_initializer=normal(0.01)
    ), arg_scope([conv2d, max_pool2d], stride=1, padding="SAME"):
        return build(inputs, _STEPS, final_endpoint, end_points), end_points


def inception_v1(
    inputs: Any,
    num_classes: int = 1000,
    is_training: Any = True,
    dropout_keep_prob: float = 0.8,
    prediction_fn: Any = softmax,
    spatial_squeeze: bool = True,
    reuse: Any = None,
    scope: Any = "InceptionV1",
) -> tuple[Any, dict[str, Any]]:
    """Builds Inception v1 for images of 224 x 224; Szegedy et al. 2014, arXiv:1409.4842.

    Args:
        inputs: `[batch, 224, 224, channels]` float tensor.
        num_classes: Number of classes.
        is_training: True to apply dropout and train batch normalization; a bool or a bool tensor.
        dropout_keep_prob: Probability that an activation is kept.
        prediction_fn: Function of logits and `scope` that returns predictions; softmax by default.
        spatial_squeeze: True to remove the logits' spatial axes, which must have size 1.
        reuse: True to share the variables of an earlier net.
        scope: Variable scope.

    Returns:
        The `[batch, num_classes]` logits (`[batch, height, width, num_classes]` without `spatial_squeeze`), and a dict
        of name -> output of all steps, "Logits" and "Predictions".
    """
    with tf.variable_scope(scope, "InceptionV1", [inputs, num_classes], reuse=reuse) as sc, arg_scope(
        [batch_norm, dropout], is_training=is_training
    ):
        net, end_points = inception_v1_base(inputs, scope=sc)
        with tf.variable_scope("Logits"):
            # The scope has TensorFlow 1's name, although the pooling takes the average.
            net = avg_pool2d(net, [7, 7], stride=1, scope="MaxPool_0a_7x7")
            net = dropout(net, dropout_keep_prob, scope="Dropout_0b")
            logits = end_points["Logits"] = logits_of(net, num_classes, spatial_squeeze, "Conv2d_0c_1x1")
            end_points["Predictions"] = prediction_fn(logits, scope="Predictions")
        return logits, end_points


inception_v1.default_image_size = 224  # type: ignore[attr-defined]


def inception_v1_arg_scope(
    weight_decay: float = 0.00004, use_batch_norm: bool = True, batch_norm_var_collection: str = "moving_vars"
) -> Any:
    """Returns an `arg_scope` for the layers of Inception v1 (arXiv:1409.4842).

    Args:
        weight_decay: Factor of the L2 regularizer.
        use_batch_norm: True for convolutions with batch normalization.
        batch_norm_var_collection: Name of the collection of the moving averages.
    """
    return inception_arg_scope(weight_decay, batch_norm_var_collection, use_batch_norm)
