# Copyright 2015-2019 The TensorFlow Authors. All Rights Reserved.
# Licensed under the Apache License, Version 2.0: see LICENSE.
# Written anew for tf1mem after tensorflow/contrib of TensorFlow 1.15.5, and changed: see NOTICE.

"""The configuration classes of TPUEstimator; RunConfig passes its session_config to `tf1mem.apply`."""

from __future__ import annotations

import tf1mem.v1 as tf

InputPipelineConfig = tf.estimator.tpu.InputPipelineConfig
RunConfig = tf.estimator.tpu.RunConfig
TPUConfig = tf.estimator.tpu.TPUConfig
