# Copyright 2015-2019 The TensorFlow Authors. All Rights Reserved.
# Licensed under the Apache License, Version 2.0: see LICENSE.
# Written anew for tf1mem after tensorflow/contrib of TensorFlow 1.15.5, and changed: see NOTICE.

"""Inputs of a model that is served."""

from __future__ import annotations

from collections import namedtuple
from typing import Any

import tf1mem.v1 as tf

InputFnOps = namedtuple("InputFnOps", ["features", "labels", "default_inputs"])
InputFnOps.__doc__ = "A serving input function's features, its labels (None), and the placeholders that are fed."


def build_parsing_serving_input_fn(feature_spec: dict[str, Any], default_batch_size: int | None = None) -> Any:
    """An input function that reads features from serialized Examples.

    Args:
        feature_spec: Name -> a FixedLenFeature or VarLenFeature.
        default_batch_size: How many Examples there are; any number by default.
    """

    def input_fn() -> InputFnOps:
        examples = tf.placeholder(dtype=tf.string, shape=[default_batch_size], name="input_example_tensor")
        return InputFnOps(tf.parse_example(examples, feature_spec), None, {"examples": examples})

    return input_fn


def build_default_serving_input_fn(features: dict[str, Any], default_batch_size: int | None = None) -> Any:
    """An input function whose features are fed.

    Args:
        features: Name -> a tensor, for its type, its shape but for the first dimension, and its name.
        default_batch_size: The first dimension; any by default.
    """

    def input_fn() -> InputFnOps:
        fed = {
            name: tf.placeholder(dtype=each.dtype, shape=[default_batch_size, *each.shape[1:]], name=each.op.name)
            for name, each in features.items()
        }
        return InputFnOps(fed, None, fed)

    return input_fn
