# Copyright 2015-2019 The TensorFlow Authors. All Rights Reserved.
# Licensed under the Apache License, Version 2.0: see LICENSE.
# Written anew for tf1mem after tensorflow/contrib of TensorFlow 1.15.5, and changed: see NOTICE.

"""Files of Examples, read and batched by queues."""

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
    """Batches of what files hold.

    Args:
        file_pattern: A pattern of paths, or a list of them.
        batch_size: Records of a batch.
        reader: Makes a reader, such as tf.TFRecordReader.
        randomize_input: Whether files and records come in random order.
        num_epochs: How often all are read; None for ever.
        queue_capacity: Records that are read ahead, at most.
        num_threads: Threads that read.
        read_batch_size: Records that are read at once.
        parse_fn: Turns a record into what is batched.
        name: Of the ops.
        seed: Of the order.

    Raises:
        ValueError: No file matches, or a number is out of its range.
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


def _check(what: str, value: Any, valid: bool) -> None:
    if not valid:
        raise ValueError(f"Invalid {what} {value}.")


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
    """Batches of the records' keys, and of what files hold.

    Args:
        file_pattern: See `read_batch_examples`.
        batch_size: See there.
        reader: See there.
        randomize_input: See there.
        num_epochs: See there.
        queue_capacity: See there.
        num_threads: See there.
        read_batch_size: See there.
        parse_fn: See there.
        name: See there.
        seed: See there.

    Raises:
        ValueError: No file matches, or a number is out of its range.
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
            if tf.is_tensor(batch_size):
                kept = int(queue_capacity * 0.4)
            else:
                kept = max(queue_capacity - 3 * batch_size, batch_size)
            batch = tf.train.shuffle_batch_join(records, batch_size, min_after_dequeue=kept, seed=seed, **common)
        else:
            batch = tf.train.batch_join(records, batch_size, **common)
        if parse_fn and isinstance(batch, dict):
            keys = batch.pop(KEY_FEATURE_NAME)
            return keys, batch
        return batch


def _files(pattern: Any, randomize_input: bool) -> list[str]:
    if isinstance(pattern, list) and not pattern:
        raise ValueError("No files given to dequeue_examples.")
    patterns = pattern if isinstance(pattern, list) else [pattern]
    found = [file for each in patterns for file in tf.gfile.Glob(each)]
    if not found:
        raise ValueError(f"No files match {pattern}.")
    return found if randomize_input else sorted(found)


def _records(names: Any, reader: Any, num_threads: int, read_batch_size: Any, parse_fn: Any) -> list[Any]:
    """What each thread reads: key and record, or a dict with the key in it."""
    found: list[Any] = []
    with tf.name_scope("read"):
        for _ in range(num_threads):
            if read_batch_size > 1:
                keys, record = reader().read_up_to(names, read_batch_size)
            else:
                keys, record = reader().read(names)
            parsed = parse_fn(record) if parse_fn else record
            if isinstance(parsed, dict):
                parsed[KEY_FEATURE_NAME] = keys
                found.append(parsed)
            else:
                found.append((keys, parsed))
    return found


def queue_parsed_features(
    parsed_features: dict[str, Any],
    keys: Any = None,
    feature_queue_capacity: int = 100,
    num_enqueue_threads: int = 2,
    name: str | None = None,
) -> tuple[Any, dict[str, Any]]:
    """The same features, made ahead by a queue.

    Args:
        parsed_features: Name -> a tensor, sparse or not.
        keys: The records' keys, or None.
        feature_queue_capacity: Batches that are made ahead, at most.
        num_enqueue_threads: Threads that make them.
        name: Of the ops.

    Returns:
        The keys and the features.
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
        taken = queue.dequeue()
        taken = taken if isinstance(taken, list) else [taken]
        for made, part in zip(taken, parts):
            made.set_shape(part.get_shape())
        ahead = iter(taken)
        features = {}
        for key in sorted(parsed_features):
            if isinstance(parsed_features[key], tf.SparseTensor):
                features[key] = tf.SparseTensor(next(ahead), next(ahead), next(ahead))
            else:
                features[key] = next(ahead)
        return None if keys is None else taken[-1], features


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
    """Batches of the records' keys, and of the features in files of Examples.

    Args:
        file_pattern: See `read_batch_examples`.
        batch_size: See there.
        features: Name -> a FixedLenFeature or VarLenFeature.
        reader: See there.
        randomize_input: See there.
        num_epochs: See there.
        queue_capacity: See there.
        reader_num_threads: Its `num_threads`.
        feature_queue_capacity: See `queue_parsed_features`.
        num_enqueue_threads: See there.
        parse_fn: See `read_batch_examples`.
        name: Of the ops.
        read_batch_size: Records that are read at once, `batch_size` by default.

    Raises:
        ValueError: No file matches, or a number is out of its range.
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
    """Batches of the features in files of Examples.

    Args:
        file_pattern: See `read_keyed_batch_features`.
        batch_size: See there.
        features: See there.
        reader: See there.
        randomize_input: See there.
        num_epochs: See there.
        queue_capacity: See there.
        feature_queue_capacity: See there.
        reader_num_threads: See there.
        num_enqueue_threads: See there.
        parse_fn: See there.
        name: See there.
        read_batch_size: See there.

    Raises:
        ValueError: No file matches, or a number is out of its range.
    """
    _, found = read_keyed_batch_features(
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
    return found


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
    """`read_batch_features` of TFRecord files.

    Args:
        file_pattern: See there.
        batch_size: See there.
        features: See there.
        randomize_input: See there.
        num_epochs: See there.
        queue_capacity: See there.
        reader_num_threads: See there.
        name: See there.

    Raises:
        ValueError: No file matches, or a number is out of its range.
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
