# Copyright 2015-2019 The TensorFlow Authors. All Rights Reserved.
# Licensed under the Apache License, Version 2.0: see LICENSE.
# Written anew for tf1mem after tensorflow/contrib of TensorFlow 1.15.5, and changed: see NOTICE.

"""Layers as functions, by tf.contrib.layers.

Most of them make a layer of tf.layers in a variable scope of contrib's name; its variables are model variables. What
they take is named alike in all of them: see `convolution`.
"""

from __future__ import annotations

from functools import partial
from typing import Any, Callable, NamedTuple, Sequence

import tf1mem.v1 as tf
from tf1mem.v1.contrib.framework.arg_scope import add_arg_scope
from tf1mem.v1.contrib.framework.variables import model_variable
from tf1mem.v1.contrib.layers import utils
from tf1mem.v1.contrib.layers.batch_normalization import batch_norm  # noqa: F401
from tf1mem.v1.contrib.layers.gdn import GDN, gdn  # noqa: F401
from tf1mem.v1.contrib.layers.initializers import xavier_initializer
from tf1mem.v1.contrib.layers.model_variables import add_to_collections as _add_variable_to_collections
from tf1mem.v1.contrib.layers.model_variables import build_variable_getter as _build_variable_getter
from tf1mem.v1.contrib.layers.model_variables import model_variable_getter as _model_variable_getter  # noqa: F401

# Names that programs import beside the layers.
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


class _Given(NamedTuple):
    """What all layers with weights take."""

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
        return not self.normalizer_fn and self.biases_initializer is not None

    def of_layer(self, sc: Any, inputs: Any, kernels: Sequence[str] = ("kernel",)) -> dict[str, Any]:
        """The arguments that layers of tf.layers take for it."""
        found = {
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
            found[kernel + "_initializer"] = self.weights_initializer
            found[kernel + "_regularizer"] = self.weights_regularizer
        return found

    def biases(self, size: int, dtype: Any) -> Any:
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
        return self.normalizer_fn(outputs, **(self.normalizer_params or {}))

    def activated(self, outputs: Any, sc: Any) -> Any:
        if self.activation_fn is not None:
            outputs = self.activation_fn(outputs)
        return utils.collect_named_outputs(self.outputs_collections, sc.name, outputs)

    def by_layer(self, default_scope: str, inputs: Any, layer_of: Callable[[Any], Callable[..., Any]]) -> Any:
        """What a layer of tf.layers computes, with its variables under contrib's names."""
        getter = _build_variable_getter({"bias": "biases", "kernel": "weights"})
        with tf.variable_scope(self.scope, default_scope, [inputs], reuse=self.reuse, custom_getter=getter) as sc:
            inputs = tf.convert_to_tensor(inputs)
            layer = layer_of(inputs)(**self.of_layer(sc, inputs))
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
    """The averages of windows of images; see `convolution` for the arguments."""
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
    """The averages of windows of volumes; see `convolution` for the arguments."""
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
    """The maxima of windows of images; see `convolution` for the arguments."""
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
    """The maxima of windows of volumes; see `convolution` for the arguments."""
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
    """The averages or maxima of windows, in any number of dimensions; see `tf.nn.pool`.

    Args:
        pooling_type: "AVG" or "MAX".

    Raises:
        ValueError: The inputs have no dimension to pool in.
    """
    with tf.name_scope(scope, f"{pooling_type.lower()}_pool", [inputs]) as sc:
        inputs = tf.convert_to_tensor(inputs)
        if inputs.shape.ndims is None:
            raise ValueError("Rank of inputs must be known")
        if inputs.shape.ndims < 3:
            raise ValueError("Rank of inputs must be >= 3")
        spatial = partial(utils.n_positive_integers, inputs.shape.ndims - 2)
        outputs = tf.nn.pool(
            input=inputs,
            window_shape=spatial(kernel_size),
            pooling_type=pooling_type,
            padding=padding,
            data_format=data_format,
            dilation_rate=spatial(dilation_rate),
            strides=spatial(stride),
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
    """The inputs with a variable added to each channel.

    Args:
        initializer: The variable's.
        regularizer: The variable's.

    Raises:
        ValueError: The channels aren't known, or come first in something else than images.
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
        given = _Given(
            activation_fn,
            None,
            None,
            None,
            None,
            initializer,
            regularizer,
            reuse,
            variables_collections,
            outputs_collections,
            trainable,
            scope,
        )
        biases = given.biases(channels, inputs.dtype.base_dtype)
        return given.activated(tf.nn.bias_add(inputs, biases, data_format=data_format), sc)


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
    """A convolution in one, two or three dimensions.

    Args:
        inputs: A tensor of rank 3, 4 or 5.
        num_outputs: How many channels the result has.
        kernel_size: The size of the window: a number, or one for each dimension.
        stride: By how much the window moves, likewise.
        padding: "SAME" or "VALID".
        data_format: Where the channels are: "NHWC", "NCHW", … for images; last by default.
        rate: How far apart the points of the window are, likewise.
        activation_fn: Applied to the result; None for a linear layer.
        normalizer_fn: Called in place of adding biases.
        normalizer_params: Its keyword arguments.
        weights_initializer: The weights'.
        weights_regularizer: The weights'.
        biases_initializer: The biases'; None for no biases.
        biases_regularizer: The biases'.
        reuse: Whether the variables are those of an earlier layer; `scope` has to be given then.
        variables_collections: Collections for all variables; or a dict, "weights" or "biases" -> collections.
        outputs_collections: Collections for the result.
        trainable: Whether the variables are trained.
        scope: The variable scope.
        conv_dims: How many dimensions are asked for; any of the three by default.

    Raises:
        ValueError: `data_format` is none, or the inputs' rank another one.
    """
    return _convolution(
        inputs,
        num_outputs,
        kernel_size,
        stride,
        padding,
        data_format,
        rate,
        _Given(
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
    given: _Given,
    conv_dims: int | None,
) -> Any:
    if data_format not in (None, "NWC", "NCW", "NHWC", "NCHW", "NDHWC", "NCDHW"):
        raise ValueError(f"Invalid data_format: {data_format!r}")

    def layer_of(inputs: Any) -> Callable[..., Any]:
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

    return given.by_layer("Conv", inputs, layer_of)


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
        """`convolution` of inputs that have so many dimensions; see there."""
        return _convolution(
            inputs,
            num_outputs,
            kernel_size,
            stride,
            padding,
            data_format,
            rate,
            _Given(
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

    # What `repeat` and `stack` name their scopes by.
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
    """A convolution of images in which one window serves each channel for itself; see `convolution`."""
    given = _Given(
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
        weights = given.weights("weights", [*utils.two_element_tuple(kernel_size), 1, 1], dtype)
        strides = [1, *utils.two_element_tuple(stride), 1]
        outputs = tf.nn.depthwise_conv2d(inputs, tf.tile(weights, [1, 1, channels, 1]), strides, padding)
        if normalizer_fn is not None:
            outputs = given.normalized(outputs)
        elif given.use_bias:
            outputs = tf.nn.bias_add(outputs, given.biases(channels, dtype))
        return given.activated(outputs, sc)


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
    """A convolution the other way round, of images, in which the result grows by the stride; see `convolution`."""
    given = _Given(
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
    return given.by_layer("Conv2d_transpose", inputs, lambda inputs: layer)


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
    """A convolution the other way round, of volumes, in which the result grows by the stride; see `convolution`."""
    given = _Given(
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
    return given.by_layer("Conv3d_transpose", inputs, lambda inputs: layer)


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
    """A convolution of each channel of images for itself, and then one across the channels; see `convolution`.

    Args:
        num_outputs: How many channels the result has; None to leave the second convolution out.
        depth_multiplier: How many channels the first makes of each.
        pointwise_initializer: Of the second's weights; `weights_initializer` by default.
    """
    given = _Given(
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
            return _depthwise(inputs, kernel_size, depth_multiplier, stride, padding, data_format, rate, given, sc)
        of_layer = given.of_layer(sc, inputs, ("depthwise", "pointwise"))
        if pointwise_initializer is not None:
            of_layer["pointwise_initializer"] = pointwise_initializer
        layer = tf.layers.SeparableConv2D(
            filters=num_outputs,
            kernel_size=kernel_size,
            strides=stride,
            padding=padding,
            data_format=_format_of_layer(data_format),
            dilation_rate=utils.two_element_tuple(rate),
            depth_multiplier=depth_multiplier,
            **of_layer,
        )
        outputs = layer(inputs)
        for kernel in (layer.depthwise_kernel, layer.pointwise_kernel):
            _add_variable_to_collections(kernel, variables_collections, "weights")
        if layer.bias is not None:
            _add_variable_to_collections(layer.bias, variables_collections, "biases")
        return given.activated(given.normalized(outputs) if normalizer_fn is not None else outputs, sc)


def _depthwise(
    inputs: Any,
    kernel_size: Any,
    depth_multiplier: int,
    stride: Any,
    padding: str,
    data_format: str,
    rate: Any,
    given: _Given,
    sc: Any,
) -> Any:
    dtype = inputs.dtype.base_dtype
    channels = utils.channel_dimension(inputs.shape, _format_of_layer(data_format), min_rank=4)
    weights = given.weights(
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
    if given.normalizer_fn is not None:
        outputs = given.normalized(outputs)
    elif given.use_bias:
        outputs = tf.nn.bias_add(outputs, given.biases(depth_multiplier * channels, dtype), data_format=data_format)
    return given.activated(outputs, sc)


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
    """A layer in which each output is connected with each input; see `convolution` for the arguments.

    Args:
        num_outputs: How many outputs there are.

    Raises:
        ValueError: `num_outputs` is no integer.
    """
    given = _Given(
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
    return given.by_layer("fully_connected", inputs, lambda inputs: partial(tf.layers.Dense, units=num_outputs))


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
    """Inputs with mean and variance of each example made 0 and 1.

    Args:
        center: Whether `beta` is added.
        scale: Whether the result is multiplied by `gamma`.
        begin_norm_axis: The first of the dimensions that mean and variance are taken over.
        begin_params_axis: The first of the dimensions that `beta` and `gamma` have.

    Raises:
        ValueError: There is no such dimension, or its size isn't known.
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
        of_parameters = shape[begin_params_axis:]
        if not of_parameters.is_fully_defined():
            raise ValueError(f"Inputs {inputs.name}: shape(inputs)[{begin_params_axis}:] is not fully defined: {shape}")

        def parameter(name: str, initializer: Any) -> Any:
            return model_variable(
                name,
                shape=of_parameters,
                dtype=dtype,
                initializer=initializer,
                collections=utils.get_variable_collections(variables_collections, name),
                trainable=trainable,
            )

        beta = parameter("beta", tf.zeros_initializer()) if center else None
        gamma = parameter("gamma", tf.ones_initializer()) if scale else None
        mean, variance = tf.nn.moments(inputs, list(range(begin_norm_axis, shape.ndims)), keepdims=True)
        # In half precision the smaller one is zero.
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
    """Inputs of which some, by chance, are made 0, and the others as much larger.

    Args:
        keep_prob: How many are left.
        noise_shape: The shape of what is decided by chance; the inputs' own by default.
        is_training: Whether any are made 0; may be a tensor.
        seed: Of the random numbers.
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
    """The inputs as a matrix: a row for each example."""
    with tf.name_scope(scope, "Flatten", [inputs]) as sc:
        outputs = tf.layers.flatten(tf.convert_to_tensor(inputs))
        return utils.collect_named_outputs(outputs_collections, sc, outputs)


@add_arg_scope
def _inner_flatten(inputs: Any, new_rank: Any, output_collections: Any = None, scope: Any = None) -> Any:
    """The inputs, dense or sparse, with the last dimensions made one, so that there are `new_rank`."""
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
    enough = tf.assert_rank_at_least(inputs, new_rank, message="inputs has rank less than new_rank")
    with tf.control_dependencies([enough]):
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
    """A SparseTensor without the elements that are `eos_token`."""
    with tf.variable_scope(scope, "dense_to_sparse", [tensor]) as sc:
        tensor = tf.convert_to_tensor(tensor)
        indices = tf.where(tf.not_equal(tensor, tf.constant(eos_token, tensor.dtype)))
        outputs = tf.SparseTensor(indices, tf.gather_nd(tensor, indices), tf.shape(tensor, out_type=tf.int64))
        return utils.collect_named_outputs(outputs_collections, sc.name, outputs)


@add_arg_scope
def images_to_sequence(
    inputs: Any, data_format: str = "NHWC", outputs_collections: Any = None, scope: Any = None
) -> Any:
    """The columns of images one after the other: [width, batch * height, channels]."""
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
    """What `images_to_sequence` made of images, as images again.

    Args:
        height: The images'.
        output_data_format: "channels_first" or "channels_last".
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
    """`tf.one_hot` of labels; see there."""
    with tf.name_scope(scope, "OneHotEncoding", [labels, num_classes]) as sc:
        labels = tf.convert_to_tensor(labels)
        if labels.dtype == tf.int32:
            labels = tf.cast(labels, tf.int64)
        outputs = tf.one_hot(labels, num_classes, on_value=on_value, off_value=off_value)
        return utils.collect_named_outputs(outputs_collections, sc, outputs)


def repeat(inputs: Any, repetitions: int, layer: Callable[..., Any], *args: Any, **kwargs: Any) -> Any:
    """A layer several times, each on what the one before it gave.

    Args:
        repetitions: How many times.
        layer: The layer; *args and **kwargs are its arguments.
        scope: What the layers' scopes are called, with a number; the layer's name by default.
    """
    return _one_on_another("Repeat", inputs, layer, [args] * repetitions, kwargs)


def stack(inputs: Any, layer: Callable[..., Any], stack_args: Sequence[Any], **kwargs: Any) -> Any:
    """A layer once for each of some arguments, each on what the one before it gave.

    Args:
        layer: The layer; **kwargs are arguments of all.
        stack_args: For each the argument after `inputs`, or a list or tuple of arguments.
        scope: What the layers' scopes are called, with a number; the layer's name by default.

    Raises:
        ValueError: `stack_args` is no list or tuple.
    """
    if not isinstance(stack_args, (list, tuple)):
        raise ValueError("stack_args need to be a list or tuple")
    args = [each if isinstance(each, (list, tuple)) else [each] for each in stack_args]
    return _one_on_another("Stack", inputs, layer, args, kwargs)


def _one_on_another(name: str, inputs: Any, layer: Any, args: Sequence[Sequence[Any]], kwargs: dict[str, Any]) -> Any:
    given = kwargs.pop("scope", None)
    with tf.variable_scope(given, name, [inputs]):
        outputs = tf.convert_to_tensor(inputs)
        # The name of the layer, or of what a functools.partial calls.
        own = getattr(layer, "__name__", None) or getattr(getattr(layer, "func", None), "__name__", name.lower())
        for number, own_args in enumerate(args, 1):
            outputs = layer(outputs, *own_args, **kwargs, scope=f"{own if given is None else given}_{number}")
        return outputs


@add_arg_scope
def softmax(logits: Any, scope: Any = None) -> Any:
    """`tf.nn.softmax` over the last dimension, whatever the others are."""
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
    """Where in images each channel is largest: for each the expected x and y, from -1 to 1.

    Args:
        features: The images.
        temperature: What the variable that features are divided by begins with; 1 by default.
        name: The variable scope.
        trainable: Whether the variable is trained.
    """
    with tf.variable_scope(name, "spatial_softmax"):
        _check_format(data_format, *_IMAGES)
        shape = tf.shape(features)
        first = data_format == "NCHW"
        height, width = (shape[2], shape[3]) if first else (shape[1], shape[2])
        channels = features.shape.as_list()[1 if first else 3]
        if channels is None:
            raise ValueError("spatial_softmax: the features' number of channels isn't known (None). Set their shape.")
        with tf.name_scope("spatial_softmax_op", "spatial_softmax_op", [features]):
            positions = tf.meshgrid(
                tf.linspace(-1.0, 1.0, num=height), tf.linspace(-1.0, 1.0, num=width), indexing="ij"
            )
            divisor = model_variable(
                "temperature",
                shape=(),
                dtype=tf.float32,
                initializer=tf.ones_initializer() if temperature is None else tf.constant_initializer(temperature),
                collections=utils.get_variable_collections(variables_collections, "temperature") if trainable else None,
                trainable=trainable,
            )
            if not first:
                features = tf.transpose(features, [0, 3, 1, 2])
            attention = tf.nn.softmax(tf.reshape(features, [-1, height * width]) / divisor)
            expected = [tf.reduce_sum(tf.reshape(each, [-1]) * attention, [1], keepdims=True) for each in positions]
            outputs = tf.reshape(tf.concat(expected, 1), [-1, channels * 2])
            outputs.set_shape([None, channels * 2])
    return outputs


@add_arg_scope
def unit_norm(inputs: Any, dim: int, epsilon: float = 1e-7, scope: Any = None) -> Any:
    """Inputs made of length 1 along a dimension.

    Args:
        epsilon: Added to the square of the length.

    Raises:
        ValueError: The rank isn't known, or there is no such dimension.
    """
    with tf.variable_scope(scope, "UnitNorm", [inputs]):
        if not inputs.shape:
            raise ValueError("The input rank must be known.")
        if not 0 <= dim < inputs.shape.ndims:
            raise ValueError("dim must be positive but smaller than the input rank.")
        return inputs / tf.sqrt(epsilon + tf.reduce_sum(tf.square(inputs), dim, keepdims=True))


@add_arg_scope
def maxout(inputs: Any, num_units: int, axis: int = -1, scope: Any = None) -> Any:
    """The largest of each group of channels.

    Args:
        num_units: How many groups.
        axis: The dimension of the channels.

    Raises:
        ValueError: Groups would be of different sizes.
    """
    with tf.variable_scope(scope, "MaxOut", [inputs]):
        inputs = tf.convert_to_tensor(inputs)
        sizes = inputs.shape.as_list()
        channels = sizes[axis]
        if channels % num_units:
            raise ValueError(f"number of features({channels}) is not a multiple of num_units({num_units})")
        sizes[axis] = num_units
        shape = tf.shape(inputs)
        known = [shape[at] if size is None else size for at, size in enumerate(sizes)]
        return tf.reduce_max(tf.reshape(inputs, [*known, channels // num_units]), -1)


def poincare_normalize(x: Any, axis: int = 1, epsilon: float = 1e-5, name: str | None = None) -> Any:
    """Vectors along a dimension, those that are longer brought to within `epsilon` of length 1."""
    with tf.name_scope(name, "poincare_normalize", [x]) as scope:
        x = tf.convert_to_tensor(x, name="x")
        inverse_norm = tf.rsqrt(tf.reduce_sum(tf.square(x), axis, keepdims=True))
        return tf.multiply(x, tf.minimum((1.0 - epsilon) * inverse_norm, 1.0), name=scope)


@tf.custom_gradient  # type: ignore[untyped-decorator]
def _scaled_gradient(inputs: Any, gradient_multiplier: Any) -> Any:
    return tf.identity(inputs), lambda grad: (grad * gradient_multiplier, None)


def scale_gradient(inputs: Any, gradient_multiplier: Any) -> Any:
    """The inputs, whose gradient is multiplied by a number."""
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
    """`fully_connected` as it was at first: its variables are "weights" and "bias", and no model variables.

    Args:
        output_collections: Collections for the result, which is in ACTIVATIONS anyhow.

    Raises:
        ValueError: The last dimension isn't known, or is the only one.
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


elu = partial(fully_connected, activation_fn=tf.nn.elu)
relu = partial(fully_connected, activation_fn=tf.nn.relu)
relu6 = partial(fully_connected, activation_fn=tf.nn.relu6)
linear = partial(fully_connected, activation_fn=None)
legacy_relu = partial(legacy_fully_connected, activation_fn=tf.nn.relu)
legacy_linear = partial(legacy_fully_connected, activation_fn=None)

conv1d = convolution1d
conv2d = convolution2d
conv3d = convolution3d
conv2d_in_plane = convolution2d_in_plane
conv2d_transpose = convolution2d_transpose
conv3d_transpose = convolution3d_transpose
separable_conv2d = separable_convolution2d
