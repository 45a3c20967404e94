# Copyright 2015-2019 The TensorFlow Authors. All Rights Reserved.
# Licensed under the Apache License, Version 2.0: see LICENSE.
# Written anew for tf1mem after tensorflow/contrib of TensorFlow 1.15.5, and changed: see NOTICE.

"""Provider of a Dataset's items, sample by sample."""

from __future__ import annotations

from typing import Any

from tf1mem.v1.contrib.slim.data.data_provider import DataProvider
from tf1mem.v1.contrib.slim.data.parallel_reader import parallel_read


class DatasetDataProvider(DataProvider):
    """Reads a Dataset with several readers and decodes its records into tensors of the decoder's shapes.

    Args:
        dataset: The `tf.contrib.slim.dataset.Dataset` to read.
        num_readers: Number of readers; 1 by default.
        reader_kwargs: Keyword arguments of the reader class.
        shuffle: True to read files and records in random order.
        num_epochs: Number of passes over the data set; None for no limit.
        common_queue_capacity: Capacity of the queue of records; 256 by default.
        common_queue_min: Minimum number of records that stay in the queue, for shuffling; 128 by default.
        record_key: Name of the item that holds the record's key.
        seed: Seed of the random order.
        scope: Name scope.

    Raises:
        ValueError: The decoder has an item named `record_key`.
    """

    def __init__(
        self,
        dataset: Any,
        num_readers: int = 1,
        reader_kwargs: Any = None,
        shuffle: bool = True,
        num_epochs: int | None = None,
        common_queue_capacity: int = 256,
        common_queue_min: int = 128,
        record_key: str = "record_key",
        seed: int | None = None,
        scope: str | None = None,
    ) -> None:
        key, data = parallel_read(
            dataset.data_sources,
            reader_class=dataset.reader,
            num_epochs=num_epochs,
            num_readers=num_readers,
            reader_kwargs=reader_kwargs,
            shuffle=shuffle,
            capacity=common_queue_capacity,
            min_after_dequeue=common_queue_min,
            seed=seed,
            scope=scope,
        )
        items = dataset.decoder.list_items()
        tensors = dict(zip(items, dataset.decoder.decode(data, items)))
        if record_key in tensors:
            raise ValueError(f"The name used for `record_key` cannot also be used for a dataset item: {record_key}")
        tensors[record_key] = key
        super().__init__(items_to_tensors=tensors, num_samples=dataset.num_samples)
