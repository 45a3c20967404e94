# Copyright 2015-2019 The TensorFlow Authors. All Rights Reserved.
# Licensed under the Apache License, Version 2.0: see LICENSE.
# Written anew for tf1mem after tensorflow/contrib of TensorFlow 1.15.5, and changed: see NOTICE.

"""Inception v3; Szegedy et al. 2015, https://arxiv.org/abs/1512.00567."""

from __future__ import annotations

from typing import Any, Callable

import tf1mem.v1 as tf
from tf1mem.v1.contrib.framework.arg_scope import arg_scope
from tf1mem.v1.contrib.layers.batch_normalization import batch_norm
from tf1mem.v1.contrib.layers.layers import avg_pool2d, conv2d, dropout, max_pool2d, softmax
from tf1mem.v1.contrib.slim.nets.inception_utils import (
    Step,
    apply_final_layers,
    build,
    depths,
    inception_arg_scope,
    kernel_size_within,
    mixed,
    normal,
    parallel,
    pool,
)
from tf1mem.v1.contrib.slim.nets.inception_utils import conv as _conv

_VALID = {"stride": 2, "padding": "VALID"}


def _steps(depth: Callable[[int], int]) -> list[Step]:
    def conv(name: str, channels: int, **kwargs: Any) -> Step:
        """Returns a convolution of a `[batch, height, width, channels]` net."""
        return _conv(name, depth(channels), **kwargs)

    def large(name: str, depth_pool: int) -> Step:
        """Returns a step for `[batch, 35, 35, channels]` nets."""
        # The published checkpoint has other names in this one step.
        first_name, second_name = (
            ("Conv2d_0b_1x1", "Conv_1_0c_5x5") if name == "Mixed_5c" else ("Conv2d_0a_1x1", "Conv2d_0b_5x5")
        )
        return mixed(
            name,
            [conv("Conv2d_0a_1x1", 64)],
            [conv(first_name, 48), conv(second_name, 64)],
            [conv("Conv2d_0a_1x1", 64), conv("Conv2d_0b_3x3", 96), conv("Conv2d_0c_3x3", 96)],
            [pool("AvgPool_0a_3x3"), conv("Conv2d_0b_1x1", depth_pool)],
        )

    def middle(name: str, narrow: int) -> Step:
        """Returns a step for `[batch, 17, 17, channels]` nets."""
        return mixed(
            name,
            [conv("Conv2d_0a_1x1", 192)],
            [conv("Conv2d_0a_1x1", narrow), conv("Conv2d_0b_1x7", narrow), conv("Conv2d_0c_7x1", 192)],
            [
                conv("Conv2d_0a_1x1", narrow),
                conv("Conv2d_0b_7x1", narrow),
                conv("Conv2d_0c_1x7", narrow),
                conv("Conv2d_0d_7x1", narrow),
                conv("Conv2d_0e_1x7", 192),
            ],
            [pool("AvgPool_0a_3x3"), conv("Conv2d_0b_1x1", 192)],
        )

    def small(name: str) -> Step:
        """Returns a step for `[batch, 8, 8, channels]` nets."""
        # The published checkpoint has another name in this one step, too.
        name_3x1 = "Conv2d_0b_3x1" if name == "Mixed_7b" else "Conv2d_0c_3x1"
        return mixed(
            name,
            [conv("Conv2d_0a_1x1", 320)],
            [conv("Conv2d_0a_1x1", 384), parallel(conv("Conv2d_0b_1x3", 384), conv(name_3x1, 384))],
            [
                conv("Conv2d_0a_1x1", 448),
                conv("Conv2d_0b_3x3", 384),
                parallel(conv("Conv2d_0c_1x3", 384), conv("Conv2d_0d_3x1", 384)),
            ],
            [pool("AvgPool_0a_3x3"), conv("Conv2d_0b_1x1", 192)],
        )

    return [
        conv("Conv2d_1a_3x3", 32, **_VALID),
        conv("Conv2d_2a_3x3", 32, padding="VALID"),
        conv("Conv2d_2b_3x3", 64),
        pool("MaxPool_3a_3x3", **_VALID),
        conv("Conv2d_3b_1x1", 80, padding="VALID"),
        conv("Conv2d_4a_3x3", 192, padding="VALID"),
        pool("MaxPool_5a_3x3", **_VALID),
        large("Mixed_5b", 32),
        large("Mixed_5c", 64),
        large("Mixed_5d", 64),
        mixed(
            "Mixed_6a",
            [conv("Conv2d_1a_1x1", 384, kernel=[3, 3], **_VALID)],
            [
                conv("Conv2d_0a_1x1", 64),
                conv("Conv2d_0b_3x3", 96),
                conv("Conv2d_1a_1x1", 96, kernel=[3, 3], **_VALID),
            ],
            [pool("MaxPool_1a_3x3", **_VALID)],
        ),
        middle("Mixed_6b", 128),
        middle("Mixed_6c", 160),
        middle("Mixed_6d", 160),
        middle("Mixed_6e", 192),
        mixed(
            "Mixed_7a",
            [conv("Conv2d_0a_1x1", 192), conv("Conv2d_1a_3x3", 320, **_VALID)],
            [
                conv("Conv2d_0a_1x1", 192),
                conv("Conv2d_0b_1x7", 192),
                conv("Conv2d_0c_7x1", 192),
                conv("Conv2d_1a_3x3", 192, **_VALID),
            ],
            [pool("MaxPool_1a_3x3", **_VALID)],
        ),
        small("Mixed_7b"),
        small("Mixed_7c"),
    ]


def inception_v3_base(
    inputs: Any,
    final_endpoint: str = "Mixed_7c",
    min_depth: int = 16,
    depth_multiplier: float = 1.0,
    scope: Any = None,
) -> tuple[Any, dict[str, Any]]:
    """Inception v3 up to one of its steps; Szegedy et al. 2015, arXiv:1512.00567.

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
    with tf.variable_scope(scope, "InceptionV3", [inputs]), arg_scope(
        [conv2d, max_pool2d, avg_pool2d], stride=1, padding="SAME"
    ):
        return build(inputs, steps, final_endpoint, end_points), end_points


def inception_v3(
    inputs: Any,
    num_classes: int = 1000,
    is_training: Any = True,
    dropout_keep_prob: float = 0.8,
    min_depth: int = 16,
    depth_multiplier: float = 1.0,
    prediction_fn: Any = softmax,
    spatial_squeeze: bool = True,
    reuse: Any = None,
    scope: Any = "InceptionV3",
) -> tuple[Any, dict[str, Any]]:
    """Inception v3 for images of 299 x 299; Szegedy et al. 2015, arXiv:1512.00567.

    Args:
        inputs: `[batch, 299, 299, channels]` float tensor.
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
    depth = depths(depth_multiplier, min_depth)
    with tf.variable_scope(scope, "InceptionV3", [inputs, num_classes], reuse=reuse) as sc, arg_scope(
        [batch_norm, dropout], is_training=is_training
    ):
        net, end_points = inception_v3_base(inputs, scope=sc, min_depth=min_depth, depth_multiplier=depth_multiplier)
        with arg_scope([conv2d, max_pool2d, avg_pool2d], stride=1, padding="SAME"):
            end_points["AuxLogits"] = _aux_logits(end_points["Mixed_6e"], depth, num_classes, spatial_squeeze)
        pre_logits, logits = apply_final_layers(net, 8, dropout_keep_prob, num_classes, spatial_squeeze)
        end_points.update(PreLogits=pre_logits, Logits=logits)
        end_points["Predictions"] = prediction_fn(logits, scope="Predictions")
        return logits, end_points


def _aux_logits(net: Any, depth: Callable[[int], int], num_classes: int, spatial_squeeze: bool) -> Any:
    with tf.variable_scope("AuxLogits"):
        net = avg_pool2d(net, [5, 5], stride=3, padding="VALID", scope="AvgPool_1a_5x5")
        net = conv2d(net, depth(128), [1, 1], scope="Conv2d_1b_1x1")
        kernel = kernel_size_within(net, 5)
        net = conv2d(
            net,
            depth(768),
            kernel,
            weights_initializer=normal(0.01),
            padding="VALID",
            scope="Conv2d_2a_{}x{}".format(*kernel),
        )
        logits = conv2d(
            net,
            num_classes,
            [1, 1],
            activation_fn=None,
            normalizer_fn=None,
            weights_initializer=normal(0.001),
            scope="Conv2d_2b_1x1",
        )
        return tf.squeeze(logits, [1, 2], name="SpatialSqueeze") if spatial_squeeze else logits


inception_v3.default_image_size = 299  # type: ignore[attr-defined]


def inception_v3_arg_scope(
    weight_decay: float = 0.00004,
    batch_norm_var_collection: str = "moving_vars",
    batch_norm_decay: float = 0.9997,
    batch_norm_epsilon: float = 0.001,
    updates_collections: Any = tf.GraphKeys.UPDATE_OPS,
    use_fused_batchnorm: bool = True,
) -> Any:
    """Returns an `arg_scope` for the layers of Inception v3 (arXiv:1512.00567).

    Args:
        weight_decay: Factor of the L2 regularizer.
        batch_norm_var_collection: Collection of the moving averages.
        batch_norm_decay: Decay of the moving averages.
        batch_norm_epsilon: Added to the variance.
        updates_collections: Collections of the moving averages' updates.
        use_fused_batchnorm: True for the fused op.
    """
    return inception_arg_scope(
        weight_decay,
        batch_norm_var_collection,
        decay=batch_norm_decay,
        epsilon=batch_norm_epsilon,
        updates_collections=updates_collections,
        fused=use_fused_batchnorm,
    )
