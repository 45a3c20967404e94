# Copyright 2015-2019 The TensorFlow Authors. All Rights Reserved.
# Licensed under the Apache License, Version 2.0: see LICENSE.
# Written anew for tf1mem after tensorflow/contrib of TensorFlow 1.15.5, and changed: see NOTICE.

"""Moving averages of variables, and a Saver that stores them in place of the variables."""

from __future__ import annotations

from typing import Any

from tensorflow.python.training.saving.saveable_object_util import op_list_to_dict

import tf1mem.v1 as tf


class MovingAverageOptimizer(tf.train.Optimizer):
    """Keeps moving averages, of the same shapes, of the variables that another optimizer trains.

    Args:
        opt: The optimizer.
        average_decay: Argument `decay` of tf.train.ExponentialMovingAverage; 0.9999 by default.
        num_updates: Argument `num_updates` of tf.train.ExponentialMovingAverage.
        sequential_update: True to update the averages after the step.
    """

    def __init__(
        self, opt: Any, average_decay: Any = 0.9999, num_updates: Any = None, sequential_update: bool = True
    ) -> None:
        self._optimizer = opt
        self._ema = tf.train.ExponentialMovingAverage(average_decay, num_updates=num_updates)
        self._swapped_variable_name_map: Any = None
        self._sequential_update = sequential_update

    def compute_gradients(self, *args: Any, **kwargs: Any) -> Any:
        """Returns the wrapped optimizer's (gradient, variable) pairs, of equal shape."""
        return self._optimizer.compute_gradients(*args, **kwargs)

    def apply_gradients(self, grads_and_vars: Any, global_step: Any = None, name: str | None = None) -> Any:
        """Returns an op that applies gradients and updates the averages.

        Args:
            grads_and_vars: (gradient, variable) pairs of equal shape.
            global_step: Step variable, which is incremented.
            name: Name of the optimizer's op.
        """
        train_op = self._optimizer.apply_gradients(grads_and_vars, global_step=global_step, name=name)
        trained = [var for grad, var in grads_and_vars if grad is not None]
        with tf.control_dependencies([train_op] if self._sequential_update else []):
            averaged = self._ema.apply(trained)
        names = [(var.op.name, self._ema.average(var).op.name) for var in trained]
        self._swapped_variable_name_map = {**dict(names), **{average: name for name, average in names}}
        return tf.group(train_op, averaged, name="train_with_avg")

    def swapping_saver(self, var_list: Any = None, name: str = "swapping_saver", **kwargs: Any) -> Any:
        """Returns a Saver that swaps the names of averages and their variables, which have the same shape.

        Args:
            var_list: Argument of tf.train.Saver; all variables by default.
            name: Name of the Saver.
            **kwargs: More arguments of the Saver.

        Raises:
            RuntimeError: No averages exist yet.
            ValueError: A variable is in the list without its average, or an average without its variable.
        """
        if self._swapped_variable_name_map is None:
            raise RuntimeError("swapping_saver: there are no averages yet. Call minimize or apply_gradients first.")
        if var_list is None:
            var_list = tf.global_variables()
        if not isinstance(var_list, dict):
            var_list = op_list_to_dict(var_list)
        by_name = {}
        for key, saved in var_list.items():
            by_name.update({part.op.name: part for part in saved} if _has_parts(saved) else {key: saved})

        def swapped(key: str, saved: Any) -> Any:
            """Returns the average of a variable, or the variable of an average, of the same shape."""
            other = self._swapped_variable_name_map.get(key)
            if other is not None and other not in by_name:
                raise ValueError(
                    f"Variable to swap {other} is not part of variables to save. Save it together with {key}"
                )
            return saved if other is None else by_name[other]

        return tf.train.Saver(
            {
                key: [swapped(part.op.name, part) for part in saved] if isinstance(saved, list) else swapped(key, saved)
                for key, saved in var_list.items()
            },
            name=name,
            **kwargs,
        )


def _has_parts(saved: Any) -> bool:
    # True for a list and for a PartitionedVariable.
    return isinstance(saved, list) or hasattr(saved, "_get_variable_list")
