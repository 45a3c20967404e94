"""Gradient functions of TensorFlow 1.15 for ops whose gradients make other ops on TensorFlow 2.

In a graph with a seed, the number of ops decides the seeds of later ops. Outside loops and conditionals TensorFlow 2's
own gradients are built, and these functions only count, in a scratch graph. Inside they are built in place of
TensorFlow 2's, with the same values: what a gradient in a loop takes from the forward pass is kept on a stack, whose
ops are made for the first gradient that takes it. So their number depends on all gradients together.
"""

from __future__ import annotations

import functools
import operator
from typing import Any, Callable, Hashable, NamedTuple, Optional, Sequence, Tuple
from weakref import WeakKeyDictionary

from tf1mem.machine.modules import loaded_module

# A shape as far as it is known: None for an unknown rank, with None for each unknown dimension.
PartialShape = Optional[Tuple[Optional[int], ...]]

# The attributes of BatchMatMulV2.
_ADJOINTS = ("adj_x", "adj_y")

# TensorFlow 1 makes larger zeros by Fill.
_LARGEST_CONSTANT = 999

# Graph -> keys of the computations on static shapes that TensorFlow 1 would have made in it. It makes each once.
_MADE: WeakKeyDictionary[Any, set[Hashable]] = WeakKeyDictionary()

# Graph -> names of the ops of the type SelectV2 that were of the type Select on TensorFlow 1.
_SELECTS: WeakKeyDictionary[Any, set[str]] = WeakKeyDictionary()


class _Input(NamedTuple):
    """An input of an op.

    Attributes:
        dtype: The dtype's name.
        shape: The static shape.
        value: An integer, or all integers of a constant in one tuple; None if it isn't a constant of integers.
    """

    dtype: str
    shape: PartialShape
    value: Any


class _Kind(NamedTuple):
    """The part of a call of a gradient function that decides how many ops it makes.

    Attributes:
        op_type: The op's type.
        inputs: The op's inputs.
        output: Static shape of the op's output.
        gradient: Static shape of the gradient of the output.
        adjoints: The attributes of a product of matrices that decide which shapes fit.
        is_made: True if the graph has the call's computations on static shapes already.
    """

    op_type: str
    inputs: tuple[_Input, ...]
    output: PartialShape
    gradient: PartialShape
    adjoints: tuple[bool, ...]
    is_made: bool


class _Op(NamedTuple):
    """An op of a scratch graph, as gradient functions need it."""

    type: str
    inputs: Sequence[Any]
    outputs: Sequence[Any]
    adjoints: tuple[bool, ...] = ()

    def get_attr(self, name: str) -> bool:
        """Returns an attribute; False for others than adjoints, which don't change how many ops a gradient makes."""
        return dict(zip(_ADJOINTS, self.adjoints)).get(name, False)


def is_known(op: Any, gradients: Sequence[Any]) -> bool:
    """Returns True if there is a function for an op and the gradients of its outputs, which may be sparse.

    A program may have given the op a gradient of its own, by `tf.Graph.gradient_override_map`.

    Args:
        op: The op.
        gradients: The gradients of its outputs.
    """
    if op.type not in FUNCTIONS or len(gradients) != 1 or not hasattr(gradients[0], "op"):
        return False
    try:
        op.get_attr("_gradient_op_type")
    except ValueError:
        return True
    return False


def select_without_broadcast(graph: Any, start: int) -> None:
    """Makes TensorFlow 1's gradients of Select for ops of the type SelectV2, whose inputs have one shape.

    Args:
        graph: The ops' graph.
        start: Number of ops of the graph before the first one of them. Those of the type that follow are meant.
    """
    names = {op.name for op in graph.get_operations()[start:] if op.type == "SelectV2"}
    _SELECTS.setdefault(graph, set()).update(names)


def function_of(op: Any) -> Callable[[Any, Any], Sequence[Any]]:
    """Returns the gradient function to build in a loop or conditional. It takes the op and the gradient of its output.

    Args:
        op: The op; `is_known` is true for it.
    """
    if op.type == "SelectV2" and op.name in _SELECTS.get(op.graph, ()):
        return _select
    return FUNCTIONS[op.type]


def count(op: Any, gradient: Any) -> int | None:
    """Returns the number of ops that TensorFlow 1's gradient function would make; None if it raises an error.

    Args:
        op: The op, outside loops.
        gradient: Gradient of its output.
    """
    is_made = not _is_new(op.graph, _key(op, gradient))
    inputs = tuple(_Input(value.dtype.base_dtype.name, _partial(value), _integers(value)) for value in op.inputs)
    adjoints = tuple(map(op.get_attr, _ADJOINTS)) if op.type == "BatchMatMulV2" else ()
    kind = _Kind(op.type, inputs, _partial(op.outputs[0]), _partial(gradient), adjoints, is_made)
    try:
        return _count(kind)
    except (TypeError, ValueError):
        return None


@functools.lru_cache(maxsize=None)
def _count(kind: _Kind) -> int:
    tf = _tensorflow()
    graph = tf.Graph()
    with graph.as_default():
        inputs = [
            tf.compat.v1.placeholder(part.dtype, part.shape)
            if part.value is None
            else tf.constant(part.value, part.dtype, part.shape)
            for part in kind.inputs
        ]
        output, gradient = (
            tf.compat.v1.placeholder(kind.inputs[0].dtype, shape) for shape in (kind.output, kind.gradient)
        )
        op = _Op(kind.op_type, inputs, [output], kind.adjoints)
        if kind.is_made:
            _MADE[graph] = {_key(op, gradient)}
        start = len(graph.get_operations())
        FUNCTIONS[kind.op_type](op, gradient)
        return len(graph.get_operations()) - start


def _key(op: Any, gradient: Any) -> Hashable:
    """Returns the key of an op's computations on static shapes, which TensorFlow 1 makes once; None if it has none."""
    if op.type in ("Sum", "Mean"):
        shape, axes = _static(op.inputs[0]), _constant(op.inputs[1])
        if shape is None or axes is None or _is_of_all(axes, len(shape)):
            return None
        return shape, tuple(axes.reshape(-1))
    if op.type in _CACHED:
        x, y = map(_static, op.inputs)
        return None if x is None or y is None or x == y == _static(gradient) else (x, y)
    return None


def _is_new(graph: Any, key: Hashable) -> bool:
    """Returns True if a graph lacks computations on static shapes, and notes that it has them from now on."""
    keys = _MADE.setdefault(graph, set())
    is_new = key not in keys
    keys.add(key)
    return is_new


def _add(op: Any, gradient: Any) -> Sequence[Any]:
    return _reduced(op, gradient, lambda: gradient, lambda: gradient)


def _sub(op: Any, gradient: Any) -> Sequence[Any]:
    return _reduced(op, gradient, lambda: gradient, lambda: -gradient)


def _mul(op: Any, gradient: Any) -> Sequence[Any]:
    x, y = map(_tensorflow().math.conj, op.inputs)
    return _reduced(op, gradient, lambda: gradient * y, lambda: x * gradient)


def _squared_difference(op: Any, gradient: Any) -> Sequence[Any]:
    tf = _tensorflow()
    x, y = op.inputs
    with tf.control_dependencies([gradient]):
        of_x = tf.constant(2, gradient.dtype) * gradient * (x - y)
    of_both = _reduced(op, gradient, lambda: of_x, lambda: of_x)
    return of_both[0], -of_both[1]


def _pow(op: Any, gradient: Any) -> Sequence[Any]:
    tf = _tensorflow()
    (x, y), raw = map(tf.math.conj, op.inputs), tf.raw_ops
    zero = functools.partial(tf.constant, 0, x.dtype)

    def of_y() -> Any:
        is_positive = raw.NotEqual(x=x, y=zero()) if x.dtype.is_complex else raw.Greater(x=x, y=zero())
        positive = raw.Select(condition=is_positive, x=x, y=raw.Fill(dims=_shape(x), value=tf.constant(1, x.dtype)))
        log = raw.Select(condition=is_positive, x=raw.Log(x=positive), y=_zeros_like(x))
        return gradient * tf.math.conj(op.outputs[0]) * log

    return _reduced(op, gradient, lambda: gradient * y * raw.Pow(x=x, y=y - tf.constant(1, x.dtype)), of_y)


def _remainder(op: Any, gradient: Any) -> Sequence[Any]:
    tf = _tensorflow()
    x, y = map(tf.math.conj, op.inputs)
    of_x, of_y = _reductions(_shape(x), _shape(y))
    quotient = tf.raw_ops.FloorDiv(x=x, y=y)
    return of_x(gradient), of_y(gradient * -quotient)


def _quotient(name: str) -> Callable[[Any, Any], Sequence[Any]]:
    """Returns the gradient function of a division.

    Args:
        name: The op's name.
    """

    def gradient_of_quotient(op: Any, gradient: Any) -> Sequence[Any]:
        tf = _tensorflow()
        divide = getattr(tf.raw_ops, name)
        x, y = map(tf.math.conj, op.inputs)
        of_x, of_y = _reductions(_shape(x), _shape(y))
        return (
            of_x(divide(x=gradient, y=y)),
            of_y(gradient * divide(x=divide(x=-x, y=y), y=y)),
        )

    return gradient_of_quotient


def _selection(name: str) -> Callable[[Any, Any], Sequence[Any]]:
    """Returns the gradient function of `maximum` or `minimum`.

    Args:
        name: The name of the op that compares: its first argument is selected where the comparison is true.
    """

    def gradient_of_selection(op: Any, gradient: Any) -> Sequence[Any]:
        tf = _tensorflow()
        raw = tf.raw_ops
        x, y = op.inputs
        shapes = _shape(x), _shape(y)
        zeros = raw.Fill(dims=_shape(gradient), value=tf.constant(0, gradient.dtype))
        is_first = getattr(raw, name)(x=x, y=y)
        of_x, of_y = _reductions(*shapes)
        return (
            of_x(raw.Select(condition=is_first, x=gradient, y=zeros)),
            of_y(raw.Select(condition=is_first, x=zeros, y=gradient)),
        )

    return gradient_of_selection


def _select(op: Any, gradient: Any) -> Sequence[Any]:
    """Returns the gradients of Select, by ops that take a condition with one column, too."""
    condition, x, _ = op.inputs
    zeros, select = _zeros_like(x), _tensorflow().raw_ops.SelectV2
    return [None, select(condition=condition, t=gradient, e=zeros), select(condition=condition, t=zeros, e=gradient)]


def _select_v2(op: Any, gradient: Any) -> Sequence[Any]:
    tf = _tensorflow()
    raw = tf.raw_ops
    condition, x, y = op.inputs
    zero, shape = tf.constant(0, gradient.dtype), None
    gradients = []
    for value, selected in ((x, {"t": gradient, "e": zero}), (y, {"t": zero, "e": gradient})):
        of_value, own_shape = raw.SelectV2(condition=condition, **selected), _shape(value)
        shape = _shape(op.outputs[0]) if shape is None else shape
        axes = raw.BroadcastGradientArgs(s0=own_shape, s1=shape)[0]
        gradients.append(raw.Reshape(tensor=raw.Sum(input=of_value, axis=axes, keep_dims=True), shape=own_shape))
    return [None, *gradients]


def _sum(op: Any, gradient: Any) -> Sequence[Any]:
    tf = _tensorflow()
    raw = tf.raw_ops
    x, axis = op.inputs
    shape, rank, axes = _static(x), x.shape.ndims, _constant(axis)
    if rank is not None and axes is not None and _is_of_all(axes, rank):
        whole = raw.Reshape(tensor=gradient, shape=tf.constant([1] * rank, tf.int32))
        return raw.Tile(input=whole, multiples=_shape(x)), None
    if shape is None or axes is None:
        shape_tensor = _shape(x)
        kept = _kept_shape(shape_tensor, axis)
        repeats = raw.FloorDiv(x=shape_tensor, y=raw.Maximum(x=kept, y=tf.constant(1)))
    else:
        if _is_new(axis.graph, _key(op, gradient)):  # TensorFlow 1 reads the shapes off these ops
            kept = _kept_shape(tf.constant(shape, tf.int32), tf.constant(axes.reshape(-1), tf.int32))
            maximum = raw.Maximum(x=kept, y=tf.constant(1))
            raw.FloorDiv(x=raw.Identity(input=tf.constant(shape, tf.int32)), y=maximum)
        reduced = {int(number) % len(shape) for number in axes.reshape(-1)}
        kept = tf.constant([1 if axis in reduced else size for axis, size in enumerate(shape)], tf.int32)
        repeats = tf.constant([size if axis in reduced else 1 for axis, size in enumerate(shape)], tf.int32)
    return raw.Tile(input=raw.Reshape(tensor=gradient, shape=kept), multiples=repeats), None


def _mean(op: Any, gradient: Any) -> Sequence[Any]:
    tf = _tensorflow()
    raw = tf.raw_ops
    of_sum = _sum(op, gradient)[0]
    shapes = _static(op.inputs[0]), _static(op.outputs[0])
    if shapes[0] is not None and shapes[1] is not None:
        size, mean_size = map(_size, shapes)
        factor = tf.constant(size // max(mean_size, 1), of_sum.dtype)
    else:
        size, mean_size = (
            raw.Prod(input=shape, axis=tf.constant([0]), keep_dims=False)
            for shape in [_shape(op.inputs[0]), _shape(op.outputs[0])]
        )
        quotient = raw.FloorDiv(x=size, y=raw.Maximum(x=mean_size, y=tf.constant(1)))
        factor = raw.Cast(x=quotient, DstT=of_sum.dtype)
    return raw.RealDiv(x=of_sum, y=factor), None


def _extreme(op: Any, gradient: Any) -> Sequence[Any]:
    """Returns the gradient of a maximum or minimum over axes, which equal elements share."""
    raw = _tensorflow().raw_ops
    x, axis = op.inputs
    kept = _kept_shape(_shape(x), axis)
    extreme = raw.Reshape(tensor=op.outputs[0], shape=kept)
    gradient = raw.Reshape(tensor=gradient, shape=kept)
    is_extreme = raw.Cast(x=raw.Equal(x=extreme, y=x), DstT=gradient.dtype)
    number = raw.Reshape(tensor=raw.Sum(input=is_extreme, axis=axis, keep_dims=False), shape=kept)
    return raw.RealDiv(x=is_extreme, y=number) * gradient, None


def _batch_matmul(op: Any, gradient: Any) -> Sequence[Any]:
    tf = _tensorflow()
    raw = tf.raw_ops
    x, y = op.inputs
    adjoints = tuple(map(op.get_attr, _ADJOINTS))
    factors = {
        (False, False): ((gradient, y, False, True), (x, gradient, True, False)),
        (False, True): ((gradient, y, False, False), (gradient, x, True, False)),
        (True, False): ((y, gradient, False, True), (x, gradient, False, False)),
        (True, True): ((y, gradient, True, True), (gradient, x, True, True)),
    }[adjoints]
    products = [raw.BatchMatMulV2(x=a, y=b, adj_x=of_a, adj_y=of_b) for a, b, of_a, of_b in factors]
    if _static(x) == _static(y) is not None:
        return products
    shapes = _shape(x), _shape(y)
    batch_shapes = [raw.StridedSlice(input=shape, begin=[0], end=[-2], strides=[1], begin_mask=1) for shape in shapes]
    axes = raw.BroadcastGradientArgs(s0=batch_shapes[0], s1=batch_shapes[1])
    return [_summed(product, own, shape) for product, own, shape in zip(products, axes, shapes)]


def _strided_slice(op: Any, gradient: Any) -> Sequence[Any]:
    x, begin, end, strides = op.inputs
    masks = ("begin_mask", "end_mask", "ellipsis_mask", "new_axis_mask", "shrink_axis_mask")
    of_x = _tensorflow().raw_ops.StridedSliceGrad(
        shape=_shape(x, begin.dtype),
        begin=begin,
        end=end,
        strides=strides,
        dy=gradient,
        **{mask: op.get_attr(mask) for mask in masks},
    )
    return of_x, None, None, None


# Type of an op -> its gradient function, which takes the op and the gradient of its output.
FUNCTIONS: dict[str, Callable[[Any, Any], Sequence[Any]]] = {
    "Add": _add,
    "AddV2": _add,
    "Sub": _sub,
    "Mul": _mul,
    "SquaredDifference": _squared_difference,
    "Pow": _pow,
    "RealDiv": _quotient("RealDiv"),
    "FloorMod": _remainder,
    "DivNoNan": _quotient("DivNoNan"),
    "Maximum": _selection("GreaterEqual"),
    "Minimum": _selection("LessEqual"),
    "SelectV2": _select_v2,
    "Sum": _sum,
    "Mean": _mean,
    "Max": _extreme,
    "Min": _extreme,
    "BatchMatMulV2": _batch_matmul,
    "StridedSlice": _strided_slice,
}

# The ops of two inputs for which TensorFlow 1 finds the axes of a broadcast once for each pair of static shapes.
_CACHED = ("Add", "AddV2", "Sub", "Mul", "SquaredDifference", "Pow")


def _reduced(op: Any, gradient: Any, of_x: Callable[[], Any], of_y: Callable[[], Any]) -> Sequence[Any]:
    """Returns the gradients of the two inputs of an op that broadcasts them.

    Args:
        op: The op.
        gradient: The gradient of its output.
        of_x: Makes the gradient of the first input, of the output's shape.
        of_y: Makes that of the second input.
    """
    tf = _tensorflow()
    raw = tf.raw_ops
    x, y = op.inputs
    x_shape, y_shape = _static(x), _static(y)
    key = _key(op, gradient)
    if x_shape is None or y_shape is None:
        reduce_x, reduce_y = _reductions(raw.Shape(input=x), raw.Shape(input=y))
        return reduce_x(of_x()), reduce_y(of_y())
    if key is not None and _is_new(op.outputs[0].graph, key):
        raw.BroadcastGradientArgs(s0=tf.constant(x_shape, tf.int32), s1=tf.constant(y_shape, tf.int32))
    gradients = []
    for shape, other, make in ((x_shape, y_shape, of_x), (y_shape, x_shape, of_y)):
        part = make()
        if shape != _static(gradient):
            axes = tf.constant(_broadcast_axes(shape, other), tf.int32)
            part = _summed(part, axes, tf.constant(shape, tf.int32))
        gradients.append(part)
    return gradients


def _reductions(x_shape: Any, y_shape: Any) -> list[Callable[[Any], Any]]:
    """Returns two functions that sum a gradient over the broadcast axes of the first input, and of the second."""
    axes = _tensorflow().raw_ops.BroadcastGradientArgs(s0=x_shape, s1=y_shape)
    return [
        functools.partial(_summed, axes=axes[0], shape=x_shape),
        functools.partial(_summed, axes=axes[1], shape=y_shape),
    ]


def _summed(gradient: Any, axes: Any, shape: Any) -> Any:
    """Returns a gradient summed over axes, in a shape; both are integer tensors."""
    raw = _tensorflow().raw_ops
    return raw.Reshape(tensor=raw.Sum(input=gradient, axis=axes, keep_dims=False), shape=shape)


def _broadcast_axes(shape: tuple[int, ...], other: tuple[int, ...]) -> list[int]:
    """Returns the axes of the common shape along which a shape is broadcast, as BroadcastGradientArgs does."""
    if shape == other:
        return []
    sizes = (1,) * (len(other) - len(shape)) + shape
    return [axis for axis, size in enumerate(sizes) if size == 1]


def _kept_shape(shape: Any, axis: Any) -> Any:
    """Returns the shape of a reduction that keeps its axes with the size 1.

    Args:
        shape: `[rank]` int32 tensor, the shape that is reduced.
        axis: Integer tensor, the axes.
    """
    tf = _tensorflow()
    raw = tf.raw_ops
    if axis.dtype != tf.int32:
        axis = raw.Cast(x=axis, DstT=tf.int32)
    static = _static(shape)
    rank = raw.Size(input=shape) if static is None else tf.constant(static[0])
    axis = raw.FloorMod(x=raw.AddV2(x=axis, y=rank), y=rank)
    axes_shape = _shape(axis)
    axes = raw.Range(start=tf.constant(0), limit=rank, delta=tf.constant(1))
    ones = raw.Fill(dims=axes_shape, value=tf.constant(1))
    return raw.DynamicStitch(indices=[axes, axis], data=[shape, ones])


def _zeros_like(x: Any) -> Any:
    """Returns zeros of a tensor's shape."""
    tf = _tensorflow()
    shape = _static(x)
    if shape is None:
        return tf.raw_ops.ZerosLike(x=x)
    if _size(shape) <= _LARGEST_CONSTANT:
        return tf.constant(0, x.dtype, shape)
    return tf.raw_ops.Fill(dims=_shape(x), value=tf.constant(0, x.dtype))


def _shape(x: Any, dtype: Any = None) -> Any:
    """Returns a tensor's shape as an integer tensor: a constant, if the shape is static."""
    tf = _tensorflow()
    shape = _static(x)
    if shape is None:
        return tf.raw_ops.Shape(input=x, out_type=dtype or tf.int32)
    return tf.constant(shape, dtype or tf.int32)


def _static(x: Any) -> tuple[int, ...] | None:
    """Returns a tensor's shape; None if a part of it isn't known."""
    return tuple(x.shape.as_list()) if x.shape.is_fully_defined() else None


def _size(shape: Any) -> int:
    return int(functools.reduce(operator.mul, shape, 1))


def _partial(x: Any) -> PartialShape:
    return None if x.shape.ndims is None else tuple(x.shape.as_list())


def _constant(x: Any) -> Any:
    """Returns the array of a constant tensor; None if the tensor isn't constant."""
    return loaded_module("python.framework.tensor_util").constant_value(x)


def _integers(x: Any) -> Any:
    """Returns the value of a constant integer tensor: an integer, or a tuple of all integers."""
    value = _constant(x) if x.dtype.is_integer else None
    if value is None:
        return None
    return tuple(map(int, value.reshape(-1))) if value.ndim else int(value)


def _is_of_all(axes: Any, rank: int) -> bool:
    """Returns True if a reduction is over all axes in their order."""
    return axes.ndim == 1 and [int(axis) for axis in axes] == list(range(rank))


def _tensorflow() -> Any:
    import tensorflow

    return tensorflow
