# Copyright 2015-2019 The TensorFlow Authors. All Rights Reserved.
# Licensed under the Apache License, Version 2.0: see LICENSE.
# Written anew for tf1mem after tensorflow/contrib of TensorFlow 1.15.5, and changed: see NOTICE.

"""A mixture of distributions (tf.contrib.distributions)."""

from __future__ import annotations

from typing import Any, Sequence

import numpy as np
from tensorflow.python.ops.distributions import util

import tf1mem.v1 as tf


class Mixture(tf.distributions.Distribution):  # type: ignore[misc]
    """Mixture of distributions: a categorical distribution chooses the component that a value is drawn from.

    Args:
        cat: tf.distributions.Categorical of `k` classes with batch shape `[...]`.
        components: List of `k` distributions of one dtype, with the batch shape of `cat` and one event shape.
        validate_args: True to check shapes at run time.
        allow_nan_stats: True to return NaN for undefined statistics, False to raise an error.
        use_static_graph: True to draw from all components and keep one value of each draw, with static shapes.
        name: Name of the distribution.

    Raises:
        TypeError: `cat` or `components` are of other types, or the components' dtypes differ.
        ValueError: The number of classes isn't the number of components, their shapes differ, or the event's rank is
            unknown.
    """

    def __init__(
        self,
        cat: Any,
        components: Sequence[Any],
        validate_args: bool = False,
        allow_nan_stats: bool = True,
        use_static_graph: bool = False,
        name: str = "Mixture",
    ) -> None:
        parameters = dict(locals())
        _check(cat, components)
        event_shape, batch_shape = components[0].event_shape, cat.batch_shape
        for component in components:
            event_shape = event_shape.merge_with(component.event_shape)
            batch_shape = batch_shape.merge_with(component.batch_shape)
        if event_shape.ndims is None:
            raise ValueError(
                "Expected to know rank(event_shape) from components, but none of the components provide a static "
                "number of ndims"
            )
        with tf.name_scope(name, values=[cat.logits]) as scope:
            classes = tf.get_static_value(cat.event_size)
            if classes is None:
                raise ValueError("The number of classes of cat isn't known before the graph runs.")
            if int(classes) != len(components):
                raise ValueError(f"cat.num_classes != len(components): {classes} vs. {len(components)}")
            shape = cat.batch_shape_tensor()
            rank = tf.size(shape)
            self._assertions = _assertions(shape, rank, components) if validate_args else []
        self._cat, self._components, self._use_static_graph = cat, list(components), use_static_graph
        self._static_event_shape, self._static_batch_shape = event_shape, batch_shape
        super().__init__(
            dtype=components[0].dtype,
            reparameterization_type=tf.distributions.NOT_REPARAMETERIZED,
            validate_args=validate_args,
            allow_nan_stats=allow_nan_stats,
            parameters=parameters,
            graph_parents=[parent for each in [cat, *components] for parent in each._graph_parents],
            name=scope,
        )

    @property
    def cat(self) -> Any:
        """Returns the Categorical that draws the component; its logits are `[..., num_components]`."""
        return self._cat

    @property
    def components(self) -> list[Any]:
        """Returns the components, distributions of the batch shape of `cat` and of equal event shapes."""
        return self._components

    @property
    def num_components(self) -> int:
        """Returns the number of components, the last axis of the logits of `cat`, `[..., num_components]`."""
        return len(self._components)

    def _batch_shape_tensor(self) -> Any:
        return self.cat.batch_shape_tensor()

    def _batch_shape(self) -> Any:
        return self._static_batch_shape

    def _event_shape_tensor(self) -> Any:
        return self.components[0].event_shape_tensor()

    def _event_shape(self) -> Any:
        return self._static_event_shape

    def _weights(self, softmax: Any) -> list[Any]:
        """Returns the probability of each component, or its logarithm: a list of tensors of the batch shape."""
        weights: list[Any] = tf.unstack(softmax(self.cat.logits), num=self.num_components, axis=-1)
        return weights

    def _event_weights(self) -> list[Any]:
        """Returns the probability of each component, with a dimension of size 1 for each dimension of the event."""
        weights = self._weights(tf.nn.softmax)
        for _ in range(self.event_shape.ndims):
            weights = [tf.expand_dims(weight, -1) for weight in weights]
        return weights

    def _mean(self) -> Any:
        with tf.control_dependencies(self._assertions):
            means = [component.mean() for component in self.components]
            return tf.add_n([weight * mean for weight, mean in zip(self._event_weights(), means)])

    def _stddev(self) -> Any:
        with tf.control_dependencies(self._assertions):
            means = tf.stack([component.mean() for component in self.components], axis=-1)
            deviations = tf.stack([component.stddev() for component in self.components], axis=-1)
            weights = tf.stack(self._event_weights(), axis=-1) * tf.ones_like(means)
            flat = [tf.reshape(part, [-1, self.num_components]) for part in (weights, means, deviations)]
            return tf.reshape(_deviations(*flat), tf.shape(weights)[:-1])

    def _summed(self, method: str, x: Any) -> Any:
        """Returns the logarithm of a weighted sum, from the logarithms that a method of the components returns."""
        with tf.control_dependencies(self._assertions):
            x = tf.convert_to_tensor(x, name="x")
            parts = [getattr(component, method)(x) for component in self.components]
            weighted = [weight + part for weight, part in zip(self._weights(tf.nn.log_softmax), parts)]
            return tf.reduce_logsumexp(tf.stack(weighted, 0), [0])

    def _log_prob(self, x: Any) -> Any:
        return self._summed("log_prob", x)

    def _log_cdf(self, x: Any) -> Any:
        return self._summed("log_cdf", x)

    def _sample_n(self, n: Any, seed: int | None = None) -> Any:
        return self._static_samples(n, seed) if self._use_static_graph else self._dynamic_samples(n, seed)

    def _static_samples(self, n: Any, seed: int | None) -> Any:
        """Returns `n` draws, for which every component draws all `n`, and a mask selects."""
        event_rank = self.event_shape.ndims
        classes = self.cat.sample(n, seed=seed)
        samples = []
        for component in self.components:
            seed = util.gen_new_seed(seed, "mixture")
            samples.append(component.sample(n, seed=seed))
        x = tf.stack(samples, -event_rank - 1)
        dtype = x.dtype.as_numpy_dtype
        mask = tf.one_hot(classes, self.num_components, on_value=np.ones([], dtype), off_value=np.zeros([], dtype))
        return tf.reduce_sum(x * self._with_event_dimensions(mask), axis=-1 - event_rank)

    def _with_event_dimensions(self, mask: Any) -> Any:
        """Returns a mask of shape `[n, ..., k]` with a dimension of size 1 added for each dimension of the event.

        `cat` never lacks a batch dimension here. The ops that add such dimensions are made all the same: with the
        graph's seed, the number of ops decides the seeds of later random ops.
        """
        with tf.name_scope("pad_mix_dims", values=[mask]):
            batch_ranks = [
                tf.shape(each.batch_shape_tensor())[0] if each.batch_shape.ndims is None else each.batch_shape.ndims
                for each in (self, self.cat)
            ]
            lacking = tf.where_v2(self.cat.is_scalar_batch(), batch_ranks[0], batch_ranks[0] - batch_ranks[1])
            shape = tf.shape(mask)
            sizes = [shape[:-1], tf.ones([lacking], tf.int32), shape[-1:], tf.ones([self.event_shape.ndims], tf.int32)]
            return tf.reshape(mask, tf.concat(sizes, axis=0))

    def _dynamic_samples(self, n: Any, seed: int | None) -> Any:
        """Returns `n` draws, for which each component draws only as often as it was chosen."""
        with tf.control_dependencies(self._assertions):
            n = tf.convert_to_tensor(n, name="n")
            static_n = tf.get_static_value(n)
            n = n if static_n is None else int(static_n)
            classes = self.cat.sample(n, seed=seed)
            shape, size = _static_or_dynamic(classes.shape, lambda: tf.shape(classes))
            _, batch_size = _static_or_dynamic(self.batch_shape, self.batch_shape_tensor)
            event_shape, _ = _static_or_dynamic(self.event_shape, self.event_shape_tensor)
            # The positions of each component's values: in the result, and in the batch.
            positions = tf.dynamic_partition(tf.reshape(tf.range(0, size), shape), classes, self.num_components)
            batch_positions = tf.reshape(tf.tile(tf.range(0, batch_size), [n]), shape)
            batch_positions = tf.dynamic_partition(batch_positions, classes, self.num_components)
            samples = []
            for number, component in enumerate(self.components):
                count = tf.size(positions[number])
                seed = util.gen_new_seed(seed, "mixture")
                drawn = component.sample(count, seed=seed)
                rows = batch_size * tf.range(count) + batch_positions[number]
                drawn = tf.reshape(drawn, tf.concat([[count * batch_size], event_shape], 0))
                samples.append(tf.gather(drawn, rows, name="samples_class_c_gather"))
            flat = tf.dynamic_stitch(positions, samples)
            result = tf.reshape(flat, tf.concat([shape, self.event_shape_tensor()], 0))
            result.set_shape(classes.shape.concatenate(self.event_shape))
            return result

    def entropy_lower_bound(self, name: str = "entropy_lower_bound") -> Any:
        """Returns a lower bound of the entropy, of the batch shape: the weighted mean of the components' entropies.

        Args:
            name: Name of the op.
        """
        with self._name_scope(name, values=[self.cat.logits]), tf.control_dependencies(self._assertions):
            entropies = [component.entropy() for component in self.components]
            return tf.add_n([weight * entropy for weight, entropy in zip(self._weights(tf.nn.softmax), entropies)])


def _check(cat: Any, components: Any) -> None:
    if not isinstance(cat, tf.distributions.Categorical):
        raise TypeError(f"cat must be a Categorical distribution, but saw: {cat}")
    if not components:
        raise ValueError("components must be a non-empty list or tuple")
    if not isinstance(components, (list, tuple)):
        raise TypeError(f"components must be a list or tuple, but saw: {components}")
    if not all(isinstance(component, tf.distributions.Distribution) for component in components):
        raise TypeError(f"all entries in components must be Distribution instances but saw: {components}")
    if not all(component.dtype == components[0].dtype for component in components):
        dtypes = [(component.name, component.dtype) for component in components]
        raise TypeError(f"All components must have the same dtype, but saw dtypes: {dtypes}")


def _assertions(shape: Any, rank: Any, components: Sequence[Any]) -> list[Any]:
    """Returns assertions that the components' batch shapes are `shape`."""
    shapes = [component.batch_shape_tensor() for component in components]
    messages = [f"components[{number}] batch shape must match cat batch shape" for number in range(len(components))]
    return [tf.assert_equal(rank, tf.size(batch), message=text) for batch, text in zip(shapes, messages)] + [
        tf.assert_equal(shape, batch, message=text) for batch, text in zip(shapes, messages)
    ]


def _deviations(weights: Any, means: Any, deviations: Any) -> Any:
    """Returns the standard deviations of mixtures, of shape `[n]`; the arguments have shape `[n, k]`."""
    weights = tf.expand_dims(weights, axis=1)
    means, deviations = tf.expand_dims(means, axis=2), tf.expand_dims(deviations, axis=2)
    mean = tf.reshape(tf.matmul(weights, means), (-1,))
    # A mixture's variance is the mean of the variances plus the variance of the means.
    within = tf.reshape(tf.matmul(weights, tf.square(deviations)), (-1,))
    squares = tf.reshape(tf.matmul(weights, tf.square(means)), (-1,))
    return tf.sqrt(within + squares - tf.square(mean))


def _static_or_dynamic(static: Any, dynamic: Any) -> tuple[Any, Any]:
    """Returns a shape and its size: numbers if the shape is known, else tensors."""
    if static.is_fully_defined():
        return np.array(static.as_list(), np.int32), static.num_elements()
    shape = dynamic()
    return shape, tf.reduce_prod(shape)
