"""Computes how many ops a call makes that TensorFlow 1 doesn't make, where a rule holds for every call of a function.

Other functions' numbers are measured (`_op_table.json`).
"""

from __future__ import annotations

from typing import Any

# Number of ops that TensorFlow 1 makes in `transpose` without `perm`, if the tensor's rank is unknown or 0.
_TF1_OPS_OF_REVERSAL = 8


def more_ops_of_slice(ops: int, sliced: Any, _: Any, bounds: Any) -> int:
    """Returns the number of ops that a slice made and TensorFlow 1 wouldn't have made.

    TensorFlow 2 (2.10 does, 2.4 doesn't) makes a constant of the tensors' dtype for each bound and step that is left
    out. A vector of begins, ends or strides with such a constant is a Pack, even if it has no tensor of the program.
    TensorFlow 1 makes one constant for that vector, and casts it if another vector is of int64.

    Args:
        ops: Number of ops that the slice made.
        sliced: Result of `tensor[bounds]` or `variable[bounds]`.
        bounds: The value in the brackets: a slice, an index, Ellipsis or None, or a list or tuple of them.
    """
    op = getattr(sliced, "op", None)
    if op is None or op.type != "StridedSlice":  # the slice is by a mask, or eager
        return 0
    is_cast_on_tf1 = int(op.inputs[1].dtype.base_dtype.name == "int64")
    vectors = zip(*map(_begin_end_stride, bounds if isinstance(bounds, (list, tuple)) else [bounds]))
    more = 0
    for packed, vector in zip(op.inputs[1:], vectors):
        is_cast = packed.op.type == "Cast"
        pack = packed.op.inputs[0].op if is_cast else packed.op
        if pack.type == "Pack" and not any(hasattr(bound, "graph") for bound in vector):
            more += len(pack.inputs) + is_cast - is_cast_on_tf1
    return more


def more_ops_of_transpose(ops: int, transposed: Any, a: Any, perm: Any = None, *_: Any, **__: Any) -> int:
    """Returns the number of ops that a call of `transpose` made and TensorFlow 1 wouldn't have made.

    Without `perm`, TensorFlow 1 computes `(rank - 1) - range(0, rank, 1)` in the graph if the rank is unknown or 0.
    TensorFlow 2 computes `range(rank - 1, -1, -1)`, and for rank 0 a constant.

    Args:
        ops: Number of ops that the call made.
        transposed: Tensor that the call returned.
        a: The tensor, or another value, of which both make a constant.
        perm: The order of dimensions; None reverses them.
    """
    if perm is not None or transposed.shape.ndims or not ops:  # none are made in eager mode
        return 0
    import numpy as np  # tf1mem.v1 loads this file before it says that TensorFlow is missing

    return ops - _TF1_OPS_OF_REVERSAL - (not hasattr(a, "shape") or isinstance(a, (np.ndarray, np.generic)))


def _begin_end_stride(bound: Any) -> tuple[Any, Any, Any]:
    """Returns the values of one dimension in the vectors of begins, ends and strides; an index stands in all three."""
    return (bound.start, bound.stop, bound.step) if isinstance(bound, slice) else (bound, bound, None)
