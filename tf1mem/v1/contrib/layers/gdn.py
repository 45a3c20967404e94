# Copyright 2015-2019 The TensorFlow Authors. All Rights Reserved.
# Licensed under the Apache License, Version 2.0: see LICENSE.
# Written anew for tf1mem after tensorflow/contrib of TensorFlow 1.15.5, and changed: see NOTICE.

"""Generalized divisive normalization, by tf.contrib.layers."""

from __future__ import annotations

from typing import Any

import tf1mem.v1 as tf


def _lower_bound_grad(op: Any, grad: Any) -> list[Any]:
    """Lets a gradient through that would lead back above the bound."""
    passes = tf.logical_or(op.inputs[0] >= op.inputs[1], grad < 0)
    return [tf.cast(passes, grad.dtype) * grad, None]


def _lower_bound(inputs: Any, bound: float) -> Any:
    with tf.name_scope(None, "GDNLowerBound", [inputs, bound]) as scope:
        inputs = tf.convert_to_tensor(inputs, name="inputs")
        bound = tf.convert_to_tensor(bound, dtype=inputs.dtype, name="bound")
        with tf.get_default_graph().gradient_override_map({"Maximum": "GDNLowerBound"}):
            return tf.maximum(inputs, bound, name=scope)


class GDN(tf.layers.Layer):  # type: ignore[misc]
    """Divides each channel by the root of `beta` and all channels' squares, weighted by `gamma`.

    Args:
        inverse: Whether it multiplies.
        beta_min: The least that `beta` may be.
        gamma_init: What `gamma` has on its diagonal in the beginning.
        reparam_offset: Both variables are held as the root of themselves and this one's square.
        data_format: "channels_first" or "channels_last".
        activity_regularizer: See `tf.layers.Layer`.
        trainable: Whether the variables are trained.
        name: The layer's name.

    Raises:
        ValueError: The data format is another one.
    """

    def __init__(
        self,
        inverse: bool = False,
        beta_min: float = 1e-6,
        gamma_init: float = 0.1,
        reparam_offset: float = 2**-18,
        data_format: str = "channels_last",
        activity_regularizer: Any = None,
        trainable: bool = True,
        name: str | None = None,
        **kwargs: Any,
    ) -> None:
        super().__init__(trainable=trainable, name=name, activity_regularizer=activity_regularizer, **kwargs)
        if data_format not in ("channels_first", "channels_last"):
            raise ValueError(f"Unsupported `data_format` for GDN layer: {data_format}.")
        self.inverse = inverse
        self.data_format = data_format
        self._beta_min = beta_min
        self._gamma_init = gamma_init
        self._reparam_offset = reparam_offset
        self.input_spec = tf.layers.InputSpec(min_ndim=3, max_ndim=5)

    def _channels(self, shape: Any) -> Any:
        return tf.TensorShape(shape).as_list()[1 if self.data_format == "channels_first" else -1]

    def build(self, input_shape: Any) -> None:
        """Makes the variables."""
        channels = self._channels(input_shape)
        if channels is None:
            raise ValueError("GDN: the inputs' number of channels isn't known. Set their shape.")
        self._input_rank = tf.TensorShape(input_shape).ndims
        axis = 1 if self.data_format == "channels_first" else -1
        self.input_spec = tf.layers.InputSpec(ndim=self._input_rank, axes={axis: channels})
        offset = self._reparam_offset

        def variable(name: str, shape: list[int], initial: Any, least: float) -> Any:
            def initializer(shape: Any, dtype: Any = None, partition_info: Any = None) -> Any:
                return tf.sqrt(initial(shape, dtype) + tf.constant(offset**2, dtype=dtype))

            root = self.add_weight(name, shape=shape, initializer=initializer, dtype=self.dtype, trainable=True)
            return tf.square(_lower_bound(root, least)) - tf.constant(offset**2, dtype=self.dtype)

        self.beta = variable("reparam_beta", [channels], tf.ones, (self._beta_min + offset**2) ** 0.5)
        self.gamma = variable(
            "reparam_gamma",
            [channels, channels],
            lambda shape, dtype: self._gamma_init * tf.eye(shape[0], dtype=dtype),
            offset,
        )
        self.built = True

    def call(self, inputs: Any) -> Any:
        """The inputs, normalized."""
        inputs = tf.convert_to_tensor(inputs, dtype=self.dtype)
        spatial = self._input_rank - 2
        gamma = tf.reshape(self.gamma, spatial * [1] + self.gamma.shape.as_list())
        first = self.data_format == "channels_first"
        format_of_inputs = "NC" + "DHW"[-spatial:] if first else None
        pool = tf.nn.convolution(tf.square(inputs), gamma, "VALID", data_format=format_of_inputs)
        if first:
            # bias_add has channels first for images alone.
            whole = tf.shape(pool)
            pool = tf.reshape(pool, tf.concat([whole[:2], [1 if spatial == 1 else whole[2], -1]], 0))
            pool = tf.reshape(tf.nn.bias_add(pool, self.beta, data_format="NCHW"), whole)
        else:
            pool = tf.nn.bias_add(pool, self.beta, data_format="NHWC")
        pool = tf.sqrt(pool)
        outputs = inputs * pool if self.inverse else inputs / pool
        outputs.set_shape(inputs.shape)
        return outputs

    def compute_output_shape(self, input_shape: Any) -> Any:
        """The shape of the inputs."""
        shape = tf.TensorShape(input_shape)
        if shape.ndims not in (3, 4, 5):
            raise ValueError(f"input_shape: the rank is {shape.ndims}. Give 3, 4 or 5 dimensions.")
        if self._channels(shape) is None:
            raise ValueError("input_shape: the number of channels is None. Give it.")
        return shape


def gdn(
    inputs: Any,
    inverse: bool = False,
    beta_min: float = 1e-6,
    gamma_init: float = 0.1,
    reparam_offset: float = 2**-18,
    data_format: str = "channels_last",
    activity_regularizer: Any = None,
    trainable: bool = True,
    name: str | None = None,
    reuse: Any = None,
) -> Any:
    """The layer `GDN`, made and called; see there."""
    layer = GDN(
        inverse=inverse,
        beta_min=beta_min,
        gamma_init=gamma_init,
        reparam_offset=reparam_offset,
        data_format=data_format,
        activity_regularizer=activity_regularizer,
        trainable=trainable,
        name=name,
        dtype=inputs.dtype.base_dtype,
        _scope=name,
        _reuse=reuse,
    )
    return layer(inputs)


# Graphs that were saved name it so. Last, so that it isn't done twice where the import fails above.
tf.RegisterGradient("GDNLowerBound")(_lower_bound_grad)
