# Copyright 2015-2019 The TensorFlow Authors. All Rights Reserved.
# Licensed under the Apache License, Version 2.0: see LICENSE.
# Written anew for tf1mem after tensorflow/contrib of TensorFlow 1.15.5, and changed: see NOTICE.

"""VGG nets; Simonyan and Zisserman 2014, https://arxiv.org/abs/1409.1556."""

from __future__ import annotations

from typing import Any

import tf1mem.v1 as tf
from tf1mem.v1.contrib.framework.arg_scope import arg_scope
from tf1mem.v1.contrib.layers.layers import conv2d, fully_connected, max_pool2d, repeat
from tf1mem.v1.contrib.layers.regularizers import l2_regularizer
from tf1mem.v1.contrib.slim.nets.classification import classified


def vgg_arg_scope(weight_decay: float = 0.0005) -> Any:
    """Returns an `arg_scope` for VGG's layers (arXiv:1409.1556).

    Args:
        weight_decay: Factor of the L2 regularizer; 0.0005 by default.
    """
    with arg_scope(
        [conv2d, fully_connected],
        activation_fn=tf.nn.relu,
        weights_regularizer=l2_regularizer(weight_decay),
        biases_initializer=tf.zeros_initializer(),
    ), arg_scope([conv2d], padding="SAME") as scope:
        return scope


def _vgg(default_scope: str, *repetitions: int, by_original_name: bool = True) -> Any:
    """Returns a function that builds a VGG net; `repetitions` has the number of convolutions before each pooling."""

    def vgg(
        inputs: Any,
        num_classes: int = 1000,
        is_training: Any = True,
        dropout_keep_prob: float = 0.5,
        spatial_squeeze: bool = True,
        scope: Any = default_scope,
    ) -> tuple[Any, dict[str, Any]]:
        # Its docstring is set below, with the net's name.
        with tf.variable_scope(scope, default_scope, [inputs]) as sc:
            collection = (sc.original_name_scope if by_original_name else sc.name) + "_end_points"
            with arg_scope([conv2d, fully_connected, max_pool2d], outputs_collections=collection):
                net = inputs
                for number, (repetition, depth) in enumerate(zip(repetitions, (64, 128, 256, 512, 512)), 1):
                    net = repeat(net, repetition, conv2d, depth, [3, 3], scope=f"conv{number}")
                    net = max_pool2d(net, [2, 2], scope=f"pool{number}")
                net = conv2d(net, 4096, [7, 7], padding="VALID", scope="fc6")
                return classified(net, sc, collection, num_classes, is_training, dropout_keep_prob, spatial_squeeze)

    vgg.__name__ = vgg.__qualname__ = default_scope
    vgg.__doc__ = f"""{default_scope} for images of at least 224 x 224; Simonyan and Zisserman 2014, arXiv:1409.1556.

    Args:
        inputs: `[batch, height, width, channels]` float tensor.
        num_classes: Number of classes.
        is_training: True to apply dropout.
        dropout_keep_prob: Probability that an activation is kept.
        spatial_squeeze: True to remove the logits' spatial axes, which must have size 1.
        scope: Variable scope.

    Returns:
        The `[batch, num_classes]` logits, and a dict of all layers' outputs.
    """
    vgg.default_image_size = 224  # type: ignore[attr-defined]
    return vgg


vgg_a = _vgg("vgg_a", 1, 1, 2, 2, 2)
vgg_16 = _vgg("vgg_16", 2, 2, 3, 3, 3)
vgg_19 = _vgg("vgg_19", 2, 2, 4, 4, 4, by_original_name=False)
vgg_d = vgg_16
vgg_e = vgg_19
