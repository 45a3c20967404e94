# Copyright 2015-2019 The TensorFlow Authors. All Rights Reserved.
# Licensed under the Apache License, Version 2.0: see LICENSE.
# Written anew for tf1mem after tensorflow/contrib of TensorFlow 1.15.5, and changed: see NOTICE.

"""Several independent distributions as one of arrays, by tf.contrib.distributions."""

from __future__ import annotations

from typing import Any

import tf1mem.v1 as tf


class Independent(tf.distributions.Distribution):  # type: ignore[misc]
    """A batch of distributions as one whose samples are arrays.

    Args:
        distribution: The batch.
        reinterpreted_batch_ndims: How many of its last dimensions become the arrays'; all but the first by default.
        validate_args: Kept for those who ask.
        name: The name.

    Raises:
        ValueError: The batch has fewer dimensions, or how many isn't known.
    """

    def __init__(
        self,
        distribution: Any,
        reinterpreted_batch_ndims: int | None = None,
        validate_args: bool = False,
        name: str | None = None,
    ) -> None:
        rank = distribution.batch_shape.ndims
        if rank is None:
            raise ValueError("The number of dimensions of distribution.batch_shape has to be known")
        number = max(0, rank - 1) if reinterpreted_batch_ndims is None else int(reinterpreted_batch_ndims)
        if number > rank:
            raise ValueError(f"reinterpreted_batch_ndims({number}) cannot exceed distribution.batch_ndims({rank})")
        self._distribution = distribution
        self._number, self._rest = number, rank - number
        super().__init__(
            dtype=distribution.dtype,
            reparameterization_type=distribution.reparameterization_type,
            validate_args=validate_args,
            allow_nan_stats=distribution.allow_nan_stats,
            parameters={"distribution": distribution, "reinterpreted_batch_ndims": reinterpreted_batch_ndims},
            graph_parents=distribution._graph_parents,
            name=name or "Independent" + distribution.name,
        )

    @property
    def distribution(self) -> Any:
        """The batch."""
        return self._distribution

    @property
    def reinterpreted_batch_ndims(self) -> int:
        """How many of the batch's dimensions are the arrays'."""
        return self._number

    def _batch_shape_tensor(self) -> Any:
        return self.distribution.batch_shape_tensor()[: self._rest]

    def _batch_shape(self) -> Any:
        return self.distribution.batch_shape[: self._rest]

    def _event_shape_tensor(self) -> Any:
        of_batch = self.distribution.batch_shape_tensor()[self._rest :]
        return tf.concat([of_batch, self.distribution.event_shape_tensor()], axis=0)

    def _event_shape(self) -> Any:
        return self.distribution.batch_shape[self._rest :].concatenate(self.distribution.event_shape)

    def _summed(self, values: Any) -> Any:
        return tf.reduce_sum(values, axis=[-1 - at for at in range(self._number)])

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
