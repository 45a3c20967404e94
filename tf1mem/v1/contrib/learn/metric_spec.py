# Copyright 2015-2019 The TensorFlow Authors. All Rights Reserved.
# Licensed under the Apache License, Version 2.0: see LICENSE.
# Written anew for tf1mem after tensorflow/contrib of TensorFlow 1.15.5, and changed: see NOTICE.

"""Metrics together with the keys of their predictions, labels and weights."""

from __future__ import annotations

import inspect
from typing import Any, Callable

import tf1mem.v1 as tf

# Accepted names of a metric's arguments; the first of each tuple is the usual name.
_LABELS = ("labels", "label", "targets", "target")
_PREDICTIONS = ("predictions", "prediction", "logits", "logit")
_WEIGHTS = ("weights", "weight")


def _arguments(function: Any) -> tuple[str, ...]:
    """Returns the names of a function's parameters that no functools.partial has bound by keyword."""
    if hasattr(function, "func") and hasattr(function, "keywords"):
        return tuple(name for name in _arguments(function.func) if name not in function.keywords)
    variadic = (inspect.Parameter.VAR_POSITIONAL, inspect.Parameter.VAR_KEYWORD)
    parameters = inspect.signature(function).parameters.values()
    return tuple(each.name for each in parameters if each.kind not in variadic)


def _name(function: Any) -> str:
    named = function if hasattr(function, "__name__") else getattr(function, "func", None)
    return str(getattr(named, "__name__", function))


def _match(function: str, arguments: tuple[str, ...], candidates: tuple[str, ...], required: bool) -> str | None:
    matches = [name for name in candidates if name in arguments]
    if len(matches) > 1:
        raise ValueError(f"Ambiguous arguments {matches}, must provide only one of {candidates}.")
    if not matches and required:
        raise ValueError(f"{candidates} missing from {function}({arguments}).")
    return matches[0] if matches else None


def _by_name(metric_fn: Any, name: str, labels_required: bool, weights_required: bool) -> Callable[..., Any]:
    """Returns the metric as a function of the keyword arguments `labels`, `predictions` and `weights`."""
    arguments = _arguments(metric_fn)
    labels_name = _match(name, arguments, _LABELS, labels_required)
    predictions_name = _match(name, arguments, _PREDICTIONS, False)
    weights_name = _match(name, arguments, _WEIGHTS, weights_required)

    def metric(_sentinel: Any = None, labels: Any = None, predictions: Any = None, weights: Any = None) -> Any:
        """Calls the metric with `[batch, ...]` tensors under its own names, or by position where it has others."""
        if _sentinel is not None:
            raise ValueError("metric_fn: an argument has no name. Give labels=, predictions= and, if any, weights=.")
        positional, named = [], {}
        if predictions_name:
            named[predictions_name] = predictions
        else:
            positional.append(predictions)
        if labels_name and positional and labels_name == arguments[0]:
            positional.insert(0, labels)
        elif labels_name:
            named[labels_name] = labels
        if weights is not None:
            named[weights_name or ""] = weights
        return metric_fn(*positional, **named)

    return metric


class MetricSpec:
    """Binds a metric function to keys of predictions, labels and weights, `[batch, ...]` tensors.

    Args:
        metric_fn: Function of predictions and, by the usual names, labels and weights. It returns a tensor, or a
            pair of value and update op.
        prediction_key: Key of the prediction; None if the model has a single prediction.
        label_key: Key of the label; None if there is a single label.
        weight_key: Key of the weights among the inputs; None for no weights.

    Raises:
        ValueError: The function has no argument for the labels or weights, or several.
    """

    def __init__(
        self,
        metric_fn: Callable[..., Any],
        prediction_key: str | None = None,
        label_key: str | None = None,
        weight_key: str | None = None,
    ) -> None:
        self._metric_fn_name = _name(metric_fn)
        self._metric_fn = _by_name(metric_fn, self._metric_fn_name, label_key is not None, weight_key is not None)
        self._prediction_key = prediction_key
        self._label_key = label_key
        self._weight_key = weight_key

    @property
    def prediction_key(self) -> str | None:
        """Returns the key of the prediction in a dict of `[batch, ...]` tensors; None for a single prediction."""
        return self._prediction_key

    @property
    def label_key(self) -> str | None:
        """Returns the key of the label in a dict of `[batch, ...]` tensors; None for a single label."""
        return self._label_key

    @property
    def weight_key(self) -> str | None:
        """Returns the key of the weights among the inputs, `[batch, ...]` tensors; None for no weights."""
        return self._weight_key

    @property
    def metric_fn(self) -> Callable[..., Any]:
        """Returns the metric as a function of the keywords `labels`, `predictions` and `weights`, `[batch, ...]`."""
        return self._metric_fn

    def __str__(self) -> str:
        return (
            f"MetricSpec(metric_fn={self._metric_fn_name}, prediction_key={self.prediction_key}, "
            f"label_key={self.label_key}, weight_key={self.weight_key})"
        )

    def create_metric_ops(self, inputs: Any, labels: Any, predictions: Any) -> Any:
        """Calls the metric with the tensors of its keys.

        Args:
            inputs: Dict of name -> `[batch, ...]` tensor, which holds the weights.
            labels: `[batch, ...]` tensor, or a dict of such tensors.
            predictions: `[batch, ...]` tensor, or a dict of such tensors.

        Returns:
            Result of the metric function: a tensor, or a pair of value and update op.

        Raises:
            ValueError: A key is set for a single tensor, or no key for a dict of several.
            KeyError: A dict lacks the key.
        """
        prediction = _pick("prediction", predictions, self.prediction_key)
        label = _pick("label", labels, self.label_key)
        try:
            return self.metric_fn(
                labels=label, predictions=prediction, weights=inputs[self.weight_key] if self.weight_key else None
            )
        except Exception as error:
            tf.logging.error(f"Could not create metric ops for {self}, {error}.")
            raise


def _pick(name: str, values: Any, key: str | None) -> Any:
    """Returns one tensor of a metric's inputs: the tensor itself, the only one of a dict, or the one under the key."""
    if not key:
        if not isinstance(values, dict):
            return values
        if len(values) != 1:
            raise ValueError(
                f"MetricSpec without specified {name}_key requires {name}s tensor or single element dict, got {values}"
            )
        return next(iter(values.values()))
    if not isinstance(values, dict):
        raise ValueError(
            f"MetricSpec with {name}_key specified requires {name}s dict, got {values}.\n"
            f"You must not provide a {name}_key if you only have a single Tensor as {name}s."
        )
    if key not in values:
        raise KeyError(f"Key '{key}' missing from {values.keys()}.")
    return values[key]
