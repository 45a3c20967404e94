# Copyright 2015-2019 The TensorFlow Authors. All Rights Reserved.
# Licensed under the Apache License, Version 2.0: see LICENSE.
# Written anew for tf1mem after tensorflow/contrib of TensorFlow 1.15.5, and changed: see NOTICE.

"""The description of a data set in record files."""

from __future__ import annotations

from typing import Any


class Dataset:
    """Description of a data set; the arguments become attributes.

    Args:
        data_sources: File, file pattern, or a list of them.
        reader: Class of the reader, such as tf.TFRecordReader.
        decoder: A DataDecoder, which makes items of any shape from a record, a string of shape `[]`.
        num_samples: Number of samples.
        items_to_descriptions: Dict of item name -> description, for people.
        **kwargs: Further attributes.
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
