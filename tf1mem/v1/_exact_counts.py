"""Computes how many other ops than TensorFlow 1 a call makes, where a rule holds for every call of a function.

Other functions' numbers are measured (`_op_table.json`).
"""

from __future__ import annotations

import functools
import operator
from numbers import Integral, Real
from typing import Any, Callable, Iterable, Mapping, NamedTuple

from packaging.version import Version

from tf1mem.machine.modules import loaded_module


class Correction(NamedTuple):
    """The number of ops that TensorFlow 1 makes more in a call; negative if it makes fewer.

    Attributes:
        ops: Correction for all ops of the call.
        before_seed: Correction for the ops before the call draws its first seed.
    """

    ops: int
    before_seed: int = 0


# Function -> function that is called with the arguments of a call, and returns its correction.
Rules = Mapping[str, Callable[..., Correction]]

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


def tries_dtypes(make_op: Callable[..., Any]) -> bool:
    """Returns True for a function that makes ops and converts an input to see whether its own dtype is allowed.

    Args:
        make_op: op_def_library.py's function, which has a table of the allowed dtypes if it does.
    """
    return "allowed_list_attr_map" in make_op.__code__.co_varnames


def more_ops_of_empty_lists(op_type: str, inputs: Mapping[str, Any]) -> int:
    """Returns the number of constants that TensorFlow makes of an op's empty lists before those that the op takes.

    From 2.4 on, op_def_library.py makes a float constant of an empty list for an input whose dtype may be int32 or
    int64, and then an integer one (`tf.reshape(x, [])`, `tf.reduce_sum(x, [])`). TensorFlow 1 makes only the latter.

    Args:
        op_type: Type of the op, as "Reshape".
        inputs: The op's inputs and attributes, by name.
    """
    op_def = loaded_module("python.framework.op_def_registry").get(op_type)
    attributes = {attribute.name: attribute for attribute in op_def.attr}
    more, inferred = 0, set()
    for argument in op_def.input_arg:
        attribute = attributes.get(argument.type_attr)
        if attribute is None or argument.number_attr or argument.type_attr in inferred:
            continue
        inferred.add(argument.type_attr)
        value = inputs.get(argument.name, inputs.get(argument.name + "_"))
        if isinstance(value, (list, tuple)) and not value and attribute.HasField("default_value"):
            allowed = attribute.allowed_values.list.type
            more += bool(allowed) and loaded_module("python.framework.dtypes").float32.as_datatype_enum not in allowed
    return more


def _begin_end_stride(bound: Any) -> tuple[Any, Any, Any]:
    """Returns the values of one dimension in the vectors of begins, ends and strides; an index stands in all three."""
    return (bound.start, bound.stop, bound.step) if isinstance(bound, slice) else (bound, bound, None)


def _uniform(
    shape: Any = None, minval: Any = 0, maxval: Any = None, dtype: Any = "float32", *_: Any, **__: Any
) -> Correction:
    """Returns the correction for a call of `random_uniform`.

    TensorFlow 2 makes no ops of the bounds 0 and 1, and no sum with the bound 0, of Python's ints and for floats.
    """
    if not (isinstance(minval, int) and minval == 0):
        return Correction(0)
    if loaded_module("python.framework.dtypes").as_dtype(dtype).is_integer:
        return Correction(0)
    is_to_one = maxval is None or (isinstance(maxval, int) and maxval == 1)
    return Correction(5, before_seed=2) if is_to_one else Correction(2)


def _dropout(x: Any = None, rate: Any = None, noise_shape: Any = None, *_: Any, **__: Any) -> Correction:
    """Returns the correction for a call of `dropout_v2`.

    TensorFlow 2 scales the tensor before it draws, by a number that Python computes if the rate is one. Before the seed
    TensorFlow 1 makes a constant of such a rate, and otherwise only the tensor's shape. So the tensor, and a rate that
    is one, enter the context of a `cond` or loop before the seed on TensorFlow 2, and later on TensorFlow 1.
    """
    shape = _static_shape(x)
    is_shape_computed = noise_shape is None and (shape is None or None in shape)
    entering = 0 if is_shape_computed else _ops_to_enter(x)
    if isinstance(rate, Real):
        return Correction(3, before_seed=-1 - entering) if rate else Correction(0)
    return Correction(2, before_seed=-3 - entering - _ops_to_enter(rate)) if _is_tensor(rate) else Correction(0)


def _ops_to_enter(value: Any) -> int:
    """Returns the number of ops (Switch, Enter) that the next op makes that takes a tensor into its `cond` or loop."""
    if not _is_tensor(value):
        return 0
    context, ops = loaded_module("python.framework.ops").get_default_graph()._get_control_flow_context(), 0
    while context is not None and value.name not in context._values:
        context, ops = context.outer_context, ops + 1
    return ops


def _one_hot(
    indices: Any = None, depth: Any = None, on_value: Any = None, off_value: Any = None, *_: Any, **__: Any
) -> Correction:
    """Returns the correction for a call of `one_hot`: TensorFlow 1 converts its values twice."""
    return Correction(sum(value is not None and not _is_tensor(value) for value in (on_value, off_value)))


def _split(value: Any = None, num_or_size_splits: Any = None, *_: Any, **__: Any) -> Correction:
    """Returns the correction for a call of `split`: TensorFlow 1 also makes a constant of a number of splits."""
    is_number = isinstance(num_or_size_splits, Integral) or type(num_or_size_splits).__name__ == "Dimension"
    return Correction(int(is_number))


def _filled(shape: Any = None, *_: Any, **__: Any) -> Correction:
    """Returns the correction for a call of `ones` or `zeros`.

    To find out if the shape is small, TensorFlow 1 multiplies its dimensions and compares the product with a constant.
    With tensors among them these are ops.
    """
    ops, is_tensor = 0, False
    for place, dimension in enumerate(shape if isinstance(shape, (list, tuple)) else ()):
        if place and (is_tensor or _is_tensor(dimension)):
            ops += 1 if is_tensor and _is_tensor(dimension) else 2
        is_tensor = is_tensor or _is_tensor(dimension)
    return Correction(ops + 2 if is_tensor else 0)


def _flatten(inputs: Any = None, *_: Any, **__: Any) -> Correction:
    """Returns the correction for a call of a Flatten layer.

    If the first dimension is unknown, TensorFlow 1 computes it in the graph, TensorFlow 2 only if it needs it.
    """
    shape = _static_shape(inputs)
    return Correction(6 if shape and shape[0] is None and None not in shape[1:] else 0)


def _tensordot(a: Any = None, b: Any = None, axes: Any = None, *_: Any, **__: Any) -> Correction:
    """Returns the correction for a call of `tensordot`.

    TensorFlow 2 leaves out a transpose and a reshape, each of an op and a constant, that keep a known shape. It makes
    two constants of the shape of a scalar: of an empty list, a float one and an integer one.
    """
    shapes = _static_shape(a), _static_shape(b)
    ops, free_dimensions = 0, []
    for shape, its_axes, flipped in zip(shapes, _contracted(shapes[0], axes), (False, True)):
        if shape is None or None in shape or its_axes is None:
            continue
        if not all(-len(shape) <= axis < len(shape) for axis in its_axes):
            return Correction(0)  # TensorFlow raises an error
        contracted = [axis % len(shape) for axis in its_axes]
        free = [axis for axis in range(len(shape)) if axis not in contracted]
        parts = [contracted, free] if flipped else [free, contracted]
        order = [*parts[0], *parts[1]]
        matrix = [_product(shape[axis] for axis in part) for part in parts]
        ops += 2 * (order == [*range(len(shape))]) + 2 * ([shape[axis] for axis in order] == matrix)
        free_dimensions.append([shape[axis] for axis in free])
    if len(free_dimensions) == 2:
        ops += 2 * ([_product(part) for part in free_dimensions] == [*free_dimensions[0], *free_dimensions[1]])
        ops -= not any(free_dimensions)
    return Correction(ops)


def _product(numbers: Iterable[Any]) -> Any:
    return functools.reduce(operator.mul, numbers, 1)


def _contracted(shape: tuple[int | None, ...] | None, axes: Any) -> tuple[Any, Any]:
    """Returns the axes of both tensors that `tensordot` contracts, as lists; None for those that the graph computes.

    Args:
        shape: Static shape of the first tensor.
        axes: The argument `axes`.
    """
    if isinstance(axes, Integral) and shape is not None:
        return [*range(len(shape) - int(axes), len(shape))], [*range(int(axes))]
    if not isinstance(axes, (list, tuple)) or len(axes) != 2:
        return None, None
    if all(isinstance(axis, Integral) for axis in axes):
        return [axes[0]], [axes[1]]
    first, second = (
        of_one if isinstance(of_one, (list, tuple)) and all(isinstance(axis, Integral) for axis in of_one) else None
        for of_one in axes
    )
    return first, second


def _static_shape(value: Any) -> tuple[int | None, ...] | None:
    """Returns the dimensions of a tensor, an array or lists of numbers, None for an unknown one; None without rank."""
    if isinstance(value, (list, tuple)):
        inner = _static_shape(value[0]) if value else ()
        return None if inner is None else (len(value), *inner)
    shape: Any = getattr(value, "shape", ())
    if hasattr(shape, "as_list"):
        return None if shape.ndims is None else tuple(shape.as_list())
    return tuple(shape)


def _is_tensor(value: Any) -> bool:
    """Returns True for a value that no op converts to a tensor: a resource variable is read at each conversion."""
    return hasattr(value, "graph") and not hasattr(value, "handle")


# Function -> the first TensorFlow measured that makes other ops, and the rule.
_RULES: Mapping[str, tuple[str, Callable[..., Correction]]] = {
    "layer Flatten": ("2.4.4", _flatten),
    "python.ops.array_ops:one_hot": ("2.4.4", _one_hot),
    "python.ops.array_ops:ones": ("2.10.1", _filled),
    "python.ops.array_ops:split": ("2.10.1", _split),
    "python.ops.array_ops:zeros": ("2.10.1", _filled),
    "python.ops.math_ops:tensordot": ("2.4.4", _tensordot),
    "python.ops.nn_ops:dropout_v2": ("2.4.4", _dropout),
    "python.ops.random_ops:random_uniform": ("2.4.4", _uniform),
}


def rules(version: Version | None) -> Rules:
    """Returns the rules for a TensorFlow, by function; None stands for the newest version.

    Calls that make the same ops as on TensorFlow 1 are counted, too, as they aren't part of the calls around them.
    """
    return {
        name: rule if version is None or Version(since) <= version else _same_ops
        for name, (since, rule) in _RULES.items()
    }


def _same_ops(*_: Any, **__: Any) -> Correction:
    return Correction(0)
