# Copyright 2015-2019 The TensorFlow Authors. All Rights Reserved.
# Licensed under the Apache License, Version 2.0: see LICENSE.
# Written anew for tf1mem after tensorflow/contrib of TensorFlow 1.15.5, and changed: see NOTICE.

"""The base class of predictors, which take a dict of input values and return a dict of predictions."""

from __future__ import annotations

from abc import ABC
from typing import Any


class Predictor(ABC):
    """Runs a model, usually on `[batch, ...]` arrays, in its session.

    Subclasses set `_graph`, `_session`, `_feed_tensors` and `_fetch_tensors`.
    """

    _graph: Any
    _session: Any
    _feed_tensors: dict[str, Any]
    _fetch_tensors: dict[str, Any]

    @property
    def graph(self) -> Any:
        """Returns the tf.Graph of the model."""
        return self._graph

    @property
    def session(self) -> Any:
        """Returns the session."""
        return self._session

    @property
    def feed_tensors(self) -> dict[str, Any]:
        """Returns a dict of name -> input tensor, usually `[batch, ...]`."""
        return self._feed_tensors

    @property
    def fetch_tensors(self) -> dict[str, Any]:
        """Returns a dict of name -> predicted tensor, usually `[batch, ...]`."""
        return self._fetch_tensors

    def __repr__(self) -> str:
        return f"{type(self).__name__} with feed tensors {self._feed_tensors} and fetch_tensors {self._fetch_tensors}"

    def __call__(self, input_dict: dict[str, Any]) -> Any:
        """Returns the predictions for input values.

        Args:
            input_dict: Dict of name -> value of the shape of the input tensor; inputs that are missing or None aren't
                fed.

        Returns:
            Dict of name -> predicted array.

        Raises:
            ValueError: A name is unknown.
        """
        unexpected = {*input_dict} - {*self.feed_tensors}
        if unexpected:
            raise ValueError(f"Got unexpected keys in input_dict: {unexpected}\nexpected: {set(self.feed_tensors)}")
        feed_dict = {self.feed_tensors[name]: value for name, value in input_dict.items() if value is not None}
        return self._session.run(fetches=self.fetch_tensors, feed_dict=feed_dict)
