# Copyright 2015-2019 The TensorFlow Authors. All Rights Reserved.
# Licensed under the Apache License, Version 2.0: see LICENSE.
# Written anew for tf1mem after tensorflow/contrib of TensorFlow 1.15.5, and changed: see NOTICE.

"""Queues that read and batch files of Examples."""

from __future__ import annotations

from typing import Any, Callable

import tf1mem.v1 as tf

KEY_FEATURE_NAME = "__key__"


def read_batch_examples(
    file_pattern: Any,
    batch_size: Any,
    reader: Callable[[], Any],
    randomize_input: bool = True,
    num_epochs: int | None = None,
    queue_capacity: int = 10000,
    num_threads: int = 1,
    read_batch_size: Any = 1,
    parse_fn: Callable[[Any], Any] | None = None,
    name: str | None = None,
    seed: int | None = None,
) -> Any:
    """Reads batches of records from files.

    Args:
        file_pattern: Glob pattern of paths, or a list of patterns.
        batch_size: Number of records per batch.
        reader: Function that returns a reader, for example tf.TFRecordReader.
        randomize_input: True for random order of files and records.
        num_epochs: Number of passes over all files; None repeats without end.
        queue_capacity: Number of records that the queue holds.
        num_threads: Number of threads that read.
        read_batch_size: Number of records per read.
        parse_fn: Function of a record's tensor that returns the tensors to batch.
        name: Name scope of the ops.
        seed: Seed of the random order.

    Returns:
        `[batch]` string tensor of records, or `[batch, ...]` tensors of `parse_fn`.

    Raises:
        ValueError: No file matches, or a number is out of range.
    """
    _, examples = read_keyed_batch_examples(
        file_pattern,
        batch_size,
        reader,
        randomize_input=randomize_input,
        num_epochs=num_epochs,
        queue_capacity=queue_capacity,
        num_threads=num_threads,
        read_batch_size=read_batch_size,
        parse_fn=parse_fn,
        name=name,
        seed=seed,
    )
    return examples


def _check(name: str, value: Any, valid: bool) -> None:
    if not valid:
        raise ValueError(f"Invalid {name} {value}.")


def read_keyed_batch_examples(
    file_pattern: Any,
    batch_size: Any,
    reader: Callable[[], Any],
    randomize_input: bool = True,
    num_epochs: int | None = None,
    queue_capacity: int = 10000,
    num_threads: int = 1,
    read_batch_size: Any = 1,
    parse_fn: Callable[[Any], Any] | None = None,
    name: str | None = None,
    seed: int | None = None,
) -> Any:
    """Reads batches of records and their keys from files.

    Args:
        file_pattern: Glob pattern of paths, or a list of patterns.
        batch_size: Number of records per batch.
        reader: Function that returns a reader, for example tf.TFRecordReader.
        randomize_input: True for random order of files and records.
        num_epochs: Number of passes over all files; None repeats without end.
        queue_capacity: Number of records that the queue holds.
        num_threads: Number of threads that read.
        read_batch_size: Number of records per read.
        parse_fn: Function of a record's tensor that returns the tensors to batch.
        name: Name scope of the ops.
        seed: Seed of the random order.

    Returns:
        `[batch]` string tensor of keys, and the records or the tensors of `parse_fn`, `[batch, ...]`.

    Raises:
        ValueError: No file matches, or a number is out of range.
    """
    files = _files(file_pattern, randomize_input)
    _check("queue_capacity", queue_capacity, bool(queue_capacity) and queue_capacity > 0)
    if not tf.is_tensor(batch_size):
        _check("batch_size", batch_size, batch_size is not None and 0 < batch_size < queue_capacity)
    if not tf.is_tensor(read_batch_size):
        _check("read_batch_size", read_batch_size, read_batch_size is not None and read_batch_size > 0)
    _check("num_threads", num_threads, bool(num_threads) and num_threads > 0)
    _check("num_epochs", num_epochs, num_epochs is None or num_epochs > 0)

    with tf.name_scope(name, "read_batch_examples", [file_pattern]) as scope:
        with tf.name_scope("file_name_queue") as queue_scope:
            names = tf.train.string_input_producer(
                tf.constant(files, name="input"),
                shuffle=randomize_input,
                num_epochs=num_epochs,
                name=queue_scope,
                seed=seed,
            )
        records = _records(names, reader, num_threads, read_batch_size, parse_fn)
        common = {
            "capacity": queue_capacity,
            "enqueue_many": read_batch_size > 1,
            "name": scope,
            "allow_smaller_final_batch": num_epochs is not None,
        }
        if randomize_input:
            # The queue keeps as many records as in TensorFlow 1.15, to mix the batches.
            if tf.is_tensor(batch_size):
                minimum = int(queue_capacity * 0.4)
            else:
                minimum = max(queue_capacity - 3 * batch_size, batch_size)
            batch = tf.train.shuffle_batch_join(records, batch_size, min_after_dequeue=minimum, seed=seed, **common)
        else:
            batch = tf.train.batch_join(records, batch_size, **common)
        if parse_fn and isinstance(batch, dict):
            keys = batch.pop(KEY_FEATURE_NAME)
            return keys, batch
        return batch


def _files(pattern: Any, randomize_input: bool) -> list[str]:
    if isinstance(pattern, list) and not pattern:
        raise ValueError("No files: file_pattern is an empty list.")
    patterns = pattern if isinstance(pattern, list) else [pattern]
    files = [file for each in patterns for file in tf.gfile.Glob(each)]
    if not files:
        raise ValueError(f"No files match {pattern}.")
    return files if randomize_input else sorted(files)


def _records(names: Any, reader: Any, num_threads: int, read_batch_size: Any, parse_fn: Any) -> list[Any]:
    """Returns each thread's tensors: a key and a record, or a dict that holds the key."""
    records: list[Any] = []
    with tf.name_scope("read"):
        for _ in range(num_threads):
            if read_batch_size > 1:
                keys, record = reader().read_up_to(names, read_batch_size)
            else:
                keys, record = reader().read(names)
            parsed = parse_fn(record) if parse_fn else record
            if isinstance(parsed, dict):
                parsed[KEY_FEATURE_NAME] = keys
                records.append(parsed)
            else:
                records.append((keys, parsed))
    return records


def queue_parsed_features(
    parsed_features: dict[str, Any],
    keys: Any = None,
    feature_queue_capacity: int = 100,
    num_enqueue_threads: int = 2,
    name: str | None = None,
) -> tuple[Any, dict[str, Any]]:
    """Prefetches parsed features through a queue.

    Args:
        parsed_features: Dict of name -> `[batch, ...]` tensor or SparseTensor.
        keys: `[batch]` string tensor of the records' keys, or None.
        feature_queue_capacity: Number of batches that the queue holds.
        num_enqueue_threads: Number of threads that fill the queue.
        name: Name scope of the ops.

    Returns:
        Keys, or None, and the dict of features with the same shapes.
    """
    with tf.name_scope(name, "queue_parsed_features", [*parsed_features.values(), *([] if keys is None else [keys])]):
        parts: list[Any] = []
        for key in sorted(parsed_features):
            feature = parsed_features[key]
            sparse = isinstance(feature, tf.SparseTensor)
            parts.extend([feature.indices, feature.values, feature.dense_shape] if sparse else [feature])
        if keys is not None:
            parts.append(keys)
        queue = tf.FIFOQueue(feature_queue_capacity, [part.dtype for part in parts])
        tf.summary.scalar(
            f"queue/parsed_features/{queue.name}/fraction_of_{feature_queue_capacity}_full",
            tf.cast(queue.size(), tf.float32) * (1.0 / feature_queue_capacity),
        )
        runner = tf.train.QueueRunner(
            queue,
            [queue.enqueue(parts) for _ in range(num_enqueue_threads)],
            queue_closed_exception_types=(tf.errors.OutOfRangeError, tf.errors.CancelledError),
        )
        tf.train.add_queue_runner(runner)
        dequeued_parts = queue.dequeue()
        dequeued_parts = dequeued_parts if isinstance(dequeued_parts, list) else [dequeued_parts]
        for dequeued, part in zip(dequeued_parts, parts):
            dequeued.set_shape(part.get_shape())
        remaining = iter(dequeued_parts)
        features = {}
        for key in sorted(parsed_features):
            if isinstance(parsed_features[key], tf.SparseTensor):
                features[key] = tf.SparseTensor(next(remaining), next(remaining), next(remaining))
            else:
                features[key] = next(remaining)
        return None if keys is None else dequeued_parts[-1], features


def read_keyed_batch_features(
    file_pattern: Any,
    batch_size: Any,
    features: dict[str, Any],
    reader: Callable[[], Any],
    randomize_input: bool = True,
    num_epochs: int | None = None,
    queue_capacity: int = 10000,
    reader_num_threads: int = 1,
    feature_queue_capacity: int = 100,
    num_enqueue_threads: int = 2,
    parse_fn: Callable[[Any], Any] | None = None,
    name: str | None = None,
    read_batch_size: Any = None,
) -> tuple[Any, dict[str, Any]]:
    """Reads batches of Examples' features and their keys from files.

    Args:
        file_pattern: Glob pattern of paths, or a list of patterns.
        batch_size: Number of records per batch.
        features: Dict of name -> FixedLenFeature or VarLenFeature.
        reader: Function that returns a reader, for example tf.TFRecordReader.
        randomize_input: True for random order of files and records.
        num_epochs: Number of passes over all files; None repeats without end.
        queue_capacity: Number of records that the queue holds.
        reader_num_threads: Number of threads that read.
        feature_queue_capacity: Number of parsed batches that are prefetched.
        num_enqueue_threads: Number of threads that parse.
        parse_fn: Function of a record's tensor that returns the serialized Example.
        name: Name scope of the ops.
        read_batch_size: Number of records per read; `batch_size` by default.

    Returns:
        `[batch]` string tensor of keys, and a dict of name -> `[batch, ...]` tensor.

    Raises:
        ValueError: No file matches, or a number is out of range.
    """
    with tf.name_scope(name, "read_batch_features", [file_pattern]) as scope:
        keys, examples = read_keyed_batch_examples(
            file_pattern,
            batch_size,
            reader,
            randomize_input=randomize_input,
            num_epochs=num_epochs,
            queue_capacity=queue_capacity,
            num_threads=reader_num_threads,
            read_batch_size=batch_size if read_batch_size is None else read_batch_size,
            parse_fn=parse_fn,
            name=scope,
        )
        return queue_parsed_features(
            tf.parse_example(examples, features),
            keys=keys,
            feature_queue_capacity=feature_queue_capacity,
            num_enqueue_threads=num_enqueue_threads,
            name=scope,
        )


def read_batch_features(
    file_pattern: Any,
    batch_size: Any,
    features: dict[str, Any],
    reader: Callable[[], Any],
    randomize_input: bool = True,
    num_epochs: int | None = None,
    queue_capacity: int = 10000,
    feature_queue_capacity: int = 100,
    reader_num_threads: int = 1,
    num_enqueue_threads: int = 2,
    parse_fn: Callable[[Any], Any] | None = None,
    name: str | None = None,
    read_batch_size: Any = None,
) -> dict[str, Any]:
    """Reads batches of Examples' features from files.

    Args:
        file_pattern: Glob pattern of paths, or a list of patterns.
        batch_size: Number of records per batch.
        features: Dict of name -> FixedLenFeature or VarLenFeature.
        reader: Function that returns a reader, for example tf.TFRecordReader.
        randomize_input: True for random order of files and records.
        num_epochs: Number of passes over all files; None repeats without end.
        queue_capacity: Number of records that the queue holds.
        feature_queue_capacity: Number of parsed batches that are prefetched.
        reader_num_threads: Number of threads that read.
        num_enqueue_threads: Number of threads that parse.
        parse_fn: Function of a record's tensor that returns the serialized Example.
        name: Name scope of the ops.
        read_batch_size: Number of records per read; `batch_size` by default.

    Returns:
        Dict of name -> `[batch, ...]` tensor.

    Raises:
        ValueError: No file matches, or a number is out of range.
    """
    _, batch_features = read_keyed_batch_features(
        file_pattern,
        batch_size,
        features,
        reader,
        randomize_input=randomize_input,
        num_epochs=num_epochs,
        queue_capacity=queue_capacity,
        reader_num_threads=reader_num_threads,
        feature_queue_capacity=feature_queue_capacity,
        num_enqueue_threads=num_enqueue_threads,
        read_batch_size=read_batch_size,
        parse_fn=parse_fn,
        name=name,
    )
    return batch_features


def read_batch_record_features(
    file_pattern: Any,
    batch_size: Any,
    features: dict[str, Any],
    randomize_input: bool = True,
    num_epochs: int | None = None,
    queue_capacity: int = 10000,
    reader_num_threads: int = 1,
    name: str = "dequeue_record_examples",
) -> dict[str, Any]:
    """Reads batches of Examples' features from TFRecord files.

    Args:
        file_pattern: Glob pattern of paths, or a list of patterns.
        batch_size: Number of records per batch.
        features: Dict of name -> FixedLenFeature or VarLenFeature.
        randomize_input: True for random order of files and records.
        num_epochs: Number of passes over all files; None repeats without end.
        queue_capacity: Number of records that the queue holds.
        reader_num_threads: Number of threads that read.
        name: Name scope of the ops.

    Returns:
        Dict of name -> `[batch, ...]` tensor.

    Raises:
        ValueError: No file matches, or a number is out of range.
    """
    return read_batch_features(
        file_pattern,
        batch_size,
        features,
        tf.TFRecordReader,
        randomize_input=randomize_input,
        num_epochs=num_epochs,
        queue_capacity=queue_capacity,
        reader_num_threads=reader_num_threads,
        name=name,
    )
