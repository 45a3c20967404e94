# Copyright 2015-2019 The TensorFlow Authors. All Rights Reserved.
# Licensed under the Apache License, Version 2.0: see LICENSE.
# Written anew for tf1mem after tensorflow/contrib of TensorFlow 1.15.5, and changed: see NOTICE.

"""Readers of files, several of which fill a common queue."""

from __future__ import annotations

from typing import Any

import tf1mem.v1 as tf


class ParallelReader(tf.ReaderBase):  # type: ignore[misc]
    """A reader that combines several readers.

    Args:
        reader_class: Class of the readers, such as tf.TFRecordReader.
        common_queue: Queue that the readers fill, with two string components of shape `[]`: key and value.
        num_readers: Number of readers; 4 by default.
        reader_kwargs: Keyword arguments of the class; None for none.

    Raises:
        TypeError: The components of the queue aren't two strings.
    """

    def __init__(self, reader_class: Any, common_queue: Any, num_readers: int = 4, reader_kwargs: Any = None) -> None:
        # TensorFlow's constructor isn't called: it takes the op of a single reader, which doesn't exist here.
        if list(common_queue.dtypes) != [tf.string, tf.string]:
            raise TypeError(f"common_queue: it holds {common_queue.dtypes}. Give a queue of [tf.string, tf.string].")
        self._readers = [reader_class(**(reader_kwargs or {})) for _ in range(num_readers)]
        self._common_queue = common_queue

    @property
    def num_readers(self) -> int:
        """Returns the number of readers, which read different files; a record is two strings of shape `[]`."""
        return len(self._readers)

    @property
    def common_queue(self) -> Any:
        """Returns the queue that the readers fill; an entry is a key and a value, two strings of shape `[]`."""
        return self._common_queue

    def read(self, queue: Any, name: str | None = None) -> Any:
        """Returns the next key and value, string tensors of shape `[]`.

        Each call adds a queue runner, in which the readers fill the common queue.

        Args:
            queue: Queue of the names of the files to read.
            name: Name of the op.
        """
        self._fill_from(queue)
        return self._common_queue.dequeue(name=name)

    def read_up_to(self, queue: Any, num_records: Any, name: str | None = None) -> Any:
        """Returns the next keys and values, string tensors of shape `[num_records]`, or shorter at the end.

        Each call adds a queue runner, in which the readers fill the common queue.

        Args:
            queue: Queue of the names of the files to read.
            num_records: Number of records.
            name: Name of the op.
        """
        self._fill_from(queue)
        return self._common_queue.dequeue_up_to(num_records, name)

    def _fill_from(self, queue: Any) -> None:
        enqueue_ops = [self._common_queue.enqueue(reader.read(queue)) for reader in self._readers]
        tf.train.add_queue_runner(tf.train.QueueRunner(self._common_queue, enqueue_ops))

    def num_records_produced(self, name: str | None = None) -> Any:
        """Returns the number of records that the readers together have read, an int64 tensor of shape `[]`."""
        return tf.add_n([reader.num_records_produced() for reader in self._readers], name=name)

    def num_work_units_completed(self, name: str | None = None) -> Any:
        """Returns the number of files that the readers together have finished, an int64 tensor of shape `[]`."""
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
    """Reads records with several readers.

    Args:
        data_sources: File, file pattern, or a list of them.
        reader_class: Class of the readers, such as tf.TFRecordReader.
        num_epochs: Number of passes over the files; None for no limit.
        num_readers: Number of readers; 4 by default.
        reader_kwargs: Keyword arguments of the class; None for none.
        shuffle: True to read files and records in random order.
        dtypes: Dtypes of key and value, which must be two tf.string; None for these.
        capacity: Number of records that the queue holds; 256 by default.
        min_after_dequeue: Minimum number of records that stay in the queue, for shuffling; 128 by default.
        seed: Seed of the random order; None for the graph's.
        scope: Name scope; "parallel_read" by default.

    Returns:
        Key and value of the next record, string tensors of shape `[]`.

    Raises:
        ValueError: No file matches.
        TypeError: `dtypes` aren't two tf.string.
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
    """Reads records once, in order, with one reader.

    Args:
        data_sources: File, file pattern, or a list of them.
        reader_class: Class of the reader.
        reader_kwargs: Keyword arguments of the class; None for none.
        scope: Name scope; "single_pass_read" by default.

    Returns:
        Key and value of the next record, string tensors of shape `[]`.

    Raises:
        ValueError: No file matches.
    """
    files = get_data_files(data_sources)
    with tf.name_scope(scope, "single_pass_read"):
        filename_queue = tf.train.string_input_producer(
            files, num_epochs=1, shuffle=False, capacity=1, name="filenames"
        )
        return reader_class(**(reader_kwargs or {})).read(filename_queue)


def get_data_files(data_sources: Any) -> list[str]:
    """Returns the list of files that file patterns stand for, such as ["a.tfrecord", "b.tfrecord"] for "*.tfrecord".

    Args:
        data_sources: File, file pattern, or a list of them; a file without a pattern isn't looked up.

    Raises:
        ValueError: No file matches.
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
