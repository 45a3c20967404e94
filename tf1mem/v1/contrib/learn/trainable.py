# Copyright 2015-2019 The TensorFlow Authors. All Rights Reserved.
# Licensed under the Apache License, Version 2.0: see LICENSE.
# Written anew for tf1mem after tensorflow/contrib of TensorFlow 1.15.5, and changed: see NOTICE.

"""The interface of models that can be trained."""

from __future__ import annotations

import abc
from typing import Any


class Trainable(abc.ABC):
    """Declares the interface of a model that can be trained on `[num_examples, ...]` data."""

    @abc.abstractmethod
    def fit(
        self,
        x: Any = None,
        y: Any = None,
        input_fn: Any = None,
        steps: Any = None,
        batch_size: Any = None,
        monitors: Any = None,
        max_steps: Any = None,
    ) -> Any:
        """Trains the model.

        Args:
            x: `[num_examples, ...]` array of features, or a dict of arrays; only without `input_fn`.
            y: `[num_examples, ...]` array of labels.
            input_fn: Function that returns the tensors of features and labels.
            steps: Number of steps; None (the default) trains until the input ends.
            batch_size: Number of rows of `x` per step.
            monitors: List of monitors or SessionRunHooks.
            max_steps: Global step at which training ends; steps of earlier calls count.

        Returns:
            The model itself.
        """
