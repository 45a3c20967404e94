# Copyright 2015-2019 The TensorFlow Authors. All Rights Reserved.
# Licensed under the Apache License, Version 2.0: see LICENSE.
# Written anew for tf1mem after tensorflow/contrib of TensorFlow 1.15.5, and changed: see NOTICE.

"""Parts of Inception nets, which are lists of steps.

A step is a name and a function. The function takes the tensor so far, `net`, and a scope, and returns the next tensor.
The name is the scope, and ends with the kernel size: "Conv2d_0a_3x3", "MaxPool_0a_3x3".
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
    """Returns a truncated normal initializer with mean 0, for variables of any shape."""
    return tf.truncated_normal_initializer(0.0, stddev)


def conv(name: str, depth: int, kernel: Any = None, **kwargs: Any) -> Step:
    """Returns a convolution step for `[batch, height, width, channels]` nets.

    Args:
        name: Name of the step.
        depth: Number of output channels.
        kernel: Height and width of the kernel; by default those in the name.
        **kwargs: More arguments of `conv2d`.
    """
    return name, lambda net, scope: conv2d(net, depth, kernel or _kernel(name), scope=scope, **kwargs)


def pool(name: str, **kwargs: Any) -> Step:
    """Returns a pooling step for `[batch, height, width, channels]` nets.

    Args:
        name: Name of the step; average pooling if it begins with "Avg", else max pooling.
        **kwargs: More arguments of `max_pool2d` or `avg_pool2d`.
    """
    pooling = avg_pool2d if name.startswith("Avg") else max_pool2d
    return name, lambda net, scope: pooling(net, _kernel(name), scope=scope, **kwargs)


def mixed(name: str, *branches: Iterable[Step]) -> Step:
    """Returns a step of branches that start from the same `[batch, height, width, channels]` net and are concatenated.

    Args:
        name: Name of the step.
        *branches: The steps of each branch.
    """

    def step(net: Any, scope: str) -> Any:
        """Returns the `[batch, height, width, channels]` outputs of the branches, concatenated."""
        outputs = []
        with tf.variable_scope(scope):
            for number, steps in enumerate(branches):
                with tf.variable_scope(f"Branch_{number}"):
                    output = net
                    for step_name, apply in steps:
                        output = apply(output, step_name)
                    outputs.append(output)
            return tf.concat(outputs, 3)

    return name, step


def parallel(*steps: Step) -> Step:
    """Returns parallel steps within a branch; their `[batch, height, width, channels]` outputs are concatenated.

    Args:
        *steps: The parallel steps.
    """
    # The name is empty: parallel steps have no scope of their own.
    return "", lambda net, _: tf.concat([apply(net, name) for name, apply in steps], 3)


def build(inputs: Any, steps: Iterable[Step], final_endpoint: str, end_points: dict[str, Any]) -> Any:
    """Applies steps up to the final one.

    Args:
        inputs: `[batch, height, width, channels]` float tensor.
        steps: Steps of the net.
        final_endpoint: Name of the final step.
        end_points: Dict that receives the output of each step under its name.

    Returns:
        The output of the final step.

    Raises:
        ValueError: There is no step of that name.
    """
    net = inputs
    for name, apply in steps:
        net = end_points[name] = apply(net, name)
        if name == final_endpoint:
            return net
    raise ValueError(f"Unknown final endpoint {final_endpoint}")


def depths(depth_multiplier: float, min_depth: int) -> Callable[[int], int]:
    """Returns the function that scales the number of channels of `[batch, height, width, channels]` outputs.

    Args:
        depth_multiplier: Factor of the number of channels.
        min_depth: Minimum number of channels.

    Raises:
        ValueError: The factor isn't greater than 0.
    """
    if depth_multiplier <= 0:
        raise ValueError("depth_multiplier is not greater than zero.")
    return lambda depth: max(int(depth * depth_multiplier), min_depth)


def kernel_size_within(net: Any, size: int) -> list[int]:
    """Returns `[size, size]` for a kernel, but no more than the size of a `[batch, height, width, channels]` net."""
    height, width = net.get_shape().as_list()[1:3]
    return [size, size] if height is None or width is None else [min(height, size), min(width, size)]


def logits_of(net: Any, num_classes: int, spatial_squeeze: bool, scope: str) -> Any:
    """Returns the logits, `[batch, num_classes]` (or `[batch, height, width, num_classes]`), by a 1x1 convolution.

    Args:
        net: `[batch, height, width, channels]` tensor.
        num_classes: Number of classes.
        spatial_squeeze: True to remove the spatial axes, which must have size 1.
        scope: Variable scope.
    """
    logits = conv2d(net, num_classes, [1, 1], activation_fn=None, normalizer_fn=None, scope=scope)
    return tf.squeeze(logits, [1, 2], name="SpatialSqueeze") if spatial_squeeze else logits


def apply_final_layers(
    net: Any, size: int, keep_prob: float, num_classes: int, spatial_squeeze: bool
) -> tuple[Any, Any]:
    """Applies the last layers of Inception v2 and v3.

    Args:
        net: `[batch, height, width, channels]` output of the last step.
        size: Height and width of the pooling window.
        keep_prob: Probability that an activation is kept.
        num_classes: Number of classes.
        spatial_squeeze: True to remove the logits' spatial axes, which must have size 1.

    Returns:
        The input of the logits' layer, and the logits.
    """
    with tf.variable_scope("Logits"):
        kernel = kernel_size_within(net, size)
        net = avg_pool2d(net, kernel, padding="VALID", scope="AvgPool_1a_{}x{}".format(*kernel))
        net = dropout(net, keep_prob=keep_prob, scope="Dropout_1b")
        return net, logits_of(net, num_classes, spatial_squeeze, "Conv2d_1c_1x1")


def inception_arg_scope(
    weight_decay: float, moving_vars: str, normalized: bool = True, **batch_norm_arguments: Any
) -> Any:
    """Returns an `arg_scope` for Inception's layers.

    Args:
        weight_decay: Factor of the L2 regularizer.
        moving_vars: Collection of the moving averages, of shape `[channels]`.
        normalized: True for convolutions with batch normalization.
        **batch_norm_arguments: Arguments of `batch_norm` that replace the defaults.
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
        **batch_norm_arguments,
    }
    with arg_scope([conv2d, fully_connected], weights_regularizer=l2_regularizer(weight_decay)), arg_scope(
        [conv2d],
        weights_initializer=variance_scaling_initializer(),
        activation_fn=tf.nn.relu,
        normalizer_fn=batch_norm if normalized else None,
        normalizer_params=arguments if normalized else {},
    ) as scope:
        return scope
