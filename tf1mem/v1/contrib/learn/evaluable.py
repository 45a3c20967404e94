# Copyright 2015-2019 The TensorFlow Authors. All Rights Reserved.
# Licensed under the Apache License, Version 2.0: see LICENSE.
# Written anew for tf1mem after tensorflow/contrib of TensorFlow 1.15.5, and changed: see NOTICE.

"""What can be evaluated."""

from __future__ import annotations

import abc
from typing import Any


class Evaluable(abc.ABC):
    """A model that can be evaluated."""

    @property
    @abc.abstractmethod
    def model_dir(self) -> Any:
        """Where its checkpoints are."""

    @abc.abstractmethod
    def evaluate(
        self,
        x: Any = None,
        y: Any = None,
        input_fn: Any = None,
        feed_fn: Any = None,
        batch_size: Any = None,
        steps: Any = None,
        metrics: Any = None,
        name: Any = None,
        checkpoint_path: Any = None,
        hooks: Any = None,
    ) -> Any:
        """Evaluates the model.

        Args:
            x: Features, where there is no `input_fn`.
            y: Labels.
            input_fn: Returns features and labels.
            feed_fn: Returns what to feed in a step.
            batch_size: How many of `x` are taken in a step.
            steps: How many steps; None for as long as there is input.
            metrics: Name -> a `MetricSpec`.
            name: Of the evaluation, for its folder.
            checkpoint_path: The checkpoint; the latest by default.
            hooks: SessionRunHooks.

        Returns:
            Name -> the metric's value.
        """
