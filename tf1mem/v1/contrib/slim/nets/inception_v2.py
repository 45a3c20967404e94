# Copyright 2015-2019 The TensorFlow Authors. All Rights Reserved.
# Licensed under the Apache License, Version 2.0: see LICENSE.
# Written anew for tf1mem after tensorflow/contrib of TensorFlow 1.15.5, and changed: see NOTICE.

"""Inception v2, with batch normalization; Ioffe and Szegedy 2015, https://arxiv.org/abs/1502.03167."""

from __future__ import annotations

from typing import Any, Callable

import tf1mem.v1 as tf
from tf1mem.v1.contrib.framework.arg_scope import arg_scope
from tf1mem.v1.contrib.layers.batch_normalization import batch_norm
from tf1mem.v1.contrib.layers.layers import avg_pool2d, conv2d, dropout, max_pool2d, separable_conv2d, softmax
from tf1mem.v1.contrib.slim.nets.inception_utils import (
    Step,
    apply_final_layers,
    build,
    conv,
    depths,
    inception_arg_scope,
    mixed,
    normal,
    pool,
)


def _steps(depth: Callable[[int], int]) -> list[Step]:
    def narrow(channels: int) -> Step:
        """Returns a 1x1 convolution of a `[batch, height, width, channels]` net, which reduces its channels."""
        return conv("Conv2d_0a_1x1", depth(channels), weights_initializer=normal(0.09))

    def wide(name: str, channels: int, **kwargs: Any) -> Step:
        """Returns a convolution of a `[batch, height, width, channels]` net."""
        return conv(name, depth(channels), **kwargs)

    def block(
        name: str,
        depth_1x1: int,
        single_3x3: tuple[int, int],
        double_3x3: tuple[int, int],
        depth_pool: int,
        pooling: str = "AvgPool",
    ) -> Step:
        """Returns a step that keeps height and width of its `[batch, height, width, channels]` net."""
        return mixed(
            name,
            [wide("Conv2d_0a_1x1", depth_1x1)],
            [narrow(single_3x3[0]), wide("Conv2d_0b_3x3", single_3x3[1])],
            [narrow(double_3x3[0]), wide("Conv2d_0b_3x3", double_3x3[1]), wide("Conv2d_0c_3x3", double_3x3[1])],
            [pool(pooling + "_0a_3x3"), wide("Conv2d_0b_1x1", depth_pool, weights_initializer=normal(0.1))],
        )

    def smaller(name: str, single_3x3: tuple[int, int], double_3x3: tuple[int, int]) -> Step:
        """Returns a step that halves height and width of its `[batch, height, width, channels]` net."""
        return mixed(
            name,
            [narrow(single_3x3[0]), wide("Conv2d_1a_3x3", single_3x3[1], stride=2)],
            [
                narrow(double_3x3[0]),
                wide("Conv2d_0b_3x3", double_3x3[1]),
                wide("Conv2d_1a_3x3", double_3x3[1], stride=2),
            ],
            [pool("MaxPool_1a_3x3", stride=2)],
        )

    def first(net: Any, scope: str) -> Any:
        """Returns the first step's output, a separable convolution of the `[batch, height, width, channels]` images."""
        return separable_conv2d(
            net,
            depth(64),
            [7, 7],
            depth_multiplier=min(int(depth(64) / 3), 8),
            stride=2,
            weights_initializer=normal(1.0),
            scope=scope,
        )

    return [
        ("Conv2d_1a_7x7", first),
        pool("MaxPool_2a_3x3", stride=2),
        wide("Conv2d_2b_1x1", 64, weights_initializer=normal(0.1)),
        wide("Conv2d_2c_3x3", 192),
        pool("MaxPool_3a_3x3", stride=2),
        block("Mixed_3b", 64, (64, 64), (64, 96), 32),
        block("Mixed_3c", 64, (64, 96), (64, 96), 64),
        smaller("Mixed_4a", (128, 160), (64, 96)),
        block("Mixed_4b", 224, (64, 96), (96, 128), 128),
        block("Mixed_4c", 192, (96, 128), (96, 128), 128),
        block("Mixed_4d", 160, (128, 160), (128, 160), 96),
        block("Mixed_4e", 96, (128, 192), (160, 192), 96),
        smaller("Mixed_5a", (128, 192), (192, 256)),
        block("Mixed_5b", 352, (192, 320), (160, 224), 128),
        block("Mixed_5c", 352, (192, 320), (192, 224), 128, "MaxPool"),
    ]


def inception_v2_base(
    inputs: Any,
    final_endpoint: str = "Mixed_5c",
    min_depth: int = 16,
    depth_multiplier: float = 1.0,
    scope: Any = None,
) -> tuple[Any, dict[str, Any]]:
    """Inception v2 up to one of its steps; Ioffe and Szegedy 2015, arXiv:1502.03167.

    Args:
        inputs: `[batch, height, width, channels]` float tensor.
        final_endpoint: Name of the final step.
        min_depth: Minimum number of channels of a layer.
        depth_multiplier: Factor of the layers' number of channels.
        scope: Variable scope.

    Returns:
        The `[batch, height, width, channels]` output of the final step, and a dict of all steps' outputs.

    Raises:
        ValueError: There is no step of that name, or `depth_multiplier` isn't greater than 0.
    """
    end_points: dict[str, Any] = {}
    steps = _steps(depths(depth_multiplier, min_depth))
    with tf.variable_scope(scope, "InceptionV2", [inputs]), arg_scope(
        [conv2d, max_pool2d, avg_pool2d, separable_conv2d], stride=1, padding="SAME"
    ):
        return build(inputs, steps, final_endpoint, end_points), end_points


def inception_v2(
    inputs: Any,
    num_classes: int = 1000,
    is_training: Any = True,
    dropout_keep_prob: float = 0.8,
    min_depth: int = 16,
    depth_multiplier: float = 1.0,
    prediction_fn: Any = softmax,
    spatial_squeeze: bool = True,
    reuse: Any = None,
    scope: Any = "InceptionV2",
) -> tuple[Any, dict[str, Any]]:
    """Inception v2 for images of 224 x 224; Ioffe and Szegedy 2015, arXiv:1502.03167.

    Args:
        inputs: `[batch, 224, 224, channels]` float tensor.
        num_classes: Number of classes.
        is_training: True to apply dropout and train batch normalization.
        dropout_keep_prob: Probability that an activation is kept.
        min_depth: Minimum number of channels of a layer.
        depth_multiplier: Factor of the layers' number of channels.
        prediction_fn: Function from logits to predictions.
        spatial_squeeze: True to remove the logits' spatial axes, which must have size 1.
        reuse: True to share the variables of an earlier net.
        scope: Variable scope.

    Returns:
        The `[batch, num_classes]` logits, and a dict of all steps' outputs.

    Raises:
        ValueError: `depth_multiplier` isn't greater than 0.
    """
    depths(depth_multiplier, min_depth)  # raises the error of a wrong multiplier before a variable scope is opened
    with tf.variable_scope(scope, "InceptionV2", [inputs, num_classes], reuse=reuse) as sc, arg_scope(
        [batch_norm, dropout], is_training=is_training
    ):
        net, end_points = inception_v2_base(inputs, scope=sc, min_depth=min_depth, depth_multiplier=depth_multiplier)
        _, logits = apply_final_layers(net, 7, dropout_keep_prob, num_classes, spatial_squeeze)
        end_points["Logits"] = logits
        end_points["Predictions"] = prediction_fn(logits, scope="Predictions")
        return logits, end_points


inception_v2.default_image_size = 224  # type: ignore[attr-defined]


def inception_v2_arg_scope(weight_decay: float = 0.00004, batch_norm_var_collection: str = "moving_vars") -> Any:
    """Returns an `arg_scope` for the layers of Inception v2 (arXiv:1502.03167).

    Args:
        weight_decay: Factor of the L2 regularizer.
        batch_norm_var_collection: Collection of the moving averages.
    """
    return inception_arg_scope(weight_decay, batch_norm_var_collection)
