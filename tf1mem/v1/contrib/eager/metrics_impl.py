# Copyright 2015-2019 The TensorFlow Authors. All Rights Reserved.
# Licensed under the Apache License, Version 2.0: see LICENSE.
# Written anew for tf1mem after tensorflow/contrib of TensorFlow 1.15.5, and changed: see NOTICE.

"""Metrics as objects, for graphs and eager execution."""

from __future__ import annotations

import functools
import re
from typing import Any, Callable

import tf1mem.v1 as tf
from tf1mem.v1.contrib.eager.function import defun

# The base class of objects that a tf.train.Checkpoint saves; TensorFlow 2.9 moved it.
try:
    from tensorflow.python.trackable.base import Trackable
except ImportError:
    from tensorflow.python.training.tracking.base import Trackable

_NOT_IN_SCOPES = re.compile("[^A-Za-z0-9.]")


class Metric(Trackable):  # type: ignore[misc]
    """Accumulates a value over `[batch, ...]` tensors; subclasses implement `build`, `call` and `result`.

    Args:
        name: Name of the variables' scope; the class name by default.
        use_global_variables: True for global variables, false for local variables.
    """

    def __init__(self, name: str | None = None, use_global_variables: bool = False) -> None:
        self._built = False
        self._vars: Any = []
        self._initial_values: list[Any] = []
        self._use_global_variables = use_global_variables
        name = str(name or type(self).__name__)
        scope_name = _NOT_IN_SCOPES.sub("_", name)
        self._name: str = name
        with tf.variable_scope(scope_name, use_resource=True, reuse=False) as scope:
            self._scope = scope
        if not tf.executing_eagerly():
            self._graph = tf.get_default_graph()
            self.call = defun(self.call)  # type: ignore[method-assign]
        self.build = self._marking_built(self.build)  # type: ignore[method-assign]

    def _marking_built(self, build: Callable[..., Any]) -> Callable[..., None]:
        """Wraps `build` to mark the metric as built, because a program may call it before the first batch."""

        @functools.wraps(build)
        def building(*args: Any, **kwargs: Any) -> None:
            build(*args, **kwargs)
            self._built = True

        return building

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        """Returns what `call` returns, which adds a batch to the metric; in a graph it is added when that runs.

        Args:
            *args: Arguments of `call`.
            **kwargs: Keyword arguments of `call`.
        """
        if not self._built:
            with tf.variable_scope(self._scope):
                if tf.executing_eagerly():
                    self.build(*args, **kwargs)
                else:
                    with self._graph.as_default():
                        self.build(*args, **kwargs)
        return self.call(*args, **kwargs)

    @property
    def name(self) -> str:
        """Returns the name of the metric."""
        return self._name

    @property
    def variables(self) -> Any:
        """Returns the variables of the metric, of any shape, in the order of their creation."""
        return self._vars

    def init_variables(self) -> Any:
        """Sets the variables to their initial values, of the same shapes; in a graph, returns the op that does so."""
        if not tf.executing_eagerly():
            return tf.group([variable.initializer for variable in self._vars])
        for variable, value in zip(self._vars, self._initial_values):
            variable.assign(value)
        return None

    def build(self, *args: Any, **kwargs: Any) -> None:
        """Creates the variables; called before the first `call`, with the same arguments, usually `[batch, ...]`."""
        raise NotImplementedError(f"{type(self).__name__}: a metric needs a method build(). Write one.")

    def call(self, *args: Any, **kwargs: Any) -> Any:
        """Adds a batch, usually tensors of shape `[batch, ...]`, to the variables."""
        raise NotImplementedError(f"{type(self).__name__}: a metric needs a method call(). Write one.")

    def result(self) -> Any:
        """Returns the value over all batches so far, usually a scalar tensor (shape `[]`)."""
        raise NotImplementedError(f"{type(self).__name__}: a metric needs a method result(). Write one.")

    def value(self) -> Any:
        """Returns the result in a graph (usually of shape `[]`), and the method `result` in eager execution."""
        return self.result if tf.executing_eagerly() else self.result()

    def aggregate(self, metrics: Any) -> None:
        """Adds the values of other metrics' variables to this metric's variables, which have the same shapes.

        Args:
            metrics: List of metrics of the same class.

        Raises:
            TypeError: A metric has another class.
            ValueError: The names of the variables differ.
        """
        for metric in metrics:
            if type(metric) is not type(self):
                raise TypeError(f"All metrics must be the same type, '{type(self)}' != '{type(metric)}'.")
        for number, variable in enumerate(self._vars):
            others = [metric._vars[number] for metric in metrics]
            if any(other.name != variable.name for other in others):
                raise ValueError(
                    "metrics: their variables differ in names or order. Add up metrics with the same variables."
                )
            variable.assign_add(tf.add_n(others))

    def add_variable(self, name: str, shape: Any = None, dtype: Any = None, initializer: Any = None) -> Any:
        """Creates a variable; called in `build`.

        Args:
            name: Name of the variable.
            shape: Shape of the variable.
            dtype: Dtype of the variable.
            initializer: Initializer of the variable.

        Raises:
            RuntimeError: The metric is built already.
        """
        if self._built:
            raise RuntimeError("add_variable(): the metric is built already. Call it in build().")
        collections = None
        if not tf.executing_eagerly():
            keys = tf.GraphKeys
            where = keys.GLOBAL_VARIABLES if self._use_global_variables else keys.LOCAL_VARIABLES
            collections = [where, keys.METRIC_VARIABLES]
        variable = self._add_variable_with_custom_getter(
            name=name,
            shape=shape,
            dtype=dtype,
            initializer=initializer,
            trainable=False,
            collections=collections,
            use_resource=True,
            getter=tf.get_variable,
            overwrite=True,
        )
        self._vars.append(variable)
        if tf.executing_eagerly():
            self._initial_values.append(variable.value())
        return variable


class Mean(Metric):
    """Computes the weighted mean of all values, a scalar (shape `[]`).

    Args:
        name: Name of the variables' scope; the class name by default.
        dtype: Dtype of the variables; float64 by default.
        use_global_variables: True for global variables, false for local variables.
    """

    def __init__(self, name: str | None = None, dtype: Any = tf.float64, use_global_variables: bool = False) -> None:
        super().__init__(name=name, use_global_variables=use_global_variables)
        self.dtype = dtype

    def build(self, *args: Any, **kwargs: Any) -> None:
        """Creates the sum and the count, two scalars (shape `[]`)."""
        self.numer = self.add_variable("numer", shape=(), dtype=self.dtype, initializer=tf.zeros_initializer)
        self.denom = self.add_variable("denom", shape=(), dtype=self.dtype, initializer=tf.zeros_initializer)

    def call(self, values: Any, weights: Any = None) -> Any:
        """Adds a batch, and returns it.

        Args:
            values: Tensor of any shape.
            weights: Tensor of weights with the shape of `values`; all 1 by default.
        """
        if weights is None:
            self.denom.assign_add(tf.cast(tf.size(values), self.dtype))
            self.numer.assign_add(tf.cast(tf.reduce_sum(values), self.dtype))
            return values
        weights = tf.cast(weights, self.dtype)
        values = tf.cast(values, self.dtype) * weights
        self.denom.assign_add(tf.reduce_sum(weights))
        self.numer.assign_add(tf.reduce_sum(values))
        return values, weights

    def result(self, write_summary: bool = True) -> Any:
        """Returns the mean so far, a scalar tensor (shape `[]`).

        Args:
            write_summary: True to write it to the default summary writer.
        """
        from tensorflow.python.ops import summary_ops_v2

        mean = self.numer / self.denom
        if write_summary:
            summary_ops_v2.scalar(name=self.name, tensor=mean)
        return mean


class _Matches(Mean):
    """Computes the fraction of predictions that match their labels."""

    def __init__(self, name: str | None = None, dtype: Any = tf.float64) -> None:
        super().__init__(name=name, dtype=dtype)

    def call(self, labels: Any, predictions: Any, weights: Any = None) -> Any:
        """Adds a batch, and returns it.

        Args:
            labels: Tensor of labels.
            predictions: Tensor of predictions, usually with the shape of `labels`.
            weights: Tensor of weights with the shape of the matches; all 1 by default.
        """
        self._check(labels, predictions)
        matches = tf.cast(tf.equal(*self._compared(labels, predictions)), self.dtype)
        super().call(matches, weights=weights)
        return (labels, predictions) if weights is None else (labels, predictions, weights)

    def _check(self, labels: Any, predictions: Any) -> None:
        message = "labels and predictions: their shapes differ"
        tf.debugging.assert_equal(tf.shape(labels), tf.shape(predictions), message=message)

    def _compared(self, labels: Any, predictions: Any) -> tuple[Any, Any]:
        return labels, predictions


class Accuracy(_Matches):
    """Computes the fraction of predictions that equal their labels; both have the same shape, of any rank.

    Args:
        name: Name of the variables' scope; the class name by default.
        dtype: Dtype of the variables; float64 by default.
    """


class CategoricalAccuracy(_Matches):
    """Computes the accuracy of `[batch, num_classes]` scores against `[batch, num_classes]` one-hot labels.

    Args:
        name: Name of the variables' scope; the class name by default.
        dtype: Dtype of the variables; float64 by default.
    """

    def _compared(self, labels: Any, predictions: Any) -> tuple[Any, Any]:
        return tf.argmax(labels, axis=-1), tf.argmax(predictions, axis=-1)


class BinaryAccuracy(_Matches):
    """Computes the accuracy of scores above a threshold against labels 0 and 1; both have the same shape.

    Args:
        threshold: Threshold of the scores: 0.5 for probabilities, 0 for logits.
        name: Name of the variables' scope; the class name by default.
        dtype: Dtype of the variables; float64 by default.
    """

    def __init__(self, threshold: float, name: str | None = None, dtype: Any = tf.float64) -> None:
        super().__init__(name=name, dtype=dtype)
        self.threshold = threshold

    def _compared(self, labels: Any, predictions: Any) -> tuple[Any, Any]:
        return tf.cast(labels, tf.bool), tf.convert_to_tensor(predictions) > self.threshold


class SparseAccuracy(_Matches):
    """Computes the accuracy of `[batch, num_classes]` scores against `[batch]` integer labels.

    Args:
        name: Name of the variables' scope; the class name by default.
        dtype: Dtype of the variables; float64 by default.
    """

    def _check(self, labels: Any, predictions: Any) -> None:
        message = "labels and predictions: they differ in their number of rows"
        tf.debugging.assert_equal(tf.shape(labels), tf.shape(predictions)[0], message=message)

    def _compared(self, labels: Any, predictions: Any) -> tuple[Any, Any]:
        return tf.cast(labels, tf.int64), tf.argmax(predictions, axis=-1)
