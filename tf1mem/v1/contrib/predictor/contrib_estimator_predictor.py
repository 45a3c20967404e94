# Copyright 2015-2019 The TensorFlow Authors. All Rights Reserved.
# Licensed under the Apache License, Version 2.0: see LICENSE.
# Written anew for tf1mem after tensorflow/contrib of TensorFlow 1.15.5, and changed: see NOTICE.

"""A predictor of an estimator of contrib.learn's."""

from __future__ import annotations

from typing import Any

import tf1mem.v1 as tf
from tf1mem.v1.contrib.learn.utils import saved_model_export_utils
from tf1mem.v1.contrib.predictor import predictor


class ContribEstimatorPredictor(predictor.Predictor):
    """Predicts by a tf.contrib.learn.Estimator as it was trained last.

    Args:
        estimator: The estimator.
        prediction_input_fn: Makes its inputs, InputFnOps.
        input_alternative_key: Which of its inputs; the default ones unless given.
        output_alternative_key: Which of its heads; needed where it has several.
        graph: The graph that it is made in.
        config: Of the Session.

    Raises:
        KeyError: It has no such inputs.
        ValueError: It has no such head, or several and none was given.
    """

    def __init__(
        self,
        estimator: Any,
        prediction_input_fn: Any,
        input_alternative_key: str | None = None,
        output_alternative_key: str | None = None,
        graph: Any = None,
        config: Any = None,
    ) -> None:
        self._graph = graph or tf.Graph()
        with self._graph.as_default():
            inputs = prediction_input_fn()
            outputs = estimator._get_predict_ops(inputs.features)
            creator = tf.train.ChiefSessionCreator(
                config=config, checkpoint_filename_with_path=tf.train.latest_checkpoint(estimator.model_dir)
            )
            self._session = tf.train.MonitoredSession(session_creator=creator)
        fed, _ = saved_model_export_utils.get_input_alternatives(inputs)
        self._feed_tensors = fed[input_alternative_key or saved_model_export_utils.DEFAULT_INPUT_ALTERNATIVE_KEY]
        heads, key = saved_model_export_utils.get_output_alternatives(outputs, output_alternative_key)
        _, self._fetch_tensors = heads[key]
