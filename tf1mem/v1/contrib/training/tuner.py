# Copyright 2015-2019 The TensorFlow Authors. All Rights Reserved.
# Licensed under the Apache License, Version 2.0: see LICENSE.
# Written anew for tf1mem after tensorflow/contrib of TensorFlow 1.15.5, and changed: see NOTICE.

"""What a service that tunes hyperparameters has to do."""

from __future__ import annotations

import abc
from typing import Any


class Tuner(abc.ABC):
    """Runs trials, each with hyperparameters of its own."""

    @abc.abstractmethod
    def next_trial(self) -> bool:
        """Goes on to the next trial.

        Returns:
            Whether there is one.

        Raises:
            RuntimeError: The tuner isn't set up.
        """

    @abc.abstractmethod
    def run_experiment(self, experiment_fn: Any) -> None:
        """Makes an Experiment and runs it.

        Args:
            experiment_fn: Called with `run_config` and `hparams`, it returns the Experiment.
        """
