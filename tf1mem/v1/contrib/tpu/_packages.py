# Copyright 2015-2019 The TensorFlow Authors. All Rights Reserved.
# Licensed under the Apache License, Version 2.0: see LICENSE.
# Written anew for tf1mem after tensorflow/contrib of TensorFlow 1.15.5, and changed: see NOTICE.

"""Access to the modules of tensorflow_estimator, the present home of TPUEstimator."""

from __future__ import annotations

from importlib import import_module
from typing import Any

import tf1mem.v1 as tf


def estimator_module(name: str) -> Any:
    """Returns a module of TPUEstimator's package.

    Args:
        name: Name of the module, for example "tpu_context".
    """
    # tf.estimator makes the package importable on a TensorFlow that came without it.
    package = tf.estimator.tpu.TPUEstimator.__module__.rpartition(".")[0]
    return import_module(f"{package}.{name}")
