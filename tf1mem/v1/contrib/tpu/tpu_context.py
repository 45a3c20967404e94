# Copyright 2015-2019 The TensorFlow Authors. All Rights Reserved.
# Licensed under the Apache License, Version 2.0: see LICENSE.
# Written anew for tf1mem after tensorflow/contrib of TensorFlow 1.15.5, and changed: see NOTICE.

"""TPUContext, which tells a model function on which TPU cores and hosts it runs."""

from __future__ import annotations

from tf1mem.v1.contrib.tpu._packages import estimator_module

TPUContext = estimator_module("tpu_context").TPUContext
