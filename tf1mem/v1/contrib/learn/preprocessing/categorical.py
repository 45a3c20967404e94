# Copyright 2015-2019 The TensorFlow Authors. All Rights Reserved.
# Licensed under the Apache License, Version 2.0: see LICENSE.
# Written anew for tf1mem after tensorflow/contrib of TensorFlow 1.15.5, and changed: see NOTICE.

"""Conversion of columns of categories to ids."""

from __future__ import annotations

import math
from typing import Any, Iterator

import numpy as np

from tf1mem.v1.contrib.learn.learn_io.data_feeder import setup_processor_data_feeder
from tf1mem.v1.contrib.learn.preprocessing.categorical_vocabulary import CategoricalVocabulary


def _is_nan(value: Any) -> bool:
    return isinstance(value, float) and math.isnan(value)


class CategoricalProcessor:
    """Converts `[num_rows, num_columns]` categories to ids; NaN becomes id 0.

    Args:
        min_frequency: Categories that occur at most this often get id 0; with 0, the default, all get an id.
        share: True to use one vocabulary for all columns.
        vocabularies: List of a CategoricalVocabulary per column; None to make them in `fit`.

    Attributes:
        vocabularies_: List of a vocabulary per column; None before.
    """

    def __init__(self, min_frequency: int = 0, share: bool = False, vocabularies: Any = None) -> None:
        self.min_frequency = min_frequency
        self.share = share
        self.vocabularies_ = vocabularies

    def freeze(self, freeze: bool = True) -> None:
        """Freezes or unfreezes all vocabularies.

        Args:
            freeze: True to freeze.
        """
        for vocabulary in self.vocabularies_:
            vocabulary.freeze(freeze)

    def fit(self, x: Any, unused_y: Any = None) -> CategoricalProcessor:
        """Assigns an id to every category, and freezes the vocabularies.

        Args:
            x: `[num_rows, num_columns]` array, or an iterable of rows.
            unused_y: Not used.

        Returns:
            This object.
        """
        for row in setup_processor_data_feeder(x):
            if self.vocabularies_ is None:
                shared = CategoricalVocabulary()
                self.vocabularies_ = [shared if self.share else CategoricalVocabulary() for _ in row]
            for vocabulary, value in zip(self.vocabularies_, row):
                if not _is_nan(value):
                    vocabulary.add(value)
        if self.min_frequency > 0:
            for vocabulary in self.vocabularies_:
                vocabulary.trim(self.min_frequency)
        self.freeze()
        return self

    def fit_transform(self, x: Any, unused_y: Any = None) -> Iterator[Any]:
        """Calls `fit`, then `transform`.

        Args:
            x: `[num_rows, num_columns]` array, or a list of rows.
            unused_y: Not used.

        Returns:
            An iterator of `[num_columns]` int64 arrays.
        """
        self.fit(x)
        return self.transform(x)

    def transform(self, x: Any) -> Iterator[Any]:
        """Yields a `[num_columns]` int64 array of ids for each row; an unknown category has id 0.

        Args:
            x: `[num_rows, num_columns]` array, or an iterable of rows.
        """
        self.freeze()
        for row in setup_processor_data_feeder(x):
            pairs = zip(self.vocabularies_, row)
            yield np.array([0 if _is_nan(value) else each.get(value) for each, value in pairs], dtype=np.int64)
