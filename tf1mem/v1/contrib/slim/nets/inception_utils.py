# Copyright 2015-2019 The TensorFlow Authors. All Rights Reserved.
# Licensed under the Apache License, Version 2.0: see LICENSE.
# Written anew for tf1mem after tensorflow/contrib of TensorFlow 1.15.5, and changed: see NOTICE.

"""What Inception nets are made of: steps, each a name and a function that takes the net on.

A step's name is the scope of its variables, and says which kernel it has: "Conv2d_0a_3x3", "MaxPool_0a_3x3".
"""

from __future__ import annotations

from typing import Any, Callable, Iterable, Tuple

import tf1mem.v1 as tf
from tf1mem.v1.contrib.framework.arg_scope import arg_scope
from tf1mem.v1.contrib.layers.batch_normalization import batch_norm
from tf1mem.v1.contrib.layers.initializers import variance_scaling_initializer
from tf1mem.v1.contrib.layers.layers import avg_pool2d, conv2d, dropout, fully_connected, max_pool2d
from tf1mem.v1.contrib.layers.regularizers import l2_regularizer

Step = Tuple[str, Callable[[Any, str], Any]]


def _kernel(name: str) -> list[int]:
    return [int(size) for size in name.rpartition("_")[2].split("x")]


def normal(stddev: float) -> Any:
    """An initializer around 0, cut off at two standard deviations."""
    return tf.truncated_normal_initializer(0.0, stddev)


def conv(name: str, depth: int, kernel: Any = None, **kwargs: Any) -> Step:
    """A convolution.

    Args:
        name: The step's.
        depth: Channels that come out.
        kernel: Its rows and columns, if not those of the name.
        **kwargs: More arguments of `conv2d`.
    """
    return name, lambda net, scope: conv2d(net, depth, kernel or _kernel(name), scope=scope, **kwargs)


def pool(name: str, **kwargs: Any) -> Step:
    """A pooling, by the mean where the name begins with "Avg".

    Args:
        name: The step's.
        **kwargs: More arguments of `max_pool2d` or `avg_pool2d`.
    """
    by = avg_pool2d if name.startswith("Avg") else max_pool2d
    return name, lambda net, scope: by(net, _kernel(name), scope=scope, **kwargs)


def mixed(name: str, *branches: Iterable[Step]) -> Step:
    """Branches that all start from the net, and whose channels are put together.

    Args:
        name: The step's.
        *branches: The steps of each.
    """

    def step(net: Any, scope: str) -> Any:
        outputs = []
        with tf.variable_scope(scope):
            for number, steps in enumerate(branches):
                with tf.variable_scope(f"Branch_{number}"):
                    output = net
                    for each, take in steps:
                        output = take(output, each)
                    outputs.append(output)
            return tf.concat(outputs, 3)

    return name, step


def beside(*steps: Step) -> Step:
    """Steps that all start from the net, within one branch.

    Args:
        *steps: The steps.
    """
    return "", lambda net, _: tf.concat([take(net, name) for name, take in steps], 3)


def build(inputs: Any, steps: Iterable[Step], final_endpoint: str, end_points: dict[str, Any]) -> Any:
    """Takes steps up to one.

    Args:
        inputs: A batch of images.
        steps: The steps of the net.
        final_endpoint: Name of the last one.
        end_points: Gets the output of each by its name.

    Returns:
        The output of the last.

    Raises:
        ValueError: There is none of that name.
    """
    net = inputs
    for name, take in steps:
        net = end_points[name] = take(net, name)
        if name == final_endpoint:
            return net
    raise ValueError(f"Unknown final endpoint {final_endpoint}")


def depths(depth_multiplier: float, min_depth: int) -> Callable[[int], int]:
    """The function that makes a net thinner or thicker.

    Args:
        depth_multiplier: By how much.
        min_depth: Channels that are left in any case.

    Raises:
        ValueError: It isn't greater than 0.
    """
    if depth_multiplier <= 0:
        raise ValueError("depth_multiplier is not greater than zero.")
    return lambda depth: max(int(depth * depth_multiplier), min_depth)


def fitting(net: Any, size: int) -> list[int]:
    """Rows and columns of a square kernel, or of the whole image where that is known to be smaller."""
    height, width = net.get_shape().as_list()[1:3]
    return [size, size] if height is None or width is None else [min(height, size), min(width, size)]


def logits_of(net: Any, num_classes: int, spatial_squeeze: bool, scope: str) -> Any:
    """A convolution to the logits.

    Args:
        net: What goes in.
        num_classes: Number of classes.
        spatial_squeeze: Whether the logits lose their two dimensions of space.
        scope: Of the variables.
    """
    logits = conv2d(net, num_classes, [1, 1], activation_fn=None, normalizer_fn=None, scope=scope)
    return tf.squeeze(logits, [1, 2], name="SpatialSqueeze") if spatial_squeeze else logits


def classified(net: Any, size: int, keep_prob: float, num_classes: int, spatial_squeeze: bool) -> tuple[Any, Any]:
    """The end of versions 2 and 3.

    Args:
        net: What the last step gave.
        size: Rows and columns of the pooling.
        keep_prob: Probability that an activation is kept.
        num_classes: Number of classes.
        spatial_squeeze: Whether the logits lose their two dimensions of space.

    Returns:
        What goes into the logits' layer, and the logits.
    """
    with tf.variable_scope("Logits"):
        kernel = fitting(net, size)
        net = avg_pool2d(net, kernel, padding="VALID", scope="AvgPool_1a_{}x{}".format(*kernel))
        net = dropout(net, keep_prob=keep_prob, scope="Dropout_1b")
        return net, logits_of(net, num_classes, spatial_squeeze, "Conv2d_1c_1x1")


def inception_arg_scope(weight_decay: float, moving_vars: str, normalized: bool = True, **of_batch_norm: Any) -> Any:
    """The arguments of Inception's layers, for `arg_scope`.

    Args:
        weight_decay: Factor of the weights' regularization.
        moving_vars: Collection of the moving averages.
        normalized: Whether convolutions are.
        **of_batch_norm: What batch_norm takes, where it isn't the default.
    """
    arguments = {
        "decay": 0.9997,
        "epsilon": 0.001,
        "updates_collections": tf.GraphKeys.UPDATE_OPS,
        "variables_collections": {
            "beta": None,
            "gamma": None,
            "moving_mean": [moving_vars],
            "moving_variance": [moving_vars],
        },
        **of_batch_norm,
    }
    with arg_scope([conv2d, fully_connected], weights_regularizer=l2_regularizer(weight_decay)), arg_scope(
        [conv2d],
        weights_initializer=variance_scaling_initializer(),
        activation_fn=tf.nn.relu,
        normalizer_fn=batch_norm if normalized else None,
        normalizer_params=arguments if normalized else {},
    ) as scope:
        return scope
