# Copyright 2015-2019 The TensorFlow Authors. All Rights Reserved.
# Licensed under the Apache License, Version 2.0: see LICENSE.
# Written anew for tf1mem after tensorflow/contrib of TensorFlow 1.15.5, and changed: see NOTICE.

"""Compositions of bijectors (tf.contrib.distributions.bijectors)."""

from __future__ import annotations

from functools import reduce
from typing import Any

from tensorflow.python.ops.distributions.bijector_impl import Bijector

import tf1mem.v1 as tf


class Chain(Bijector):  # type: ignore[misc]
    """Composition of bijectors: the last is applied first, as in f(g(x)); tensors have the bijectors' event shapes.

    Args:
        bijectors: List of bijectors; an empty list makes the identity.
        validate_args: Stored as an attribute; no check depends on it.
        name: Name of the bijector; "chain_of_" and the bijectors' names by default.

    Raises:
        NotImplementedError: A bijector isn't injective.
        ValueError: The bijectors have different dtypes.
    """

    def __init__(self, bijectors: Any = None, validate_args: bool = False, name: str | None = None) -> None:
        self._bijectors = () if bijectors is None else bijectors
        for each in self._bijectors:
            if not each._is_injective:
                raise NotImplementedError(f"bijectors: {each.name} isn't injective. Leave it out.")
        dtypes = {each.dtype for each in self._bijectors} - {None}
        if len(dtypes) > 1:
            raise ValueError(f"bijectors: their dtypes differ, {dtypes}. Give bijectors of the same dtype.")
        names = "_of_".join(["chain", *(each.name for each in self._bijectors)])
        inverse_ndims = [(each.inverse_min_event_ndims, each.forward_min_event_ndims) for each in self._bijectors]
        super().__init__(
            graph_parents=[parent for each in self._bijectors for parent in each.graph_parents],
            forward_min_event_ndims=_dimensions([(after, before) for before, after in reversed(inverse_ndims)]),
            inverse_min_event_ndims=_dimensions(inverse_ndims),
            is_constant_jacobian=all(each.is_constant_jacobian for each in self._bijectors),
            validate_args=validate_args,
            dtype=dtypes.pop() if dtypes else None,
            name=name or (names if self._bijectors else "identity"),
        )

    @property
    def bijectors(self) -> Any:
        """Returns the bijectors; `forward` applies the last one first, to a tensor of any shape."""
        return self._bijectors

    def _composed(self, function: str, value: Any, **kwargs: Any) -> Any:
        order = reversed(self.bijectors) if function.startswith("forward") else self.bijectors
        return reduce(lambda now, each: getattr(each, function)(now, **kwargs.get(each.name, {})), order, value)

    def _forward_event_shape(self, input_shape: Any) -> Any:
        return self._composed("forward_event_shape", input_shape)

    def _forward_event_shape_tensor(self, input_shape: Any) -> Any:
        return self._composed("forward_event_shape_tensor", input_shape)

    def _inverse_event_shape(self, output_shape: Any) -> Any:
        return self._composed("inverse_event_shape", output_shape)

    def _inverse_event_shape_tensor(self, output_shape: Any) -> Any:
        return self._composed("inverse_event_shape_tensor", output_shape)

    def _forward(self, x: Any, **kwargs: Any) -> Any:
        return self._composed("forward", x, **kwargs)

    def _inverse(self, y: Any, **kwargs: Any) -> Any:
        return self._composed("inverse", y, **kwargs)

    def _forward_log_det_jacobian(self, x: Any, **kwargs: Any) -> Any:
        return _summed("forward", list(reversed(self.bijectors)), x, self.forward_min_event_ndims, kwargs)

    def _inverse_log_det_jacobian(self, y: Any, **kwargs: Any) -> Any:
        return _summed("inverse", list(self.bijectors), y, self.inverse_min_event_ndims, kwargs)


def _dimensions(event_ndims: list[tuple[int, int]]) -> int:
    """Returns the minimum rank of an event that gives each bijector enough axes.

    Args:
        event_ndims: For each bijector its minimum event rank before and after.
    """
    minimum = grown = 0
    for before, after in event_ndims:
        minimum = max(minimum, before - grown)
        grown += after - before
    return minimum


def _summed(direction: str, bijectors: list[Any], value: Any, ndims: int, kwargs: dict[str, Any]) -> Any:
    value = tf.convert_to_tensor(value)
    total = tf.zeros([], value.dtype.base_dtype)
    for each in bijectors:
        arguments = kwargs.get(each.name, {})
        total += getattr(each, direction + "_log_det_jacobian")(value, event_ndims=ndims, **arguments)
        if value.shape.ndims is None:
            grown = each.inverse_min_event_ndims - each.forward_min_event_ndims
            ndims += grown if direction == "forward" else -grown
        else:
            ndims = getattr(each, direction + "_event_shape")(value.shape[value.shape.ndims - ndims :]).ndims
        value = getattr(each, direction)(value, **arguments)
    return total
