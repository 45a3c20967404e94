"""EarlyStopping and progress bars as in TensorFlow 1's `tf.keras` and in standalone Keras.

There EarlyStopping's baseline is the best value at first, so that a training stops that doesn't get beyond it; newer
versions go on as long as values get better.

There `evaluate` and `predict` show a bar, too. In graph mode TensorFlow 2.4 and later show none, and show the number
and the size of a batch among the metrics of a training on generators.
"""

from __future__ import annotations

import functools
from typing import Any, Callable

from tf1mem.hooks.wrappers import give, put_around_once
from tf1mem.v1._keras_package import keras_file


@functools.lru_cache(maxsize=None)
def call_back_as_tf1(keras: Any) -> None:
    """Makes EarlyStopping stop a training when TensorFlow 1 did, and loops show the bars that they showed there.

    Args:
        keras: The TF1 API of Keras 2.
    """
    bar = keras.callbacks.ProgbarLogger
    give(bar, {"tf1mem_metrics": None})
    if hasattr(bar, "_batch_update_progbar"):  # older loops have a bar of their own beside the callbacks
        put_around_once(keras_file(keras.Model, "callbacks"), "configure_callbacks", functools.partial(_with_bar, bar))
        put_around_once(bar, "set_params", _noting_metrics)
        put_around_once(bar, "_maybe_init_progbar", _averaging_other_metrics)
        put_around_once(bar, "on_predict_batch_end", _counting_predictions)
        put_around_once(bar, "on_test_batch_end", _keeping_metrics)
        for event in ("on_train_batch_end", "on_epoch_end"):
            put_around_once(bar, event, _with_metrics_alone)
    early_stopping = keras.callbacks.EarlyStopping
    put_around_once(early_stopping, "__init__", _with_mode_of_name)
    put_around_once(early_stopping, "on_train_begin", _from_baseline)
    put_around_once(early_stopping, "on_epoch_end", _stopping)


def _with_mode_of_name(own: Callable[..., None]) -> Callable[..., None]:
    """Returns EarlyStopping's `__init__`, by which the mode "auto" looks for "acc" anywhere in the monitored name."""

    def __init__(self: Any, *args: Any, **arguments: Any) -> None:  # noqa: N807
        import numpy as np

        own(self, *args, **arguments)
        mode = arguments.get("mode", args[4] if len(args) > 4 else "auto")
        if mode not in ("min", "max"):
            self.monitor_op = np.greater if "acc" in self.monitor else np.less
            self.min_delta = abs(self.min_delta) * (1 if self.monitor_op is np.greater else -1)

    return __init__


def _from_baseline(own: Callable[..., None]) -> Callable[..., None]:
    """Returns EarlyStopping's `on_train_begin`, by which the best value at first is the baseline."""

    def on_train_begin(self: Any, logs: Any = None) -> None:
        own(self, logs)
        if self.baseline is not None:
            self.best = self.baseline

    return on_train_begin


def _stopping(own: Callable[..., None]) -> Callable[..., None]:
    """Returns EarlyStopping's `on_epoch_end`, which waits for a better value than all before and the baseline."""

    def on_epoch_end(self: Any, epoch: int, logs: Any = None) -> None:
        current = (logs or {}).get(self.monitor)
        if current is None or epoch < getattr(self, "start_from_epoch", 0):
            own(self, epoch, logs)  # warns
        elif self.monitor_op(current - self.min_delta, self.best):
            self.best, self.wait = current, 0
            if self.restore_best_weights:
                self.best_weights = self.model.get_weights()
        else:
            self.wait += 1
            if self.wait >= self.patience:
                self.stopped_epoch, self.model.stop_training = epoch, True
                if self.restore_best_weights and self.best_weights is not None:
                    if self.verbose > 0:
                        print("Restoring model weights from the end of the best epoch")
                    self.model.set_weights(self.best_weights)

    return on_epoch_end


def _with_bar(bar: Any, own: Callable[..., Any]) -> Callable[..., Any]:
    """Returns `configure_callbacks`, which adds a bar to a verbose evaluation or prediction.

    Args:
        bar: Keras's class of a bar.
        own: Keras's function.
    """

    def configure_callbacks(
        callbacks: Any, model: Any, verbose: int = 1, count_mode: str = "steps", mode: str = "train", **kwargs: Any
    ) -> Any:
        is_new = callbacks is None or isinstance(callbacks, (list, tuple))  # a training hands on its own to validation
        if mode != "train" and verbose and is_new:
            callbacks = [*(callbacks or ()), bar(count_mode)]
        return own(callbacks, model, verbose=verbose, count_mode=count_mode, mode=mode, **kwargs)

    return configure_callbacks


def _noting_metrics(own: Callable[..., None]) -> Callable[..., None]:
    """Returns a bar's `set_params` that notes the names of losses and metrics; None in a loop in eager mode."""

    def set_params(self: Any, params: dict[str, Any]) -> None:
        self.tf1mem_metrics = params.get("metrics")
        own(self, params)

    return set_params


def _averaging_other_metrics(own: Callable[..., None]) -> Callable[..., None]:
    """Returns a method that begins a bar; in a loop of TensorFlow 1 it averages all metrics but those with a state."""

    def _maybe_init_progbar(self: Any) -> None:
        stateful = set(self.stateful_metrics)
        own(self)  # takes each metric of the model for one with a state
        if self.tf1mem_metrics is not None:
            self.stateful_metrics, self.progbar.stateful_metrics = stateful, set(stateful)

    return _maybe_init_progbar


def _shown(bar: Any, logs: Any) -> Any:
    """Returns the logs that a bar shows or counts; a TF1 loop shows those of `metrics_names`, in their order."""
    if not logs or bar.tf1mem_metrics is None:
        return logs
    counts = () if bar.use_steps else ("size", "num_steps")
    return {name: logs[name] for name in (*counts, *bar.tf1mem_metrics) if name in logs}


def _with_metrics_alone(own: Callable[..., None]) -> Callable[..., None]:
    """Returns a method of a bar that shows losses and metrics alone in a loop of TensorFlow 1."""

    def show(self: Any, number: int, logs: Any = None) -> None:
        own(self, number, _shown(self, logs))

    return show


def _counting_predictions(own: Callable[..., None]) -> Callable[..., None]:
    """Returns a bar's `on_predict_batch_end` that counts the batch's examples in a loop of TensorFlow 1."""

    def on_predict_batch_end(self: Any, batch: int, logs: Any = None) -> None:
        if logs and self.tf1mem_metrics is not None:
            self._batch_update_progbar(batch, _shown(self, logs))
        else:
            own(self, batch, logs)

    return on_predict_batch_end


def _keeping_metrics(own: Callable[..., None]) -> Callable[..., None]:
    """Returns a bar's `on_test_batch_end` that keeps a TF1 loop's metrics for the one line of `verbose=2`."""

    def on_test_batch_end(self: Any, batch: int, logs: Any = None) -> None:
        if not logs or self.tf1mem_metrics is None or self._called_in_fit:
            own(self, batch, logs)
            return
        shown = _shown(self, logs)
        own(self, batch, shown)
        if self.verbose != 1:
            metrics = [(name, value) for name, value in shown.items() if name in self.tf1mem_metrics]
            self.progbar.update(self.seen, metrics, finalize=False)

    return on_test_batch_end
