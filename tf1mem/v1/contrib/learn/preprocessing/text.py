# Copyright 2015-2019 The TensorFlow Authors. All Rights Reserved.
# Licensed under the Apache License, Version 2.0: see LICENSE.
# Written anew for tf1mem after tensorflow/contrib of TensorFlow 1.15.5, and changed: see NOTICE.

"""Conversion of texts to ids of words, or to bytes."""

from __future__ import annotations

import io
import pickle
import re
from typing import Any, Callable, Iterable, Iterator

import numpy as np

import tf1mem.v1 as tf
from tf1mem.v1.contrib.learn.preprocessing.categorical_vocabulary import CategoricalVocabulary

TOKENIZER_RE = re.compile(r"[A-Z]{2,}(?![a-z])|[A-Z][a-z]+(?=[A-Z])|[\'\w\-]+", re.UNICODE)


def tokenizer(iterator: Iterable[str]) -> Iterator[list[str]]:
    """Yields the list of words of each text, such as ["TensorFlow", "1"].

    Args:
        iterator: Texts.
    """
    for value in iterator:
        yield TOKENIZER_RE.findall(value)


class ByteProcessor:
    """Converts texts to `[max_document_length]` arrays of their UTF-8 bytes.

    Args:
        max_document_length: Number of bytes per text; longer texts are cut, shorter texts padded with 0.
    """

    def __init__(self, max_document_length: int) -> None:
        self.max_document_length = max_document_length

    def fit(self, x: Any) -> None:
        """Does nothing.

        Args:
            x: Not used.
        """

    def fit_transform(self, x: Any) -> Iterator[Any]:
        """Calls `transform`: yields a `[max_document_length]` uint8 array for each text.

        Args:
            x: Texts, str or bytes.
        """
        return self.transform(x)

    def reverse(self, x: Any) -> Iterator[str]:
        """Yields the text of each row of bytes, or "" for invalid UTF-8.

        Args:
            x: `[num_texts, max_document_length]` array of bytes.
        """
        for row in x:
            document = np.trim_zeros(row.astype(np.int8), trim="b").tobytes()
            try:
                yield document.decode("utf-8")
            except UnicodeDecodeError:
                yield ""

    def transform(self, x: Any) -> Iterator[Any]:
        """Yields a `[max_document_length]` uint8 array for each text; its shape doesn't depend on the text.

        Args:
            x: Texts, str or bytes.
        """
        for document in x:
            text = document.encode("utf-8") if isinstance(document, str) else document
            row = np.frombuffer(memoryview(text)[: self.max_document_length], dtype=np.uint8)
            yield np.pad(row, (0, self.max_document_length - len(row)), "constant")


class VocabularyProcessor:
    """Converts texts to `[max_document_length]` arrays of their words' ids.

    Args:
        max_document_length: Number of words per text; longer texts are cut, shorter texts padded with 0.
        min_frequency: Words that occur at most this often get id 0.
        vocabulary: The `CategoricalVocabulary`; a new one by default.
        tokenizer_fn: Function of texts that returns the words of each; `tokenizer` by default.

    Attributes:
        vocabulary_: The `CategoricalVocabulary`.
    """

    def __init__(
        self,
        max_document_length: int,
        min_frequency: int = 0,
        vocabulary: CategoricalVocabulary | None = None,
        tokenizer_fn: Callable[[Any], Iterable[Any]] | None = None,
    ) -> None:
        self.max_document_length = max_document_length
        self.min_frequency = min_frequency
        self.vocabulary_ = vocabulary or CategoricalVocabulary()
        self._tokenizer = tokenizer_fn or tokenizer

    def fit(self, raw_documents: Any, unused_y: Any = None) -> VocabularyProcessor:
        """Assigns an id to every word, and freezes the vocabulary.

        Args:
            raw_documents: Texts.
            unused_y: Not used.

        Returns:
            This object.
        """
        for tokens in self._tokenizer(raw_documents):
            for token in tokens:
                self.vocabulary_.add(token)
        if self.min_frequency > 0:
            self.vocabulary_.trim(self.min_frequency)
        self.vocabulary_.freeze()
        return self

    def fit_transform(self, raw_documents: Any, unused_y: Any = None) -> Iterator[Any]:
        """Calls `fit`, then `transform`: yields a `[max_document_length]` int64 array of ids for each text.

        Args:
            raw_documents: List of texts; an iterator would be empty after `fit`.
            unused_y: Not used.
        """
        self.fit(raw_documents)
        return self.transform(raw_documents)

    def transform(self, raw_documents: Any) -> Iterator[Any]:
        """Yields an int64 array of ids for each text, of shape `[max_document_length]`.

        Args:
            raw_documents: Texts.
        """
        for tokens in self._tokenizer(raw_documents):
            ids: Any = np.zeros(self.max_document_length, np.int64)
            for position, token in zip(range(self.max_document_length), tokens):
                ids[position] = self.vocabulary_.get(token)
            yield ids

    def reverse(self, documents: Any) -> Iterator[str]:
        """Yields the words of each row of ids, joined by spaces.

        Args:
            documents: `[num_texts, max_document_length]` array of ids.
        """
        for ids in documents:
            yield " ".join(self.vocabulary_.reverse(each) for each in ids)

    def save(self, filename: str) -> None:
        """Writes this processor to a file by pickle.

        Args:
            filename: Path of the file.
        """
        with tf.gfile.Open(filename, "wb") as file:
            file.write(pickle.dumps(self))

    @classmethod
    def restore(cls, filename: str) -> Any:
        """Returns the processor that `save` wrote, here or in TensorFlow 1.

        Args:
            filename: Path of the file.
        """
        with tf.gfile.Open(filename, "rb") as file:
            return _Unpickler(io.BytesIO(file.read())).load()


class _Unpickler(pickle.Unpickler):
    """Loads pickles of TensorFlow 1 by mapping its contrib's module names to this package."""

    _TF1_PACKAGE = re.compile(r"^tensorflow(_core)?\.contrib\.learn\.python\.learn\.preprocessing\.")

    def find_class(self, module_name: str, global_name: str) -> Any:
        return super().find_class(self._TF1_PACKAGE.sub(__package__ + ".", module_name), global_name)
