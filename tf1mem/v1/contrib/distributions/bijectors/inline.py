# Copyright 2015-2019 The TensorFlow Authors. All Rights Reserved.
# Licensed under the Apache License, Version 2.0: see LICENSE.
# Written anew for tf1mem after tensorflow/contrib of TensorFlow 1.15.5, and changed: see NOTICE.

"""Bijectors from functions (tf.contrib.distributions.bijectors)."""

from __future__ import annotations

from typing import Any

from tensorflow.python.ops.distributions.bijector_impl import Bijector


class Inline(Bijector):  # type: ignore[misc]
    """A bijector that is made of functions.

    A method whose function is missing raises NotImplementedError; without shape functions, shapes stay as they are.

    Args:
        forward_fn: Function from x to y.
        inverse_fn: Function from y to x.
        inverse_log_det_jacobian_fn: Function from y to the log-determinant of the inverse's Jacobian.
        forward_log_det_jacobian_fn: Function from x to the log-determinant of the Jacobian.
        forward_event_shape_fn: Function from the event shape of x to that of y.
        forward_event_shape_tensor_fn: Function like `forward_event_shape_fn`, for shapes as int32 tensors.
        inverse_event_shape_fn: Function from the event shape of y to that of x.
        inverse_event_shape_tensor_fn: Function like `inverse_event_shape_fn`, for shapes as int32 tensors.
        is_constant_jacobian: True if the Jacobian doesn't depend on x.
        validate_args: Stored as an attribute; no check depends on it.
        forward_min_event_ndims: Minimum event rank of x.
        inverse_min_event_ndims: Minimum event rank of y.
        name: Name of the bijector.
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

    def _call_function(self, name: str, value: Any, **kwargs: Any) -> Any:
        function = self._functions[name]
        if not callable(function):
            raise NotImplementedError(f"{name}: the bijector needs a {name}_fn. Give one.")
        return function(value, **kwargs)

    def _map_shape(self, name: str, shape: Any) -> Any:
        function = self._shapes[name]
        return shape if function is None else function(shape)

    def _forward_event_shape(self, input_shape: Any) -> Any:
        return self._map_shape("forward_event_shape", input_shape)

    def _forward_event_shape_tensor(self, input_shape: Any) -> Any:
        return self._map_shape("forward_event_shape_tensor", input_shape)

    def _inverse_event_shape(self, output_shape: Any) -> Any:
        return self._map_shape("inverse_event_shape", output_shape)

    def _inverse_event_shape_tensor(self, output_shape: Any) -> Any:
        return self._map_shape("inverse_event_shape_tensor", output_shape)

    def _forward(self, x: Any, **kwargs: Any) -> Any:
        return self._call_function("forward", x, **kwargs)

    def _inverse(self, y: Any, **kwargs: Any) -> Any:
        return self._call_function("inverse", y, **kwargs)

    def _inverse_log_det_jacobian(self, y: Any, **kwargs: Any) -> Any:
        return self._call_function("inverse_log_det_jacobian", y, **kwargs)

    def _forward_log_det_jacobian(self, x: Any, **kwargs: Any) -> Any:
        return self._call_function("forward_log_det_jacobian", x, **kwargs)
