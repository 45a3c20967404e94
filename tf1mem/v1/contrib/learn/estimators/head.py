# Copyright 2015-2019 The TensorFlow Authors. All Rights Reserved.
# Licensed under the Apache License, Version 2.0: see LICENSE.
# Written anew for tf1mem after tensorflow/contrib of TensorFlow 1.15.5, and changed: see NOTICE.

"""Heads: the predictions, loss and metrics that contrib.learn's estimators derive from logits."""

from __future__ import annotations

import inspect
from functools import partial
from typing import Any, Callable

# broadcast_weights has no public name, and these lookup tables have none under TensorFlow 1's names.
from tensorflow.python.ops import lookup_ops, weights_broadcast_ops

import tf1mem.v1 as tf
from tf1mem.v1.contrib.layers.layers import linear
from tf1mem.v1.contrib.learn.estimators.constants import ProblemType
from tf1mem.v1.contrib.learn.estimators.metric_key import MetricKey
from tf1mem.v1.contrib.learn.estimators.model_fn import ModeKeys, ModelFnOps
from tf1mem.v1.contrib.learn.estimators.prediction_key import PredictionKey


class Head:
    """Derives predictions, loss, training op and metrics from a model's logits, `[batch, logits_dimension]`."""

    @property
    def logits_dimension(self) -> int:
        """Returns the number of logits per example, the last axis of `[batch, logits_dimension]`."""
        raise NotImplementedError(f"{type(self).__name__} has no logits_dimension.")

    def create_model_fn_ops(
        self,
        features: Any,
        mode: str,
        labels: Any = None,
        train_op_fn: Callable[[Any], Any] | None = None,
        logits: Any = None,
        logits_input: Any = None,
        scope: Any = None,
    ) -> ModelFnOps:
        """Returns the `ModelFnOps` of a model function.

        Args:
            features: Dict of name -> `[batch, ...]` tensor.
            mode: One of the values of `ModeKeys`.
            labels: `[batch]` or `[batch, ...]` tensor, or a dict of such tensors.
            train_op_fn: Function of the loss, a scalar, that returns the training op; required for training.
            logits: `[batch, logits_dimension]` float tensor; excludes `logits_input`.
            logits_input: `[batch, ...]` float tensor that a linear layer turns into logits.
            scope: Name of the variable scope, or a VariableScope.

        Returns:
            The `ModelFnOps`.

        Raises:
            ValueError: The mode is unknown, or both or neither of `logits` and `logits_input` are set.
        """
        raise NotImplementedError(f"{type(self).__name__} has no create_model_fn_ops.")


def no_op_train_fn(loss: Any) -> Any:
    """Returns an op that does nothing: the `train_op_fn` of a head whose loss is trained within a sum of losses.

    Args:
        loss: Loss, a scalar tensor (shape `[]`).
    """
    return tf.no_op()


class _SingleHead(Head):
    """Implements a head with a name, labels and weights.

    Args:
        problem_type: One of the values of `ProblemType`.
        logits_dimension: Number of logits per example.
        label_name: Key of the labels if they are a dict.
        weight_column_name: Key of the examples' weights among the features; None for no weights.
        enable_centered_bias: True if the head learns a bias for each logit, with an optimizer of its own.
        head_name: Name of the variable scope, and the suffix of summaries and metrics.
        loss_fn: Function of labels, logits and weights that returns a pair of scalars: the loss to train and the
            loss to report.

    Raises:
        ValueError: `logits_dimension` isn't positive.
    """

    _default_scope = "head"

    def __init__(
        self,
        problem_type: int,
        logits_dimension: int,
        label_name: Any,
        weight_column_name: Any,
        enable_centered_bias: bool,
        head_name: Any,
        loss_fn: Callable[..., Any],
    ) -> None:
        if logits_dimension is None or logits_dimension < 1:
            raise ValueError(f"Invalid logits_dimension {logits_dimension}.")
        self._problem_type = problem_type
        self._logits_dimension = logits_dimension
        self._label_name = label_name
        self._weight_column_name = weight_column_name
        self._enable_centered_bias = enable_centered_bias
        self._head_name = head_name
        self._loss_fn = loss_fn

    @property
    def logits_dimension(self) -> int:
        """Returns the number of logits per example, the last axis of `[batch, logits_dimension]`."""
        return self._logits_dimension

    @property
    def label_name(self) -> Any:
        """Returns the key of the labels in a dict; None if the labels are a single tensor, `[batch, ...]`."""
        return self._label_name

    @property
    def weight_column_name(self) -> Any:
        """Returns the key of the weights, one for each of `[batch]` examples, among the features; None for none."""
        return self._weight_column_name

    @property
    def head_name(self) -> Any:
        """Returns the name of the head."""
        return self._head_name

    def create_model_fn_ops(
        self,
        features: Any,
        mode: str,
        labels: Any = None,
        train_op_fn: Callable[[Any], Any] | None = None,
        logits: Any = None,
        logits_input: Any = None,
        scope: Any = None,
    ) -> ModelFnOps:
        """Returns the `ModelFnOps` for `[batch, logits_dimension]` logits; `Head` describes arguments and errors."""
        values = [*features.values(), labels, logits, logits_input]
        with tf.variable_scope(scope, self.head_name or self._default_scope, values):
            targets = None if mode == ModeKeys.INFER or labels is None else self._transform_labels(labels)
            logits = _logits(logits_input, logits, self.logits_dimension)
            ModeKeys.validate(mode)
            bias = None
            if self._enable_centered_bias:
                bias = _centered_bias(self.logits_dimension, self._key("%s"))
                logits = tf.nn.bias_add(logits, bias)
            predictions = self._logits_to_predictions(logits)
            loss = train_op = metrics = None
            if targets is not None:
                weights = _weight_tensor(features, self.weight_column_name)
                loss, reported = self._loss(targets, logits, weights)
                _summarize(self._key(MetricKey.LOSS), reported)
                if mode == ModeKeys.TRAIN:
                    train_op = self._train_op(loss, train_op_fn, targets, logits, weights, bias)
                with tf.name_scope("metrics", values=[reported, *predictions.values()]):
                    metrics = {
                        MetricKey.LOSS: tf.metrics.mean(reported),
                        **self._metrics(predictions, targets, weights),
                    }
                    metrics = {self._key(name): metric for name, metric in metrics.items()}
            return ModelFnOps(
                mode=mode,
                predictions=predictions,
                loss=loss,
                train_op=train_op,
                eval_metric_ops=metrics,
                output_alternatives={self._head_name: (self._problem_type, self._outputs(predictions))},
            )

    def _key(self, name: str) -> str:
        return f"{name}/{self._head_name}" if self._head_name else name

    def _train_op(self, loss: Any, train_op_fn: Any, labels: Any, logits: Any, weights: Any, bias: Any) -> Any:
        if train_op_fn is None:
            raise ValueError("train_op_fn can not be None in TRAIN mode")
        step = None
        if bias is not None:
            with tf.name_scope(None, "centered_bias_step") as name:
                batch, size = tf.shape(logits)[0], tf.shape(bias)[0]
                bias_logits = tf.reshape(tf.tile(bias, (batch,)), (batch, size))
                with tf.name_scope(None, "centered_bias"):
                    losses = tf.reduce_mean(self._loss(labels, bias_logits, weights), name="training_loss")
                step = tf.train.AdagradOptimizer(0.1).minimize(losses, var_list=(bias,), name=name)
        with tf.name_scope(None, "train_op", (loss,)):
            train_op = train_op_fn(loss)
            return train_op if step is None else tf.group(train_op, step)

    def _loss(self, labels: Any, logits: Any, weights: Any) -> Any:
        return self._loss_fn(labels, logits, weights)

    def _transform_labels(self, labels: Any) -> Any:
        targets = self._label_tensor(labels)
        if isinstance(targets, tf.SparseTensor):
            raise ValueError("SparseTensor is not supported.")
        return targets

    def _label_tensor(self, labels: Any) -> Any:
        targets = labels[self._label_name] if isinstance(labels, dict) else labels
        return tf.convert_to_tensor_or_sparse_tensor(targets)

    def _logits_to_predictions(self, logits: Any) -> dict[str, Any]:
        raise NotImplementedError(f"{type(self).__name__} has no predictions.")

    def _metrics(self, predictions: dict[str, Any], labels: Any, weights: Any) -> dict[str, Any]:
        """Returns the metrics besides the loss, a dict of name -> (value, update op)."""
        return {}

    def _outputs(self, predictions: dict[str, Any]) -> dict[str, Any]:
        """Returns the predictions to export, a dict of name -> tensor."""
        return predictions


def _logits(logits_input: Any, logits: Any, logits_dimension: int) -> Any:
    if (logits is None) == (logits_input is None):
        raise ValueError(f"logits, logits_input: {'both are None' if logits is None else 'both are set'}. Set one.")
    if logits is None:
        return linear(logits_input, logits_dimension, scope="logits")
    logits = tf.convert_to_tensor(logits, name="logits")
    if logits.shape.ndims is not None:
        logits.shape.dims[-1].assert_is_compatible_with(logits_dimension)
    return logits


def _centered_bias(size: int, key: str) -> Any:
    # Not made by get_variable, which may partition it: then `bias[number]` would fail.
    bias = tf.Variable(tf.zeros((size,)), name="centered_bias_weight", trainable=True)
    for number in range(size):  # "%s" in `key` stands for the name of a summary
        tf.summary.scalar(key % f"centered_bias/bias_{number}", bias[number])
    return bias


def _summarize(key: str, loss: Any) -> None:
    with tf.name_scope(""):
        tf.summary.scalar(key, tf.identity(loss))


def _weight_tensor(features: Any, weight_column_name: Any) -> Any:
    """Returns the examples' weights as floats, `[batch]` reshaped to `[batch, 1]`; None without a weight column."""
    if not weight_column_name:
        return None
    if weight_column_name not in features:
        raise ValueError(f"Weights {weight_column_name} missing from features.")
    with tf.name_scope(None, "weight_tensor", tuple(features.values())):
        weights = tf.cast(features[weight_column_name], tf.float32)
        if weights.get_shape().ndims != 1:
            return weights
        reshape = tf.sparse_reshape if isinstance(weights, tf.SparseTensor) else tf.reshape
        return reshape(weights, (-1, 1))


def _weighted(losses: Any, weights: Any) -> tuple[Any, Any]:
    """Returns the loss to train and the loss to report.

    Both are means of `losses * weights`: the first divides by the number of losses, the second by `sum(weights)`.
    """
    with tf.name_scope("loss", values=(losses, weights)) as scope:
        if weights is None:
            loss = tf.reduce_mean(losses, name=scope)
            return loss, loss
        weights = weights_broadcast_ops.broadcast_weights(weights, losses)
        with tf.name_scope(None, "weighted_loss", (losses, weights)) as name:
            weighted = tf.multiply(losses, weights, name=name)
        mean = tf.reduce_mean(weighted, name=scope)
        return mean, tf.div(tf.reduce_sum(weighted), tf.reduce_sum(weights), name="weighted_average_loss")


def _as_matrix(values: Any) -> Any:
    values = tf.convert_to_tensor(values)
    return tf.expand_dims(values, axis=1) if values.shape.ndims == 1 else values


def _mean_squared_loss(labels: Any, logits: Any, weights: Any = None) -> Any:
    with tf.name_scope(None, "mean_squared_loss", (logits, labels)) as name:
        labels, logits = _as_matrix(labels), _as_matrix(logits)
        logits.shape.assert_is_compatible_with(labels.shape)
        return _weighted(tf.squared_difference(logits, tf.cast(labels, tf.float32), name=name), weights)


def _poisson_loss(labels: Any, logits: Any, weights: Any = None) -> Any:
    with tf.name_scope(None, "_poisson_loss", (logits, labels)) as name:
        labels, logits = _as_matrix(labels), _as_matrix(logits)
        logits.shape.assert_is_compatible_with(labels.shape)
        return _weighted(tf.nn.log_poisson_loss(labels, logits, compute_full_loss=True, name=name), weights)


def _log_loss_with_two_classes(labels: Any, logits: Any, weights: Any = None) -> Any:
    with tf.name_scope(None, "log_loss_with_two_classes", (logits, labels)) as name:
        float_labels = _as_matrix(tf.cast(labels, tf.float32))
        losses = tf.nn.sigmoid_cross_entropy_with_logits(labels=float_labels, logits=logits, name=name)
        return _weighted(losses, weights)


def _softmax_cross_entropy_loss(labels: Any, logits: Any, weights: Any = None) -> Any:
    with tf.name_scope(None, "softmax_cross_entropy_loss", (logits, labels)) as name:
        labels = tf.convert_to_tensor(labels)
        if not labels.dtype.is_integer:
            raise ValueError(f"Labels dtype should be integer. Instead got {labels.dtype}.")
        is_matrix = labels.shape.ndims == 2
        classes = tf.squeeze(labels, axis=(1,)) if is_matrix else labels
        losses = tf.nn.sparse_softmax_cross_entropy_with_logits(labels=classes, logits=logits, name=name)
        return _weighted(tf.expand_dims(losses, axis=1) if is_matrix else losses, weights)


def _sigmoid_cross_entropy_loss(labels: Any, logits: Any, weights: Any = None) -> Any:
    with tf.name_scope(None, "sigmoid_cross_entropy_loss", (logits, labels)) as name:
        float_labels = tf.cast(labels, tf.float32)
        losses = tf.nn.sigmoid_cross_entropy_with_logits(labels=float_labels, logits=logits, name=name)
        return _weighted(losses, weights)


def _hinge_loss(labels: Any, logits: Any, weights: Any = None) -> Any:
    with tf.name_scope(None, "hinge_loss", (logits, labels)) as name:
        rank_check = tf.Assert(tf.rank(labels) <= 2, ("labels of more than two dimensions",))
        with tf.control_dependencies((rank_check,)):
            labels = tf.reshape(labels, shape=(-1, 1))
        losses = tf.losses.hinge_loss(labels=labels, logits=logits, scope=name, reduction=tf.losses.Reduction.NONE)
        return _weighted(losses, weights)


def _custom_loss(loss_fn: Callable[..., Any], labels: Any, logits: Any, weights: Any = None) -> Any:
    """Returns the scalar of a custom loss function twice: as the loss to train and to report."""
    loss = loss_fn(labels, logits) if weights is None else loss_fn(labels, logits, weights)
    return loss, loss


def _loss_or(loss_fn: Callable[..., Any] | None, default: Callable[..., Any]) -> Callable[..., Any]:
    if loss_fn is None:
        return default
    arguments = inspect.signature(getattr(loss_fn, "func", loss_fn)).parameters
    for name in ("labels", "logits", "weights"):
        if name not in arguments:
            raise ValueError(f"Argument {name} not found in loss_fn.")
    return partial(_custom_loss, loss_fn)


class _RegressionHead(_SingleHead):
    """Implements `regression_head`.

    Args:
        link_fn: Function of the logits that returns the predictions.
        options: Further arguments of `_SingleHead`.
    """

    _default_scope = "regression_head"

    def __init__(self, link_fn: Callable[[Any], Any], **options: Any) -> None:
        super().__init__(ProblemType.LINEAR_REGRESSION, **options)
        self._link_fn = link_fn

    def _logits_to_predictions(self, logits: Any) -> dict[str, Any]:
        with tf.name_scope(None, "predictions", (logits,)):
            if self.logits_dimension == 1:
                logits = tf.squeeze(logits, axis=(1,), name=PredictionKey.SCORES)
            return {PredictionKey.SCORES: self._link_fn(logits)}


def _two_classes(logits: Any) -> Any:
    return tf.concat((tf.zeros_like(logits), logits), 1)


class _ClassificationHead(_SingleHead):
    """Exports each example's classes as strings, `[batch, num_classes]`, with their probabilities."""

    _label_keys: Any = None

    def _outputs(self, predictions: dict[str, Any]) -> dict[str, Any]:
        probabilities = predictions[PredictionKey.PROBABILITIES]
        with tf.name_scope(None, "_classification_output_alternatives", (probabilities,)):
            shape = tf.shape(probabilities)
            names = self._label_keys or tf.as_string(tf.range(shape[1]))
            classes = tf.tile(tf.expand_dims(names, axis=0), [shape[0], 1], name="classes_tensor")
        return {PredictionKey.PROBABILITIES: probabilities, PredictionKey.CLASSES: classes}


class _BinaryLogisticHead(_ClassificationHead):
    """Implements `multi_class_head` for two classes."""

    _default_scope = "binary_logistic_head"

    def __init__(self, thresholds: Any, **options: Any) -> None:
        super().__init__(ProblemType.LOGISTIC_REGRESSION, 1, **options)
        self._thresholds = thresholds or (0.5,)

    def _logits_to_predictions(self, logits: Any) -> dict[str, Any]:
        with tf.name_scope(None, "predictions", (logits,)):
            two_logits = _two_classes(logits)
            return {
                PredictionKey.LOGITS: logits,
                PredictionKey.LOGISTIC: tf.sigmoid(logits, name=PredictionKey.LOGISTIC),
                PredictionKey.PROBABILITIES: tf.nn.softmax(two_logits, name=PredictionKey.PROBABILITIES),
                PredictionKey.CLASSES: tf.argmax(two_logits, 1, name=PredictionKey.CLASSES),
            }

    def _metrics(self, predictions: dict[str, Any], labels: Any, weights: Any) -> dict[str, Any]:
        logistic = predictions[PredictionKey.LOGISTIC]
        metrics = {
            MetricKey.ACCURACY: tf.metrics.accuracy(labels, predictions[PredictionKey.CLASSES], weights),
            MetricKey.PREDICTION_MEAN: _mean(logistic, weights),
            MetricKey.LABEL_MEAN: _mean(labels, weights),
            # The accuracy of always predicting 1.
            MetricKey.ACCURACY_BASELINE: _mean(labels, weights),
            MetricKey.AUC: _auc(logistic, labels, weights),
            MetricKey.AUC_PR: _auc(logistic, labels, weights, curve="PR"),
        }
        for threshold in self._thresholds:
            classes = tf.cast(tf.greater_equal(logistic, threshold), tf.float32)
            metrics[MetricKey.ACCURACY_MEAN % threshold] = tf.metrics.accuracy(labels, classes, weights)
            for key, metric in (
                (MetricKey.PRECISION_MEAN, tf.metrics.precision_at_thresholds),
                (MetricKey.RECALL_MEAN, tf.metrics.recall_at_thresholds),
            ):
                value, update = metric(labels, logistic, (threshold,), weights)
                metrics[key % threshold] = tf.squeeze(value), tf.squeeze(update)
        return metrics


def _of_class(values: Any, weights: Any, class_id: Any) -> tuple[Any, Any]:
    """Returns values and weights of equal shapes, restricted to a class unless `class_id` is None."""
    values = tf.cast(values, tf.float32)
    if weights is not None:
        weights = weights_broadcast_ops.broadcast_weights(weights, values)
    if class_id is None:
        return values, weights
    return values[:, class_id], None if weights is None else weights[:, class_id]


def _mean(values: Any, weights: Any, class_id: Any = None) -> Any:
    return tf.metrics.mean(*_of_class(values, weights, class_id))


def _auc(predictions: Any, labels: Any, weights: Any, class_id: Any = None, curve: str = "ROC") -> Any:
    labels = tf.cast(labels, tf.bool)
    values, weights = _of_class(predictions, weights, class_id)
    return tf.metrics.auc(labels if class_id is None else labels[:, class_id], values, weights, curve=curve)


def _fraction(ids: Any, weights: Any, class_id: int) -> Any:
    """Returns a metric: the fraction of ids that equal `class_id`."""
    is_class = tf.equal(tf.cast(ids, tf.int32), class_id)
    return tf.metrics.mean(tf.where(is_class, tf.ones_like(ids), tf.zeros_like(ids)), weights=weights)


def _checked_class_ids(metric_class_ids: Any, n_classes: int) -> tuple[int, ...]:
    for class_id in metric_class_ids or ():
        if not 0 <= class_id < n_classes:
            raise ValueError(f"Class ID {class_id} not in [0, {n_classes}).")
    return tuple(metric_class_ids or ())


class _MultiClassHead(_ClassificationHead):
    """Implements `multi_class_head` for more than two classes."""

    _default_scope = "multi_class_head"

    def __init__(self, n_classes: int, metric_class_ids: Any, label_keys: Any, **options: Any) -> None:
        super().__init__(ProblemType.CLASSIFICATION, n_classes, **options)
        self._metric_class_ids = _checked_class_ids(metric_class_ids, n_classes)
        if label_keys and len(label_keys) != n_classes:
            raise ValueError(f"Length of label_keys must equal n_classes: {len(label_keys)}, {n_classes}.")
        self._label_keys = label_keys

    def _transform_labels(self, labels: Any) -> Any:
        """Returns the labels and their class ids."""
        targets = super()._transform_labels(labels)
        if not self._label_keys:
            return targets, targets
        return targets, lookup_ops.index_table_from_tensor(self._label_keys, name="label_id_lookup").lookup(targets)

    def _loss(self, labels: Any, logits: Any, weights: Any) -> Any:
        return self._loss_fn(labels[1], logits, weights=weights)

    def _logits_to_predictions(self, logits: Any) -> dict[str, Any]:
        with tf.name_scope(None, "predictions", (logits,)):
            classes = tf.argmax(logits, 1, name=PredictionKey.CLASSES)
            if self._label_keys:
                table = lookup_ops.index_to_string_table_from_tensor(self._label_keys, name="class_string_lookup")
                classes = table.lookup(classes)
            return {
                PredictionKey.LOGITS: logits,
                PredictionKey.PROBABILITIES: tf.nn.softmax(logits, name=PredictionKey.PROBABILITIES),
                PredictionKey.CLASSES: classes,
            }

    def _metrics(self, predictions: dict[str, Any], labels: Any, weights: Any) -> dict[str, Any]:
        targets, ids = labels
        classes = predictions[PredictionKey.CLASSES]
        metrics = {MetricKey.ACCURACY: tf.metrics.accuracy(targets, classes, weights)}
        for class_id in () if self._label_keys else self._metric_class_ids:
            metrics[MetricKey.CLASS_PREDICTION_MEAN % class_id] = _fraction(classes, weights, class_id)
            metrics[MetricKey.CLASS_LABEL_MEAN % class_id] = _fraction(ids, weights, class_id)
            probabilities, logits = predictions[PredictionKey.PROBABILITIES], predictions[PredictionKey.LOGITS]
            metrics[MetricKey.CLASS_PROBABILITY_MEAN % class_id] = _mean(probabilities, weights, class_id)
            metrics[MetricKey.CLASS_LOGITS_MEAN % class_id] = _mean(logits, weights, class_id)
        return metrics


class _BinarySvmHead(_SingleHead):
    """Implements `binary_svm_head`."""

    _default_scope = "binary_svm_head"

    def __init__(self, **options: Any) -> None:
        super().__init__(ProblemType.LOGISTIC_REGRESSION, 1, loss_fn=_hinge_loss, **options)

    def _logits_to_predictions(self, logits: Any) -> dict[str, Any]:
        with tf.name_scope(None, "predictions", (logits,)):
            classes = tf.argmax(_two_classes(logits), 1, name=PredictionKey.CLASSES)
            return {PredictionKey.LOGITS: logits, PredictionKey.CLASSES: classes}

    def _metrics(self, predictions: dict[str, Any], labels: Any, weights: Any) -> dict[str, Any]:
        return {MetricKey.ACCURACY: tf.metrics.accuracy(labels, predictions[PredictionKey.CLASSES], weights)}


class _MultiLabelHead(_ClassificationHead):
    """Implements `multi_label_head`."""

    _default_scope = "multi_label_head"

    def __init__(self, n_classes: int, metric_class_ids: Any, **options: Any) -> None:
        super().__init__(ProblemType.CLASSIFICATION, n_classes, **options)
        self._metric_class_ids = _checked_class_ids(metric_class_ids, n_classes)

    def _transform_labels(self, labels: Any) -> Any:
        targets = self._label_tensor(labels)
        if isinstance(targets, tf.SparseTensor):
            return tf.cast(tf.sparse_to_indicator(targets, self.logits_dimension), tf.int64)
        return targets

    def _logits_to_predictions(self, logits: Any) -> dict[str, Any]:
        with tf.name_scope(None, "predictions", (logits,)):
            return {
                PredictionKey.LOGITS: logits,
                PredictionKey.PROBABILITIES: tf.sigmoid(logits, name=PredictionKey.PROBABILITIES),
                PredictionKey.CLASSES: tf.cast(tf.greater(logits, 0), tf.int64, name=PredictionKey.CLASSES),
            }

    def _metrics(self, predictions: dict[str, Any], labels: Any, weights: Any) -> dict[str, Any]:
        classes, logits = predictions[PredictionKey.CLASSES], predictions[PredictionKey.LOGITS]
        probabilities = predictions[PredictionKey.PROBABILITIES]
        metrics = {
            MetricKey.ACCURACY: tf.metrics.accuracy(labels, classes, weights),
            MetricKey.AUC: _auc(probabilities, labels, weights),
            MetricKey.AUC_PR: _auc(probabilities, labels, weights, curve="PR"),
        }
        for each in self._metric_class_ids:
            metrics[MetricKey.CLASS_PREDICTION_MEAN % each] = _mean(classes, weights, each)
            metrics[MetricKey.CLASS_LABEL_MEAN % each] = _mean(labels, weights, each)
            metrics[MetricKey.CLASS_PROBABILITY_MEAN % each] = _mean(probabilities, weights, each)
            metrics[MetricKey.CLASS_LOGITS_MEAN % each] = _mean(logits, weights, each)
            metrics[MetricKey.CLASS_AUC % each] = _auc(probabilities, labels, weights, each)
            metrics[MetricKey.CLASS_AUC_PR % each] = _auc(probabilities, labels, weights, each, curve="PR")
        return metrics


class _LossOnlyHead(Head):
    """Implements `loss_only_head`."""

    def __init__(self, loss_fn: Callable[[], Any], head_name: Any = None) -> None:
        self._loss_fn = loss_fn
        self.head_name = head_name or "loss_only_head"

    @property
    def logits_dimension(self) -> int:
        """Returns 0: the head has no logits, so that its part of `[batch, num_logits]` is empty."""
        return 0

    def create_model_fn_ops(
        self,
        features: Any,
        mode: str,
        labels: Any = None,
        train_op_fn: Callable[[Any], Any] | None = None,
        logits: Any = None,
        logits_input: Any = None,
        scope: Any = None,
    ) -> ModelFnOps:
        """Returns `ModelFnOps` with a loss of shape `[]` and without predictions.

        Only `mode`, `train_op_fn` and `scope` matter.

        Raises:
            ValueError: The mode is unknown, or `train_op_fn` is missing for training.
        """
        ModeKeys.validate(mode)
        loss = train_op = None
        if mode != ModeKeys.INFER:
            with tf.variable_scope(scope, default_name=self.head_name):
                loss = self._loss_fn()
                loss = tf.add_n(loss) if isinstance(loss, list) else loss
                _summarize(f"{MetricKey.LOSS}/{self.head_name}", loss)
                if mode == ModeKeys.TRAIN:
                    if train_op_fn is None:
                        raise ValueError("train_op_fn can not be None in TRAIN mode")
                    with tf.name_scope(None, "train_op", (loss,)):
                        train_op = train_op_fn(loss)
        return ModelFnOps(mode=mode, loss=loss, train_op=train_op, predictions={}, eval_metric_ops={})


class _MultiHead(Head):
    """Implements `multi_head`.

    Args:
        heads: List of heads.
        loss_merger: Function of the list of the heads' losses that returns the total loss.

    Raises:
        ValueError: A head has no name.
    """

    def __init__(self, heads: Any, loss_merger: Callable[[list[Any]], Any]) -> None:
        if not all(head.head_name for head in heads):
            raise ValueError("Members of MultiHead must have names.")
        self._heads = heads
        self._loss_merger = loss_merger

    @property
    def logits_dimension(self) -> int:
        """Returns the number of all heads' logits, the last axis of their concatenation, `[batch, num_logits]`."""
        return sum(head.logits_dimension for head in self._heads)

    def create_model_fn_ops(
        self,
        features: Any,
        mode: str,
        labels: Any = None,
        train_op_fn: Callable[[Any], Any] | None = None,
        logits: Any = None,
        logits_input: Any = None,
        scope: Any = None,
    ) -> ModelFnOps:
        """Returns the heads' `ModelFnOps`, merged; the keys of predictions are (head name, key).

        Args:
            features: Dict of name -> `[batch, ...]` tensor.
            mode: One of the values of `ModeKeys`.
            labels: Labels of all heads, `[batch, ...]`, or a dict of such tensors.
            train_op_fn: Function of the merged loss, of shape `[]`, that returns the training op.
            logits: `[batch, num_logits]` float tensor, or a dict of head name -> `[batch, logits_dimension]`.
            logits_input: `[batch, ...]` float tensor, input of each head's linear layer; unused if there are logits.
            scope: Name of the variable scope, or a VariableScope.

        Raises:
            ValueError: The mode is unknown, or `train_op_fn` is missing for training.
        """
        ModeKeys.validate(mode)
        pairs = [
            (
                head,
                head.create_model_fn_ops(
                    features=features,
                    mode=mode,
                    labels=labels,
                    train_op_fn=no_op_train_fn,
                    logits=part,
                    logits_input=logits_input if logits is None else None,
                    scope=scope,
                ),
            )
            for head, part in zip(self._heads, self._split(logits))
        ]
        predictions = {(head.head_name, key): value for head, ops in pairs for key, value in ops.predictions.items()}
        if mode == ModeKeys.INFER:
            alternatives = {
                head.head_name: ops.output_alternatives[head.head_name]
                for head, ops in pairs
                if ops.output_alternatives
            }
            return ModelFnOps(mode=mode, predictions=predictions, output_alternatives=alternatives)
        metrics = {key: metric for _, ops in pairs for key, metric in (ops.eval_metric_ops or {}).items()}
        loss = self._loss_merger([ops.loss for _, ops in pairs])
        if mode == ModeKeys.EVAL:
            return ModelFnOps(mode=mode, predictions=predictions, loss=loss, eval_metric_ops=metrics)
        if train_op_fn is None:
            raise ValueError("train_op_fn can not be None in TRAIN mode.")
        train_op = tf.group(train_op_fn(loss), *[ops.train_op for _, ops in pairs])
        return ModelFnOps(mode=mode, loss=loss, train_op=train_op, eval_metric_ops=metrics)

    def _split(self, logits: Any) -> list[Any]:
        """Returns the list of each head's logits."""
        if logits is None:
            return [None] * len(self._heads)
        if isinstance(logits, dict):
            return [None if isinstance(head, _LossOnlyHead) else logits[head.head_name] for head in self._heads]
        parts, begin = [], 0
        for head in self._heads:
            parts.append(tf.slice(logits, [0, begin], [-1, head.logits_dimension]))
            begin += head.logits_dimension
        return parts


def regression_head(
    label_name: Any = None,
    weight_column_name: Any = None,
    label_dimension: int = 1,
    enable_centered_bias: bool = False,
    head_name: Any = None,
    link_fn: Callable[[Any], Any] | None = None,
) -> Head:
    """Returns a head for regression with a mean squared error.

    Labels are `[batch]` or `[batch, label_dimension]` numbers, logits `[batch, label_dimension]` floats. The
    prediction "scores" is `[batch]` for a `label_dimension` of 1, else `[batch, label_dimension]`.

    Args:
        label_name: Key of the labels if they are a dict.
        weight_column_name: Key of the examples' weights among the features, `[batch]` or `[batch, 1]`; None for no
            weights.
        label_dimension: Number of values per example.
        enable_centered_bias: True if the head learns a bias for each logit, with an optimizer of its own.
        head_name: Name of the variable scope, and the suffix of summaries and metrics.
        link_fn: Function of the logits that returns the predictions; the identity by default.

    Returns:
        The head.

    Raises:
        ValueError: `label_dimension` isn't positive.
    """
    return _RegressionHead(
        link_fn=link_fn or tf.identity,
        loss_fn=_mean_squared_loss,
        logits_dimension=label_dimension,
        label_name=label_name,
        weight_column_name=weight_column_name,
        enable_centered_bias=enable_centered_bias,
        head_name=head_name,
    )


def poisson_regression_head(
    label_name: Any = None,
    weight_column_name: Any = None,
    label_dimension: int = 1,
    enable_centered_bias: bool = False,
    head_name: Any = None,
) -> Head:
    """Returns a head for regression of counts with a Poisson loss; its prediction is the exponential of the logits.

    Labels are `[batch]` or `[batch, label_dimension]` counts.

    Args:
        label_name: Key of the labels if they are a dict.
        weight_column_name: Key of the examples' weights among the features; None for no weights.
        label_dimension: Number of values per example.
        enable_centered_bias: True if the head learns a bias for each logit, with an optimizer of its own.
        head_name: Name of the variable scope, and the suffix of summaries and metrics.
    """
    return _RegressionHead(
        link_fn=tf.exp,
        loss_fn=_poisson_loss,
        logits_dimension=label_dimension,
        label_name=label_name,
        weight_column_name=weight_column_name,
        enable_centered_bias=enable_centered_bias,
        head_name=head_name,
    )


def multi_class_head(
    n_classes: int,
    label_name: Any = None,
    weight_column_name: Any = None,
    enable_centered_bias: bool = False,
    head_name: Any = None,
    thresholds: Any = None,
    metric_class_ids: Any = None,
    loss_fn: Callable[..., Any] | None = None,
    label_keys: Any = None,
) -> Head:
    """Returns a head that classifies into one of `n_classes`, with cross entropy.

    Labels are `[batch]` or `[batch, 1]` class ids, or names with `label_keys`. Logits are `[batch, 1]` for two
    classes, else `[batch, n_classes]`. Predictions: "classes" `[batch]`, "probabilities" `[batch, n_classes]`.

    Args:
        n_classes: Number of classes, at least 2; `regression_head` describes the arguments not listed here.
        thresholds: For two classes: probabilities from which an example counts as class 1, each with its own
            metrics; 0.5 by default.
        metric_class_ids: For more than two classes: ids of classes with their own metrics.
        loss_fn: Function of labels, logits and weights that returns a scalar.
        label_keys: For more than two classes: names of the classes, if the labels are strings.

    Returns:
        The head.

    Raises:
        ValueError: There are fewer than two classes, an argument doesn't fit their number, or `loss_fn` lacks an
            argument.
    """
    if n_classes is None or n_classes < 2:
        raise ValueError(f"n_classes must be > 1 for classification: {n_classes}.")
    options = {
        "label_name": label_name,
        "weight_column_name": weight_column_name,
        "enable_centered_bias": enable_centered_bias,
        "head_name": head_name,
    }
    if n_classes > 2:
        loss = _loss_or(loss_fn, _softmax_cross_entropy_loss)
        return _MultiClassHead(n_classes, metric_class_ids, label_keys, loss_fn=loss, **options)
    for name, value in (("metric_class_ids", metric_class_ids), ("label_keys", label_keys)):
        if value:
            raise ValueError(f"{name} is not supported for n_classes=2.")
    return _BinaryLogisticHead(thresholds, loss_fn=_loss_or(loss_fn, _log_loss_with_two_classes), **options)


def binary_svm_head(
    label_name: Any = None,
    weight_column_name: Any = None,
    enable_centered_bias: bool = False,
    head_name: Any = None,
    thresholds: Any = None,
) -> Head:
    """Returns a head for two classes with a hinge loss; `regression_head` describes the other arguments.

    Labels are `[batch]` or `[batch, 1]` with values 0 and 1, logits `[batch, 1]`, and the prediction "classes" is
    `[batch]`.

    Args:
        thresholds: Not used.
    """
    return _BinarySvmHead(
        label_name=label_name,
        weight_column_name=weight_column_name,
        enable_centered_bias=enable_centered_bias,
        head_name=head_name,
    )


def multi_label_head(
    n_classes: int,
    label_name: Any = None,
    weight_column_name: Any = None,
    enable_centered_bias: bool = False,
    head_name: Any = None,
    thresholds: Any = None,
    metric_class_ids: Any = None,
    loss_fn: Callable[..., Any] | None = None,
) -> Head:
    """Returns a head for any number of classes per example, with a sigmoid cross entropy.

    Labels are a `[batch, n_classes]` tensor of zeros and ones, or a SparseTensor of class ids. Logits and the
    predictions "classes" and "probabilities" are `[batch, n_classes]`.

    Args:
        n_classes: Number of classes, at least 2.
        label_name: Key of the labels if they are a dict.
        weight_column_name: Key of the examples' weights among the features, `[batch]` or `[batch, 1]`; None for no
            weights.
        enable_centered_bias: True if the head learns a bias for each logit, with an optimizer of its own.
        head_name: Name of the variable scope, and the suffix of summaries and metrics.
        thresholds: Not used.
        metric_class_ids: Ids of classes with their own metrics.
        loss_fn: Function of labels, logits and weights that returns a scalar.

    Raises:
        ValueError: There are fewer than two classes, or `loss_fn` lacks an argument.
    """
    if n_classes < 2:
        raise ValueError(f"n_classes must be > 1 for classification: {n_classes}.")
    return _MultiLabelHead(
        n_classes,
        metric_class_ids,
        loss_fn=_loss_or(loss_fn, _sigmoid_cross_entropy_loss),
        label_name=label_name,
        weight_column_name=weight_column_name,
        enable_centered_bias=enable_centered_bias,
        head_name=head_name,
    )


def loss_only_head(loss_fn: Callable[[], Any], head_name: Any = None) -> Head:
    """Returns a head that only adds a loss, for example of a regularizer, to the losses of other heads.

    Args:
        loss_fn: Function without arguments that returns a scalar (shape `[]`), or a list of scalars.
        head_name: Name of the head.
    """
    return _LossOnlyHead(loss_fn, head_name=head_name)


def multi_head(heads: Any, loss_weights: Any = None) -> Head:
    """Returns a head that combines several heads.

    Its logits are `[batch, num_logits]`, the concatenation of the heads' logits, or a dict of head name -> logits.

    Args:
        heads: List of heads with names.
        loss_weights: List of factors for the heads' losses; all 1 by default.

    Returns:
        The head.

    Raises:
        ValueError: There are not as many weights as heads, or a head has no name.
    """
    if loss_weights and len(loss_weights) != len(heads):
        raise ValueError(f"heads and loss_weights must have same size: {len(heads)}, {len(loss_weights)}")

    def merged(losses: list[Any]) -> Any:
        """Returns the weighted sum of the heads' losses, all of shape `[]`."""
        if not loss_weights:
            return tf.add_n(losses)
        return tf.add_n([tf.multiply(loss, weight) for loss, weight in zip(losses, loss_weights)])

    return _MultiHead(heads, loss_merger=merged)
