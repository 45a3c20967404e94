# Copyright 2015-2019 The TensorFlow Authors. All Rights Reserved.
# Licensed under the Apache License, Version 2.0: see LICENSE.
# Written anew for tf1mem after tensorflow/contrib of TensorFlow 1.15.5, and changed: see NOTICE.

"""Generalized divisive normalization (tf.contrib.layers)."""

from __future__ import annotations

from typing import Any

import tf1mem.v1 as tf


def _lower_bound_grad(op: Any, grad: Any) -> list[Any]:
    """Returns the gradient of `_lower_bound`: 0 for an input below the bound, unless a step would raise the input."""
    passes = tf.logical_or(op.inputs[0] >= op.inputs[1], grad < 0)
    return [tf.cast(passes, grad.dtype) * grad, None]


def _lower_bound(inputs: Any, bound: float) -> Any:
    with tf.name_scope(None, "GDNLowerBound", [inputs, bound]) as scope:
        inputs = tf.convert_to_tensor(inputs, name="inputs")
        bound = tf.convert_to_tensor(bound, dtype=inputs.dtype, name="bound")
        with tf.get_default_graph().gradient_override_map({"Maximum": "GDNLowerBound"}):
            return tf.maximum(inputs, bound, name=scope)


class GDN(tf.layers.Layer):  # type: ignore[misc]
    """Generalized divisive normalization layer: `x[j] / sqrt(beta[j] + sum_i(gamma[i, j] * x[i] ** 2))` over channels.

    Ballé et al. 2016, arXiv:1511.06281.

    Args:
        inverse: True to multiply by the root in place of dividing.
        beta_min: Lower bound of `beta`; 1e-6 by default.
        gamma_init: Initial diagonal of `gamma`; 0.1 by default.
        reparam_offset: Offset of the parametrization: a variable `v` is stored as `sqrt(v + reparam_offset ** 2)`.
        data_format: "channels_first" or "channels_last".
        activity_regularizer: Function from the outputs to a scalar loss; None for none.
        trainable: True to train the variables.
        name: Name of the layer.

    Raises:
        ValueError: The data format is unknown.
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
        """Makes the variables `beta` `[channels]` and `gamma` `[channels, channels]`.

        Raises:
            ValueError: The number of channels is unknown.
        """
        channels = self._channels(input_shape)
        if channels is None:
            raise ValueError("GDN: the inputs' number of channels isn't known. Set their shape.")
        self._input_rank = tf.TensorShape(input_shape).ndims
        axis = 1 if self.data_format == "channels_first" else -1
        self.input_spec = tf.layers.InputSpec(ndim=self._input_rank, axes={axis: channels})
        offset = self._reparam_offset

        def variable(name: str, shape: list[int], initial: Any, least: float) -> Any:
            """Makes the root of a parameter, and returns the parameter: a tensor of this shape, computed from the root.

            Args:
                name: Name of the root's variable.
                shape: Shape of both, `[channels]` or `[channels, channels]`.
                initial: Function of a shape and a dtype that returns the parameter's initial value.
                least: Minimum of the root.
            """

            def initializer(shape: Any, dtype: Any = None, partition_info: Any = None) -> Any:
                """Returns the root of the parameter's initial value, a tensor of this shape and dtype."""
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
        """Normalizes inputs of rank 3 to 5; returns a tensor of their shape."""
        inputs = tf.convert_to_tensor(inputs, dtype=self.dtype)
        num_spatial = self._input_rank - 2
        gamma = tf.reshape(self.gamma, num_spatial * [1] + self.gamma.shape.as_list())
        channels_first = self.data_format == "channels_first"
        format_of_inputs = "NC" + "DHW"[-num_spatial:] if channels_first else None
        pool = tf.nn.convolution(tf.square(inputs), gamma, "VALID", data_format=format_of_inputs)
        if channels_first:
            # bias_add supports channels first only for images.
            pool_shape = tf.shape(pool)
            pool = tf.reshape(pool, tf.concat([pool_shape[:2], [1 if num_spatial == 1 else pool_shape[2], -1]], 0))
            pool = tf.reshape(tf.nn.bias_add(pool, self.beta, data_format="NCHW"), pool_shape)
        else:
            pool = tf.nn.bias_add(pool, self.beta, data_format="NHWC")
        pool = tf.sqrt(pool)
        outputs = inputs * pool if self.inverse else inputs / pool
        outputs.set_shape(inputs.shape)
        return outputs

    def compute_output_shape(self, input_shape: Any) -> Any:
        """Returns the input shape.

        Raises:
            ValueError: The rank isn't 3, 4 or 5, or the number of channels is unknown.
        """
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
    """Returns inputs after generalized divisive normalization over channels; Ballé et al. 2016, arXiv:1511.06281.

    Args:
        inputs: `[batch, ..., channels]` float tensor of rank 3 to 5, or channels second for "channels_first".
        inverse: True to multiply by the root in place of dividing.
        beta_min: Lower bound of `beta`; 1e-6 by default.
        gamma_init: Initial diagonal of `gamma`; 0.1 by default.
        reparam_offset: Offset of the parametrization: a variable `v` is stored as `sqrt(v + reparam_offset ** 2)`.
        data_format: "channels_first" or "channels_last".
        activity_regularizer: Function from the outputs to a scalar loss; None for none.
        trainable: True to train the variables.
        name: Name of the layer.
        reuse: True to share the variables of an earlier layer.

    Returns:
        Tensor of the shape of the inputs.
    """
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


# Saved graphs refer to this name. This comes last: if the import failed after it, a second import would register again.
tf.RegisterGradient("GDNLowerBound")(_lower_bound_grad)
