# Copyright 2015-2019 The TensorFlow Authors. All Rights Reserved.
# Licensed under the Apache License, Version 2.0: see LICENSE.
# Written anew for tf1mem after tensorflow/contrib of TensorFlow 1.15.5, and changed: see NOTICE.

"""Layers as functions (tf.contrib.layers).

Most functions run a layer of tf.layers in a variable scope that has contrib's name, and make model variables. They
share their argument names; `convolution` documents them.
"""

from __future__ import annotations

from functools import partial
from typing import Any, Callable, NamedTuple, Sequence

import tf1mem.v1 as tf
from tf1mem.v1._seeds import makes_other_ops
from tf1mem.v1.contrib.framework.arg_scope import add_arg_scope
from tf1mem.v1.contrib.framework.variables import model_variable
from tf1mem.v1.contrib.layers import utils
from tf1mem.v1.contrib.layers.batch_normalization import batch_norm  # noqa: F401
from tf1mem.v1.contrib.layers.gdn import GDN, gdn  # noqa: F401
from tf1mem.v1.contrib.layers.initializers import xavier_initializer
from tf1mem.v1.contrib.layers.model_variables import add_to_collections as _add_variable_to_collections
from tf1mem.v1.contrib.layers.model_variables import build_variable_getter as _build_variable_getter
from tf1mem.v1.contrib.layers.model_variables import model_variable_getter as _model_variable_getter  # noqa: F401

# Constants that programs import from this module, too.
DATA_FORMAT_NCHW = "NCHW"
DATA_FORMAT_NHWC = "NHWC"
DATA_FORMAT_NCDHW = "NCDHW"
DATA_FORMAT_NDHWC = "NDHWC"

_XAVIER = xavier_initializer()
_ZEROS = tf.zeros_initializer()
_IMAGES = (DATA_FORMAT_NCHW, DATA_FORMAT_NHWC)
_VOLUMES = (DATA_FORMAT_NCDHW, DATA_FORMAT_NDHWC)


def _check_format(data_format: str, *allowed: str) -> None:
    if data_format not in allowed:
        raise ValueError(f"data_format has to be either {' or '.join(allowed)}.")


def _format_of_layer(data_format: str | None) -> str:
    return "channels_first" if data_format and data_format.startswith("NC") else "channels_last"


class _LayerOptions(NamedTuple):
    """The options that all layers with weights share; see `convolution`."""

    activation_fn: Any
    normalizer_fn: Any
    normalizer_params: Any
    weights_initializer: Any
    weights_regularizer: Any
    biases_initializer: Any
    biases_regularizer: Any
    reuse: Any
    variables_collections: Any
    outputs_collections: Any
    trainable: Any
    scope: Any

    @property
    def use_bias(self) -> bool:
        """Returns True if the layer adds biases, a variable of shape `[channels]` for the channels of its outputs.

        A layer with a normalizer, or without an initializer of biases, adds none.
        """
        return not self.normalizer_fn and self.biases_initializer is not None

    def layer_arguments(self, sc: Any, inputs: Any, kernels: Sequence[str] = ("kernel",)) -> dict[str, Any]:
        """Returns the keyword arguments for a layer of tf.layers.

        Args:
            sc: The layer's variable scope.
            inputs: The layer's input tensor, `[batch, ...]`; the variables get its dtype.
            kernels: Names of the layer's kernels, which get the weights' initializer and regularizer.
        """
        arguments = {
            "activation": None,
            "use_bias": self.use_bias,
            "bias_initializer": self.biases_initializer,
            "bias_regularizer": self.biases_regularizer,
            "trainable": self.trainable,
            "name": sc.name,
            "dtype": inputs.dtype.base_dtype,
            "_scope": sc,
            "_reuse": self.reuse,
        }
        for kernel in kernels:
            arguments[kernel + "_initializer"] = self.weights_initializer
            arguments[kernel + "_regularizer"] = self.weights_regularizer
        return arguments

    def biases(self, size: int, dtype: Any) -> Any:
        """Returns the model variable "biases" of shape `[size]`."""
        return model_variable(
            "biases",
            shape=[size],
            dtype=dtype,
            initializer=self.biases_initializer,
            regularizer=self.biases_regularizer,
            collections=utils.get_variable_collections(self.variables_collections, "biases"),
            trainable=self.trainable,
        )

    def weights(self, name: str, shape: Sequence[int], dtype: Any) -> Any:
        """Returns a model variable for weights, of this name, shape and dtype."""
        return model_variable(
            name,
            shape=shape,
            dtype=dtype,
            initializer=self.weights_initializer,
            regularizer=self.weights_regularizer,
            collections=utils.get_variable_collections(self.variables_collections, "weights"),
            trainable=self.trainable,
        )

    def normalized(self, outputs: Any) -> Any:
        """Applies `normalizer_fn` to a tensor of any shape."""
        return self.normalizer_fn(outputs, **(self.normalizer_params or {}))

    def activated(self, outputs: Any, sc: Any) -> Any:
        """Applies `activation_fn` to a tensor of any shape and adds the result to `outputs_collections`."""
        if self.activation_fn is not None:
            outputs = self.activation_fn(outputs)
        return utils.collect_named_outputs(self.outputs_collections, sc.name, outputs)

    def run_layer(self, default_scope: str, inputs: Any, layer_of: Callable[[Any], Callable[..., Any]]) -> Any:
        """Runs a layer of tf.layers with its variables under contrib's names.

        Args:
            default_scope: Name of the variable scope where `scope` is None.
            inputs: The layer's input tensor, of a shape that the layer takes.
            layer_of: Function of the input tensor; it returns a layer class with all arguments but `layer_arguments`.
        """
        getter = _build_variable_getter({"bias": "biases", "kernel": "weights"})
        with tf.variable_scope(self.scope, default_scope, [inputs], reuse=self.reuse, custom_getter=getter) as sc:
            inputs = tf.convert_to_tensor(inputs)
            layer = layer_of(inputs)(**self.layer_arguments(sc, inputs))
            outputs = layer(inputs)
            _add_variable_to_collections(layer.kernel, self.variables_collections, "weights")
            if layer.bias is not None:
                _add_variable_to_collections(layer.bias, self.variables_collections, "biases")
            return self.activated(self.normalized(outputs) if self.normalizer_fn is not None else outputs, sc)


def _pooled(
    layer_class: Any,
    name: str,
    formats: tuple[str, str],
    inputs: Any,
    kernel_size: Any,
    stride: Any,
    padding: str,
    data_format: str,
    outputs_collections: Any,
    scope: Any,
) -> Any:
    _check_format(data_format, *formats)
    with tf.name_scope(scope, name, [inputs]) as sc:
        layer = layer_class(
            pool_size=kernel_size, strides=stride, padding=padding, data_format=_format_of_layer(data_format), _scope=sc
        )
        return utils.collect_named_outputs(outputs_collections, sc, layer(tf.convert_to_tensor(inputs)))


@add_arg_scope
def avg_pool2d(
    inputs: Any,
    kernel_size: Any,
    stride: Any = 2,
    padding: str = "VALID",
    data_format: str = "NHWC",
    outputs_collections: Any = None,
    scope: Any = None,
) -> Any:
    """Average pooling over windows of images; see `convolution` for the other arguments.

    Args:
        inputs: `[batch, height, width, channels]` tensor, or `[batch, channels, height, width]` for "NCHW".
        kernel_size: Height and width of the window, or one int for both.
        stride: Step of the window, like `kernel_size`; 2 by default.

    Returns:
        `[batch, new_height, new_width, channels]` tensor, with the axes in the order of the inputs.
    """
    return _pooled(
        tf.layers.AveragePooling2D,
        "AvgPool2D",
        _IMAGES,
        inputs,
        kernel_size,
        stride,
        padding,
        data_format,
        outputs_collections,
        scope,
    )


@add_arg_scope
def avg_pool3d(
    inputs: Any,
    kernel_size: Any,
    stride: Any = 2,
    padding: str = "VALID",
    data_format: str = "NDHWC",
    outputs_collections: Any = None,
    scope: Any = None,
) -> Any:
    """Average pooling over windows of volumes; see `convolution` for the other arguments.

    Args:
        inputs: `[batch, depth, height, width, channels]` tensor, or channels second for "NCDHW".
        kernel_size: Depth, height and width of the window, or one int for all three.
        stride: Step of the window, like `kernel_size`; 2 by default.

    Returns:
        `[batch, new_depth, new_height, new_width, channels]` tensor, with the axes in the order of the inputs.
    """
    return _pooled(
        tf.layers.AveragePooling3D,
        "AvgPool3D",
        _VOLUMES,
        inputs,
        kernel_size,
        stride,
        padding,
        data_format,
        outputs_collections,
        scope,
    )


@add_arg_scope
def max_pool2d(
    inputs: Any,
    kernel_size: Any,
    stride: Any = 2,
    padding: str = "VALID",
    data_format: str = "NHWC",
    outputs_collections: Any = None,
    scope: Any = None,
) -> Any:
    """Max pooling over windows of images; see `convolution` for the other arguments.

    Args:
        inputs: `[batch, height, width, channels]` tensor, or `[batch, channels, height, width]` for "NCHW".
        kernel_size: Height and width of the window, or one int for both.
        stride: Step of the window, like `kernel_size`; 2 by default.

    Returns:
        `[batch, new_height, new_width, channels]` tensor, with the axes in the order of the inputs.
    """
    return _pooled(
        tf.layers.MaxPooling2D,
        "MaxPool2D",
        _IMAGES,
        inputs,
        kernel_size,
        stride,
        padding,
        data_format,
        outputs_collections,
        scope,
    )


@add_arg_scope
def max_pool3d(
    inputs: Any,
    kernel_size: Any,
    stride: Any = 2,
    padding: str = "VALID",
    data_format: str = "NDHWC",
    outputs_collections: Any = None,
    scope: Any = None,
) -> Any:
    """Max pooling over windows of volumes; see `convolution` for the other arguments.

    Args:
        inputs: `[batch, depth, height, width, channels]` tensor, or channels second for "NCDHW".
        kernel_size: Depth, height and width of the window, or one int for all three.
        stride: Step of the window, like `kernel_size`; 2 by default.

    Returns:
        `[batch, new_depth, new_height, new_width, channels]` tensor, with the axes in the order of the inputs.
    """
    return _pooled(
        tf.layers.MaxPooling3D,
        "MaxPool3D",
        _VOLUMES,
        inputs,
        kernel_size,
        stride,
        padding,
        data_format,
        outputs_collections,
        scope,
    )


@add_arg_scope
def pool(
    inputs: Any,
    kernel_size: Any,
    pooling_type: str,
    padding: str = "VALID",
    data_format: str | None = None,
    dilation_rate: Any = 1,
    stride: Any = 1,
    outputs_collections: Any = None,
    scope: Any = None,
) -> Any:
    """Average or max pooling over all spatial dimensions of the inputs; see `tf.nn.pool`.

    Args:
        inputs: `[batch, ..., channels]` tensor of rank 3 or more, or channels second by `data_format`.
        kernel_size: Size of the window: one int, or one for each spatial dimension.
        pooling_type: "AVG" or "MAX".
        padding: "SAME" or "VALID".
        data_format: A string that starts with "NC" for channels second; channels last by default.
        dilation_rate: Distance between the window's elements, like `kernel_size`.
        stride: Step of the window, like `kernel_size`.
        outputs_collections: Collections that the result is added to.
        scope: Name scope.

    Returns:
        Tensor of the rank of the inputs, with as many channels.

    Raises:
        ValueError: The rank of the inputs is unknown, or below 3.
    """
    with tf.name_scope(scope, f"{pooling_type.lower()}_pool", [inputs]) as sc:
        inputs = tf.convert_to_tensor(inputs)
        if inputs.shape.ndims is None:
            raise ValueError("Rank of inputs must be known")
        if inputs.shape.ndims < 3:
            raise ValueError("Rank of inputs must be >= 3")
        per_dimension = partial(utils.n_positive_integers, inputs.shape.ndims - 2)
        outputs = tf.nn.pool(
            input=inputs,
            window_shape=per_dimension(kernel_size),
            pooling_type=pooling_type,
            padding=padding,
            data_format=data_format,
            dilation_rate=per_dimension(dilation_rate),
            strides=per_dimension(stride),
            name=sc,
        )
        return utils.collect_named_outputs(outputs_collections, sc, outputs)


@add_arg_scope
def bias_add(
    inputs: Any,
    activation_fn: Any = None,
    initializer: Any = _ZEROS,
    regularizer: Any = None,
    reuse: Any = None,
    variables_collections: Any = None,
    outputs_collections: Any = None,
    trainable: bool = True,
    data_format: str = "NHWC",
    scope: Any = None,
) -> Any:
    """Adds a bias variable of shape `[channels]` to the inputs; see `convolution` for the other arguments.

    Args:
        inputs: `[batch, ..., channels]` tensor, or `[batch, channels, height, width]` for "NCHW".
        initializer: Initializer of the bias; zeros by default.
        regularizer: Regularizer of the bias.
        data_format: "NHWC" (any rank) or "NCHW" (rank 4).

    Returns:
        Tensor of the shape of the inputs.

    Raises:
        ValueError: The number of channels is unknown, or "NCHW" comes with inputs that aren't of rank 4.
    """
    _check_format(data_format, *_IMAGES)
    with tf.variable_scope(scope, "BiasAdd", [inputs], reuse=reuse) as sc:
        inputs = tf.convert_to_tensor(inputs)
        rank = inputs.shape.ndims
        if rank is None:
            raise ValueError("inputs: the rank isn't known. Set the shape of inputs.")
        if rank != 4 and data_format == "NCHW":
            raise ValueError(
                f"data_format=NCHW: inputs of rank {rank} have no such order. Give inputs of rank 4, or NHWC."
            )
        channels = inputs.shape.as_list()[1 if data_format == "NCHW" else -1]
        if channels is None:
            raise ValueError("inputs: the number of channels isn't known (None). Set the shape of inputs.")
        options = _LayerOptions(
            activation_fn=activation_fn,
            normalizer_fn=None,
            normalizer_params=None,
            weights_initializer=None,
            weights_regularizer=None,
            biases_initializer=initializer,
            biases_regularizer=regularizer,
            reuse=reuse,
            variables_collections=variables_collections,
            outputs_collections=outputs_collections,
            trainable=trainable,
            scope=scope,
        )
        biases = options.biases(channels, inputs.dtype.base_dtype)
        return options.activated(tf.nn.bias_add(inputs, biases, data_format=data_format), sc)


# Rank of the inputs -> layer class.
_CONVOLUTIONS = {3: tf.layers.Conv1D, 4: tf.layers.Conv2D, 5: tf.layers.Conv3D}


@add_arg_scope
def convolution(
    inputs: Any,
    num_outputs: int,
    kernel_size: Any,
    stride: Any = 1,
    padding: str = "SAME",
    data_format: str | None = None,
    rate: Any = 1,
    activation_fn: Any = tf.nn.relu,
    normalizer_fn: Any = None,
    normalizer_params: Any = None,
    weights_initializer: Any = _XAVIER,
    weights_regularizer: Any = None,
    biases_initializer: Any = _ZEROS,
    biases_regularizer: Any = None,
    reuse: Any = None,
    variables_collections: Any = None,
    outputs_collections: Any = None,
    trainable: bool = True,
    scope: Any = None,
    conv_dims: int | None = None,
) -> Any:
    """Convolution over one, two or three spatial dimensions, with a bias or normalizer and an activation.

    Args:
        inputs: `[batch, ..., channels]` tensor of rank 3, 4 or 5, or channels second by `data_format`.
        num_outputs: Number of output channels.
        kernel_size: Size of the window: one int, or one for each spatial dimension.
        stride: Step of the window, like `kernel_size`; 1 by default.
        padding: "SAME" or "VALID".
        data_format: "NWC", "NCW", "NHWC", "NCHW", "NDHWC" or "NCDHW"; channels last by default.
        rate: Dilation: distance between the window's elements, like `kernel_size`; 1 by default.
        activation_fn: Function applied to the result, ReLU by default; None for a linear layer.
        normalizer_fn: Function called in place of adding biases, such as `batch_norm`.
        normalizer_params: Keyword arguments of `normalizer_fn`.
        weights_initializer: Initializer of the weights; Xavier by default.
        weights_regularizer: Regularizer of the weights.
        biases_initializer: Initializer of the biases, zeros by default; None for no biases.
        biases_regularizer: Regularizer of the biases.
        reuse: True to share the variables of an earlier layer; needs `scope`.
        variables_collections: Collections for all variables; or a dict, "weights" or "biases" -> collections.
        outputs_collections: Collections that the result is added to.
        trainable: True to add the variables to TRAINABLE_VARIABLES.
        scope: Variable scope.
        conv_dims: Number of spatial dimensions that the inputs must have; None for 1, 2 or 3.

    Returns:
        Tensor of the rank of the inputs, with `num_outputs` channels.

    Raises:
        ValueError: `data_format` is unknown, or the rank isn't 3, 4 or 5, or isn't that of `conv_dims`.
    """
    return _convolution(
        inputs,
        num_outputs,
        kernel_size,
        stride,
        padding,
        data_format,
        rate,
        _LayerOptions(
            activation_fn,
            normalizer_fn,
            normalizer_params,
            weights_initializer,
            weights_regularizer,
            biases_initializer,
            biases_regularizer,
            reuse,
            variables_collections,
            outputs_collections,
            trainable,
            scope,
        ),
        conv_dims,
    )


def _convolution(
    inputs: Any,
    num_outputs: int,
    kernel_size: Any,
    stride: Any,
    padding: str,
    data_format: str | None,
    rate: Any,
    options: _LayerOptions,
    conv_dims: int | None,
) -> Any:
    if data_format not in (None, "NWC", "NCW", "NHWC", "NCHW", "NDHWC", "NCDHW"):
        raise ValueError(f"Invalid data_format: {data_format!r}")

    def layer_of(inputs: Any) -> Callable[..., Any]:
        """Returns the convolution class for `[batch, ..., channels]` inputs of rank 3 to 5, with its arguments."""
        rank = inputs.shape.ndims
        if conv_dims is not None and conv_dims + 2 != rank:
            raise ValueError(f"Convolution expects input with rank {conv_dims + 2}, got {rank}")
        if rank not in _CONVOLUTIONS:
            raise ValueError(f"inputs: there is no convolution for rank {rank}. Give inputs of rank 3, 4 or 5.")
        return partial(
            _CONVOLUTIONS[rank],
            filters=num_outputs,
            kernel_size=kernel_size,
            strides=stride,
            padding=padding,
            data_format=_format_of_layer(data_format),
            dilation_rate=rate,
        )

    return options.run_layer("Conv", inputs, layer_of)


def _convolution_in(dimensions: int) -> Any:
    def convolve(
        inputs: Any,
        num_outputs: int,
        kernel_size: Any,
        stride: Any = 1,
        padding: str = "SAME",
        data_format: str | None = None,
        rate: Any = 1,
        activation_fn: Any = tf.nn.relu,
        normalizer_fn: Any = None,
        normalizer_params: Any = None,
        weights_initializer: Any = _XAVIER,
        weights_regularizer: Any = None,
        biases_initializer: Any = _ZEROS,
        biases_regularizer: Any = None,
        reuse: Any = None,
        variables_collections: Any = None,
        outputs_collections: Any = None,
        trainable: bool = True,
        scope: Any = None,
    ) -> Any:
        """Applies `convolution` to `[batch, ..., channels]` inputs with this number of spatial dimensions."""
        return _convolution(
            inputs,
            num_outputs,
            kernel_size,
            stride,
            padding,
            data_format,
            rate,
            _LayerOptions(
                activation_fn,
                normalizer_fn,
                normalizer_params,
                weights_initializer,
                weights_regularizer,
                biases_initializer,
                biases_regularizer,
                reuse,
                variables_collections,
                outputs_collections,
                trainable,
                scope,
            ),
            dimensions,
        )

    # `repeat` and `stack` build their scope names from `__name__`.
    convolve.__name__ = f"convolution{dimensions}d"
    return add_arg_scope(convolve)


convolution1d = _convolution_in(1)
convolution2d = _convolution_in(2)
convolution3d = _convolution_in(3)


@add_arg_scope
def convolution2d_in_plane(
    inputs: Any,
    kernel_size: Any,
    stride: Any = 1,
    padding: str = "SAME",
    activation_fn: Any = tf.nn.relu,
    normalizer_fn: Any = None,
    normalizer_params: Any = None,
    weights_initializer: Any = _XAVIER,
    weights_regularizer: Any = None,
    biases_initializer: Any = _ZEROS,
    biases_regularizer: Any = None,
    reuse: Any = None,
    variables_collections: Any = None,
    outputs_collections: Any = None,
    trainable: bool = True,
    scope: Any = None,
) -> Any:
    """Convolves every channel of images with the same 2-D kernel; see `convolution` for the other arguments.

    Args:
        inputs: `[batch, height, width, channels]` tensor.
        kernel_size: Height and width of the window, or one int for both.

    Returns:
        `[batch, new_height, new_width, channels]` tensor.
    """
    options = _LayerOptions(
        activation_fn,
        normalizer_fn,
        normalizer_params,
        weights_initializer,
        weights_regularizer,
        biases_initializer,
        biases_regularizer,
        reuse,
        variables_collections,
        outputs_collections,
        trainable,
        scope,
    )
    with tf.variable_scope(scope, "ConvInPlane", [inputs], reuse=reuse) as sc:
        dtype = inputs.dtype.base_dtype
        channels = utils.last_dimension(inputs.shape, min_rank=4)
        weights = options.weights("weights", [*utils.two_element_tuple(kernel_size), 1, 1], dtype)
        strides = [1, *utils.two_element_tuple(stride), 1]
        outputs = tf.nn.depthwise_conv2d(inputs, tf.tile(weights, [1, 1, channels, 1]), strides, padding)
        if normalizer_fn is not None:
            outputs = options.normalized(outputs)
        elif options.use_bias:
            outputs = tf.nn.bias_add(outputs, options.biases(channels, dtype))
        return options.activated(outputs, sc)


@add_arg_scope
def convolution2d_transpose(
    inputs: Any,
    num_outputs: int,
    kernel_size: Any,
    stride: Any = 1,
    padding: str = "SAME",
    data_format: str = "NHWC",
    activation_fn: Any = tf.nn.relu,
    normalizer_fn: Any = None,
    normalizer_params: Any = None,
    weights_initializer: Any = _XAVIER,
    weights_regularizer: Any = None,
    biases_initializer: Any = _ZEROS,
    biases_regularizer: Any = None,
    reuse: Any = None,
    variables_collections: Any = None,
    outputs_collections: Any = None,
    trainable: bool = True,
    scope: Any = None,
) -> Any:
    """Transposed convolution of images, enlarged by `stride`; see `convolution` for the other arguments.

    Args:
        inputs: `[batch, height, width, channels]` tensor, or `[batch, channels, height, width]` for "NCHW".

    Returns:
        `[batch, new_height, new_width, num_outputs]` tensor, with the axes in the order of the inputs.
    """
    options = _LayerOptions(
        activation_fn,
        normalizer_fn,
        normalizer_params,
        weights_initializer,
        weights_regularizer,
        biases_initializer,
        biases_regularizer,
        reuse,
        variables_collections,
        outputs_collections,
        trainable,
        scope,
    )
    _check_format(data_format, *_IMAGES)
    layer = partial(
        tf.layers.Conv2DTranspose,
        filters=num_outputs,
        kernel_size=kernel_size,
        strides=stride,
        padding=padding,
        data_format=_format_of_layer(data_format),
    )
    return options.run_layer("Conv2d_transpose", inputs, lambda inputs: layer)


@add_arg_scope
def convolution3d_transpose(
    inputs: Any,
    num_outputs: int,
    kernel_size: Any,
    stride: Any = 1,
    padding: str = "SAME",
    data_format: str = "NDHWC",
    activation_fn: Any = tf.nn.relu,
    normalizer_fn: Any = None,
    normalizer_params: Any = None,
    weights_initializer: Any = _XAVIER,
    weights_regularizer: Any = None,
    biases_initializer: Any = _ZEROS,
    biases_regularizer: Any = None,
    reuse: Any = None,
    variables_collections: Any = None,
    outputs_collections: Any = None,
    trainable: bool = True,
    scope: Any = None,
) -> Any:
    """Transposed convolution of volumes, enlarged by `stride`; see `convolution` for the other arguments.

    Args:
        inputs: `[batch, depth, height, width, channels]` tensor, or channels second for "NCDHW".

    Returns:
        `[batch, new_depth, new_height, new_width, num_outputs]` tensor, with the axes in the order of the inputs.
    """
    options = _LayerOptions(
        activation_fn,
        normalizer_fn,
        normalizer_params,
        weights_initializer,
        weights_regularizer,
        biases_initializer,
        biases_regularizer,
        reuse,
        variables_collections,
        outputs_collections,
        trainable,
        scope,
    )
    _check_format(data_format, *_VOLUMES)
    layer = partial(
        tf.layers.Conv3DTranspose,
        filters=num_outputs,
        kernel_size=kernel_size,
        strides=stride,
        padding=padding,
        data_format=_format_of_layer(data_format),
    )
    return options.run_layer("Conv3d_transpose", inputs, lambda inputs: layer)


@add_arg_scope
def separable_convolution2d(
    inputs: Any,
    num_outputs: int | None,
    kernel_size: Any,
    depth_multiplier: int = 1,
    stride: Any = 1,
    padding: str = "SAME",
    data_format: str = "NHWC",
    rate: Any = 1,
    activation_fn: Any = tf.nn.relu,
    normalizer_fn: Any = None,
    normalizer_params: Any = None,
    weights_initializer: Any = _XAVIER,
    pointwise_initializer: Any = None,
    weights_regularizer: Any = None,
    biases_initializer: Any = _ZEROS,
    biases_regularizer: Any = None,
    reuse: Any = None,
    variables_collections: Any = None,
    outputs_collections: Any = None,
    trainable: bool = True,
    scope: Any = None,
) -> Any:
    """Depthwise convolution of images, then a pointwise one (1x1); see `convolution` for the other arguments.

    Args:
        inputs: `[batch, height, width, channels]` tensor, or `[batch, channels, height, width]` for "NCHW".
        num_outputs: Number of output channels; None to leave the pointwise convolution out.
        depth_multiplier: Number of channels that the depthwise convolution makes of each input channel; 1 by default.
        pointwise_initializer: Initializer of the pointwise weights; `weights_initializer` by default.

    Returns:
        `[batch, new_height, new_width, num_outputs]` tensor, with the axes in the order of the inputs; without a
        pointwise convolution there are `channels * depth_multiplier` channels.
    """
    options = _LayerOptions(
        activation_fn,
        normalizer_fn,
        normalizer_params,
        weights_initializer,
        weights_regularizer,
        biases_initializer,
        biases_regularizer,
        reuse,
        variables_collections,
        outputs_collections,
        trainable,
        scope,
    )
    _check_format(data_format, *_IMAGES)
    getter = _build_variable_getter(
        {"bias": "biases", "depthwise_kernel": "depthwise_weights", "pointwise_kernel": "pointwise_weights"}
    )
    with tf.variable_scope(scope, "SeparableConv2d", [inputs], reuse=reuse, custom_getter=getter) as sc:
        inputs = tf.convert_to_tensor(inputs)
        if num_outputs is None:
            return _depthwise(inputs, kernel_size, depth_multiplier, stride, padding, data_format, rate, options, sc)
        layer_arguments = options.layer_arguments(sc, inputs, ("depthwise", "pointwise"))
        if pointwise_initializer is not None:
            layer_arguments["pointwise_initializer"] = pointwise_initializer
        layer = tf.layers.SeparableConv2D(
            filters=num_outputs,
            kernel_size=kernel_size,
            strides=stride,
            padding=padding,
            data_format=_format_of_layer(data_format),
            dilation_rate=utils.two_element_tuple(rate),
            depth_multiplier=depth_multiplier,
            **layer_arguments,
        )
        outputs = layer(inputs)
        for kernel in (layer.depthwise_kernel, layer.pointwise_kernel):
            _add_variable_to_collections(kernel, variables_collections, "weights")
        if layer.bias is not None:
            _add_variable_to_collections(layer.bias, variables_collections, "biases")
        return options.activated(options.normalized(outputs) if normalizer_fn is not None else outputs, sc)


def _depthwise(
    inputs: Any,
    kernel_size: Any,
    depth_multiplier: int,
    stride: Any,
    padding: str,
    data_format: str,
    rate: Any,
    options: _LayerOptions,
    sc: Any,
) -> Any:
    dtype = inputs.dtype.base_dtype
    channels = utils.channel_dimension(inputs.shape, _format_of_layer(data_format), min_rank=4)
    weights = options.weights(
        "depthwise_weights", [*utils.two_element_tuple(kernel_size), channels, depth_multiplier], dtype
    )
    strides = utils.two_element_tuple(stride)
    outputs = tf.nn.depthwise_conv2d(
        inputs,
        weights,
        [1, 1, *strides] if data_format == "NCHW" else [1, *strides, 1],
        padding,
        rate=utils.two_element_tuple(rate),
        data_format=data_format,
    )
    if options.normalizer_fn is not None:
        outputs = options.normalized(outputs)
    elif options.use_bias:
        outputs = tf.nn.bias_add(outputs, options.biases(depth_multiplier * channels, dtype), data_format=data_format)
    return options.activated(outputs, sc)


@add_arg_scope
def fully_connected(
    inputs: Any,
    num_outputs: int,
    activation_fn: Any = tf.nn.relu,
    normalizer_fn: Any = None,
    normalizer_params: Any = None,
    weights_initializer: Any = _XAVIER,
    weights_regularizer: Any = None,
    biases_initializer: Any = _ZEROS,
    biases_regularizer: Any = None,
    reuse: Any = None,
    variables_collections: Any = None,
    outputs_collections: Any = None,
    trainable: bool = True,
    scope: Any = None,
) -> Any:
    """Fully connected layer: inputs times a weight matrix, plus biases; see `convolution` for the other arguments.

    Args:
        inputs: `[batch, ..., depth]` tensor; the last dimension must be known.
        num_outputs: Number of output units, an int.

    Returns:
        `[batch, ..., num_outputs]` tensor.

    Raises:
        ValueError: `num_outputs` isn't an int, or the last dimension is unknown.
    """
    options = _LayerOptions(
        activation_fn,
        normalizer_fn,
        normalizer_params,
        weights_initializer,
        weights_regularizer,
        biases_initializer,
        biases_regularizer,
        reuse,
        variables_collections,
        outputs_collections,
        trainable,
        scope,
    )
    if not isinstance(num_outputs, int):
        raise ValueError(f"num_outputs type should be one of {[int]}, got {type(num_outputs)}.")
    return options.run_layer("fully_connected", inputs, lambda inputs: partial(tf.layers.Dense, units=num_outputs))


@add_arg_scope
def layer_norm(
    inputs: Any,
    center: bool = True,
    scale: bool = True,
    activation_fn: Any = None,
    reuse: Any = None,
    variables_collections: Any = None,
    outputs_collections: Any = None,
    trainable: bool = True,
    begin_norm_axis: int = 1,
    begin_params_axis: int = -1,
    scope: Any = None,
) -> Any:
    """Layer normalization: mean 0 and variance 1 within each example; Ba et al. 2016, arXiv:1607.06450.

    See `convolution` for the other arguments.

    Args:
        inputs: `[batch, ...]` tensor.
        center: True to add the variable `beta`.
        scale: True to multiply by the variable `gamma`.
        begin_norm_axis: First of the axes that mean and variance are computed over; 1 by default.
        begin_params_axis: First of the axes that `beta` and `gamma` have; -1, the channels, by default.

    Returns:
        Tensor of the shape of the inputs.

    Raises:
        ValueError: An axis is out of range, or the sizes of the parameters' axes are unknown.
    """
    with tf.variable_scope(scope, "LayerNorm", [inputs], reuse=reuse) as sc:
        inputs = tf.convert_to_tensor(inputs)
        shape = inputs.shape
        if shape.ndims is None:
            raise ValueError(f"Inputs {inputs.name} has undefined rank.")
        if begin_norm_axis < 0:
            begin_norm_axis += shape.ndims
        if begin_params_axis >= shape.ndims or begin_norm_axis >= shape.ndims:
            raise ValueError(
                f"begin_params_axis ({begin_params_axis}) and begin_norm_axis ({begin_norm_axis}) must be < "
                f"rank(inputs) ({shape.ndims})"
            )
        dtype = inputs.dtype.base_dtype
        parameter_shape = shape[begin_params_axis:]
        if not parameter_shape.is_fully_defined():
            raise ValueError(f"Inputs {inputs.name}: shape(inputs)[{begin_params_axis}:] is not fully defined: {shape}")

        def parameter(name: str, initializer: Any) -> Any:
            """Returns a model variable of shape `inputs.shape[begin_params_axis:]` and of the inputs' dtype."""
            return model_variable(
                name,
                shape=parameter_shape,
                dtype=dtype,
                initializer=initializer,
                collections=utils.get_variable_collections(variables_collections, name),
                trainable=trainable,
            )

        beta = parameter("beta", tf.zeros_initializer()) if center else None
        gamma = parameter("gamma", tf.ones_initializer()) if scale else None
        mean, variance = tf.nn.moments(inputs, list(range(begin_norm_axis, shape.ndims)), keepdims=True)
        # 1e-12 rounds to zero in float16.
        epsilon = 1e-3 if dtype == tf.float16 else 1e-12
        outputs = tf.nn.batch_normalization(inputs, mean, variance, beta, gamma, epsilon)
        outputs.set_shape(shape)
        if activation_fn is not None:
            outputs = activation_fn(outputs)
        return utils.collect_named_outputs(outputs_collections, sc.name, outputs)


@add_arg_scope
def dropout(
    inputs: Any,
    keep_prob: Any = 0.5,
    noise_shape: Any = None,
    is_training: Any = True,
    outputs_collections: Any = None,
    scope: Any = None,
    seed: int | None = None,
) -> Any:
    """Sets random elements to 0 and divides the others by `keep_prob`; see `tf.nn.dropout`.

    Args:
        inputs: Float tensor of any shape.
        keep_prob: Probability that an element is kept; 0.5 by default.
        noise_shape: Shape of the random mask, broadcast to the inputs; the inputs' shape by default.
        is_training: False to return the inputs unchanged; a bool or a bool tensor.
        outputs_collections: Collections that the result is added to.
        scope: Variable scope.
        seed: Seed of the random numbers.

    Returns:
        Tensor of the shape of the inputs.
    """
    with tf.variable_scope(scope, "Dropout", [inputs]) as sc:
        inputs = tf.convert_to_tensor(inputs)
        outputs = utils.smart_cond(
            is_training,
            lambda: tf.nn.dropout(inputs, rate=1 - keep_prob, noise_shape=noise_shape, seed=seed),
            lambda: tf.identity(inputs),
        )
        return utils.collect_named_outputs(outputs_collections, sc.name, outputs)


@add_arg_scope
def flatten(inputs: Any, outputs_collections: Any = None, scope: Any = None) -> Any:
    """Flattens all axes but the batch.

    Args:
        inputs: `[batch, ...]` tensor.
        outputs_collections: Collections that the result is added to.
        scope: Name scope.

    Returns:
        `[batch, k]` tensor, k being the product of the other sizes.
    """
    with tf.name_scope(scope, "Flatten", [inputs]) as sc:
        outputs = tf.layers.flatten(tf.convert_to_tensor(inputs))
        return utils.collect_named_outputs(outputs_collections, sc, outputs)


@add_arg_scope
def _inner_flatten(inputs: Any, new_rank: Any, output_collections: Any = None, scope: Any = None) -> Any:
    """Flattens the innermost axes of a dense or sparse tensor so that its rank becomes `new_rank`."""
    with tf.name_scope(scope, "InnerFlatten", [inputs, new_rank]) as sc:
        sparse = isinstance(inputs, tf.SparseTensor)
        outputs = _sparse_inner_flatten(inputs, new_rank) if sparse else _dense_inner_flatten(inputs, new_rank)
    return utils.collect_named_outputs(output_collections, sc, outputs)


def _sparse_inner_flatten(inputs: Any, new_rank: Any) -> Any:
    rank = inputs.dense_shape.shape.as_list()[0]
    if rank < new_rank:
        raise ValueError(f"Inputs has rank less than new_rank. {inputs} must have rank at least {new_rank}.")
    shape = inputs.dense_shape
    inner = tf.reduce_prod(shape[new_rank - 1 :])
    return tf.sparse_reshape(inputs, tf.concat((shape[: new_rank - 1], [inner]), 0))


def _dense_inner_flatten(inputs: Any, new_rank: Any) -> Any:
    inputs = tf.convert_to_tensor(inputs)
    rank_check = tf.assert_rank_at_least(inputs, new_rank, message="inputs has rank less than new_rank")
    with tf.control_dependencies([rank_check]):
        outer = tf.strided_slice(tf.shape(inputs), [0], [new_rank - 1])
        outputs = tf.reshape(inputs, tf.concat((outer, [-1]), 0))
    if isinstance(new_rank, int) and inputs.shape.ndims is not None:
        sizes = inputs.shape.as_list()
        inner: int | None = 1
        for size in sizes[new_rank - 1 :]:
            inner = None if inner is None or size is None else inner * size
        outputs.set_shape([*sizes[: new_rank - 1], inner])
    return outputs


@add_arg_scope
def dense_to_sparse(tensor: Any, eos_token: int = 0, outputs_collections: Any = None, scope: Any = None) -> Any:
    """Converts a tensor to a SparseTensor without the elements that equal `eos_token`.

    Args:
        tensor: Tensor of any shape.
        eos_token: Value that is left out; 0 by default.
        outputs_collections: Collections that the result is added to.
        scope: Variable scope.

    Returns:
        SparseTensor of the same shape and dtype.
    """
    with tf.variable_scope(scope, "dense_to_sparse", [tensor]) as sc:
        tensor = tf.convert_to_tensor(tensor)
        indices = tf.where(tf.not_equal(tensor, tf.constant(eos_token, tensor.dtype)))
        outputs = tf.SparseTensor(indices, tf.gather_nd(tensor, indices), tf.shape(tensor, out_type=tf.int64))
        return utils.collect_named_outputs(outputs_collections, sc.name, outputs)


@add_arg_scope
def images_to_sequence(
    inputs: Any, data_format: str = "NHWC", outputs_collections: Any = None, scope: Any = None
) -> Any:
    """Turns images into sequences of their columns, from left to right.

    Args:
        inputs: `[batch, height, width, channels]` tensor, or `[batch, channels, height, width]` for "NCHW"; width and
            channels must be known.
        data_format: "NHWC" (default) or "NCHW".
        outputs_collections: Collections that the result is added to.
        scope: Name scope.

    Returns:
        `[width, batch * height, channels]` tensor.

    Raises:
        ValueError: `data_format` is unknown.
    """
    _check_format(data_format, *_IMAGES)
    with tf.name_scope(scope, "ImagesToSequence", [inputs]) as sc:
        inputs = tf.convert_to_tensor(inputs)
        if data_format == "NCHW":
            inputs = tf.transpose(inputs, [0, 2, 3, 1])
        width, channels = inputs.shape.as_list()[2:]
        shape = tf.shape(inputs)
        outputs = tf.reshape(tf.transpose(inputs, [2, 0, 1, 3]), [width, shape[0] * shape[1], channels])
        return utils.collect_named_outputs(outputs_collections, sc, outputs)


@add_arg_scope
def sequence_to_images(
    inputs: Any,
    height: int,
    output_data_format: str = "channels_last",
    outputs_collections: Any = None,
    scope: Any = None,
) -> Any:
    """Turns a `[width, batch * height, channels]` sequence back into images; reverses `images_to_sequence`.

    Args:
        inputs: `[width, batch * height, channels]` tensor; width and channels must be known.
        height: Height of the images.
        output_data_format: "channels_last" (default) or "channels_first".
        outputs_collections: Collections that the result is added to.
        scope: Name scope.

    Returns:
        `[batch, height, width, channels]` tensor, or `[batch, channels, height, width]`.
    """
    with tf.name_scope(scope, "SequenceToImages", [inputs]) as sc:
        inputs = tf.convert_to_tensor(inputs)
        width, rows, channels = inputs.shape.as_list()
        outputs = tf.reshape(inputs, [width, -1 if rows is None else rows // height, height, channels])
        order = [1, 3, 2, 0] if output_data_format == "channels_first" else [1, 2, 0, 3]
        return utils.collect_named_outputs(outputs_collections, sc, tf.transpose(outputs, order))


@add_arg_scope
def one_hot_encoding(
    labels: Any,
    num_classes: int,
    on_value: Any = 1.0,
    off_value: Any = 0.0,
    outputs_collections: Any = None,
    scope: Any = None,
) -> Any:
    """One-hot encodes labels; see `tf.one_hot`.

    Args:
        labels: `[batch]` int tensor.
        num_classes: Number of classes.
        on_value: Value for the label's class; 1.0 by default.
        off_value: Value for the other classes; 0.0 by default.
        outputs_collections: Collections that the result is added to.
        scope: Name scope.

    Returns:
        `[batch, num_classes]` tensor of the values' dtype, float32 by default.
    """
    with tf.name_scope(scope, "OneHotEncoding", [labels, num_classes]) as sc:
        labels = tf.convert_to_tensor(labels)
        if labels.dtype == tf.int32:
            labels = tf.cast(labels, tf.int64)
        outputs = tf.one_hot(labels, num_classes, on_value=on_value, off_value=off_value)
        return utils.collect_named_outputs(outputs_collections, sc, outputs)


def repeat(inputs: Any, repetitions: int, layer: Callable[..., Any], *args: Any, **kwargs: Any) -> Any:
    """Applies a layer several times, each time to the previous result; returns the last result.

    Args:
        inputs: Tensor of a shape that the layer takes.
        repetitions: Number of times.
        layer: A layer function; *args and **kwargs are its further arguments.
        scope: In **kwargs: prefix of the layers' scopes, which get "_1", "_2", …; the layer's name by default.
    """
    return _stacked("Repeat", inputs, layer, [args] * repetitions, kwargs)


def stack(inputs: Any, layer: Callable[..., Any], stack_args: Sequence[Any], **kwargs: Any) -> Any:
    """Applies a layer to the previous result, once for each element of `stack_args`; returns the last result.

    Args:
        inputs: Tensor of a shape that the layer takes.
        layer: A layer function; **kwargs are arguments of every call.
        stack_args: The arguments after `inputs`: for each call a value, or a list or tuple of values.
        scope: In **kwargs: prefix of the layers' scopes, which get "_1", "_2", …; the layer's name by default.

    Raises:
        ValueError: `stack_args` isn't a list or tuple.
    """
    if not isinstance(stack_args, (list, tuple)):
        raise ValueError("stack_args need to be a list or tuple")
    args = [each if isinstance(each, (list, tuple)) else [each] for each in stack_args]
    return _stacked("Stack", inputs, layer, args, kwargs)


def _stacked(name: str, inputs: Any, layer: Any, args: Sequence[Sequence[Any]], kwargs: dict[str, Any]) -> Any:
    scope = kwargs.pop("scope", None)
    with tf.variable_scope(scope, name, [inputs]):
        outputs = tf.convert_to_tensor(inputs)
        # A functools.partial has no __name__; the function that it calls has.
        layer_name = getattr(layer, "__name__", None) or getattr(getattr(layer, "func", None), "__name__", name.lower())
        for number, own_args in enumerate(args, 1):
            outputs = layer(outputs, *own_args, **kwargs, scope=f"{layer_name if scope is None else scope}_{number}")
        return outputs


@add_arg_scope
def softmax(logits: Any, scope: Any = None) -> Any:
    """Softmax over the last axis.

    Args:
        logits: `[batch, ..., num_classes]` float tensor of rank 2 or more; the number of classes must be known.
        scope: Variable scope.

    Returns:
        Tensor of the shape of the logits.

    Raises:
        ValueError: The rank is lower, or the number of classes is unknown.
    """
    with tf.variable_scope(scope, "softmax", [logits]):
        classes = utils.last_dimension(logits.shape, min_rank=2)
        outputs = tf.reshape(tf.nn.softmax(tf.reshape(logits, [-1, classes])), tf.shape(logits))
        outputs.set_shape(logits.shape)
        return outputs


@add_arg_scope
def spatial_softmax(
    features: Any,
    temperature: float | None = None,
    name: str | None = None,
    variables_collections: Any = None,
    trainable: bool = True,
    data_format: str = "NHWC",
) -> Any:
    """Returns the expected image position of each channel, by a softmax over positions.

    Finn et al. 2015, arXiv:1509.06113.

    Args:
        features: `[batch, height, width, channels]` tensor, or `[batch, channels, height, width]` for "NCHW".
        temperature: Initial value of the variable that divides the features; 1 by default.
        name: Variable scope.
        variables_collections: Collections of the variable; or a dict, "temperature" -> collections.
        trainable: True to train the variable.
        data_format: "NHWC" or "NCHW".

    Returns:
        `[batch, channels * 2]` float tensor: for each channel the expected row and column, from -1 to 1.

    Raises:
        ValueError: `data_format` is unknown, or the number of channels is.
    """
    with tf.variable_scope(name, "spatial_softmax"):
        _check_format(data_format, *_IMAGES)
        shape = tf.shape(features)
        channels_first = data_format == "NCHW"
        height, width = (shape[2], shape[3]) if channels_first else (shape[1], shape[2])
        channels = features.shape.as_list()[1 if channels_first else 3]
        if channels is None:
            raise ValueError("spatial_softmax: the features' number of channels isn't known (None). Set their shape.")
        with tf.name_scope("spatial_softmax_op", "spatial_softmax_op", [features]):
            grid = tf.meshgrid(tf.linspace(-1.0, 1.0, num=height), tf.linspace(-1.0, 1.0, num=width), indexing="ij")
            positions = [tf.reshape(each, [height * width]) for each in grid]
            divisor = model_variable(
                "temperature",
                shape=(),
                dtype=tf.float32,
                initializer=tf.ones_initializer() if temperature is None else tf.constant_initializer(temperature),
                collections=utils.get_variable_collections(variables_collections, "temperature") if trainable else None,
                trainable=trainable,
            )
            if not channels_first:
                features = tf.transpose(features, [0, 3, 1, 2])
            attention = tf.nn.softmax(tf.reshape(features, [-1, height * width]) / divisor)
            expected = [tf.reduce_sum(each * attention, [1], keepdims=True) for each in positions]
            outputs = tf.reshape(tf.concat(expected, 1), [-1, channels * 2])
            outputs.set_shape([None, channels * 2])
    return outputs


@add_arg_scope
def unit_norm(inputs: Any, dim: int, epsilon: float = 1e-7, scope: Any = None) -> Any:
    """Scales the inputs to Euclidean length 1 along an axis.

    Args:
        inputs: Float tensor of known rank.
        dim: The axis, 0 or larger.
        epsilon: Added to the squared length; 1e-7 by default.
        scope: Variable scope.

    Returns:
        Tensor of the shape of the inputs.

    Raises:
        ValueError: The rank is unknown, or `dim` is out of range.
    """
    with tf.variable_scope(scope, "UnitNorm", [inputs]):
        if not inputs.shape:
            raise ValueError("The input rank must be known.")
        if not 0 <= dim < inputs.shape.ndims:
            raise ValueError("dim must be positive but smaller than the input rank.")
        makes_other_ops("contrib.layers.unit_norm")
        return inputs / tf.sqrt(epsilon + tf.reduce_sum(tf.square(inputs), dim, keepdims=True))


@add_arg_scope
def maxout(inputs: Any, num_units: int, axis: int = -1, scope: Any = None) -> Any:
    """Returns the maximum of each group of channels; Goodfellow et al. 2013, arXiv:1302.4389.

    Args:
        inputs: Tensor, such as `[batch, height, width, channels]`.
        num_units: Number of groups, which becomes the size of the axis.
        axis: The channels' axis, of known size; -1 by default.
        scope: Variable scope.

    Returns:
        Tensor of the inputs' shape, with `num_units` channels.

    Raises:
        ValueError: The number of channels isn't a multiple of `num_units`.
    """
    with tf.variable_scope(scope, "MaxOut", [inputs]):
        inputs = tf.convert_to_tensor(inputs)
        sizes = inputs.shape.as_list()
        channels = sizes[axis]
        if channels % num_units:
            raise ValueError(f"number of features({channels}) is not a multiple of num_units({num_units})")
        sizes[axis] = num_units
        shape = tf.shape(inputs)
        new_sizes = [shape[at] if size is None else size for at, size in enumerate(sizes)]
        return tf.reduce_max(tf.reshape(inputs, [*new_sizes, channels // num_units]), -1)


def poincare_normalize(x: Any, axis: int = 1, epsilon: float = 1e-5, name: str | None = None) -> Any:
    """Scales vectors longer than `1 - epsilon` down to that length, into the Poincaré ball.

    Nickel and Kiela 2017, arXiv:1705.08039.

    Args:
        x: Float tensor of any shape.
        axis: Axis of the vectors; 1 by default.
        epsilon: Distance that is kept from length 1.
        name: Name of the op.

    Returns:
        Tensor of the shape of `x`.
    """
    with tf.name_scope(name, "poincare_normalize", [x]) as scope:
        x = tf.convert_to_tensor(x, name="x")
        inverse_norm = tf.rsqrt(tf.reduce_sum(tf.square(x), axis, keepdims=True))
        return tf.multiply(x, tf.minimum((1.0 - epsilon) * inverse_norm, 1.0), name=scope)


@tf.custom_gradient  # type: ignore[untyped-decorator]
def _scaled_gradient(inputs: Any, gradient_multiplier: Any) -> Any:
    return tf.identity(inputs), lambda grad: (grad * gradient_multiplier, None)


def scale_gradient(inputs: Any, gradient_multiplier: Any) -> Any:
    """Returns the inputs unchanged; their gradient is multiplied by `gradient_multiplier`.

    Args:
        inputs: Float tensor of any shape.
        gradient_multiplier: Number or tensor whose shape broadcasts to that of the inputs; it has no gradient.
    """
    return _scaled_gradient(inputs, gradient_multiplier)


def legacy_fully_connected(
    x: Any,
    num_output_units: int,
    activation_fn: Any = None,
    weight_init: Any = _XAVIER,
    bias_init: Any = _ZEROS,
    name: str | None = None,
    weight_collections: Any = (tf.GraphKeys.WEIGHTS,),
    bias_collections: Any = (tf.GraphKeys.BIASES,),
    output_collections: Any = (tf.GraphKeys.ACTIVATIONS,),
    trainable: bool = True,
    weight_regularizer: Any = None,
    bias_regularizer: Any = None,
) -> Any:
    """Fully connected layer, the first version of contrib's: its variables "weights" and "bias" aren't model variables.

    Args:
        x: `[batch, ..., depth]` tensor.
        num_output_units: Number of output units.
        activation_fn: Function applied to the result; None, by default, for a linear layer.
        weight_init: Initializer of the weights, of shape `[depth, num_output_units]`.
        bias_init: Initializer of the bias, of shape `[num_output_units]`; None for no bias.
        name: Variable scope.
        weight_collections: Collections of the weights, besides GLOBAL_VARIABLES.
        bias_collections: Collections of the bias, besides GLOBAL_VARIABLES.
        output_collections: Collections of the result, besides ACTIVATIONS.
        trainable: True to train the variables.
        weight_regularizer: Regularizer of the weights.
        bias_regularizer: Regularizer of the bias.

    Returns:
        `[batch, ..., num_output_units]` tensor.

    Raises:
        ValueError: The rank or the last dimension is unknown, or the rank is below 2.
    """
    with tf.variable_scope(name, "fully_connected", [x]):
        x = tf.convert_to_tensor(x)
        if x.shape.ndims is None:
            raise ValueError("dims of x must be known but is None")
        if x.shape.ndims < 2:
            raise ValueError("rank of x must be at least 2 not: %d" % x.shape.ndims)
        sizes = x.shape.as_list()
        if sizes[-1] is None:
            raise ValueError("last dimension of x must be known but is None")

        def variable(name: str, shape: list[int], initializer: Any, regularizer: Any, collections: Any) -> Any:
            """Returns a variable of this shape and the dtype of `x`, in these collections and in GLOBAL_VARIABLES."""
            return tf.get_variable(
                name,
                shape=shape,
                dtype=x.dtype.base_dtype,
                initializer=initializer,
                collections=list({*(collections or ()), tf.GraphKeys.GLOBAL_VARIABLES}),
                regularizer=regularizer,
                trainable=trainable,
            )

        weights = variable(
            "weights", [sizes[-1], num_output_units], weight_init, weight_regularizer, weight_collections
        )
        y = tf.matmul(x if x.shape.ndims == 2 else tf.reshape(x, [-1, sizes[-1]]), weights)
        if bias_init is not None:
            y = tf.nn.bias_add(y, variable("bias", [num_output_units], bias_init, bias_regularizer, bias_collections))
        if x.shape.ndims > 2:
            y = tf.reshape(y, tf.stack([*tf.unstack(tf.shape(x))[:-1], num_output_units]))
            y.set_shape([*sizes[:-1], num_output_units])
        if activation_fn is not None:
            y = activation_fn(y)
        tf.add_to_collections([*(output_collections or ()), tf.GraphKeys.ACTIVATIONS], y)
        return y


# Functions with another activation.
elu = partial(fully_connected, activation_fn=tf.nn.elu)
relu = partial(fully_connected, activation_fn=tf.nn.relu)
relu6 = partial(fully_connected, activation_fn=tf.nn.relu6)
linear = partial(fully_connected, activation_fn=None)
legacy_relu = partial(legacy_fully_connected, activation_fn=tf.nn.relu)
legacy_linear = partial(legacy_fully_connected, activation_fn=None)

# contrib's shorter names of the same functions.
conv1d = convolution1d
conv2d = convolution2d
conv3d = convolution3d
conv2d_in_plane = convolution2d_in_plane
conv2d_transpose = convolution2d_transpose
conv3d_transpose = convolution3d_transpose
separable_conv2d = separable_convolution2d
