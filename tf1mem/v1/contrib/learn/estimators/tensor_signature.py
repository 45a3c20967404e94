# Copyright 2015-2019 The TensorFlow Authors. All Rights Reserved.
# Licensed under the Apache License, Version 2.0: see LICENSE.
# Written anew for tf1mem after tensorflow/contrib of TensorFlow 1.15.5, and changed: see NOTICE.

"""Dtypes and shapes of an estimator's inputs, which must not change between calls."""

from __future__ import annotations

from collections import namedtuple
from typing import Any, Callable

import tf1mem.v1 as tf

# Dtypes that a tf.train.Example can't hold -> the dtypes that stand for them.
_IN_EXAMPLES = {tf.int32: tf.int64, tf.float64: tf.float32}


class TensorSignature(namedtuple("TensorSignature", ["dtype", "shape", "is_sparse"])):
    """Records a tensor's dtype and shape.

    Args:
        tensor: Tensor or SparseTensor of any shape.
    """

    def __new__(cls, tensor: Any) -> TensorSignature:
        if isinstance(tensor, tf.SparseTensor):
            return super().__new__(cls, dtype=tensor.values.dtype, shape=None, is_sparse=True)
        return super().__new__(cls, dtype=tensor.dtype, shape=tensor.get_shape(), is_sparse=False)

    def is_compatible_with(self, other: TensorSignature) -> bool:
        """Returns True if dtypes and shapes of both signatures agree; the first dimensions may differ.

        Args:
            other: The other signature.
        """
        if self.is_sparse != other.is_sparse or not self.dtype.is_compatible_with(other.dtype):
            return False
        if self.is_sparse or self.shape.dims is None or other.shape.dims is None:
            return True
        return self.shape.ndims == other.shape.ndims and bool(self.shape[1:].is_compatible_with(other.shape[1:]))

    def get_placeholder(self) -> Any:
        """Returns a placeholder of this dtype and shape with any first dimension."""
        if self.is_sparse:
            return tf.sparse_placeholder(dtype=self.dtype)
        return tf.placeholder(dtype=self.dtype, shape=[None, *self.shape[1:].as_list()])

    def get_feature_spec(self) -> Any:
        """Returns the spec that parses such a tensor: FixedLenFeature of its shape without the batch; VarLenFeature."""
        dtype = _IN_EXAMPLES.get(self.dtype, self.dtype)
        if self.is_sparse:
            return tf.VarLenFeature(dtype=dtype)
        return tf.FixedLenFeature(shape=self.shape[1:], dtype=dtype)


def _map_values(values: Any, function: Callable[[Any], Any]) -> Any:
    """Applies a function to a value, or to each value of a dict; returns None for None."""
    if isinstance(values, dict):
        return {key: function(value) for key, value in values.items()}
    return None if values is None else function(values)


def create_signatures(tensors: Any) -> Any:
    """Returns the signature of a tensor, or of each tensor of a dict.

    Args:
        tensors: Tensor of any shape, or a dict of tensors.
    """
    return _map_values(tensors, TensorSignature)


def create_placeholders_from_signatures(signatures: Any) -> Any:
    """Returns a placeholder of a signature's dtype and shape, or one for each signature of a dict.

    Args:
        signatures: A signature, or a dict of signatures.
    """
    return _map_values(signatures, TensorSignature.get_placeholder)


def tensors_compatible(tensors: Any, signatures: Any) -> bool:
    """Returns true if tensors match signatures; a dict may hold further tensors.

    Args:
        tensors: Tensor of any shape, or a dict of tensors.
        signatures: A signature, or a dict of signatures.
    """
    if tensors is None or signatures is None:
        return tensors is signatures
    if isinstance(tensors, dict) != isinstance(signatures, dict):
        return False
    if not isinstance(tensors, dict):
        return TensorSignature(tensors).is_compatible_with(signatures)
    return all(
        key in tensors and TensorSignature(tensors[key]).is_compatible_with(signature)
        for key, signature in signatures.items()
    )


def create_example_parser_from_signatures(
    signatures: Any, examples_batch: Any, single_feature_name: str = "feature"
) -> Any:
    """Parses serialized Examples into tensors that match signatures.

    Args:
        signatures: A signature, or a dict of signatures.
        examples_batch: `[batch]` string tensor of serialized Examples.
        single_feature_name: Name of the feature of a single signature.

    Returns:
        `[batch, ...]` tensor, or a dict of such tensors.
    """
    named = signatures if isinstance(signatures, dict) else {single_feature_name: signatures}
    parsed = tf.parse_example(examples_batch, _map_values(named, TensorSignature.get_feature_spec))
    tensors = {
        name: tensor if named[name].dtype.is_compatible_with(tensor.dtype) else tf.cast(tensor, named[name].dtype)
        for name, tensor in parsed.items()
    }
    return tensors if isinstance(signatures, dict) else tensors[single_feature_name]
