# Copyright 2015-2019 The TensorFlow Authors. All Rights Reserved.
# Licensed under the Apache License, Version 2.0: see LICENSE.
# Written anew for tf1mem after tensorflow/contrib of TensorFlow 1.15.5, and changed: see NOTICE.

"""A bijector of functions, by tf.contrib.distributions.bijectors."""

from __future__ import annotations

from typing import Any

from tensorflow.python.ops.distributions.bijector_impl import Bijector


class Inline(Bijector):  # type: ignore[misc]
    """A bijector of functions; what has none can't be called, and shapes are then taken to stay as they are.

    Args:
        forward_fn: Of x, its y.
        inverse_fn: Of y, its x.
        inverse_log_det_jacobian_fn: Of y, the logarithm of the determinant of the inverse's derivatives.
        forward_log_det_jacobian_fn: Of x, that of the derivatives.
        forward_event_shape_fn: Of a shape of x, that of y.
        forward_event_shape_tensor_fn: The same, as a tensor.
        inverse_event_shape_fn: Of a shape of y, that of x.
        inverse_event_shape_tensor_fn: The same, as a tensor.
        is_constant_jacobian: Whether the derivatives are everywhere the same.
        validate_args: Kept for those who ask.
        forward_min_event_ndims: How many dimensions of x it works on.
        inverse_min_event_ndims: How many of y.
        name: The name.
    """

    def __init__(
        self,
        forward_fn: Any = None,
        inverse_fn: Any = None,
        inverse_log_det_jacobian_fn: Any = None,
        forward_log_det_jacobian_fn: Any = None,
        forward_event_shape_fn: Any = None,
        forward_event_shape_tensor_fn: Any = None,
        inverse_event_shape_fn: Any = None,
        inverse_event_shape_tensor_fn: Any = None,
        is_constant_jacobian: bool = False,
        validate_args: bool = False,
        forward_min_event_ndims: int | None = None,
        inverse_min_event_ndims: int | None = None,
        name: str = "inline",
    ) -> None:
        super().__init__(
            forward_min_event_ndims=forward_min_event_ndims,
            inverse_min_event_ndims=inverse_min_event_ndims,
            is_constant_jacobian=is_constant_jacobian,
            validate_args=validate_args,
            name=name,
        )
        self._functions = {
            "forward": forward_fn,
            "inverse": inverse_fn,
            "inverse_log_det_jacobian": inverse_log_det_jacobian_fn,
            "forward_log_det_jacobian": forward_log_det_jacobian_fn,
        }
        self._shapes = {
            "forward_event_shape": forward_event_shape_fn,
            "forward_event_shape_tensor": forward_event_shape_tensor_fn,
            "inverse_event_shape": inverse_event_shape_fn,
            "inverse_event_shape_tensor": inverse_event_shape_tensor_fn,
        }

    def _called(self, name: str, value: Any, **kwargs: Any) -> Any:
        function = self._functions[name]
        if not callable(function):
            raise NotImplementedError(f"{name}: the bijector has no {name}_fn. Give it one.")
        return function(value, **kwargs)

    def _shaped(self, name: str, shape: Any) -> Any:
        function = self._shapes[name]
        return shape if function is None else function(shape)

    def _forward_event_shape(self, input_shape: Any) -> Any:
        return self._shaped("forward_event_shape", input_shape)

    def _forward_event_shape_tensor(self, input_shape: Any) -> Any:
        return self._shaped("forward_event_shape_tensor", input_shape)

    def _inverse_event_shape(self, output_shape: Any) -> Any:
        return self._shaped("inverse_event_shape", output_shape)

    def _inverse_event_shape_tensor(self, output_shape: Any) -> Any:
        return self._shaped("inverse_event_shape_tensor", output_shape)

    def _forward(self, x: Any, **kwargs: Any) -> Any:
        return self._called("forward", x, **kwargs)

    def _inverse(self, y: Any, **kwargs: Any) -> Any:
        return self._called("inverse", y, **kwargs)

    def _inverse_log_det_jacobian(self, y: Any, **kwargs: Any) -> Any:
        return self._called("inverse_log_det_jacobian", y, **kwargs)

    def _forward_log_det_jacobian(self, x: Any, **kwargs: Any) -> Any:
        return self._called("forward_log_det_jacobian", x, **kwargs)
