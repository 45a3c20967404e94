"""EarlyStopping as in TensorFlow 1's `tf.keras` and in standalone Keras.

There a baseline is the best value at first, so that a training stops that doesn't get beyond it; newer versions go on
as long as values get better.
"""

from __future__ import annotations

import functools
from typing import Any, Callable

from tf1mem.hooks.wrappers import put_around_once


@functools.lru_cache(maxsize=None)
def stop_as_tf1(keras: Any) -> None:
    """Makes EarlyStopping stop a training when TensorFlow 1 did.

    Args:
        keras: The TF1 API of Keras 2.
    """
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
