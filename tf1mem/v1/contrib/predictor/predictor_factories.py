# Copyright 2015-2019 The TensorFlow Authors. All Rights Reserved.
# Licensed under the Apache License, Version 2.0: see LICENSE.
# Written anew for tf1mem after tensorflow/contrib of TensorFlow 1.15.5, and changed: see NOTICE.

"""Functions that make predictors."""

from __future__ import annotations

from typing import Any

import tf1mem.v1 as tf
from tf1mem.v1.contrib.learn.estimators.estimator import BaseEstimator
from tf1mem.v1.contrib.predictor.contrib_estimator_predictor import ContribEstimatorPredictor
from tf1mem.v1.contrib.predictor.core_estimator_predictor import CoreEstimatorPredictor
from tf1mem.v1.contrib.predictor.saved_model_predictor import SavedModelPredictor


def from_contrib_estimator(
    estimator: Any,
    prediction_input_fn: Any,
    input_alternative_key: str | None = None,
    output_alternative_key: str | None = None,
    graph: Any = None,
    config: Any = None,
) -> ContribEstimatorPredictor:
    """Returns a predictor of a tf.contrib.learn.Estimator, a function of a dict of `[batch, ...]` arrays.

    Args:
        estimator: The tf.contrib.learn.Estimator; its latest checkpoint is restored.
        prediction_input_fn: Function that returns `InputFnOps`.
        input_alternative_key: Key of the inputs; "default_input_alternative" by default.
        output_alternative_key: Name of the head; required if the model has several.
        graph: The tf.Graph to build the model in; a new graph by default.
        config: ConfigProto of the session.

    Raises:
        TypeError: The estimator is a tf.estimator.Estimator.
    """
    if isinstance(estimator, tf.estimator.Estimator):
        raise TypeError(
            "Expected estimator to be of type tf.contrib.learn.Estimator, but got type tf.python.estimator.Estimator. "
            "You likely want to call from_estimator."
        )
    return ContribEstimatorPredictor(
        estimator,
        prediction_input_fn,
        input_alternative_key=input_alternative_key,
        output_alternative_key=output_alternative_key,
        graph=graph,
        config=config,
    )


def from_estimator(
    estimator: Any, serving_input_receiver_fn: Any, output_key: str | None = None, graph: Any = None, config: Any = None
) -> CoreEstimatorPredictor:
    """Returns a predictor of a tf.estimator.Estimator, a function of a dict of `[batch, ...]` arrays.

    Args:
        estimator: The tf.estimator.Estimator; its latest checkpoint is restored.
        serving_input_receiver_fn: Function that returns a ServingInputReceiver.
        output_key: Key of one of the model's export outputs; "serving_default" by default.
        graph: The tf.Graph to build the model in; a new graph by default.
        config: ConfigProto of the session.

    Raises:
        TypeError: The estimator is a tf.contrib.learn.Estimator.
    """
    if isinstance(estimator, BaseEstimator):
        raise TypeError(
            "Expected estimator to be of type tf.python.estimator.Estimator, but got type tf.contrib.learn.Estimator. "
            "You likely want to call from_contrib_estimator."
        )
    return CoreEstimatorPredictor(
        estimator, serving_input_receiver_fn, output_key=output_key, graph=graph, config=config
    )


def from_saved_model(
    export_dir: Any,
    signature_def_key: str | None = None,
    signature_def: Any = None,
    input_names: Any = None,
    output_names: Any = None,
    tags: str | None = None,
    graph: Any = None,
    config: Any = None,
) -> SavedModelPredictor:
    """Returns a predictor of a SavedModel; inputs and outputs have the shapes of the signature.

    Args:
        export_dir: Folder of the SavedModel.
        signature_def_key: Key of the signature; "serving_default" by default.
        signature_def: SignatureDef to use instead of one of the SavedModel's.
        input_names: Dict of key -> name of an input tensor, to use instead of a signature.
        output_names: Dict of key -> name of a predicted tensor, to use instead of a signature.
        tags: Tags of the graph, separated by commas; "serve" by default.
        graph: The tf.Graph to load into; a new graph by default.
        config: ConfigProto of the session.
    """
    return SavedModelPredictor(
        export_dir,
        signature_def_key=signature_def_key,
        signature_def=signature_def,
        input_names=input_names,
        output_names=output_names,
        tags=tags,
        graph=graph,
        config=config,
    )
