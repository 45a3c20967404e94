# Copyright 2015-2019 The TensorFlow Authors. All Rights Reserved.
# Licensed under the Apache License, Version 2.0: see LICENSE.
# Written anew for tf1mem after tensorflow/contrib of TensorFlow 1.15.5, and changed: see NOTICE.

"""The modes and the result of a model function."""

from __future__ import annotations

from collections import namedtuple
from typing import Any, Iterable

import tf1mem.v1 as tf
from tf1mem.v1.contrib.learn.estimators.constants import ProblemType
from tf1mem.v1.contrib.learn.estimators.metric_key import MetricKey
from tf1mem.v1.contrib.learn.estimators.prediction_key import PredictionKey


class ModeKeys:
    """Holds the modes in which a model function is called."""

    TRAIN = "train"
    EVAL = "eval"
    INFER = "infer"

    @classmethod
    def validate(cls, key: str) -> None:
        """Raises an error if `key` isn't a mode.

        Args:
            key: The mode.

        Raises:
            ValueError: `key` isn't TRAIN, EVAL or INFER.
        """
        if key not in (cls.TRAIN, cls.EVAL, cls.INFER):
            raise ValueError(f"Invalid mode {key}.")


def flat(values: Iterable[Any]) -> list[Any]:
    """Returns the tensors and ops among values and in their dicts, without Nones.

    Args:
        values: Tensors and ops of any shape, dicts of them, and Nones.
    """
    elements: list[Any] = []
    for value in values:
        elements.extend(value.values() if isinstance(value, dict) else [] if value is None else [value])
    return elements


def _as_tensor(value: Any) -> Any:
    return value if isinstance(value, tf.SparseTensor) else tf.convert_to_tensor_or_sparse_tensor(value)


_Fields = namedtuple(
    "_Fields",
    "predictions loss train_op eval_metric_ops output_alternatives training_chief_hooks training_hooks scaffold mode",
)


class ModelFnOps(_Fields):
    """Holds the tensors and ops that a model function returns.

    Args:
        mode: One of the values of `ModeKeys`.
        predictions: `[batch, ...]` tensor, or a dict of such tensors.
        loss: Tensor with a single element, which becomes a scalar (shape `[]`).
        train_op: Op that makes one training step.
        eval_metric_ops: Dict of name -> metric: a tensor, or a pair of value and update op.
        output_alternatives: Dict of head name -> (`ProblemType`, dict of output name -> `[batch, ...]` tensor).
        training_chief_hooks: SessionRunHooks of the chief.
        training_hooks: SessionRunHooks of every worker.
        scaffold: Instance of tf.train.Scaffold.

    Raises:
        ValueError: A value that the mode needs is missing, or the loss isn't scalar.
        TypeError: A hook isn't a SessionRunHook.
    """

    def __new__(
        cls,
        mode: str,
        predictions: Any = None,
        loss: Any = None,
        train_op: Any = None,
        eval_metric_ops: Any = None,
        output_alternatives: Any = None,
        training_chief_hooks: Any = None,
        training_hooks: Any = None,
        scaffold: Any = None,
    ) -> ModelFnOps:
        ModeKeys.validate(mode)
        if len({id(each.graph) for each in flat((predictions, loss, train_op)) if hasattr(each, "graph")}) > 1:
            raise ValueError("predictions, loss and train_op must be from the same graph.")
        if train_op is None:
            if mode == ModeKeys.TRAIN:
                raise ValueError("Missing train_op.")
        elif not isinstance(train_op, tf.Operation):
            train_op = tf.convert_to_tensor(train_op).op
        if loss is None:
            if mode in (ModeKeys.TRAIN, ModeKeys.EVAL):
                raise ValueError("Missing loss.")
        else:
            loss = tf.convert_to_tensor(loss)
            if loss.shape.num_elements() not in (None, 1):
                raise ValueError(f"Loss must be scalar: {loss}.")
            if not loss.shape.is_compatible_with([]):
                loss = tf.reshape(loss, [])
        if predictions is None:
            if mode in (ModeKeys.INFER, ModeKeys.EVAL):
                raise ValueError("Missing predictions.")
        elif isinstance(predictions, dict):
            predictions = {key: _as_tensor(value) for key, value in predictions.items()}
        else:
            predictions = _as_tensor(predictions)
        if eval_metric_ops is not None and not isinstance(eval_metric_ops, dict):
            raise ValueError("eval_metric_ops must be a dict.")
        chief_hooks, hooks = training_chief_hooks or [], training_hooks or []
        for hook in hooks + chief_hooks:
            if not isinstance(hook, tf.train.SessionRunHook):
                raise TypeError(
                    "All hooks returned from model_fn must be SessionRunHook instances, got instance of "
                    f"{type(hook)}: {hook}"
                )
        metrics = {} if eval_metric_ops is None else eval_metric_ops
        return super().__new__(
            cls, predictions, loss, train_op, metrics, output_alternatives, chief_hooks, hooks, scaffold, mode
        )

    def estimator_spec(self, default_serving_output_alternative_key: str | None = None) -> Any:
        """Converts these ops, of the shapes that the class describes, to a tf.estimator.EstimatorSpec.

        Args:
            default_serving_output_alternative_key: Name of the head that is served by default; required for several
                heads.

        Returns:
            The EstimatorSpec.

        Raises:
            ValueError: A head's problem type is unknown.
        """
        outputs = None
        if self.output_alternatives:
            alternatives = dict(self.output_alternatives)
            default = tf.saved_model.signature_constants.DEFAULT_SERVING_SIGNATURE_DEF_KEY
            if len(alternatives) > 1:
                alternatives.setdefault(default, alternatives[default_serving_output_alternative_key])
            outputs = {key: _export_output(*alternative) for key, alternative in alternatives.items()}
        modes = tf.estimator.ModeKeys
        mode = {ModeKeys.TRAIN: modes.TRAIN, ModeKeys.EVAL: modes.EVAL, ModeKeys.INFER: modes.PREDICT}[self.mode]
        return tf.estimator.EstimatorSpec(
            mode=mode,
            predictions=self.predictions,
            loss=self.loss,
            train_op=self.train_op,
            eval_metric_ops={key: value for key, value in self.eval_metric_ops.items() if key != MetricKey.LOSS},
            export_outputs=outputs,
            training_chief_hooks=self.training_chief_hooks,
            training_hooks=self.training_hooks,
            scaffold=self.scaffold,
        )


def scores_of(outputs: dict[str, Any]) -> Any:
    """Returns the scores among a classifier's outputs, else its probabilities, else None.

    Args:
        outputs: Dict of output name -> `[batch, ...]` tensor.
    """
    scores = outputs.get(PredictionKey.SCORES)
    return outputs.get(PredictionKey.PROBABILITIES) if scores is None else scores


def classes_of(outputs: dict[str, Any]) -> Any:
    """Returns the classes among a classifier's outputs if they are strings, which can be served; else None.

    Args:
        outputs: Dict of output name -> `[batch, ...]` tensor.
    """
    classes = outputs.get(PredictionKey.CLASSES)
    return classes if classes is not None and classes.dtype == tf.string else None


def _export_output(problem_type: int, outputs: dict[str, Any]) -> Any:
    export = tf.estimator.export
    if problem_type == ProblemType.LINEAR_REGRESSION:
        return export.RegressionOutput(scores_of(outputs))
    if problem_type in (ProblemType.CLASSIFICATION, ProblemType.LOGISTIC_REGRESSION):
        return export.ClassificationOutput(scores=scores_of(outputs), classes=classes_of(outputs))
    if problem_type == ProblemType.UNSPECIFIED:
        return export.PredictOutput(outputs)
    raise ValueError(f"Unknown problem_type={problem_type}")
