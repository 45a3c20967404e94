"""Standalone Keras's loops over batches: the order of examples, and the losses and metrics of an epoch.

`fit` shuffles the order of the epoch before, where `tf.keras` shuffles the first order. Validation shuffles nothing;
that of `tf.keras` takes numbers of NumPy's generator, by which later epochs have another order. A validation's batches
from a generator or a `Sequence` have one queue for all epochs: an epoch's validation begins with the batch after the
last one of the epoch before. `tf.keras` makes a queue for each, and loses the batches that were fetched ahead.

An epoch's losses and metrics are means of the batches' values, by their sizes. `tf.keras` sums up a metric's values of
single examples instead, and takes the plain mean of losses that come from a generator. So the two differ for a last
batch that is smaller, for a metric that is one number for a batch, such as the root of a mean, and where a mask or
weights count examples. Callbacks get a batch's own values at its end, where `tf.keras` has the mean of all batches so
far, and `validation_data` has the arrays of the validation. Metrics that are objects with a state keep it, as in Keras
2.3.

Examples without weights have weights of 1. `tf.keras` builds the losses anew whenever there are weights after none, and
the other way round: each epoch where a training has class weights and its validation hasn't. A function for training
that was built before then takes the learning phase for weights.
"""

from __future__ import annotations

import threading
from functools import partial
from importlib import import_module
from typing import Any, Callable

from tf1mem.hooks.wrappers import put, put_around
from tf1mem.v1._keras_lost import weighted_masked_objective
from tf1mem.v1._namespace import ROOT

OF_BATCH = "_tf1mem_of_batch"  # attribute of a metric whose value is a batch's own


class _Loop(threading.local):
    """The training or evaluation that a thread runs.

    Attributes:
        model: The model; None where none runs.
        size: The number of examples in the batch that a generator gave last; 1 for a step without a generator.
        order: The numbers of the examples, in the order of the epoch before; None before the first.
        results: The losses and metrics of the epoch, which aren't in its logs yet.
        validation: The arrays of the validation, inputs, labels and weights, and the learning phase; None without.
        validation_batches: The iterator over the batches of the validation; None if it isn't a generator.
    """

    model: Any = None
    size: int = 1
    order: Any = None
    results: Any = None
    validation: list[Any] | None = None
    validation_batches: Any = None


_loop = _Loop()


def loop_as_standalone(file_of_keras: Callable[[str], Any]) -> None:
    """Makes training and evaluation go through batches as in standalone Keras; to be called once.

    Args:
        file_of_keras: Returns the module of a file of Keras by its dotted name, or None.
    """
    for version in ("_v1", ""):  # older files have no version in their name
        utilities, arrays, generator, training = (
            file_of_keras(f"engine.training{part}{version}") for part in ("_utils", "_arrays", "_generator", "")
        )
        for loops in (arrays, generator):
            for loop in ("model_iteration", "fit_loop", "test_loop", "fit_generator", "evaluate_generator"):
                put_around(loops, loop, _in_loop)
        if arrays is not None:
            put(arrays, "np", _NumpyOfLoop(arrays.np))
        put_around(utilities, "batch_shuffle", _keeping_the_order)
        for loop in ("model_iteration", "fit_generator"):
            put_around(generator, loop, partial(_with_one_queue, generator, file_of_keras("utils.data_utils").Sequence))
        put_around(generator, "_get_next_batch", _counting_examples)
        put_around(utilities, "standardize_weights", _weighing_all)
        put_around(utilities, "call_metric_function", _of_batch)
        put_around(utilities, "MetricsAggregator", _averaging)
        put_around(getattr(training, "Model", None), "_prepare_total_loss", _with_losses_of_batch)
        put_around(getattr(training, "_TrainingEndpoint", None), "populate_sample_weight", _always_weighing)
    callbacks = file_of_keras("callbacks")
    put_around(callbacks, "set_callback_parameters", _with_stateful_metrics)
    put_around(callbacks, "make_logs", _without_results)


def _in_loop(own: Callable[..., Any]) -> Callable[..., Any]:
    """Returns a loop over batches that notes its model, and shuffles nothing but training data."""

    def in_loop(model: Any, *args: Any, **kwargs: Any) -> Any:
        before = dict(vars(_loop))
        vars(_loop).update(model=model, size=1, order=None, results=None, validation=_validation(model, **kwargs))
        if kwargs.get("mode") == "test":
            kwargs.setdefault("shuffle", False)
        try:
            return own(model, *args, **kwargs)
        finally:
            vars(_loop).clear()
            vars(_loop).update(before)

    return in_loop


def _with_one_queue(loops: Any, sequence: Any, own: Callable[..., Any]) -> Callable[..., Any]:
    """Returns a loop over a generator's batches in which all epochs' validations take batches from one queue.

    Args:
        loops: Keras's module with the loop.
        sequence: Keras's class `Sequence`.
        own: The loop.
    """

    def with_one_queue(model: Any, data: Any, *args: Any, **kwargs: Any) -> Any:
        if _loop.validation_batches is not None and data is _loop.validation_batches:
            return own(model, data, *args, **{**kwargs, "workers": 0})  # they are queued already
        batches: Any = kwargs.get("validation_data")
        is_sequence = isinstance(batches, sequence)
        if not is_sequence and not hasattr(batches, "__next__"):
            return own(model, data, *args, **kwargs)
        if is_sequence:
            kwargs["validation_steps"] = kwargs.get("validation_steps") or len(batches)
        options = {
            name: kwargs[name] for name in ("workers", "use_multiprocessing", "max_queue_size") if name in kwargs
        }
        batches, queue = loops._make_enqueued_generator(batches, **options)
        before, _loop.validation_batches = _loop.validation_batches, batches
        try:
            return own(model, data, *args, **{**kwargs, "validation_data": batches})
        finally:
            _loop.validation_batches = before
            if queue is not None:
                queue.stop()

    return with_one_queue


def _validation(
    model: Any, val_inputs: Any = None, val_targets: Any = None, val_sample_weights: Any = None, **kwargs: Any
) -> list[Any] | None:
    """Returns what a training's validation is fed with, by the arguments of its loop; None if it isn't arrays."""
    data = kwargs.get("validation_data")  # of a loop over a generator's batches
    if isinstance(data, (tuple, list)) and len(data) in (2, 3):
        val_inputs, val_targets, val_sample_weights = model._standardize_user_data(
            *data[:2], sample_weight=data[2] if len(data) == 3 else None
        )
    if not isinstance(val_inputs, list):
        return None
    # At the end it is no array, but the value of the learning phase, in a model that has one.
    phase = [0.0] if model.uses_learning_phase and not isinstance(_backend().learning_phase(), int) else None
    return [each for part in (val_inputs, val_targets, val_sample_weights, phase) for each in part or []]


def _backend() -> Any:
    return import_module(ROOT).keras.backend


class _NumpyOfLoop:
    """NumPy for Keras's training loop, whose `arange` returns the order of the epoch before."""

    def __init__(self, numpy: Any) -> None:
        self._numpy = numpy

    def __getattr__(self, name: str) -> Any:
        return getattr(self._numpy, name)

    def arange(self, *args: Any, **kwargs: Any) -> Any:
        """Returns NumPy's array, or the one of the epoch before."""
        numbers = self._numpy.arange(*args, **kwargs)
        if _loop.model is None:
            return numbers
        if _loop.order is None or len(_loop.order) != len(numbers):
            _loop.order = numbers
        return _loop.order


def _keeping_the_order(own: Callable[..., Any]) -> Callable[..., Any]:
    """Returns `batch_shuffle` that notes the order."""

    def batch_shuffle(index_array: Any, batch_size: Any) -> Any:
        _loop.order = own(index_array, batch_size)
        return _loop.order

    return batch_shuffle


def _counting_examples(own: Callable[..., Any]) -> Callable[..., Any]:
    """Returns `_get_next_batch` that notes the size of the batch."""

    def _get_next_batch(*args: Any, **kwargs: Any) -> Any:
        batch = own(*args, **kwargs)
        if batch is not None:
            arrays = import_module(ROOT).nest.flatten(batch[0])
            _loop.size = int(arrays[0].shape[0]) if arrays and arrays[0] is not None else 1
        return batch

    return _get_next_batch


def _weighing_all(own: Callable[..., Any]) -> Callable[..., Any]:
    """Returns `standardize_weights` that weighs examples by 1 if a program doesn't weigh them."""

    def standardize_weights(
        y: Any, sample_weight: Any = None, class_weight: Any = None, sample_weight_mode: Any = None
    ) -> Any:
        import numpy as np

        weights = own(y, sample_weight, class_weight, sample_weight_mode)
        if weights is not None:
            return weights
        dimensions = 2 if sample_weight_mode == "temporal" else 1
        if isinstance(y, np.ndarray):
            return np.ones(y.shape[:dimensions], _backend().floatx())
        tf: Any = import_module(ROOT)
        return tf.ones(tf.shape(y)[:dimensions], _backend().floatx()) if tf.is_tensor(y) else None

    return standardize_weights


def _always_weighing(own: Callable[..., None]) -> Callable[..., None]:
    """Returns an output's `populate_sample_weight` that makes a placeholder for weights when a model is compiled."""

    def populate_sample_weight(self: Any, sample_weight: Any, sample_weight_mode: Any) -> None:
        mode = sample_weight_mode or "samplewise"
        own(self, sample_weight, mode)
        self.sample_weight_mode = sample_weight_mode if self.sample_weight is None else mode  # None without a loss

    return populate_sample_weight


def _of_batch(own: Callable[..., Any]) -> Callable[..., Any]:
    """Returns `call_metric_function` by which the value of a metric that is a function is the batch's own."""

    def call_metric_function(
        metric_fn: Any, y_true: Any, y_pred: Any = None, weights: Any = None, mask: Any = None
    ) -> Any:
        if type(metric_fn).__name__ != "MeanMetricWrapper" or y_pred is None:  # a class of Keras's, or the program's
            return own(metric_fn, y_true, y_pred, weights=weights, mask=mask)

        def values(y_true: Any, y_pred: Any) -> Any:
            return metric_fn._fn(y_true, y_pred, **metric_fn._fn_kwargs)

        labels = import_module(ROOT).cast(y_true, y_pred.dtype)
        metric_fn._call_result = weighted_masked_objective(values)(labels, y_pred, weights, mask)
        setattr(metric_fn, OF_BATCH, True)
        return metric_fn._call_result

    return call_metric_function


class _LossOfBatch:
    """Takes an output's loss in place of the metric that shows it: the metric's value is the batch's own then."""

    def __init__(self, metric: Any) -> None:
        self.metric = metric

    def __call__(self, loss: Any) -> None:
        self.metric._call_result = loss
        setattr(self.metric, OF_BATCH, True)


def _with_losses_of_batch(own: Callable[..., Any]) -> Callable[..., Any]:
    """Returns a model's `_prepare_total_loss` by which each output's loss is that of a batch."""

    def _prepare_total_loss(self: Any, masks: Any) -> Any:
        endpoints = [endpoint for endpoint in self._training_endpoints if endpoint.output_loss_metric is not None]
        for endpoint in endpoints:
            endpoint.output_loss_metric = _LossOfBatch(endpoint.output_loss_metric)
        try:
            return own(self, masks)
        finally:
            for endpoint in endpoints:
                endpoint.output_loss_metric = endpoint.output_loss_metric.metric

    return _prepare_total_loss


def _is_stateful(model: Any) -> list[bool]:
    """Returns for each of a model's `metrics_names` True if its value is that of all batches so far."""
    metrics = model._get_training_eval_metrics()
    return [False, *(not hasattr(metric, OF_BATCH) for metric in metrics)]


class _MeansOfBatches:
    """An aggregator, as Keras's loops use it, of losses and metrics.

    Attributes:
        results: The means of the epoch, from `finalize` on; of a metric with a state its last value.
        steps: The number of steps, which the loop sets.
    """

    def __init__(self, model: Any, steps: Any) -> None:
        self._model, self.steps = model, steps
        self.results: list[Any] = []

    def create(self, batch_outs: list[Any]) -> None:
        """Begins with the values of a first batch, without counting them."""
        self._examples, self._is_stateful = 0, _is_stateful(self._model)
        self.results = [0.0] * len(batch_outs)

    def aggregate(self, batch_outs: list[Any], batch_start: int | None = None, batch_end: int | None = None) -> None:
        """Counts the values of a batch, which has the examples from `batch_start` to `batch_end`."""
        size = _loop.size if batch_start is None or batch_end is None else batch_end - batch_start
        self._examples += size
        for index, (is_stateful, value) in enumerate(zip(self._is_stateful, batch_outs)):
            self.results[index] = value if is_stateful else self.results[index] + value * size

    def finalize(self) -> None:
        """Divides the sums by the number of examples.

        Raises:
            ValueError: There was no batch.
        """
        if not self.results:
            raise ValueError("Empty training data.")
        _loop.results = self.results = [
            result if is_stateful else result / self._examples
            for is_stateful, result in zip(self._is_stateful, self.results)
        ]


def _averaging(own: Any) -> Callable[..., Any]:
    """Returns a function in place of `MetricsAggregator` that returns standalone Keras's in one of its loops."""

    def aggregator(use_steps: bool, num_samples: int | None = None, steps: int | None = None) -> Any:
        if _loop.model is None:
            return own(use_steps, num_samples=num_samples, steps=steps)
        return _MeansOfBatches(_loop.model, steps)

    return aggregator


def _with_stateful_metrics(own: Callable[..., None]) -> Callable[..., None]:
    """Returns `set_callback_parameters` by which progress bars and epochs show means but for metrics with a state."""

    def set_callback_parameters(callback_list: Any, model: Any, *args: Any, **kwargs: Any) -> None:
        own(callback_list, model, *args, **kwargs)
        if _loop.model is None:
            return
        stateful = {name for name, is_stateful in zip(model.metrics_names, _is_stateful(model)) if is_stateful}
        for callback in callback_list:
            if hasattr(callback, "stateful_metrics"):
                callback.stateful_metrics = stateful
            if _loop.validation is not None:
                callback.validation_data = _loop.validation

    return set_callback_parameters


def _without_results(own: Callable[..., Any]) -> Callable[..., Any]:
    """Returns `make_logs` that leaves a training's means to `BaseLogger`, so that logs have validation's first."""

    def make_logs(model: Any, logs: Any, outputs: Any, mode: Any, prefix: str = "") -> Any:
        if mode == "train" and outputs is not None and outputs is _loop.results:
            return logs
        return own(model, logs, outputs, mode, prefix=prefix)

    return make_logs
