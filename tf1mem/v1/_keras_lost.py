"""Functions that files of standalone Keras had, programs import, and later versions of Keras have removed."""

from __future__ import annotations

import inspect
from importlib import import_module
from typing import Any, Callable, Iterable, Sequence

from tf1mem.v1._namespace import ROOT


class Reduction:
    """The ways in which a loss of examples becomes one number, by name."""

    NONE = "none"
    SUM = "sum"
    SUM_OVER_BATCH_SIZE = "sum_over_batch_size"

    @classmethod
    def all(cls) -> tuple[str, str, str]:
        """Returns all names."""
        return cls.NONE, cls.SUM, cls.SUM_OVER_BATCH_SIZE

    @classmethod
    def validate(cls, key: str) -> None:
        """Raises a ValueError for a name that isn't one of them."""
        if key not in cls.all():
            raise ValueError(f"There is no reduction {key!r}. Use one of {', '.join(cls.all())}.")


def unpack_singleton(x: Any) -> Any:
    """Returns the element of a list or tuple that has only one; any other is returned itself."""
    return x[0] if len(x) == 1 else x


def _listed(x: Any) -> list[Any]:
    return x if isinstance(x, list) else [x]


def object_list_uid(object_list: Any) -> str:
    """Returns a text that identifies an object, or the objects of a list."""
    return ", ".join(str(abs(id(each))) for each in _listed(object_list))


def is_all_none(iterable_or_element: Any) -> bool:
    """Returns True for None, and for a list or tuple of nothing else."""
    each = list(iterable_or_element) if isinstance(iterable_or_element, tuple) else _listed(iterable_or_element)
    return all(element is None for element in each)


def check_for_unexpected_keys(name: str, input_dict: dict[str, Any], expected_values: Iterable[str]) -> None:
    """Raises a ValueError if a dict has other keys than the expected ones.

    Args:
        name: The dict's name in the error.
        input_dict: The dict.
        expected_values: All keys that it may have.
    """
    unknown = sorted(set(input_dict) - set(expected_values))
    if unknown:
        raise ValueError(f"Unknown entries in the dict {name}: {unknown}. It may have {list(expected_values)}.")


def transpose_shape(shape: Any, target_format: str, spatial_axes: Sequence[int]) -> Any:
    """Returns a shape with the channels where a data format has them.

    Args:
        shape: Tuple or list with the channels last.
        target_format: "channels_last" or "channels_first".
        spatial_axes: The positions of the spatial dimensions in `shape`.

    Raises:
        ValueError: There is no such format.
    """
    if target_format == "channels_last":
        return shape
    if target_format != "channels_first":
        raise ValueError(f"The data format is {target_format!r}, and has to be channels_first or channels_last.")
    transposed = [*shape[: spatial_axes[0]], shape[-1], *(shape[axis] for axis in spatial_axes)]
    return transposed if isinstance(shape, list) else tuple(transposed)


def getargspec(fn: Callable[..., Any]) -> Any:
    """Returns a function's arguments, as `inspect.getfullargspec` does."""
    return inspect.getfullargspec(fn)


def convert_kernel(kernel: Any) -> Any:
    """Returns a kernel of a convolution for the other of TensorFlow and Theano: mirrored in each spatial dimension.

    Args:
        kernel: Array of three to five dimensions, the last two of which are the channels.

    Raises:
        ValueError: It has another number of dimensions.
    """
    import numpy as np

    kernel = np.asarray(kernel)
    if not 3 <= kernel.ndim <= 5:
        raise ValueError(f"A kernel of shape {kernel.shape} has {kernel.ndim} dimensions; a convolution's has 3 to 5.")
    return np.flip(kernel, tuple(range(kernel.ndim - 2))).copy()


def convert_all_kernels_in_model(model: Any) -> None:
    """Turns the kernels of a model's convolutions around, from Theano's convolutions to TensorFlow's or back.

    Args:
        model: A model whose layers Conv1D, Conv2D, Conv3D and Conv2DTranspose are changed, none within other models.
    """
    K: Any = import_module(f"{ROOT}.keras.backend")  # noqa: N806 - as everyone calls it
    kernels = [
        layer.kernel
        for layer in model.layers
        if type(layer).__name__ in ("Conv1D", "Conv2D", "Conv3D", "Conv2DTranspose")
    ]
    K.batch_set_value([(kernel, convert_kernel(K.get_value(kernel))) for kernel in kernels])


def deconv_length(  # noqa: PLR0917 - as Keras had them
    dim_size: int | None,
    stride_size: int,
    kernel_size: int,
    padding: str,
    output_padding: int | None,
    dilation: int = 1,
) -> int | None:
    """Returns the length of a transposed convolution's output in one dimension; None if the input's isn't known.

    Args:
        dim_size: The input's length, or None.
        stride_size: Stride in that dimension.
        kernel_size: The kernel's length.
        padding: "same", "valid" or "full".
        output_padding: Values to add to the output's length; None if it follows from the rest.
        dilation: Dilation rate.
    """
    if dim_size is None:
        return None
    kernel_size = (kernel_size - 1) * dilation + 1
    if output_padding is None:
        more = {
            "same": 0,
            "valid": max(kernel_size - stride_size, 0),
            "full": -(stride_size + kernel_size - 2),
        }
        return dim_size * stride_size + more[padding]
    pad = {"same": kernel_size // 2, "valid": 0, "full": kernel_size - 1}[padding]
    return (dim_size - 1) * stride_size + kernel_size - 2 * pad + output_padding


def weighted_masked_objective(fn: Callable[[Any, Any], Any] | None) -> Any:
    """Returns a loss of labels, predictions, weights and a mask; None if there is no loss.

    Args:
        fn: Function of labels and predictions, `[batch, …]`, with a loss for each example, `[batch]` or of more
            dimensions.

    Returns:
        Function with the arguments `y_true`, `y_pred`, `weights` (tensor, or None) and `mask` (boolean tensor, or None;
        losses where it is False count nothing). Its result is a scalar.
    """
    if fn is None:
        return None

    def weighted(y_true: Any, y_pred: Any, weights: Any, mask: Any = None) -> Any:
        K: Any = import_module(f"{ROOT}.keras.backend")  # noqa: N806 - as everyone calls it
        losses = fn(y_true, y_pred)
        if mask is not None:
            mask = K.cast(mask, K.floatx())
            losses = losses * mask / (K.mean(mask) + K.epsilon())
        if weights is not None:
            losses = K.mean(losses, axis=list(range(K.ndim(weights), K.ndim(losses)))) * weights
            losses = losses / K.mean(K.cast(K.not_equal(weights, 0), K.floatx()))
        return K.mean(losses)

    return weighted
