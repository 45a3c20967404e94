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
