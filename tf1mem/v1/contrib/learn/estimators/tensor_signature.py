# Copyright 2015-2019 The TensorFlow Authors. All Rights Reserved.
# Licensed under the Apache License, Version 2.0: see LICENSE.
# Written anew for tf1mem after tensorflow/contrib of TensorFlow 1.15.5, and changed: see NOTICE.

"""Types and shapes of an estimator's inputs, which have to stay the same from call to call."""

from __future__ import annotations

from collections import namedtuple
from typing import Any, Callable

import tf1mem.v1 as tf

# What an Example can't hold -> what it holds instead.
_IN_EXAMPLES = {tf.int32: tf.int64, tf.float64: tf.float32}


class TensorSignature(namedtuple("TensorSignature", ["dtype", "shape", "is_sparse"])):
    """A tensor's type and shape.

    Args:
        tensor: The tensor, sparse or not.
    """

    def __new__(cls, tensor: Any) -> TensorSignature:
        if isinstance(tensor, tf.SparseTensor):
            return super().__new__(cls, dtype=tensor.values.dtype, shape=None, is_sparse=True)
        return super().__new__(cls, dtype=tensor.dtype, shape=tensor.get_shape(), is_sparse=False)

    def is_compatible_with(self, other: TensorSignature) -> bool:
        """Whether a tensor of this kind may stand where the other did; the first dimension may differ."""
        if self.is_sparse != other.is_sparse or not self.dtype.is_compatible_with(other.dtype):
            return False
        if self.is_sparse or self.shape.dims is None or other.shape.dims is None:
            return True
        return self.shape.ndims == other.shape.ndims and bool(self.shape[1:].is_compatible_with(other.shape[1:]))

    def get_placeholder(self) -> Any:
        """A placeholder for such a tensor, of any number of rows."""
        if self.is_sparse:
            return tf.sparse_placeholder(dtype=self.dtype)
        return tf.placeholder(dtype=self.dtype, shape=[None, *self.shape[1:].as_list()])

    def get_feature_spec(self) -> Any:
        """What tf.parse_example reads such a tensor by."""
        dtype = _IN_EXAMPLES.get(self.dtype, self.dtype)
        if self.is_sparse:
            return tf.VarLenFeature(dtype=dtype)
        return tf.FixedLenFeature(shape=self.shape[1:], dtype=dtype)


def _each(values: Any, function: Callable[[Any], Any]) -> Any:
    """The function's result for a value, or for each of a dict's; None for None."""
    if isinstance(values, dict):
        return {key: function(value) for key, value in values.items()}
    return None if values is None else function(values)


def create_signatures(tensors: Any) -> Any:
    """The signature of a tensor, or of each of a dict's."""
    return _each(tensors, TensorSignature)


def create_placeholders_from_signatures(signatures: Any) -> Any:
    """A placeholder for a signature, or for each of a dict's."""
    return _each(signatures, TensorSignature.get_placeholder)


def tensors_compatible(tensors: Any, signatures: Any) -> bool:
    """Whether tensors may stand where those of the signatures did; a dict may have more of them."""
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
    """Reads tensors of the signatures' kinds from serialized Examples.

    Args:
        signatures: A signature, or a dict of them.
        examples_batch: A tensor of strings.
        single_feature_name: The feature of a single signature.
    """
    named = signatures if isinstance(signatures, dict) else {single_feature_name: signatures}
    parsed = tf.parse_example(examples_batch, _each(named, TensorSignature.get_feature_spec))
    found = {
        name: tensor if named[name].dtype.is_compatible_with(tensor.dtype) else tf.cast(tensor, named[name].dtype)
        for name, tensor in parsed.items()
    }
    return found if isinstance(signatures, dict) else found[single_feature_name]
