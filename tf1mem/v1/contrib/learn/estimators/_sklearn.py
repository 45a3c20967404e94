# Copyright 2015-2019 The TensorFlow Authors. All Rights Reserved.
# Licensed under the Apache License, Version 2.0: see LICENSE.
# Written anew for tf1mem after tensorflow/contrib of TensorFlow 1.15.5, and changed: see NOTICE.

"""The parts of scikit-learn's API in contrib.learn: parameters, an error, scores and a split."""

from __future__ import annotations

from typing import Any

import numpy as np


class NotFittedError(ValueError, AttributeError):
    """Reports the use of an estimator before it is fitted."""


class BaseEstimator:
    """Gets and sets an object's parameters, which are its public attributes except functions.

    The interface is scikit-learn's; Buitinck et al., arXiv:1309.0238.
    """

    def get_params(self, deep: bool = True) -> dict[str, Any]:
        """Returns the parameters as a dict of name -> value.

        Args:
            deep: True to include the parameters of parameters, as "parameter__name".
        """
        parameters: dict[str, Any] = {}
        for name, value in vars(self).items():
            if name.startswith("_") or callable(value):
                continue
            if deep and hasattr(value, "get_params"):
                parameters.update((f"{name}__{inner}", each) for inner, each in value.get_params().items())
            parameters[name] = value
        return parameters

    def set_params(self, **params: Any) -> Any:
        """Sets parameters.

        Args:
            **params: Values by name, or by "parameter__name".

        Returns:
            This object.

        Raises:
            ValueError: A parameter is unknown.
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
    """Returns the fraction of predictions that equal their labels, a float.

    Args:
        y_true: `[num_examples]` array of labels.
        y_pred: `[num_examples]` array of predictions.
    """
    return np.average(y_true == y_pred)


def mean_squared_error(y_true: Any, y_pred: Any) -> Any:
    """Returns the mean squared difference of predictions and labels, a float.

    Args:
        y_true: `[num_examples, ...]` array of labels; dimensions of size 1 are ignored.
        y_pred: `[num_examples, ...]` array of predictions; dimensions of size 1 are ignored.
    """
    return np.average(np.square(np.squeeze(y_true) - np.squeeze(y_pred)))


def train_test_split(*arrays: Any, **options: Any) -> tuple[Any, ...]:
    """Splits arrays at random into two parts; all arrays are split at the same rows.

    Args:
        *arrays: `[num_examples, ...]` arrays.
        **options: `train_size` or `test_size`, the fraction of rows in the first or second part (by default 0.75 in
            the first), and `random_state`, the seed for NumPy. Others are ignored.

    Returns:
        Tuple of the first and the second part of each array.
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
