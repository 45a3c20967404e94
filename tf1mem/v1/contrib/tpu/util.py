# Copyright 2015-2019 The TensorFlow Authors. All Rights Reserved.
# Licensed under the Apache License, Version 2.0: see LICENSE.
# Written anew for tf1mem after tensorflow/contrib of TensorFlow 1.15.5, and changed: see NOTICE.

"""Helpers of TPUEstimator: a check for positive integers, and a hook that initializes data sets."""

from __future__ import annotations

from tf1mem.v1.contrib.tpu._packages import estimator_module

MultiHostDatasetInitializerHook = estimator_module("util").MultiHostDatasetInitializerHook
check_positive_integer = estimator_module("util").check_positive_integer
