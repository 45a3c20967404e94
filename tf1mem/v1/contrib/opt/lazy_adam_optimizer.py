# Copyright 2015-2019 The TensorFlow Authors. All Rights Reserved.
# Licensed under the Apache License, Version 2.0: see LICENSE.
# Written anew for tf1mem after tensorflow/contrib of TensorFlow 1.15.5, and changed: see NOTICE.

"""Adam that updates only the rows that have a gradient."""

from __future__ import annotations

import tf1mem.v1 as tf
from tf1mem.v1.contrib.opt._training import LazyRows


class LazyAdamOptimizer(LazyRows, tf.train.AdamOptimizer):
    """Adam that updates only the rows of a `[rows, ...]` variable that a sparse gradient contains.

    The arguments are those of `tf.train.AdamOptimizer`.
    """
