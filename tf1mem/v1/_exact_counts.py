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


# Function -> function that is called with the arguments of a call, and returns its correction. For a layer, the first
# argument is the layer.
Rules = Mapping[str, Callable[..., Correction]]

# Number of ops of a slice of a tensor by integers: constants of begins, ends and strides, and the slice.
_OPS_OF_SLICE = 4

# Number of ops of the range of a tensor's dimensions, if its rank is unknown: the rank, 0, 1 and the range.
_OPS_OF_RANGE = 4

# Number of ops that TensorFlow 1 makes to check the dimensions of images, if their number is known.
_TF1_OPS_OF_IMAGE_CHECK = 22

# Number of ops that TensorFlow 1 makes in `ones_like`: the shape, a constant, and an op that fills one with the other.
_TF1_OPS_OF_ONES_LIKE = 3

# Number of ops that TensorFlow 1 makes in Keras's activation "softmax", if the tensor has more than two dimensions.
_TF1_OPS_OF_KERAS_SOFTMAX = 7

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


def more_ops_of_image_check(ops: int, _: Any, image: Any, *__: Any, **___: Any) -> int:
    """Returns the number of ops that a check of an image's shape made and TensorFlow 1 wouldn't have made.

    TensorFlow 1 checks all dimensions in the graph, unless all are known. TensorFlow 2 checks only the last three,
    which it slices off, unless these are known.

    Args:
        ops: Number of ops that the check made.
        image: The image, or the batch of images.
    """
    if ops:
        return _OPS_OF_SLICE
    return 0 if image.shape.is_fully_defined() else -_TF1_OPS_OF_IMAGE_CHECK


def more_ops_of_crop(ops: int, _: Any, image: Any, *box: Any, **named: Any) -> int:
    """Returns the number of ops that `crop_to_bounding_box` made and TensorFlow 1 wouldn't have made.

    TensorFlow 2 (2.10 does, 2.4 doesn't) slices the sizes of the batch and the channels off the tensor's shape, and
    packs them with the height and the width. TensorFlow 1 writes -1 for both. That makes one constant, or, with a
    tensor among the sizes, a constant of each.

    Args:
        ops: Number of ops that the call made.
        image: The image, or the batch of images.
        *box: Row and column where the box begins, its height and its width.
        **named: Those of them that have a name in the call.
    """
    if not ops:
        return 0
    sizes = *box[2:], named.get("target_height"), named.get("target_width")
    ops_of_slices = 2 * (1 + _OPS_OF_SLICE)
    return ops_of_slices - 2 if any(map(_is_tensor, sizes)) else ops_of_slices + 2


def more_ops_of_central_crop(ops: int, _: Any, image: Any, central_fraction: Any) -> int:
    """Returns the number of ops that `central_crop` made and TensorFlow 1 wouldn't have made.

    For each of height and width that is unknown, TensorFlow 2 (2.10 does, 2.4 doesn't) casts the fraction to float64,
    of which TensorFlow 1 makes a constant. A fraction of NumPy's float64 needs no cast.

    Args:
        ops: Number of ops that the call made.
        image: The image, or the batch of images.
        central_fraction: The part of the height and of the width that is kept, a number.
    """
    shape = _static_shape(image)
    is_cast = getattr(central_fraction, "dtype", None) != "float64"
    return shape[-3:-1].count(None) if ops and shape and is_cast else 0


def more_ops_of_moments(ops: int, _: Any, x: Any, axes: Any = None, *__: Any, **___: Any) -> int:
    """Returns the number of ops that `nn.moments` made and TensorFlow 1 wouldn't have made.

    TensorFlow 2.22 subtracts the squared mean of the differences from the mean of their squares, and keeps the result
    above 0, with three means in place of two. It makes three constants of the axes if they are a constant tensor.

    Args:
        ops: Number of ops that the call made.
        x: The tensor.
        axes: The axes: integers, or a tensor of them.
    """
    if not ops:
        return 0
    if not _is_tensor(axes):
        return 8
    return 7 if loaded_module("python.framework.tensor_util").constant_value(axes) is None else 10


def more_ops_of_logsumexp(ops: int, _: Any, input_tensor: Any, axis: Any = None, *__: Any, **named: Any) -> int:
    """Returns the number of ops that `reduce_logsumexp` made and TensorFlow 1 wouldn't have made.

    Without an axis, TensorFlow 1 makes the dimensions of both of its reductions, and TensorFlow 2.4 makes them once.

    Args:
        ops: Number of ops that the call made.
        input_tensor: Tensor that is reduced.
        axis: The axis, or several; None for all.
        **named: Other arguments, among them the axis's old name.
    """
    if not ops or axis is not None or named.get("reduction_indices") is not None:
        return 0
    return -1 if _static_shape(input_tensor) is not None else -_OPS_OF_RANGE


def more_ops_of_repeated_logsumexp(
    ops: int, _: Any, input_tensor: Any, axis: Any = None, *__: Any, **named: Any
) -> int:
    """Returns the number of ops that `reduce_logsumexp` made and TensorFlow 1 wouldn't have made.

    TensorFlow 1 reads a resource variable once, and makes one constant of a list or an array. TensorFlow 2 (2.10 does,
    2.4 doesn't) passes them to each of two ops, and without an axis to the range of the first one's dimensions.

    Args:
        ops: Number of ops that the call made.
        input_tensor: The tensor, variable, array, number or list of numbers.
        axis: The axis, or several; None for all.
        **named: Other arguments, among them the axis's old name.
    """
    if not ops or (_is_tensor(input_tensor) and not hasattr(input_tensor, "initializer")):
        return 0
    axis = named.get("reduction_indices") if axis is None else axis
    if hasattr(input_tensor, "initializer"):
        return hasattr(input_tensor, "handle") + _reduction_dims(input_tensor, axis).ops
    return 1 if axis is not None else 1 + _OPS_OF_RANGE


def more_ops_of_ones_like(ops: int, ones: Any, input: Any, dtype: Any = None, *_: Any, **__: Any) -> int:
    """Returns the number of ops that TensorFlow 2's `ones_like` made and TensorFlow 1 wouldn't have made.

    Keras calls it. TensorFlow 1 fills the tensor's shape with a constant. TensorFlow 2 makes one constant if the shape
    is known and small, and one op if it isn't known.

    Args:
        ops: Number of ops that the call made.
        ones: Tensor that the call returned.
        input: The tensor, variable, array or list whose shape it takes.
        dtype: The dtype of the result; None for the tensor's.
    """
    if not ops:
        return 0
    shape = _static_shape(input)
    if shape is None or None in shape:
        return 0 if dtype is not None and ones.dtype != input.dtype else 1 - _TF1_OPS_OF_ONES_LIKE
    return ops - _TF1_OPS_OF_ONES_LIKE - (not _is_tensor(input))  # both convert it


def more_ops_of_keras_softmax(ops: int, _: Any, x: Any, axis: Any = -1) -> int:
    """Returns the number of ops that Keras's activation "softmax" made and TensorFlow 1's wouldn't have made.

    TensorFlow 1's has one op in two dimensions, and in more computes `exp(x - max(x)) / sum(exp(x - max(x)))`. Keras
    2.10's has one op for the last axis, and else transposes the tensor and back.

    Args:
        ops: Number of ops that the call made.
        x: The tensor.
        axis: The axis, an integer or several.
    """
    rank = x.shape.ndims
    if not ops or rank is None:
        return 0
    tf1_ops = _TF1_OPS_OF_KERAS_SOFTMAX if rank > 2 else 1
    return 1 - tf1_ops if axis in (-1, rank - 1) else ops - tf1_ops


def more_ops_of_keras_sqrt(ops: int, *_: Any, **__: Any) -> int:
    """Returns the number of ops that Keras's `sqrt` made and TensorFlow 1's wouldn't have made.

    TensorFlow 1's clips the tensor between 0 and infinity, and Keras 2.10's takes the maximum with 0.
    """
    return -2 if ops else 0


def more_ops_of_keras_selu(ops: int, *_: Any, **__: Any) -> int:
    """Returns the number of ops of Keras's activation "selu", one op, minus that of TensorFlow 1's composition."""
    return -7 if ops else 0


def more_ops_of_keras_logarithms(ops: int, *_: Any, **__: Any) -> int:
    """Returns the number of ops of Keras's loss of squared logarithms that TensorFlow 1's doesn't have.

    TensorFlow 1's clips both tensors between a small number and infinity. Keras 2.4's takes the maximum.
    """
    return 2 * more_ops_of_keras_sqrt(ops)


def more_ops_of_keras_resizing(ops: int, _: Any, x: Any, *args: Any, **named: Any) -> int:
    """Returns the number of ops of Keras's `resize_images` that TensorFlow 1's doesn't have.

    TensorFlow 1's slices the height and width off the tensor's shape. Keras 2.10's makes a constant if they are known.

    Args:
        ops: Number of ops that the call made.
        x: The images.
        *args: The factors of height and width, and the data format.
        **named: Those of them that have a name in the call.
    """
    shape = _static_shape(x)
    is_first = named.get("data_format", args[2] if len(args) > 2 else None) == "channels_first"
    sizes = shape[2:4] if shape and is_first else shape and shape[1:3]
    return -_OPS_OF_SLICE if ops and sizes and None not in sizes else 0


def more_ops_of_keras_l1(ops: int, _: Any, regularizer: Any, *__: Any, **___: Any) -> int:
    """Returns the number of ops of Keras's regularizer `l1` that TensorFlow 1's doesn't have: that adds it to 0.

    TensorFlow 1's with the factor 0 is a constant.

    Args:
        ops: Number of ops that the call made.
        regularizer: The regularizer, with the factor `l1`; or one of `l2`, which does the same in Keras 2.4.
    """
    if not (getattr(regularizer, "l1", 0) or getattr(regularizer, "l2", 0)):
        return ops - 1 if ops else 0
    return -2 if ops else 0


def more_ops_of_keras_l2(ops: int, _: Any, regularizer: Any, *__: Any, **___: Any) -> int:
    """Returns the number of ops of Keras's regularizer `l2` that TensorFlow 1's doesn't have.

    TensorFlow 1's sums squares, and adds the sum to 0. Keras 2.10's has one op for the sum of squares.

    Args:
        ops: Number of ops that the call made.
        regularizer: The regularizer, with the factor `l2`.
    """
    return more_ops_of_keras_l1(ops, None, regularizer) - (2 if ops and regularizer.l2 else 0)


def more_ops_of_keras_l1_l2(ops: int, _: Any, regularizer: Any, *__: Any, **___: Any) -> int:
    """Returns the number of ops of Keras's regularizer `l1_l2` that TensorFlow 1's doesn't have: see `l2`."""
    return -2 if ops and regularizer.l2 else 0


def more_ops_of_keras_cosine(ops: int, *_: Any, **__: Any) -> int:
    """Returns the number of ops of Keras's loss of the cosine that TensorFlow 1's doesn't have: it changes the sign."""
    return 1 if ops else 0


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
    if hasattr(rate, "handle"):  # read by both before the seed
        return Correction(1, before_seed=-3 - entering)
    return Correction(2, before_seed=-3 - entering - _ops_to_enter(rate))


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
    """Returns the correction for a call of `one_hot`.

    TensorFlow 1 converts its values twice, and makes one constant of an empty list, not a float one, too.
    """
    is_empty = isinstance(indices, (list, tuple)) and not indices
    return Correction(sum(value is not None and not _is_tensor(value) for value in (on_value, off_value)) - is_empty)


def _split(value: Any = None, num_or_size_splits: Any = None, *_: Any, **__: Any) -> Correction:
    """Returns the correction for a call of `split`: TensorFlow 1 also makes a constant of a number of splits."""
    is_number = isinstance(num_or_size_splits, Integral) or type(num_or_size_splits).__name__ == "Dimension"
    return Correction(int(is_number))


def _sparse_placeholder(dtype: Any = None, shape: Any = None, *_: Any, **__: Any) -> Correction:
    """Returns the correction for a call of `sparse_placeholder`.

    TensorFlow 2 makes a placeholder whose default is the shape that is passed. TensorFlow 1 takes the shape itself.
    """
    return Correction(0 if shape is None else -1)


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


def _transposed_convolution(layer: Any, inputs: Any = None, *_: Any, **__: Any) -> Correction:
    """Returns the correction for a call of a Conv2DTranspose layer.

    TensorFlow 1 computes the height and width of the result in the graph. TensorFlow 2 does so if they are unknown, and
    else makes a constant of each.
    """
    shape = _static_shape(inputs)
    sizes = (shape[2:4] if layer.data_format == "channels_first" else shape[1:3]) if shape else ()
    arithmetic = 10 if layer.output_padding is not None else 4 if layer.padding == "valid" else 2
    return Correction(sum(size is not None for size in sizes) * (_OPS_OF_SLICE + arithmetic - 1))


def _flatten(_: Any, inputs: Any = None, *__: Any, **___: Any) -> Correction:
    """Returns the correction for a call of a Flatten layer.

    If the first dimension is unknown, TensorFlow 1 computes it in the graph, TensorFlow 2 only if it needs it.
    """
    shape = _static_shape(inputs)
    return Correction(6 if shape and shape[0] is None and None not in shape[1:] else 0)


def _dims_of_scalar(x: Any = None, axis: Any = None, *_: Any, **__: Any) -> Correction:
    """Returns the correction for a call of `_ReductionDims`, the dimensions that a reduction without an axis is over.

    Of a tensor without dimensions TensorFlow 1 makes a constant, and TensorFlow 2 a range.
    """
    is_scalar = _is_tensor(x) and not hasattr(x, "initializer") and _static_shape(x) == ()
    return Correction(1 - _OPS_OF_RANGE if axis is None and is_scalar else 0)


def _reduction_dims(x: Any = None, axis: Any = None, *_: Any, **__: Any) -> Correction:
    """Returns the correction for a call of `_ReductionDims`, the dimensions that a reduction without an axis is over.

    Of a variable with dimensions TensorFlow 1 makes a range, for which it reads a resource variable. TensorFlow 2 (2.10
    does, 2.4 doesn't) makes a constant.
    """
    if axis is None and hasattr(x, "initializer") and _static_shape(x):
        return Correction(_OPS_OF_RANGE - 1 + hasattr(x, "handle"))
    return _dims_of_scalar(x, axis)


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


# Function -> the TensorFlows measured from which on it makes a different number of ops, and the functions that compute
# how many ops more than TensorFlow 1. None of its ops draws a seed.
_MORE_OPS: Mapping[str, Mapping[str, Callable[..., int]]] = {
    "image.central_crop": {"2.10.1": more_ops_of_central_crop},
    "image.crop_to_bounding_box": {"2.10.1": more_ops_of_crop},
    "nn.moments": {"2.22.0rc0": more_ops_of_moments},
    "python.ops.array_ops:ones_like_v2": {"2.15.1": more_ops_of_ones_like},
    "python.ops.image_ops_impl:_CheckAtLeast3DImage": {"2.4.4": more_ops_of_image_check},
    "reduce_logsumexp": {"2.4.4": more_ops_of_logsumexp, "2.10.1": more_ops_of_repeated_logsumexp},
}

# The same for functions of Keras, by "MODULE:FUNCTION".
_MORE_OPS_OF_KERAS: Mapping[str, Mapping[str, Callable[..., int]]] = {
    "activations:selu": {"2.4.4": more_ops_of_keras_selu},
    "activations:softmax": {"2.10.1": more_ops_of_keras_softmax},
    "backend:resize_images": {"2.10.1": more_ops_of_keras_resizing},
    "backend:sqrt": {"2.10.1": more_ops_of_keras_sqrt},
    "losses:cosine_similarity": {"2.4.4": more_ops_of_keras_cosine},
    "losses:mean_absolute_percentage_error": {"2.4.4": more_ops_of_keras_sqrt},
    "losses:mean_squared_logarithmic_error": {"2.4.4": more_ops_of_keras_logarithms},
    "regularizers:L1.__call__": {"2.4.4": more_ops_of_keras_l1},
    "regularizers:L1L2.__call__": {"2.10.1": more_ops_of_keras_l1_l2},
    "regularizers:L2.__call__": {"2.4.4": more_ops_of_keras_l1, "2.10.1": more_ops_of_keras_l2},
}


def more_ops(version: Version | None, *, keras: bool = False) -> Mapping[str, Callable[..., int]]:
    """Returns the functions whose calls make ops that TensorFlow 1 wouldn't have made, or fewer.

    Args:
        version: The version of TensorFlow; None stands for the newest.
        keras: True for functions of Keras, by "MODULE:FUNCTION"; False for TensorFlow's, by their names in the table.

    Returns:
        Function -> function that computes the number; it is called with the number of ops that the call made, its
        result and its arguments.
    """
    chosen = {name: _since(of, version) for name, of in (_MORE_OPS_OF_KERAS if keras else _MORE_OPS).items()}
    return {name: more for name, more in chosen.items() if more is not None}


def _since(of_versions: Mapping[str, Callable[..., Any]], version: Version | None) -> Any:
    """Returns the function of the last version up to a version; None if there is none. None stands for the newest."""
    chosen = [function for since, function in of_versions.items() if version is None or Version(since) <= version]
    return chosen[-1] if chosen else None


# Function -> the TensorFlows measured from which on it makes a different number of ops, and the rules.
_RULES: Mapping[str, Mapping[str, Callable[..., Correction]]] = {
    "layer Conv2DTranspose": {"2.4.4": _transposed_convolution},
    "layer Flatten": {"2.4.4": _flatten},
    "python.ops.array_ops:one_hot": {"2.4.4": _one_hot},
    "python.ops.array_ops:ones": {"2.10.1": _filled},
    "python.ops.array_ops:sparse_placeholder": {"2.4.4": _sparse_placeholder},
    "python.ops.array_ops:split": {"2.10.1": _split},
    "python.ops.array_ops:zeros": {"2.10.1": _filled},
    "python.ops.math_ops:_ReductionDims": {"2.4.4": _dims_of_scalar, "2.10.1": _reduction_dims},
    "python.ops.math_ops:tensordot": {"2.4.4": _tensordot},
    "python.ops.nn_ops:dropout_v2": {"2.4.4": _dropout},
    "python.ops.random_ops:random_uniform": {"2.4.4": _uniform},
}


def rules(version: Version | None) -> Rules:
    """Returns the rules for a TensorFlow, by function; None stands for the newest version.

    Calls that make the same ops as on TensorFlow 1 are counted, too, as they aren't part of the calls around them.
    """
    return {name: _since(of_versions, version) or _same_ops for name, of_versions in _RULES.items()}


def _same_ops(*_: Any, **__: Any) -> Correction:
    return Correction(0)
