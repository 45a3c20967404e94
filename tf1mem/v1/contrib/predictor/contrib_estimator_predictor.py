# Copyright 2015-2019 The TensorFlow Authors. All Rights Reserved.
# Licensed under the Apache License, Version 2.0: see LICENSE.
# Written anew for tf1mem after tensorflow/contrib of TensorFlow 1.15.5, and changed: see NOTICE.

"""A predictor of a contrib.learn Estimator."""

from __future__ import annotations

from typing import Any

import tf1mem.v1 as tf
from tf1mem.v1.contrib.learn.utils import saved_model_export_utils
from tf1mem.v1.contrib.predictor import predictor


class ContribEstimatorPredictor(predictor.Predictor):
    """Predicts with the latest checkpoint of a contrib.learn Estimator.

    A call takes and returns a dict of `[batch, ...]` arrays.

    Args:
        estimator: The tf.contrib.learn.Estimator; its latest checkpoint is restored.
        prediction_input_fn: Function that returns `InputFnOps`.
        input_alternative_key: Key of the inputs; "default_input_alternative" by default.
        output_alternative_key: Name of the head; required if the model has several.
        graph: The tf.Graph to build the model in; a new graph by default.
        config: ConfigProto of the session.

    Raises:
        KeyError: `input_alternative_key` is none of the inputs' keys.
        ValueError: `output_alternative_key` is no head's name, or it is None and there are several heads.
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
