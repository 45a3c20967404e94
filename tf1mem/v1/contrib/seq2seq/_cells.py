# Copyright 2015-2019 The TensorFlow Authors. All Rights Reserved.
# Licensed under the Apache License, Version 2.0: see LICENSE.
# Written anew for tf1mem after tensorflow/contrib of TensorFlow 1.15.5, and changed: see NOTICE.

"""Functions that check an RNN cell or a layer, or return its output's shape, for decoders and attention."""

from __future__ import annotations

from typing import Any

from tensorflow.python.ops import rnn_cell_impl

import tf1mem.v1 as tf

assert_like_rnncell = rnn_cell_impl.assert_like_rnncell
zero_state_tensors = rnn_cell_impl._zero_state_tensors


def output_size(cell: Any, layer: Any) -> Any:
    """Returns the shape of a cell's output, or of a layer's output for it, without the batch."""
    if layer is None:
        return cell.output_size
    cell_shapes = tf.nest.map_structure(lambda size: tf.TensorShape([None]).concatenate(size), cell.output_size)
    return tf.nest.map_structure(lambda shape: shape[1:], layer.compute_output_shape(cell_shapes))


def is_layer(value: Any) -> bool:
    """Returns True for a layer of tf.layers or of any Keras; beside TensorFlow 2, several Keras can be installed."""
    return any(each.__name__ == "Layer" for each in type(value).__mro__)
