# Copyright 2015-2019 The TensorFlow Authors. All Rights Reserved.
# Licensed under the Apache License, Version 2.0: see LICENSE.
# Written anew for tf1mem after tensorflow/contrib of TensorFlow 1.15.5, and changed: see NOTICE.

"""What estimators have of scikit-learn's: parameters, an error, and what programs measure estimators with."""

from __future__ import annotations

from typing import Any

import numpy as np


class NotFittedError(ValueError, AttributeError):
    """An estimator is asked for something before it is fitted."""


class BaseEstimator:
    """Reads and sets an object's parameters, which are its public attributes."""

    def get_params(self, deep: bool = True) -> dict[str, Any]:
        """The parameters.

        Args:
            deep: Whether those of parameters are among them, as "parameter__name".
        """
        found: dict[str, Any] = {}
        for name, value in vars(self).items():
            if name.startswith("_") or callable(value):
                continue
            if deep and hasattr(value, "get_params"):
                found.update((f"{name}__{inner}", each) for inner, each in value.get_params().items())
            found[name] = value
        return found

    def set_params(self, **params: Any) -> Any:
        """Sets parameters.

        Args:
            **params: By name, or by "parameter__name".

        Returns:
            This object.

        Raises:
            ValueError: There is no such parameter.
        """
        valid = self.get_params()
        for name, value in params.items():
            outer, _, inner = name.partition("__")
            if outer not in valid:
                raise ValueError(f"Invalid parameter {outer} for estimator {self}. It has: {', '.join(sorted(valid))}.")
            if inner:
                valid[outer].set_params(**{inner: value})
            else:
                setattr(self, outer, value)
        return self

    def __repr__(self) -> str:
        parameters = (f"{name}={value}" for name, value in self.get_params(deep=False).items())
        return f"{type(self).__name__}({', '.join(parameters)})"


def accuracy_score(y_true: Any, y_pred: Any) -> Any:
    """What part of predictions is right.

    Args:
        y_true: An array of what is right.
        y_pred: One of predictions.
    """
    return np.average(y_true == y_pred)


def mean_squared_error(y_true: Any, y_pred: Any) -> Any:
    """The mean of the squares of what predictions are wrong by.

    Args:
        y_true: An array of what is right.
        y_pred: One of predictions; dimensions of 1 don't count in either.
    """
    return np.average(np.square(np.squeeze(y_true) - np.squeeze(y_pred)))


def train_test_split(*arrays: Any, **options: Any) -> tuple[Any, ...]:
    """Parts arrays in two by chance, all alike.

    Args:
        *arrays: Of one length.
        **options: `train_size` or `test_size`, which part of them is in the first or in the second; by default 3 of 4
            are in the first. `random_state`: the seed, which becomes NumPy's. Others count for nothing.

    Returns:
        Of each array its first part and its second.
    """
    train_size = options.get("train_size")
    if train_size is None:
        test_size = options.get("test_size")
        train_size = 0.75 if test_size is None else 1 - test_size
    count = len(arrays[0])
    np.random.seed(options.get("random_state"))
    order = np.random.permutation(count)
    parts = np.split(order, [int(train_size * count)])
    return tuple(each.take(part, axis=0) for each in arrays for part in parts)
