# Copyright 2015-2019 The TensorFlow Authors. All Rights Reserved.
# Licensed under the Apache License, Version 2.0: see LICENSE.
# Written anew for tf1mem after tensorflow/contrib of TensorFlow 1.15.5, and changed: see NOTICE.

"""Joint distributions of independent distributions (tf.contrib.distributions)."""

from __future__ import annotations

from typing import Any

import tf1mem.v1 as tf


class Independent(tf.distributions.Distribution):  # type: ignore[misc]
    """Distribution whose events contain the last batch axes of another distribution, as independent elements.

    Dillon et al., "TensorFlow Distributions", arXiv:1711.10604.

    Args:
        distribution: The tf.distributions.Distribution whose batch axes become event axes.
        reinterpreted_batch_ndims: Number of last batch axes that become event axes; all but the first by default.
        validate_args: Stored as an attribute; no check depends on it.
        name: Name of the distribution.

    Raises:
        ValueError: The distribution has fewer batch axes, or their number is unknown.
    """

    def __init__(
        self,
        distribution: Any,
        reinterpreted_batch_ndims: int | None = None,
        validate_args: bool = False,
        name: str | None = None,
    ) -> None:
        parameters = dict(locals())
        rank = distribution.batch_shape.ndims
        if rank is None:
            raise ValueError("The number of dimensions of distribution.batch_shape has to be known")
        number = max(0, rank - 1) if reinterpreted_batch_ndims is None else int(reinterpreted_batch_ndims)
        if number > rank:
            raise ValueError(f"reinterpreted_batch_ndims({number}) cannot exceed distribution.batch_ndims({rank})")
        self._distribution = distribution
        tf.constant(number, name="reinterpreted_batch_ndims")  # not used, but a graph's seeds count TensorFlow 1's op
        self._num_event_axes, self._num_batch_axes = number, rank - number
        super().__init__(
            dtype=distribution.dtype,
            reparameterization_type=distribution.reparameterization_type,
            validate_args=validate_args,
            allow_nan_stats=distribution.allow_nan_stats,
            parameters=parameters,
            graph_parents=distribution._graph_parents,
            name=name or "Independent" + distribution.name,
        )

    @property
    def distribution(self) -> Any:
        """Returns the underlying distribution, of batch shape `[batch, ...]`; its last axes are event axes here."""
        return self._distribution

    @property
    def reinterpreted_batch_ndims(self) -> int:
        """Returns the number of last batch axes that became event axes; 2 by default for `[batch, m, n]`."""
        return self._num_event_axes

    def _batch_shape_tensor(self) -> Any:
        return self.distribution.batch_shape_tensor()[: self._num_batch_axes]

    def _batch_shape(self) -> Any:
        return self.distribution.batch_shape[: self._num_batch_axes]

    def _event_shape_tensor(self) -> Any:
        event_part = self.distribution.batch_shape_tensor()[self._num_batch_axes :]
        return tf.concat([event_part, self.distribution.event_shape_tensor()], axis=0)

    def _event_shape(self) -> Any:
        return self.distribution.batch_shape[self._num_batch_axes :].concatenate(self.distribution.event_shape)

    def _summed(self, values: Any) -> Any:
        """Returns values summed over the batch axes of the underlying distribution that are event axes here."""
        return tf.reduce_sum(values, axis=[-1 - axis for axis in range(self._num_event_axes)])

    def _sample_n(self, n: Any, seed: int | None = None) -> Any:
        return self.distribution.sample(sample_shape=n, seed=seed)

    def _log_prob(self, x: Any) -> Any:
        return self._summed(self.distribution.log_prob(x))

    def _entropy(self) -> Any:
        return self._summed(self.distribution.entropy())

    def _mean(self) -> Any:
        return self.distribution.mean()

    def _variance(self) -> Any:
        return self.distribution.variance()

    def _stddev(self) -> Any:
        return self.distribution.stddev()

    def _mode(self) -> Any:
        return self.distribution.mode()


@tf.distributions.RegisterKL(Independent, Independent)  # type: ignore[untyped-decorator]
def _kl_divergence(a: Any, b: Any, name: str = "kl_independent") -> Any:
    if not a.event_shape.is_compatible_with(b.event_shape):
        raise ValueError("Event shapes do not match.")
    if not a.distribution.event_shape.is_compatible_with(b.distribution.event_shape):
        raise NotImplementedError("KL between Independents with different event shapes not supported.")
    return a._summed(tf.distributions.kl_divergence(a.distribution, b.distribution, name=name))
