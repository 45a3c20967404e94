# Copyright 2015-2019 The TensorFlow Authors. All Rights Reserved.
# Licensed under the Apache License, Version 2.0: see LICENSE.
# Written anew for tf1mem after tensorflow/contrib of TensorFlow 1.15.5, and changed: see NOTICE.

"""A predictor of a tf.estimator Estimator."""

from __future__ import annotations

from typing import Any

import tf1mem.v1 as tf
from tf1mem.v1.contrib.predictor import predictor


class CoreEstimatorPredictor(predictor.Predictor):
    """Predicts with the latest checkpoint of a tf.estimator.Estimator.

    A call takes and returns a dict of `[batch, ...]` arrays.

    Args:
        estimator: The tf.estimator.Estimator; its latest checkpoint is restored.
        serving_input_receiver_fn: Function that returns a ServingInputReceiver.
        output_key: Key of one of the model's export outputs; "serving_default" by default.
        graph: The tf.Graph to build the model in; a new graph by default.
        config: ConfigProto of the session.

    Raises:
        KeyError: `output_key` is none of the model's export outputs.
    """

    def __init__(
        self,
        estimator: Any,
        serving_input_receiver_fn: Any,
        output_key: str | None = None,
        graph: Any = None,
        config: Any = None,
    ) -> None:
        self._graph = graph or tf.Graph()
        with self._graph.as_default():
            receiver = serving_input_receiver_fn()
            mode = tf.estimator.ModeKeys.PREDICT
            outputs = estimator.model_fn(receiver.features, None, mode, estimator.config).export_outputs
            key = output_key or tf.saved_model.signature_constants.DEFAULT_SERVING_SIGNATURE_DEF_KEY
            if key not in outputs:
                raise KeyError(f"output_key must be one of {outputs.keys()}; got {key}")
            signature = outputs[key].as_signature_def(receiver.receiver_tensors)
            creator = tf.train.ChiefSessionCreator(config=config, checkpoint_dir=estimator.model_dir)
            self._session = tf.train.MonitoredSession(session_creator=creator)
        self._feed_tensors = {name: self._graph.get_tensor_by_name(t.name) for name, t in signature.inputs.items()}
        self._fetch_tensors = {name: self._graph.get_tensor_by_name(t.name) for name, t in signature.outputs.items()}
