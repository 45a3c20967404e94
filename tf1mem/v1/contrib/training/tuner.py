# Copyright 2015-2019 The TensorFlow Authors. All Rights Reserved.
# Licensed under the Apache License, Version 2.0: see LICENSE.
# Written anew for tf1mem after tensorflow/contrib of TensorFlow 1.15.5, and changed: see NOTICE.

"""The interface of services that tune hyperparameters."""

from __future__ import annotations

import abc
from typing import Any


class Tuner(abc.ABC):
    """Base class of tuners, which run trials with different hyperparameters."""

    @abc.abstractmethod
    def next_trial(self) -> bool:
        """Starts the next trial.

        Returns:
            True if there is a trial; False if the tuner is done.

        Raises:
            RuntimeError: The tuner isn't set up.
        """

    @abc.abstractmethod
    def run_experiment(self, experiment_fn: Any) -> None:
        """Builds an Experiment and runs it.

        Args:
            experiment_fn: Function of a `RunConfig` and `HParams` that returns a `tf.contrib.learn.Experiment`.
        """
