# Copyright 2015-2019 The TensorFlow Authors. All Rights Reserved.
# Licensed under the Apache License, Version 2.0: see LICENSE.
# Written anew for tf1mem after tensorflow/contrib of TensorFlow 1.15.5, and changed: see NOTICE.

"""AdamGS that updates only the rows that have a gradient."""

from __future__ import annotations

from tf1mem.v1.contrib.opt._training import LazyRows
from tf1mem.v1.contrib.opt.adam_gs_optimizer import AdamGSOptimizer


class LazyAdamGSOptimizer(LazyRows, AdamGSOptimizer):
    """AdamGSOptimizer that updates only the rows of a `[rows, ...]` variable that a sparse gradient contains."""
