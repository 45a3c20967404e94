# Copyright 2015-2019 The TensorFlow Authors. All Rights Reserved.
# Licensed under the Apache License, Version 2.0: see LICENSE.
# Written anew for tf1mem after tensorflow/contrib of TensorFlow 1.15.5, and changed: see NOTICE.

"""A data set in record files."""

from __future__ import annotations

from typing import Any


class Dataset:
    """What is to be known of a data set, as attributes.

    Args:
        data_sources: Files, patterns of files, or a list of those.
        reader: Class of the reader, tf.TFRecordReader for example.
        decoder: A DataDecoder.
        num_samples: How many samples it has.
        items_to_descriptions: Item -> what it is, for people.
        **kwargs: Anything more.
    """

    def __init__(
        self, data_sources: Any, reader: Any, decoder: Any, num_samples: Any, items_to_descriptions: Any, **kwargs: Any
    ) -> None:
        self.data_sources = data_sources
        self.reader = reader
        self.decoder = decoder
        self.num_samples = num_samples
        self.items_to_descriptions = items_to_descriptions
        self.__dict__.update(kwargs)
