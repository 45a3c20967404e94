# Copyright 2015-2019 The TensorFlow Authors. All Rights Reserved.
# Licensed under the Apache License, Version 2.0: see LICENSE.
# Written anew for tf1mem after tensorflow/contrib of TensorFlow 1.15.5, and changed: see NOTICE.

"""Several readers that fill one queue."""

from __future__ import annotations

from typing import Any

import tf1mem.v1 as tf


class ParallelReader(tf.ReaderBase):  # type: ignore[misc]
    """A reader made of several.

    Args:
        reader_class: Their class.
        common_queue: The queue of keys and values that they fill.
        num_readers: How many there are.
        reader_kwargs: Arguments of their class.

    Raises:
        TypeError: The queue isn't one of pairs of strings.
    """

    def __init__(self, reader_class: Any, common_queue: Any, num_readers: int = 4, reader_kwargs: Any = None) -> None:
        # TensorFlow's own constructor takes the op of a single reader, which this one hasn't got.
        if list(common_queue.dtypes) != [tf.string, tf.string]:
            raise TypeError(f"common_queue: it holds {common_queue.dtypes}. Give a queue of [tf.string, tf.string].")
        self._readers = [reader_class(**(reader_kwargs or {})) for _ in range(num_readers)]
        self._common_queue = common_queue

    @property
    def num_readers(self) -> int:
        """How many readers there are."""
        return len(self._readers)

    @property
    def common_queue(self) -> Any:
        """The queue that they fill."""
        return self._common_queue

    def read(self, queue: Any, name: str | None = None) -> Any:
        """The next key and value.

        Args:
            queue: Names of the files to read.
            name: Of the operation.
        """
        self._fill_from(queue)
        return self._common_queue.dequeue(name=name)

    def read_up_to(self, queue: Any, num_records: Any, name: str | None = None) -> Any:
        """The next keys and values, at the end fewer than asked.

        Args:
            queue: Names of the files to read.
            num_records: How many.
            name: Of the operation.
        """
        self._fill_from(queue)
        return self._common_queue.dequeue_up_to(num_records, name)

    def _fill_from(self, queue: Any) -> None:
        enqueue_ops = [self._common_queue.enqueue(reader.read(queue)) for reader in self._readers]
        tf.train.add_queue_runner(tf.train.QueueRunner(self._common_queue, enqueue_ops))

    def num_records_produced(self, name: str | None = None) -> Any:
        """How many records all readers have read."""
        return tf.add_n([reader.num_records_produced() for reader in self._readers], name=name)

    def num_work_units_completed(self, name: str | None = None) -> Any:
        """How many files all readers have finished."""
        return tf.add_n([reader.num_work_units_completed() for reader in self._readers], name=name)


def parallel_read(
    data_sources: Any,
    reader_class: Any,
    num_epochs: int | None = None,
    num_readers: int = 4,
    reader_kwargs: Any = None,
    shuffle: bool = True,
    dtypes: Any = None,
    capacity: int = 256,
    min_after_dequeue: int = 128,
    seed: int | None = None,
    scope: str | None = None,
) -> Any:
    """Reads records by several readers.

    Args:
        data_sources: Files, patterns of files, or a list of those.
        reader_class: Class of the readers, tf.TFRecordReader for example.
        num_epochs: How often the files are read; None for no end.
        num_readers: How many readers there are.
        reader_kwargs: Arguments of their class.
        shuffle: Whether files and records come in random order.
        dtypes: Types of key and value; strings by default.
        capacity: Records that wait.
        min_after_dequeue: Records that are there to choose from, if they are shuffled.
        seed: Of the random order.
        scope: Name of the operations.

    Returns:
        Key and value of the next record.
    """
    files = get_data_files(data_sources)
    with tf.name_scope(scope, "parallel_read"):
        filename_queue = tf.train.string_input_producer(
            files, num_epochs=num_epochs, shuffle=shuffle, seed=seed, name="filenames"
        )
        dtypes = dtypes or [tf.string, tf.string]
        if shuffle:
            common_queue = tf.RandomShuffleQueue(
                capacity=capacity, min_after_dequeue=min_after_dequeue, dtypes=dtypes, seed=seed, name="common_queue"
            )
        else:
            common_queue = tf.FIFOQueue(capacity=capacity, dtypes=dtypes, name="common_queue")
        fraction = tf.cast(common_queue.size(), tf.float32) * (1.0 / capacity)
        tf.summary.scalar(f"fraction_of_{capacity}_full", fraction)
        reader = ParallelReader(reader_class, common_queue, num_readers=num_readers, reader_kwargs=reader_kwargs)
        return reader.read(filename_queue)


def single_pass_read(data_sources: Any, reader_class: Any, reader_kwargs: Any = None, scope: str | None = None) -> Any:
    """Reads records once, in order, by one reader.

    Args:
        data_sources: Files, patterns of files, or a list of those.
        reader_class: The reader's class.
        reader_kwargs: Its arguments.
        scope: Name of the operations.

    Returns:
        Key and value of the next record.
    """
    files = get_data_files(data_sources)
    with tf.name_scope(scope, "single_pass_read"):
        filename_queue = tf.train.string_input_producer(
            files, num_epochs=1, shuffle=False, capacity=1, name="filenames"
        )
        return reader_class(**(reader_kwargs or {})).read(filename_queue)


def get_data_files(data_sources: Any) -> list[str]:
    """The files that patterns stand for.

    Args:
        data_sources: A file, a pattern of files, or a list of those.

    Raises:
        ValueError: There are none.
    """
    if isinstance(data_sources, (list, tuple)):
        files = [file for source in data_sources for file in get_data_files(source)]
    elif any(mark in data_sources for mark in "*?["):
        files = tf.gfile.Glob(data_sources)
    else:
        files = [data_sources]
    if not files:
        raise ValueError(f"No data files found in {data_sources}")
    return files
