"""A TPUEstimator's config. Its RunConfig is tf1mem.v1's, whose session_config goes through `apply`."""

from __future__ import annotations

import tf1mem.v1 as tf

InputPipelineConfig = tf.estimator.tpu.InputPipelineConfig
RunConfig = tf.estimator.tpu.RunConfig
TPUConfig = tf.estimator.tpu.TPUConfig
