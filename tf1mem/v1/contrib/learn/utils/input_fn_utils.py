# Copyright 2015-2019 The TensorFlow Authors. All Rights Reserved.
# Licensed under the Apache License, Version 2.0: see LICENSE.
# Written anew for tf1mem after tensorflow/contrib of TensorFlow 1.15.5, and changed: see NOTICE.

"""Input functions of a served model."""

from __future__ import annotations

from collections import namedtuple
from typing import Any

import tf1mem.v1 as tf

InputFnOps = namedtuple("InputFnOps", ["features", "labels", "default_inputs"])
InputFnOps.__doc__ = "Holds a serving input function's features, labels (None), and placeholders by name."


def build_parsing_serving_input_fn(feature_spec: dict[str, Any], default_batch_size: int | None = None) -> Any:
    """Returns an input function that parses serialized Examples from a `[batch]` string placeholder.

    Args:
        feature_spec: Dict of name -> FixedLenFeature or VarLenFeature.
        default_batch_size: Number of Examples; any number by default.
    """

    def input_fn() -> InputFnOps:
        """Returns the parsed features, of the shapes of `feature_spec`, and the `[batch]` string placeholder."""
        examples = tf.placeholder(dtype=tf.string, shape=[default_batch_size], name="input_example_tensor")
        return InputFnOps(tf.parse_example(examples, feature_spec), None, {"examples": examples})

    return input_fn


def build_default_serving_input_fn(features: dict[str, Any], default_batch_size: int | None = None) -> Any:
    """Returns an input function whose features are placeholders.

    Args:
        features: Dict of name -> `[batch, ...]` tensor, whose dtype, name and further dimensions the placeholder
            gets.
        default_batch_size: First dimension of the placeholders; any by default.
    """

    def input_fn() -> InputFnOps:
        """Returns a `[batch, ...]` placeholder for each feature, as features and as inputs."""
        fed = {
            name: tf.placeholder(dtype=each.dtype, shape=[default_batch_size, *each.shape[1:]], name=each.op.name)
            for name, each in features.items()
        }
        return InputFnOps(fed, None, fed)

    return input_fn
