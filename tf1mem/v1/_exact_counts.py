"""Computes how many more ops than TensorFlow 1 a newer TensorFlow makes for a slice with tensors as bounds.

TensorFlow 2 (2.10 does, 2.4 doesn't) makes a constant of the tensors' dtype for each bound and step that is left out.
A vector of begins, ends or strides with such a constant is a Pack, even if it has no tensor of the program. TensorFlow
1 makes one constant for that vector, and casts it if another vector is of int64.
"""

from __future__ import annotations

from typing import Any


def more_ops(sliced: Any, bounds: Any) -> int:
    """Returns the number of ops that a slice made and TensorFlow 1 wouldn't have made.

    Args:
        sliced: The result of `tensor[bounds]` or `variable[bounds]`.
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


def _begin_end_stride(bound: Any) -> tuple[Any, Any, Any]:
    return (bound.start, bound.stop, bound.step) if isinstance(bound, slice) else (bound, bound, None)
