# Copyright 2015-2019 The TensorFlow Authors. All Rights Reserved.
# Licensed under the Apache License, Version 2.0: see LICENSE.
# Written anew for tf1mem after tensorflow/contrib of TensorFlow 1.15.5, and changed: see NOTICE.

"""Categories and their ids."""

from __future__ import annotations

from collections import defaultdict
from typing import Any, Dict


class CategoricalVocabulary:
    """Categories, words for example, numbered as they come; id 0 is what isn't known.

    Args:
        unknown_token: What id 0 stands for.
        support_reverse: Whether ids can be turned into categories again.
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
        """Has new categories get id 0 from now on, or ids of their own again."""
        self._freeze = freeze

    def get(self, category: Any) -> int:
        """The id of a category, which is added unless the vocabulary is frozen."""
        if category not in self._mapping:
            if self._freeze:
                return 0
            self._append(category)
        return self._mapping[category]

    def add(self, category: Any, count: int = 1) -> None:
        """Counts a category.

        Args:
            category: The category.
            count: How often it was seen.
        """
        if self.get(category) > 0:
            self._freq[category] += count

    def trim(self, min_frequency: int, max_frequency: int = -1) -> None:
        """Keeps what was seen often enough, and numbers it anew: the most frequent first, equals by alphabet.

        Args:
            min_frequency: What isn't seen more often than this goes.
            max_frequency: What is seen this often goes too; -1 for no such bound.
        """
        ranked = sorted(self._freq.items(), key=lambda entry: (-entry[1], isinstance(entry[0], str), entry[0]))
        self._clear()
        for category, count in ranked:
            if count > min_frequency and not 0 < max_frequency <= count:
                self._append(category)
        # TensorFlow 1 kept as many of the first counts as categories stay, even where the most frequent went.
        self._freq = dict(ranked[: len(self._mapping) - 1])

    def reverse(self, class_id: int) -> Any:
        """The category of an id.

        Raises:
            ValueError: The vocabulary was made without `support_reverse`.
        """
        if not self._support_reverse:
            raise ValueError("reverse(): the vocabulary kept no way back. Make it with support_reverse=True.")
        return self._reverse_mapping[class_id]
