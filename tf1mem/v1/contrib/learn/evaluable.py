# Copyright 2015-2019 The TensorFlow Authors. All Rights Reserved.
# Licensed under the Apache License, Version 2.0: see LICENSE.
# Written anew for tf1mem after tensorflow/contrib of TensorFlow 1.15.5, and changed: see NOTICE.

"""The interface of models that can be evaluated."""

from __future__ import annotations

import abc
from typing import Any


class Evaluable(abc.ABC):
    """Declares the interface of a model that can be evaluated on `[num_examples, ...]` data."""

    @property
    @abc.abstractmethod
    def model_dir(self) -> Any:
        """Returns the folder of the model's checkpoints."""

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
            x: `[num_examples, ...]` array of features, or a dict of arrays; only without `input_fn`.
            y: `[num_examples, ...]` array of labels.
            input_fn: Function that returns the tensors of features and labels.
            feed_fn: Function that returns the feed dict of a step.
            batch_size: Number of rows of `x` per step.
            steps: Number of steps; None (the default) evaluates until the input ends.
            metrics: Dict of metric name -> `MetricSpec`.
            name: Name of the evaluation, the suffix of its summaries' folder.
            checkpoint_path: Path of the checkpoint; the latest by default.
            hooks: List of SessionRunHooks.

        Returns:
            Dict of metric name -> value, a NumPy scalar or array.
        """
