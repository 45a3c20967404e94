# Copyright 2015-2019 The TensorFlow Authors. All Rights Reserved.
# Licensed under the Apache License, Version 2.0: see LICENSE.
# Written anew for tf1mem after tensorflow/contrib of TensorFlow 1.15.5, and changed: see NOTICE.

"""Columns of categories as ids."""

from __future__ import annotations

import math
from typing import Any, Iterator

import numpy as np

from tf1mem.v1.contrib.learn.learn_io.data_feeder import setup_processor_data_feeder
from tf1mem.v1.contrib.learn.preprocessing.categorical_vocabulary import CategoricalVocabulary


def _is_nan(value: Any) -> bool:
    return isinstance(value, float) and math.isnan(value)


class CategoricalProcessor:
    """Turns rows of categories into rows of ids; NaN is id 0.

    Args:
        min_frequency: Categories that aren't seen more often get id 0.
        share: Whether all columns have one vocabulary.
        vocabularies: A vocabulary for each column.

    Attributes:
        vocabularies_: A vocabulary for each column.
    """

    def __init__(self, min_frequency: int = 0, share: bool = False, vocabularies: Any = None) -> None:
        self.min_frequency = min_frequency
        self.share = share
        self.vocabularies_ = vocabularies

    def freeze(self, freeze: bool = True) -> None:
        """Freezes all vocabularies, or unfreezes them."""
        for vocabulary in self.vocabularies_:
            vocabulary.freeze(freeze)

    def fit(self, x: Any, unused_y: Any = None) -> CategoricalProcessor:
        """Gives every category an id, and freezes the vocabularies.

        Args:
            x: A matrix, or rows.
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
        """`fit`, then `transform`."""
        self.fit(x)
        return self.transform(x)

    def transform(self, x: Any) -> Iterator[Any]:
        """A row of int64 for each row."""
        self.freeze()
        for row in setup_processor_data_feeder(x):
            pairs = zip(self.vocabularies_, row)
            yield np.array([0 if _is_nan(value) else each.get(value) for each, value in pairs], dtype=np.int64)
