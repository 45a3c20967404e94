"""The names of standalone Keras's backend, `keras.backend`, that `tf.keras.backend` lacks, or has for other results.

Keras 2.0 to 2.3 had more functions there than `tf.keras` of the same time. Programs also reach, by way of the backend,
the files of TensorFlow that it imported, such as `K.control_flow_ops`, and values of its own files, such as `_EPSILON`.
Theano and CNTK, its other backends, are refused.

Functions of both differ: standalone Keras's `zeros_like` and `ones_like` have the dtype `floatx()` by default, `eye`
and `tile` take other shapes, `arange` takes a tensor, `batch_normalization` takes channels first without a GPU, beams
of `ctc_decode` keep repeated labels by default, and what `function` returns takes lists as values.
"""

from __future__ import annotations

from functools import partial
from importlib import import_module
from typing import Any, Callable

from tf1mem.errors import RemovedSymbolError, SettingError
from tf1mem.v1._keras_functions import unknown_data_format
from tf1mem.v1._namespace import ROOT, Factory, located

# Functions that the file of tf.keras's backend has, and its public namespace lacks.
_NOT_PUBLIC = "conv3d_transpose get_graph identity is_placeholder logsumexp py_all py_any py_sum".split()

# Name of a file of TensorFlow in the backend -> its path below tensorflow.python.
_IMPORTED = {
    "control_flow_ops": "ops.control_flow_ops",
    "ctc": "ops.ctc_ops",
    "device_lib": "client.device_lib",
    "functional_ops": "ops.functional_ops",
    "moving_averages": "training.moving_averages",
    "tensor_array_ops": "ops.tensor_array_ops",
    "tf_image_ops": "ops.image_ops",
    "tf_math_ops": "ops.math_ops",
    "tf_ops": "framework.ops",
    "tf_state_ops": "ops.state_ops",
}

# File of a backend that is no longer there -> what is wrong with it, and the remedy.
_REFUSED = {
    "cntk_backend": ("CNTK has ended, and this Keras runs on TensorFlow only", "Use keras.backend"),
    "numpy_backend": (
        "it is the NumPy code that Keras compared its backends with in its own tests",
        "Copy the file from Keras 2.3.1 into the program",
    ),
    "theano_backend": ("Theano has ended, and this Keras runs on TensorFlow only", "Use keras.backend"),
}


def names() -> dict[str, Factory]:
    """Returns a function for each name, which returns the name's object."""
    tf = partial(import_module, ROOT)
    return {
        **{name: partial(_from_file, name) for name in _NOT_PUBLIC},
        **{name: partial(import_module, f"{ROOT}.python.{path}") for name, path in _IMPORTED.items()},
        "arange": lambda: _arange,
        "batch_normalization": lambda: _batch_normalization,
        "control_dependencies": lambda: tf().control_dependencies,
        "ctc_decode": lambda: _ctc_decode,
        "eager": lambda: _same,
        "eye": lambda: _eye,
        "function": lambda: _function,
        "is_symbolic": lambda: _is_symbolic,
        "is_tensor": lambda: _is_tensor,
        "is_variable": lambda: _is_variable,
        "normalize_data_format": lambda: _normalize_data_format,
        "np": lambda: import_module("numpy"),
        "ones_like": lambda: _ones_like,
        "py_slice": lambda: slice,
        "separable_conv1d": lambda: _separable_conv1d,
        "size": lambda: tf().size,
        "slice": lambda: _slice,
        "symbolic": lambda: _same,
        "tile": lambda: _tile,
        "v1_variable_initialization": lambda: _initialize_variables,
        "zeros_like": lambda: _zeros_like,
        "_BACKEND": lambda: "tensorflow",
        "_EPSILON": lambda: _backend().epsilon(),
        "_FLOATX": lambda: _backend().floatx(),
        "_IMAGE_DATA_FORMAT": lambda: _backend().image_data_format(),
        "_is_tf_1": lambda: _is_tf_1,
    }


def missing(namespace: str, name: str) -> Any:
    """Raises the error for a name that the backend lacks.

    Args:
        namespace: The backend's namespace in tf1mem.v1.
        name: The name in it.

    Raises:
        RemovedSymbolError: Always; for the file of another backend it says what that was.
    """
    if name in _REFUSED:
        raise RemovedSymbolError(located(f"keras.backend.{name}"), *_REFUSED[name])
    return getattr(import_module(f"{ROOT}.keras.{namespace.partition('.')[2]}"), name)


def _backend() -> Any:
    return import_module(ROOT + ".keras.backend")


def _from_file(name: str) -> Any:
    """Returns the object of a name from the file of tf.keras's backend."""
    return getattr(import_module(ROOT + ".keras.backend.tensorflow_backend"), name)


def _same(function: Callable[..., Any]) -> Callable[..., Any]:
    """Returns the function itself, as Keras's decorators for TensorFlow 2's eager mode did on TensorFlow 1."""
    return function


def _is_tf_1() -> bool:
    """Returns True: the backend builds graphs and runs them in Sessions."""
    return True


def _is_tensor(x: Any) -> bool:
    """Returns True for a tensor, a variable, or a sparse or ragged tensor."""
    tensors: Any = import_module(ROOT + ".python.framework.tensor_util")
    return bool(tensors.is_tensor(x))


def _is_symbolic(x: Any) -> bool:
    """Returns True for a tensor of a graph; a variable is none."""
    tf = import_module(ROOT)
    return isinstance(x, tf.Tensor) and hasattr(x, "graph")


def _is_variable(x: Any) -> bool:
    """Returns True for a variable, of a graph or eager."""
    return isinstance(x, import_module(ROOT).Variable)


def _normalize_data_format(value: Any) -> str:
    """Returns "channels_last" or "channels_first", in lower case.

    Args:
        value: One of the two in any case, or None, which stands for Keras's setting.

    Raises:
        SettingError: The value is another one.
    """
    if value is None:
        value = _backend().image_data_format()
    data_format = str(value).lower()
    if data_format not in {"channels_first", "channels_last"}:
        raise unknown_data_format(f"data_format={value!r}")
    return data_format


def _initialize_variables() -> None:
    """Initializes the variables of Keras's Session that have no value yet."""
    _backend().get_session()  # initializes them


def _slice(x: Any, start: Any, size: Any) -> Any:
    """Returns a part of a tensor: for each dimension `size` entries from `start` on.

    Args:
        x: Tensor or variable.
        start: First index in each dimension: a list, a tuple, or a tensor of shape `[rank of x]`.
        size: Number of entries in each dimension, given like `start`; -1 stands for all that follow.

    Returns:
        Tensor of the same rank.

    Raises:
        SettingError: `start` or `size` doesn't have an entry for each dimension.
    """
    shape = _backend().int_shape(x)
    if shape and shape[0] is not None:
        counts = [_backend().int_shape(each)[0] if _is_tensor(each) else len(each) for each in (start, size)]
        if counts != [len(shape)] * 2:
            raise SettingError(
                located("K.slice"),
                f"the tensor has {len(shape)} dimensions, start has {counts[0]} entries and size {counts[1]}",
                "Give both an entry for each dimension",
            )
    return import_module(ROOT).slice(x, start, size)


def _separable_conv1d(  # noqa: PLR0917
    x: Any,
    depthwise_kernel: Any,
    pointwise_kernel: Any,
    strides: Any = 1,
    padding: str = "valid",
    data_format: Any = None,
    dilation_rate: Any = 1,
) -> Any:
    """Returns a separable convolution along steps, computed as one of planes with a single row.

    The file of tf.keras's backend has this function too, but there it fails.

    Args:
        x: Tensor of shape `[batch, steps, channels]`; with channels first, `[batch, channels, steps]`.
        depthwise_kernel: Tensor of shape `[width, channels, multiplier]`.
        pointwise_kernel: Tensor of shape `[1, channels * multiplier, filters]`.
        strides: An integer, or a tuple of one.
        padding: "valid" or "same".
        data_format: "channels_last", "channels_first", or None for Keras's setting.
        dilation_rate: An integer, or a tuple of one.

    Returns:
        Tensor like `x`, with fewer steps if padding or strides say so, and with `filters` channels.

    Raises:
        SettingError: There is no such `data_format`.
        ValueError: There is no such padding.
    """
    tf, backend = import_module(ROOT), _backend()
    data_format = _normalize_data_format(data_format)
    row = 1 if data_format == "channels_last" else 2
    (stride,) = (strides,) if isinstance(strides, int) else strides
    (dilation,) = (dilation_rate,) if isinstance(dilation_rate, int) else dilation_rate
    planes = backend.separable_conv2d(
        tf.expand_dims(x, row),
        tf.expand_dims(depthwise_kernel, 0),
        tf.expand_dims(pointwise_kernel, 0),
        strides=(stride, stride),
        padding=padding,
        data_format=data_format,
        dilation_rate=(1, dilation),
    )
    return tf.squeeze(planes, [row])


def _zeros_like(x: Any, dtype: Any = None, name: Any = None) -> Any:
    """Returns zeros in the shape of a tensor, of the dtype `floatx()` unless `dtype` is another one."""
    return _backend().zeros_like(x, _backend().floatx() if dtype is None else dtype, name)


def _ones_like(x: Any, dtype: Any = None, name: Any = None) -> Any:
    """Returns ones in the shape of a tensor, of the dtype `floatx()` unless `dtype` is another one."""
    return _backend().ones_like(x, _backend().floatx() if dtype is None else dtype, name)


def _eye(size: Any, dtype: Any = None, name: Any = None) -> Any:
    """Returns a variable with ones on its diagonal and zeros elsewhere.

    Args:
        size: Number of rows and of columns: one integer for both, or a pair.
        dtype: The variable's dtype; None stands for `floatx()`.
        name: The variable's name, or None.
    """
    backend = _backend()
    rows, columns = size if isinstance(size, (list, tuple)) else (size, size)
    dtype = backend.floatx() if dtype is None else dtype
    return backend.variable(import_module(ROOT).eye(rows, columns, dtype=dtype), dtype, name)


def _tile(x: Any, n: Any) -> Any:
    """Returns a tensor repeated along its dimensions.

    Args:
        x: Tensor or variable.
        n: Number of repetitions in each of the last dimensions: an integer, a list or tuple, or a tensor of shape
            `[rank of x]`. The first dimensions, for which there is no number, aren't repeated.

    Raises:
        SettingError: There are more numbers than dimensions.
    """
    if not _is_tensor(n):
        n = [n] if isinstance(n, int) else [*n]
        rank = len(_backend().int_shape(x))
        if len(n) > rank:
            raise SettingError(
                located("K.tile"),
                f"the tensor has {rank} dimensions, and n {len(n)} numbers",
                "Remove the first numbers",
            )
        n = [1] * (rank - len(n)) + n
    return import_module(ROOT).tile(x, n)


def _arange(start: Any, stop: Any = None, step: Any = 1, dtype: str = "int32") -> Any:
    """Returns a vector of the numbers from `start` to `stop`, exclusively; from 0 to `start` if `stop` is None.

    Args:
        start: First number, or the end: a number, or a tensor of shape `[]`. A negative end makes an empty vector.
        stop: The end, likewise; or None.
        step: Difference of two numbers that follow each other.
        dtype: The vector's dtype.
    """
    if stop is None and _is_tensor(start):
        tf = import_module(ROOT)
        start, stop = tf.zeros([], start.dtype.base_dtype), tf.maximum(start, 0)
    return _backend().arange(start, stop, step, dtype)


def _batch_normalization(  # noqa: PLR0917
    x: Any, mean: Any, var: Any, beta: Any, gamma: Any, axis: int = -1, epsilon: float = 1e-3
) -> Any:
    """Returns a tensor, normalized: `(x - mean) / sqrt(var + epsilon) * gamma + beta`.

    Args:
        x: Tensor or variable.
        mean: Mean of each channel, of shape `[channels]`, or of a shape that can be broadcast to that of `x`.
        var: Variance of each channel, like `mean`.
        beta: Offset of each channel, like `mean`; or None.
        gamma: Factor of each channel, like `mean`; or None.
        axis: The dimension of `x` with the channels.
        epsilon: Number that is added to the variance.
    """
    is_fused = axis in (3, -1) or (axis in (1, -3) and _from_file("_has_nchw_support")())
    if x.shape.ndims == 4 and is_fused:
        return _backend().batch_normalization(x, mean, var, beta, gamma, axis, epsilon)
    return import_module(ROOT).nn.batch_normalization(x, mean, var, beta, gamma, epsilon)


def _ctc_decode(  # noqa: PLR0917
    y_pred: Any,
    input_length: Any,
    greedy: bool = True,
    beam_width: int = 100,
    top_paths: int = 1,
    merge_repeated: bool = False,
) -> tuple[list[Any], Any]:
    """Returns the most probable sequences of labels for the outputs of a softmax.

    Args:
        y_pred: Tensor of shape `[batch, steps, classes]`, of which the last class is the blank.
        input_length: Number of steps of each sequence, of shape `[batch]`.
        greedy: True to take the most probable class of each step; False for a beam search.
        beam_width: Number of beams.
        top_paths: Number of sequences that a beam search returns.
        merge_repeated: True if equal labels that follow each other in a beam become one.

    Returns:
        A list of tensors of shape `[batch, length of the longest sequence]`, filled up with -1, and a tensor of their
        log probabilities, of shape `[batch, number of sequences]`.
    """
    tf, backend = import_module(ROOT), _backend()
    if greedy:
        return backend.ctc_decode(y_pred, input_length)  # type: ignore[no-any-return]
    decoded, log_probabilities = tf.nn.ctc_beam_search_decoder(
        tf.log(tf.transpose(y_pred, [1, 0, 2]) + backend.epsilon()),
        tf.cast(input_length, tf.int32),
        beam_width=beam_width,
        top_paths=top_paths,
        merge_repeated=merge_repeated,
    )
    return [tf.sparse.to_dense(labels, default_value=-1) for labels in decoded], log_probabilities


class _Function:
    """A function of a graph, of tf.keras, that takes a list as the value of a placeholder, as Keras 2.0 to 2.2 did.

    Args:
        own: tf.keras's function, which takes every number of such a list for the value of another placeholder.
    """

    def __init__(self, own: Any) -> None:
        self._own = own

    def __call__(self, inputs: Any) -> Any:
        """Returns the outputs, as arrays, for a list of values of the placeholders."""
        if len(inputs) == len(self._own.inputs):
            numpy: Any = import_module("numpy")
            inputs = [numpy.asarray(value) if isinstance(value, (list, tuple)) else value for value in inputs]
        return self._own(inputs)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._own, name)


def _function(inputs: Any, outputs: Any, updates: Any = None, **arguments: Any) -> Any:
    """Returns a function that runs a graph in Keras's Session.

    Args:
        inputs: List of placeholders.
        outputs: List of tensors; or one tensor, for an output that is no list.
        updates: List of ops that it runs, too; a pair stands for a variable and the value that it gets.
        arguments: Further arguments of tf.keras's `function`.
    """
    own = _backend().function(inputs, outputs, updates=updates, **arguments)
    is_flat = isinstance(inputs, (list, tuple)) and not any(isinstance(each, (list, tuple, dict)) for each in inputs)
    return _Function(own) if is_flat and hasattr(own, "inputs") else own
