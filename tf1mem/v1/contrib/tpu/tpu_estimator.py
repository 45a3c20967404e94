# Copyright 2015-2019 The TensorFlow Authors. All Rights Reserved.
# Licensed under the Apache License, Version 2.0: see LICENSE.
# Written anew for tf1mem after tensorflow/contrib of TensorFlow 1.15.5, and changed: see NOTICE.

"""TPUEstimator, which runs on CPU and GPU with use_tpu=False."""

from __future__ import annotations

import tf1mem.v1 as tf
from tf1mem.v1.contrib.tpu._packages import estimator_module

TPUEstimator = tf.estimator.tpu.TPUEstimator
TPUEstimatorSpec = tf.estimator.tpu.TPUEstimatorSpec
export_estimator_savedmodel = estimator_module("tpu_estimator").export_estimator_savedmodel
