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
    """A predictor of a tf.contrib.learn.Estimator; its arguments are `ContribEstimatorPredictor`'s.

    Raises:
        TypeError: It is one of tf.estimator's.
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
    """A predictor of a tf.estimator.Estimator; its arguments are `CoreEstimatorPredictor`'s.

    Raises:
        TypeError: It is one of tf.contrib.learn's.
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
    """A predictor of a SavedModel; its arguments are `SavedModelPredictor`'s."""
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
