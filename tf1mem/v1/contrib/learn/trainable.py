# Copyright 2015-2019 The TensorFlow Authors. All Rights Reserved.
# Licensed under the Apache License, Version 2.0: see LICENSE.
# Written anew for tf1mem after tensorflow/contrib of TensorFlow 1.15.5, and changed: see NOTICE.

"""What can be trained."""

from __future__ import annotations

import abc
from typing import Any


class Trainable(abc.ABC):
    """A model that can be trained."""

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
            x: Features, where there is no `input_fn`.
            y: Labels.
            input_fn: Returns features and labels.
            steps: How many steps; None for as long as there is input.
            batch_size: How many of `x` are taken in a step.
            monitors: Monitors or SessionRunHooks.
            max_steps: The step at which it ends, those of earlier calls counted.

        Returns:
            The model.
        """
