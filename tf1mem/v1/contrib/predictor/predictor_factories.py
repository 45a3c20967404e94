"""Functions that make predictors."""

from __future__ import annotations

from typing import Any

from tf1mem.v1.contrib.predictor.core_estimator_predictor import CoreEstimatorPredictor
from tf1mem.v1.contrib.predictor.saved_model_predictor import SavedModelPredictor


def from_estimator(
    estimator: Any, serving_input_receiver_fn: Any, output_key: str | None = None, graph: Any = None, config: Any = None
) -> CoreEstimatorPredictor:
    """A predictor of a tf.estimator.Estimator; its arguments are `CoreEstimatorPredictor`'s."""
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
