# Copyright 2015-2019 The TensorFlow Authors. All Rights Reserved.
# Licensed under the Apache License, Version 2.0: see LICENSE.
# Written anew for tf1mem after tensorflow/contrib of TensorFlow 1.15.5, and changed: see NOTICE.

"""Input of contrib.learn: arrays, data frames, generators and files of Examples."""

from __future__ import annotations

from tf1mem.names.contrib import TABLE

# `import *` of TensorFlow 1's package also imports its modules.
_FILES = ["data_feeder", "generator_io", "graph_io", "numpy_io", "pandas_io"]
_PACKAGE = "learn.learn_io."
__all__ = [*_FILES, *(name[len(_PACKAGE) :] for name in TABLE if name.startswith(_PACKAGE))]  # noqa: PLE0604
