"""tf.sparse_placeholder with TensorFlow 1's ops: a shape that the program gives is itself the tensor that is fed.

TensorFlow 2.4 and later add a placeholder whose default it is. This op takes the name of the next placeholder with a
default, and hides the shape's numbers from the ops that use it.
"""

from __future__ import annotations

from functools import wraps
from typing import Any, Callable

from tf1mem.hooks.wrappers import put_around, replace_everywhere
from tf1mem.machine.modules import loaded_module

# Attribute of a graph with the names of its fed shapes.
_FED = "_tf1mem_fed_shapes"


def feed_the_shape(tensor: Any) -> None:
    """Replaces TensorFlow 2's `sparse_placeholder`, and keeps the shapes of sparse placeholders feedable.

    Args:
        tensor: The class `tf.Tensor`.
    """
    sparse_placeholder = loaded_module("python.ops.array_ops").sparse_placeholder

    @wraps(sparse_placeholder)
    def with_tf1_shape(dtype: Any, shape: Any = None, name: Any = None) -> Any:
        if shape is None or loaded_module("python.eager.context").executing_eagerly():
            return sparse_placeholder(dtype, shape=shape, name=name)
        return _with_shape(tensor, dtype, shape, name)

    replace_everywhere({sparse_placeholder: with_tf1_shape})
    put_around(loaded_module("python.framework.ops").Graph, "prevent_feeding", _except_shapes)


def _with_shape(tensor: Any, dtype: Any, shape: Any, name: str | None) -> Any:
    """Returns a sparse placeholder: its shape's op first, then placeholders for its values and its indices.

    Args:
        tensor: The class `tf.Tensor`.
        dtype: The dtype of the values.
        shape: A tensor, or a sequence of dimensions; with a None among these, only the rank is known.
        name: The prefix of the ops' names; None for default names.
    """
    array_ops, ops = loaded_module("python.ops.array_ops"), loaded_module("python.framework.ops")
    int64 = loaded_module("python.framework.dtypes").int64

    def named(part: str) -> str | None:
        return None if name is None else f"{name}/{part}"

    if isinstance(shape, tensor):
        rank = shape.shape[0]
    elif any(getattr(each, "value", each) is None for each in shape):
        rank = len(shape)
        shape = array_ops.placeholder(int64, shape=[rank], name=named("shape"))
    else:
        rank = len(shape)
        shape = ops.convert_to_tensor(shape, dtype=int64, name=named("shape"))
    setattr(shape.graph, _FED, getattr(shape.graph, _FED, frozenset()) | {shape.name})
    return loaded_module("python.framework.sparse_tensor").SparseTensor(
        values=array_ops.placeholder(dtype, shape=[None], name=named("values")),
        indices=array_ops.placeholder(int64, shape=[None, rank], name=named("indices")),
        dense_shape=shape,
    )


def _except_shapes(prevent_feeding: Callable[..., None]) -> Callable[..., None]:
    """Wraps a graph's method: every SparseTensor of TensorFlow 2 reads its shape's numbers, but may be fed others."""

    def prevent(graph: Any, tensor: Any) -> None:
        if tensor.name not in getattr(graph, _FED, ()):
            prevent_feeding(graph, tensor)

    return prevent
