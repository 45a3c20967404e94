# Copyright 2015-2019 The TensorFlow Authors. All Rights Reserved.
# Licensed under the Apache License, Version 2.0: see LICENSE.
# Written anew for tf1mem after tensorflow/contrib of TensorFlow 1.15.5, and changed: see NOTICE.

"""Vocabularies, which map categories to ids (tf.contrib.learn.preprocessing)."""

from __future__ import annotations

from collections import defaultdict
from typing import Any, Dict


class CategoricalVocabulary:
    """Assigns ids to categories, such as words, in order of appearance; id 0 is for unknown categories.

    Args:
        unknown_token: Category of id 0.
        support_reverse: True if ids can be converted back to categories.
    """

    def __init__(self, unknown_token: str = "<UNK>", support_reverse: bool = True) -> None:
        self._unknown_token = unknown_token
        self._support_reverse = support_reverse
        self._freq: Dict[Any, int] = defaultdict(int)
        self._freeze = False
        self._clear()

    def _clear(self) -> None:
        self._mapping: Dict[Any, int] = {self._unknown_token: 0}
        if self._support_reverse:
            self._reverse_mapping: list[Any] = [self._unknown_token]

    def _append(self, category: Any) -> None:
        self._mapping[category] = len(self._mapping)
        if self._support_reverse:
            self._reverse_mapping.append(category)

    def __len__(self) -> int:
        return len(self._mapping)

    def freeze(self, freeze: bool = True) -> None:
        """Freezes or unfreezes the vocabulary. While it is frozen, new categories get id 0.

        Args:
            freeze: True to freeze.
        """
        self._freeze = freeze

    def get(self, category: Any) -> int:
        """Returns the id of a category, which is added unless the vocabulary is frozen.

        Args:
            category: Hashable value, such as a string.
        """
        if category not in self._mapping:
            if self._freeze:
                return 0
            self._append(category)
        return self._mapping[category]

    def add(self, category: Any, count: int = 1) -> None:
        """Adds to the count of a category, which is added unless the vocabulary is frozen; id 0 isn't counted.

        Args:
            category: Hashable value, such as a string.
            count: Number of occurrences to add.
        """
        if self.get(category) > 0:
            self._freq[category] += count

    def trim(self, min_frequency: int, max_frequency: int = -1) -> None:
        """Removes categories that are too rare, too frequent or without a count, and renumbers the others.

        The most frequent category gets the id 1, and so on; categories of the same count are in alphabetical order.

        Args:
            min_frequency: Categories that occur at most this often are removed.
            max_frequency: Categories that occur at least this often are removed; -1 for no upper bound.
        """
        ranked = sorted(self._freq.items(), key=lambda entry: (-entry[1], isinstance(entry[0], str), entry[0]))
        self._clear()
        for category, count in ranked:
            if count > min_frequency and not 0 < max_frequency <= count:
                self._append(category)
        # As in TensorFlow 1, this keeps the largest counts, one for each category that is left; with max_frequency,
        # counts of removed categories can be among them.
        self._freq = dict(ranked[: len(self._mapping) - 1])

    def reverse(self, class_id: int) -> Any:
        """Returns the category of an id.

        Args:
            class_id: Id that `get` returned; 0 for an unknown category.

        Raises:
            ValueError: The vocabulary was made with `support_reverse` False.
        """
        if not self._support_reverse:
            raise ValueError("reverse(): the vocabulary has no reverse mapping. Create it with support_reverse=True.")
        return self._reverse_mapping[class_id]
