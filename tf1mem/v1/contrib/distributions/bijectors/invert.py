# Copyright 2015-2019 The TensorFlow Authors. All Rights Reserved.
# Licensed under the Apache License, Version 2.0: see LICENSE.
# Written anew for tf1mem after tensorflow/contrib of TensorFlow 1.15.5, and changed: see NOTICE.

"""Inverses of bijectors (tf.contrib.distributions.bijectors)."""

from __future__ import annotations

from typing import Any

from tensorflow.python.ops.distributions.bijector_impl import Bijector


class Invert(Bijector):  # type: ignore[misc]
    """A bijector whose forward function is the inverse of another's; event shapes of inputs and outputs are swapped.

    Args:
        bijector: The bijector to invert.
        validate_args: Stored as an attribute; no check depends on it.
        name: Name of this bijector; by default "invert_" and the name of `bijector`.

    Raises:
        NotImplementedError: The bijector isn't injective.
    """

    def __init__(self, bijector: Any, validate_args: bool = False, name: str | None = None) -> None:
        if not bijector._is_injective:
            raise NotImplementedError(f"bijector: {bijector.name} isn't injective. Give another.")
        self._bijector = bijector
        super().__init__(
            graph_parents=bijector.graph_parents,
            forward_min_event_ndims=bijector.inverse_min_event_ndims,
            inverse_min_event_ndims=bijector.forward_min_event_ndims,
            is_constant_jacobian=bijector.is_constant_jacobian,
            validate_args=validate_args,
            dtype=bijector.dtype,
            name=name or "invert_" + bijector.name,
        )

    @property
    def bijector(self) -> Any:
        """Returns the original bijector, whose `inverse` is the `forward` of this one, on tensors of any shape."""
        return self._bijector

    def _forward_event_shape(self, input_shape: Any) -> Any:
        return self.bijector._inverse_event_shape(input_shape)

    def _forward_event_shape_tensor(self, input_shape: Any) -> Any:
        return self.bijector._inverse_event_shape_tensor(input_shape)

    def _inverse_event_shape(self, output_shape: Any) -> Any:
        return self.bijector._forward_event_shape(output_shape)

    def _inverse_event_shape_tensor(self, output_shape: Any) -> Any:
        return self.bijector._forward_event_shape_tensor(output_shape)

    def _forward(self, x: Any, **kwargs: Any) -> Any:
        return self.bijector._inverse(x, **kwargs)

    def _inverse(self, y: Any, **kwargs: Any) -> Any:
        return self.bijector._forward(y, **kwargs)

    def _forward_log_det_jacobian(self, x: Any, **kwargs: Any) -> Any:
        return self.bijector._inverse_log_det_jacobian(x, **kwargs)

    def _inverse_log_det_jacobian(self, y: Any, **kwargs: Any) -> Any:
        return self.bijector._forward_log_det_jacobian(y, **kwargs)
