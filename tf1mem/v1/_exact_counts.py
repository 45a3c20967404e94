"""Computes by how many ops a call differs from TensorFlow 1, where a rule holds for every call of a function.

A function `more_ops_of_…` takes the number of ops that the call made, and returns how many of them TensorFlow 1
wouldn't have made; it is negative if TensorFlow 1 makes more. A `Correction` has the opposite sign. The numbers of
other functions are measured (`_op_table.json`).
"""

from __future__ import annotations

import functools
import operator
from numbers import Integral
from typing import Any, Callable, Iterable, Mapping, NamedTuple

from packaging.version import Version

from tf1mem.machine.modules import loaded_module


class Correction(NamedTuple):
    """The number of ops to add to those of a call to get TensorFlow 1's; negative if TensorFlow 1 makes fewer.

    Attributes:
        ops: Correction for all ops of the call.
        before_seed: Correction for the ops before the call draws its first seed.
    """

    ops: int
    before_seed: int = 0


# Function's name -> function that is called with the arguments of a call, and returns the call's correction. For a
# layer, the first argument is the layer.
Rules = Mapping[str, Callable[..., Correction]]

# Number of ops of a slice of a tensor by integers: constants of begins, ends and strides, and the StridedSlice.
_OPS_OF_SLICE = 4

# Number of ops of the range of a tensor's dimensions, if its rank is unknown: the rank, 0, 1 and the range.
_OPS_OF_RANGE = 4

# Number of ops that TensorFlow 1 makes to check the dimensions of images of a known rank.
_TF1_OPS_OF_IMAGE_CHECK = 22

# Number of ops that TensorFlow 1 makes in `ones_like`: the shape, a constant, and an op that fills one with the other.
_TF1_OPS_OF_ONES_LIKE = 3

# Number of ops that TensorFlow 1 makes in Keras's activation "softmax", if the tensor has more than two dimensions: the
# maximum and the sum, each with a constant axis, a difference, exp and a quotient.
_TF1_OPS_OF_KERAS_SOFTMAX = 7

# Number of ops that TensorFlow 1 makes to broadcast the weights of a loss: the two shapes and ranks, a NoOp, the ones
# (three ops) and the product. If a shape isn't known, the check is a `cond`.
_TF1_OPS_OF_BROADCAST = 9
_TF1_OPS_OF_CHECKED_BROADCAST = 67

# Number of ops of the limits of a loop: TensorFlow 1's loop over the steps of a ConvLSTM2D also counts its passes, and
# compares the number with the number of steps, if that is known.
_TF1_OPS_OF_LOOP_LIMIT = 13

# Number of ops that TensorFlow 1 makes in `transpose` without `perm`, if the tensor's rank is unknown or 0: the rank,
# 1, a difference, 0, 1, the range, a difference and the transpose.
_TF1_OPS_OF_REVERSAL = 8


def more_ops_of_slice(ops: int, sliced: Any, _: Any, bounds: Any) -> int:
    """Returns the number of ops that a slice made and TensorFlow 1 wouldn't have made.

    TensorFlow 2 (2.10 does, 2.4 doesn't) makes a constant of the tensors' dtype for each bound and step that is left
    out. A vector of begins, ends or strides with such a constant is a Pack of one op for each entry, even if the
    program passes no tensor in it. TensorFlow 1 makes one constant for that vector, and casts it if another vector is
    of int64. A vector with a Dimension, as in `x[:, : x.shape[1] - 4]`, is a Pack in TensorFlow 1 alone.

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
        if any(hasattr(bound, "graph") for bound in vector):
            continue
        has_dimension = any(type(bound).__name__ == "Dimension" for bound in vector)
        if pack.type == "Pack":
            more += (0 if has_dimension else len(pack.inputs)) + is_cast - is_cast_on_tf1
        elif has_dimension:
            more -= int(packed.shape[0])
    return more


def more_ops_of_sparse_read(ops: int, read: Any, *_: Any, **__: Any) -> int:
    """Returns the number of ops that a resource variable's `sparse_read` made and TensorFlow 1 wouldn't have made.

    TensorFlow 1 returns an Identity of what was gathered. Later ones (2.10 does, 2.4 doesn't) return that itself.

    Args:
        ops: Number of ops that the call made.
        read: Tensor that the call returned.
    """
    return -1 if ops and read.op.type == "ResourceGather" else 0


def more_ops_of_transpose(ops: int, transposed: Any, a: Any, perm: Any = None, *_: Any, **__: Any) -> int:
    """Returns the number of ops that a call of `transpose` made and TensorFlow 1 wouldn't have made.

    Without `perm`, TensorFlow 1 computes `(rank - 1) - range(0, rank, 1)` in the graph if the rank is unknown or 0.
    TensorFlow 2 computes `range(rank - 1, -1, -1)`, and for rank 0 a constant.

    Args:
        ops: Number of ops that the call made.
        transposed: Tensor that the call returned.
        a: The tensor, or another value, of which both TensorFlows make a constant.
        perm: The order of dimensions; None reverses them.
    """
    if perm is not None or transposed.shape.ndims or not ops:  # eager mode makes no ops
        return 0
    import numpy as np  # tf1mem.v1 loads this file before it says that TensorFlow is missing

    return ops - _TF1_OPS_OF_REVERSAL - (not hasattr(a, "shape") or isinstance(a, (np.ndarray, np.generic)))


def more_ops_of_image_check(ops: int, _: Any, image: Any, *__: Any, **___: Any) -> int:
    """Returns the number of ops that a check of an image's shape made and TensorFlow 1 wouldn't have made.

    TensorFlow 1 checks all dimensions in the graph, unless all are known. TensorFlow 2 slices the last three off the
    shape and checks only these, unless they are known.

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
    packs them with the height and the width. TensorFlow 1 writes -1 for batch and channels: the four sizes are one
    constant or, if height or width is a tensor, a Pack with a constant for each -1.

    Args:
        ops: Number of ops that the call made.
        image: The image, or the batch of images.
        *box: Row and column where the box begins, its height and its width.
        **named: The part of `box` that the call passes by name.
    """
    if not ops:
        return 0
    sizes = *box[2:], named.get("target_height"), named.get("target_width")
    ops_of_slices = 2 * (1 + _OPS_OF_SLICE)
    return ops_of_slices - 2 if any(map(_is_tensor, sizes)) else ops_of_slices + 2


def more_ops_of_central_crop(ops: int, _: Any, image: Any, central_fraction: Any) -> int:
    """Returns the number of ops that `central_crop` made and TensorFlow 1 wouldn't have made.

    For an unknown height, and for an unknown width, TensorFlow 2 (2.10 does, 2.4 doesn't) casts the fraction to
    float64, where TensorFlow 1 makes a float64 constant of it. A fraction of NumPy's float64 needs no cast.

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
    at 0 or above: 7 ops more, since it takes three means in place of two. Integer axes are one constant more, that of
    the third mean. For axes in a constant tensor it makes three constants.

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

    Without an axis, TensorFlow 1 makes the tensor's dimensions (a constant or a range) for each of its two reductions,
    and TensorFlow 2.4 makes them once.

    Args:
        ops: Number of ops that the call made.
        input_tensor: Tensor that is reduced.
        axis: The axis, or several; None for all.
        **named: Other arguments, among them `reduction_indices`, the axis's old name.
    """
    if not ops or axis is not None or named.get("reduction_indices") is not None:
        return 0
    return -1 if _static_shape(input_tensor) is not None else -_OPS_OF_RANGE


def more_ops_of_repeated_logsumexp(
    ops: int, _: Any, input_tensor: Any, axis: Any = None, *__: Any, **named: Any
) -> int:
    """Returns the number of ops that `reduce_logsumexp` made and TensorFlow 1 wouldn't have made.

    TensorFlow 1 reads a resource variable once, and makes one constant of a list or an array. TensorFlow 2 (2.10 does,
    2.4 doesn't) does so for each of two ops, and without an axis once more for the range of the dimensions.

    Args:
        ops: Number of ops that the call made.
        input_tensor: The tensor, variable, array, number or list of numbers.
        axis: The axis, or several; None for all.
        **named: Other arguments, among them `reduction_indices`, the axis's old name.
    """
    if not ops or (_is_tensor(input_tensor) and not hasattr(input_tensor, "initializer")):
        return 0
    axis = named.get("reduction_indices") if axis is None else axis
    if hasattr(input_tensor, "initializer"):
        return hasattr(input_tensor, "handle") + _reduction_dims(input_tensor, axis).ops
    return 1 if axis is not None else 1 + _OPS_OF_RANGE


def more_ops_of_ones_like(ops: int, ones: Any, input: Any, dtype: Any = None, *_: Any, **__: Any) -> int:
    """Returns the number of ops that TensorFlow 2's `ones_like` made and TensorFlow 1 wouldn't have made.

    Keras calls this function. TensorFlow 1 fills the tensor's shape with a constant. TensorFlow 2 makes one constant if
    the shape is known and small, and the op OnesLike if it isn't known.

    Args:
        ops: Number of ops that the call made.
        ones: Tensor that the call returned.
        input: The tensor, variable, array or list whose shape the ones have.
        dtype: The dtype of the result; None for the input's.
    """
    if not ops:
        return 0
    shape = _static_shape(input)
    if shape is None or None in shape:
        return 0 if dtype is not None and ones.dtype != input.dtype else 1 - _TF1_OPS_OF_ONES_LIKE
    return ops - _TF1_OPS_OF_ONES_LIKE - (not _is_tensor(input))  # both TensorFlows convert it


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

    TensorFlow 1's clips the tensor between 0 and infinity, by two constants and two ops. Keras 2.10's takes the maximum
    with 0. Keras 2.4's loss `mean_absolute_percentage_error` differs in the same way.
    """
    return -2 if ops else 0


def more_ops_of_keras_selu(ops: int, *_: Any, **__: Any) -> int:
    """Returns the number of ops that Keras's activation "selu" made and TensorFlow 1's wouldn't have made.

    TensorFlow 1's is composed of eight ops, Keras 2.4's is one op.
    """
    return -7 if ops else 0


def more_ops_of_keras_logarithms(ops: int, *_: Any, **__: Any) -> int:
    """Returns the number of ops that Keras's loss of squared logarithms made and TensorFlow 1's wouldn't have made.

    TensorFlow 1's clips both tensors between a small number and infinity. Keras 2.4's takes the maximum with this
    number.
    """
    return 2 * more_ops_of_keras_sqrt(ops)


def more_ops_of_keras_resizing(ops: int, _: Any, x: Any, *args: Any, **named: Any) -> int:
    """Returns the number of ops that Keras's `resize_images` made and TensorFlow 1's wouldn't have made.

    TensorFlow 1's slices height and width off the tensor's shape. Keras 2.10's makes a constant of them if they are
    known.

    Args:
        ops: Number of ops that the call made.
        x: The images.
        *args: The factors of height and width, and the data format.
        **named: The part of `args` that the call passes by name.
    """
    shape = _static_shape(x)
    is_first = named.get("data_format", args[2] if len(args) > 2 else None) == "channels_first"
    sizes = shape[2:4] if shape and is_first else shape and shape[1:3]
    return -_OPS_OF_SLICE if ops and sizes and None not in sizes else 0


def more_ops_of_keras_l1(ops: int, _: Any, regularizer: Any, *__: Any, **___: Any) -> int:
    """Returns the number of ops that Keras's regularizer `l1` made and TensorFlow 1's wouldn't have made.

    TensorFlow 1's adds the penalty to a constant 0, which is two ops more. With the factor 0 it is only that constant.

    Args:
        ops: Number of ops that the call made.
        regularizer: The regularizer, with the factor `l1`; or a regularizer `l2`, which differs alike in Keras 2.4.
    """
    if not (getattr(regularizer, "l1", 0) or getattr(regularizer, "l2", 0)):
        return ops - 1 if ops else 0
    return -2 if ops else 0


def more_ops_of_keras_cosine(ops: int, *_: Any, **__: Any) -> int:
    """Returns the number of ops that Keras's `cosine_similarity` made and TensorFlow 1's wouldn't have made: a Neg."""
    return 1 if ops else 0


def more_ops_of_keras_weighting(ops: int, _: Any, losses: Any, sample_weight: Any = None, *__: Any, **___: Any) -> int:
    """Returns the number of ops that Keras made to weight and reduce a loss, and TensorFlow 1 wouldn't have made.

    TensorFlow 1 broadcasts the weights to the losses first: it checks the shapes, by a NoOp if they are known, else by
    the ops of a `cond`, and multiplies the weights by ones. Weights of the losses' shape are left as they are.

    Args:
        ops: Number of ops that the call made.
        losses: Tensor of losses.
        sample_weight: Weight, or a tensor of weights; None stands for 1.
    """
    shape, weights = _static_shape(losses), _static_shape(sample_weight)
    if not ops or shape is None or weights is None:
        return 0
    if not weights:
        return -_TF1_OPS_OF_BROADCAST if shape else 0
    if len(weights) == len(shape) + 1 and weights[-1] == 1:  # both TensorFlows squeeze or expand these
        weights = weights[:-1]
    elif len(weights) == len(shape) - 1:
        weights = (*weights, 1)
    if None in weights or None in shape:
        return -_TF1_OPS_OF_CHECKED_BROADCAST
    return 0 if weights == shape else -_TF1_OPS_OF_BROADCAST


def more_ops_of_keras_accuracy(ops: int, *_: Any, **__: Any) -> int:
    """Returns the number of ops that Keras's accuracy made and TensorFlow 1's wouldn't have made.

    It is one: the labels' shape, for sparse labels, or their cast to int32, for the top k.
    """
    return 1 if ops else 0


def more_ops_of_keras_aggregation(ops: int, *_: Any, **__: Any) -> int:
    """Returns the number of ops with which an optimizer of Keras sums gradients over replicas: TensorFlow 1 made none.

    With one replica these are identities: two for each gradient of a variable, and one of all.
    """
    return ops


def tries_dtypes(make_op: Callable[..., Any]) -> bool:
    """Returns True if TensorFlow, when it makes an op, converts an input once to see whether its own dtype is allowed.

    Args:
        make_op: op_def_library.py's function that makes ops; if it does so, a variable of it lists the allowed dtypes.
    """
    return "allowed_list_attr_map" in make_op.__code__.co_varnames


def more_ops_of_empty_lists(op_type: str, inputs: Mapping[str, Any]) -> int:
    """Returns the number of constants that TensorFlow makes of an op's empty lists, and that the op doesn't take.

    From 2.4 on, op_def_library.py makes a float constant of an empty list for an input whose dtype may be int32 or
    int64, and then an integer one (`tf.reshape(x, [])`, `tf.reduce_sum(x, [])`). TensorFlow 1 makes only the latter.

    Args:
        op_type: Type of the op, such as "Reshape".
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
    """Returns a dimension's begin, end and stride as the program wrote them; an index counts as begin and as end."""
    return (bound.start, bound.stop, bound.step) if isinstance(bound, slice) else (bound, bound, None)


def _uniform(
    shape: Any = None, minval: Any = 0, maxval: Any = None, dtype: Any = "float32", *_: Any, **__: Any
) -> Correction:
    """Returns the correction for a call of `random_uniform`.

    TensorFlow 1 makes constants of both bounds, and computes `random * (maxval - minval) + minval`. For floats between
    the Python ints 0 and 1, TensorFlow 2 makes none of these five ops. Above the Python int 0 it makes neither the
    difference nor the sum.
    """
    if not (isinstance(minval, int) and minval == 0):
        return Correction(0)
    if loaded_module("python.framework.dtypes").as_dtype(dtype).is_integer:
        return Correction(0)
    is_to_one = maxval is None or (isinstance(maxval, int) and maxval == 1)
    return Correction(5, before_seed=2) if is_to_one else Correction(2)


def _one_hot(
    indices: Any = None, depth: Any = None, on_value: Any = None, off_value: Any = None, *_: Any, **__: Any
) -> Correction:
    """Returns the correction for a call of `one_hot`.

    TensorFlow 1 converts `on_value` and `off_value` twice. TensorFlow 2 makes two constants of an empty list of
    indices, first a float one.
    """
    is_empty = isinstance(indices, (list, tuple)) and not indices
    return Correction(sum(value is not None and not _is_tensor(value) for value in (on_value, off_value)) - is_empty)


def _split(value: Any = None, num_or_size_splits: Any = None, *_: Any, **__: Any) -> Correction:
    """Returns the correction for a call of `split`: TensorFlow 1 makes a constant, too, if it is by a number."""
    is_number = isinstance(num_or_size_splits, Integral) or type(num_or_size_splits).__name__ == "Dimension"
    return Correction(int(is_number))


def _filled(shape: Any = None, *_: Any, **__: Any) -> Correction:
    """Returns the correction for a call of `ones` or `zeros`.

    To find out if the shape is small, TensorFlow 1 multiplies the dimensions and compares the product with a constant.
    If a dimension is a tensor, the products, their constants and the comparison are ops.
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
    # Additions, products and so on, each with a constant.
    arithmetic = 10 if layer.output_padding is not None else 4 if layer.padding == "valid" else 2
    return Correction(sum(size is not None for size in sizes) * (_OPS_OF_SLICE + arithmetic - 1))


def _flatten(_: Any, inputs: Any = None, *__: Any, **___: Any) -> Correction:
    """Returns the correction for a call of a Flatten layer.

    If only the first dimension is unknown, TensorFlow 1 computes it in the graph, and TensorFlow 2 writes -1.
    """
    shape = _static_shape(inputs)
    return Correction(6 if shape and shape[0] is None and None not in shape[1:] else 0)


def _convolutional_lstm(layer: Any, inputs: Any = None, *_: Any, **__: Any) -> Correction:
    """Returns the correction for a call of a ConvLSTM2D layer, whose loop has no limit in TensorFlow 2."""
    shape = None if isinstance(inputs, (list, tuple)) else _static_shape(inputs)
    is_limited = bool(shape) and shape[1] is not None and not layer.unroll  # type: ignore[index]
    return Correction(_TF1_OPS_OF_LOOP_LIMIT if is_limited else 0)


def _dims_of_scalar(x: Any = None, axis: Any = None, *_: Any, **__: Any) -> Correction:
    """Returns the correction for a call of `_ReductionDims`, which returns the dimensions that a reduction is over.

    If the axis is None, for a scalar TensorFlow 1 makes a constant, and TensorFlow 2 a range.
    """
    is_scalar = _is_tensor(x) and not hasattr(x, "initializer") and _static_shape(x) == ()
    return Correction(1 - _OPS_OF_RANGE if axis is None and is_scalar else 0)


def _reduction_dims(x: Any = None, axis: Any = None, *_: Any, **__: Any) -> Correction:
    """Returns the correction for a call of `_ReductionDims`, which returns the dimensions that a reduction is over.

    If the axis is None, for a variable TensorFlow 1 makes a range, for which it reads a resource variable. TensorFlow 2
    (2.10 does, 2.4 doesn't) makes a constant. Scalars are as in `_dims_of_scalar`.
    """
    if axis is None and hasattr(x, "initializer") and _static_shape(x):
        return Correction(_OPS_OF_RANGE - 1 + hasattr(x, "handle"))
    return _dims_of_scalar(x, axis)


def _tensordot(a: Any = None, b: Any = None, axes: Any = None, *_: Any, **__: Any) -> Correction:
    """Returns the correction for a call of `tensordot`.

    TensorFlow 2 leaves out a transpose or a reshape that keeps a known shape: an op and its constant. If the result is
    a scalar, it makes two constants of the empty list of its sizes, first a float one.
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
    """Returns the axes that `tensordot` contracts, a list for each tensor; None if the graph computes them.

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
    """Returns the sizes of a tensor, array or lists of numbers, each None if unknown; None if the rank is unknown."""
    if isinstance(value, (list, tuple)):
        inner = _static_shape(value[0]) if value else ()
        return None if inner is None else (len(value), *inner)
    shape: Any = getattr(value, "shape", ())
    if hasattr(shape, "as_list"):
        return None if shape.ndims is None else tuple(shape.as_list())
    return tuple(shape)


def _is_tensor(value: Any) -> bool:
    """Returns True for a tensor or a reference variable, which ops take as they are; ops read resource variables."""
    return hasattr(value, "graph") and not hasattr(value, "handle")


# Function's name -> version -> function that computes how many ops more than TensorFlow 1 a call makes, from that
# version on. The versions are the first measured ones that differ. None of the functions draws a seed.
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
    "metrics.accuracy_metrics:top_k_categorical_accuracy": {"2.10.1": more_ops_of_keras_accuracy},
    "metrics.metrics:top_k_categorical_accuracy": {"2.10.1": more_ops_of_keras_accuracy},
    "optimizer_v2.optimizer_v2:OptimizerV2._aggregate_gradients": {"2.4.4": more_ops_of_keras_aggregation},
    "optimizers.legacy.optimizer_v2:OptimizerV2._aggregate_gradients": {"2.15.1": more_ops_of_keras_aggregation},
    "optimizers.optimizer_v2.optimizer_v2:OptimizerV2._aggregate_gradients": {"2.10.1": more_ops_of_keras_aggregation},
    # Of TensorFlow's own copy of Keras 2.4; those of the Keras in use make TensorFlow 1's ops (`_keras_functions.py`).
    "regularizers:L1.__call__": {"2.4.4": more_ops_of_keras_l1},
    "regularizers:L2.__call__": {"2.4.4": more_ops_of_keras_l1},
    "utils.losses_utils:compute_weighted_loss": {"2.4.4": more_ops_of_keras_weighting},
    "utils.metrics_utils:sparse_categorical_matches": {"2.10.1": more_ops_of_keras_accuracy},
    "utils.metrics_utils:sparse_top_k_categorical_matches": {"2.10.1": more_ops_of_keras_accuracy},
}


def _more_ops_of_array_gradient(depth: int) -> int:
    """Returns the number of ops that the gradient of a write to a TensorArray makes and TensorFlow 1 didn't make.

    It waits for the write, by two identities. In a loop the write's flow is kept on a stack for that: a constant, the
    stack, two Enters, a push and a pop, and two more Enters for each loop around the loop.

    Args:
        depth: The number of loops that the write is in.
    """
    return 6 + 2 * depth if depth else 2


# Type of an op -> version -> rule for its gradient from that version on.
_MORE_OPS_OF_GRADIENTS: Mapping[str, Mapping[str, Callable[[int], int]]] = {
    "TensorArrayWriteV3": {"2.4.4": _more_ops_of_array_gradient},
    "TensorArrayScatterV3": {"2.4.4": _more_ops_of_array_gradient},
}


def more_ops(version: Version | None, *, keras: bool = False) -> Mapping[str, Callable[..., int]]:
    """Returns the functions whose calls make ops that TensorFlow 1 wouldn't have made, or fewer.

    Args:
        version: The version of TensorFlow; None stands for the newest.
        keras: True for functions of Keras, by "MODULE:FUNCTION"; False for TensorFlow's, by their names in the table.

    Returns:
        Function's name -> function that computes how many; it is called with the number of ops that a call made, the
        call's result and its arguments.
    """
    chosen = {name: _since(of, version) for name, of in (_MORE_OPS_OF_KERAS if keras else _MORE_OPS).items()}
    return {name: more for name, more in chosen.items() if more is not None}


def more_ops_of_gradients(version: Version | None) -> Mapping[str, Callable[[int], int]]:
    """Returns the types of ops whose gradients make ops that TensorFlow 1 wouldn't have made.

    Args:
        version: The version of TensorFlow; None stands for the newest.

    Returns:
        Op's type -> function that computes how many, from the number of loops that the op is in.
    """
    chosen = {op_type: _since(of, version) for op_type, of in _MORE_OPS_OF_GRADIENTS.items()}
    return {op_type: more for op_type, more in chosen.items() if more is not None}


def _since(of_versions: Mapping[str, Callable[..., Any]], version: Version | None) -> Any:
    """Returns the function of the last key up to `version`, which None makes the newest; None if there is no such key.

    Args:
        of_versions: Version -> function, in ascending order.
        version: A version of TensorFlow.
    """
    chosen = [function for since, function in of_versions.items() if version is None or Version(since) <= version]
    return chosen[-1] if chosen else None


# Function's name -> version -> rule from that version on. The versions are the first measured ones that differ.
_RULES: Mapping[str, Mapping[str, Callable[..., Correction]]] = {
    "layer Conv2DTranspose": {"2.4.4": _transposed_convolution},
    "layer ConvLSTM2D": {"2.4.4": _convolutional_lstm},
    "layer Flatten": {"2.4.4": _flatten},
    "python.ops.array_ops:one_hot": {"2.4.4": _one_hot},
    "python.ops.array_ops:ones": {"2.10.1": _filled},
    "python.ops.array_ops:split": {"2.10.1": _split},
    "python.ops.array_ops:zeros": {"2.10.1": _filled},
    "python.ops.math_ops:_ReductionDims": {"2.4.4": _dims_of_scalar, "2.10.1": _reduction_dims},
    "python.ops.math_ops:tensordot": {"2.4.4": _tensordot},
    "python.ops.nn_ops:dropout_v2": {},  # `_dropout.py` makes the same ops
    "python.ops.random_ops:random_uniform": {"2.4.4": _uniform},
}


def rules(version: Version | None) -> Rules:
    """Returns the rules for a TensorFlow, by function; None stands for the newest version.

    A function that makes as many ops as on TensorFlow 1 has a rule, too, so that its ops don't count as those of the
    calls around it.
    """
    return {name: _since(of_versions, version) or _same_ops for name, of_versions in _RULES.items()}


def _same_ops(*_: Any, **__: Any) -> Correction:
    return Correction(0)
