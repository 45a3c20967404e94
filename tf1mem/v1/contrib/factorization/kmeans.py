# Copyright 2015-2019 The TensorFlow Authors. All Rights Reserved.
# Licensed under the Apache License, Version 2.0: see LICENSE.
# Written anew for tf1mem after tensorflow/contrib of TensorFlow 1.15.5, and changed: see NOTICE.

"""An estimator of k-means clusters, and the hooks that it shares with contrib.learn's."""

from __future__ import annotations

import time
from typing import Any, Iterator

import tf1mem.v1 as tf
from tf1mem.v1.contrib.factorization import clustering_ops


class InitializeClusters(tf.train.SessionRunHook):
    """Initializes the cluster centers, `[num_clusters, num_features]`, or waits until the chief has done so.

    Args:
        init_op: Op that chooses centers; it is run until all are chosen.
        is_initialized: Bool variable of shape `[]`; true when all centers are chosen.
        is_chief: True for the process that initializes.
    """

    def __init__(self, init_op: Any, is_initialized: Any, is_chief: bool) -> None:
        self._init_op = init_op
        self._is_initialized = is_initialized
        self._is_chief = is_chief

    def after_create_session(self, session: Any, coord: Any) -> None:
        """Chooses all centers, `[num_clusters, num_features]`; on another process than the chief, waits for them."""
        while not session.run(self._is_initialized):
            if self._is_chief:
                session.run(self._init_op)
            else:
                time.sleep(1)


class StopWithoutChange(tf.train.SessionRunHook):
    """Stops the training when the relative change of the loss falls below a tolerance.

    Args:
        loss: Float tensor of shape `[]`.
        tolerance: The tolerance, relative to one plus the previous loss.
    """

    def __init__(self, loss: Any, tolerance: float) -> None:
        self._loss = loss
        self._tolerance = tolerance
        self._before: Any = None

    def before_run(self, run_context: Any) -> Any:
        """Requests the loss (shape `[]`) of the step."""
        return tf.train.SessionRunArgs(self._loss)

    def after_run(self, run_context: Any, run_values: Any) -> None:
        """Compares the loss (shape `[]`) with the previous step's, and stops the training if it changed too little."""
        loss, before = run_values.results, self._before
        if before is not None and abs(loss - before) / (1 + abs(before)) < self._tolerance:
            run_context.request_stop()
        self._before = loss


def hooks(loss: Any, init_op: Any, is_initialized: Any, is_chief: bool, tolerance: float | None) -> list[Any]:
    """Returns the hooks for training: one initializes the centers, another stops by the tolerance if there is one.

    Args:
        loss: Float tensor of shape `[]`.
        init_op: Op that chooses centers.
        is_initialized: Bool variable of shape `[]`; true when all centers are chosen.
        is_chief: True for the process that initializes.
        tolerance: Relative change of the loss below which training stops; None never stops it.
    """
    initializing = InitializeClusters(init_op, is_initialized, is_chief)
    return [initializing] if tolerance is None else [initializing, StopWithoutChange(loss, tolerance)]


class KMeansClustering(tf.estimator.Estimator):  # type: ignore[misc] # TensorFlow has no types
    """Clusters rows by k-means.

    Sculley (2010) describes mini-batch k-means, Arthur and Vassilvitskii (2007) k-means++. Features are a
    `[batch, num_features]` tensor, or a dict of such tensors, which are concatenated in the order of their names.

    Args:
        num_clusters: Number of clusters; unused where `initial_clusters` is an array.
        model_dir: Folder for checkpoints and summaries.
        initial_clusters: Initial centers: a `[num_clusters, num_features]` array, a function of rows and number of
            clusters, RANDOM_INIT or KMEANS_PLUS_PLUS_INIT.
        distance_metric: SQUARED_EUCLIDEAN_DISTANCE or COSINE_DISTANCE.
        random_seed: Seed for the initial centers.
        use_mini_batch: True if each step uses a batch of the rows instead of all rows.
        mini_batch_steps_per_iteration: Steps after which the centers used for the assignment are updated.
        kmeans_plus_plus_num_retries: Number of rows tried for each initial center of k-means++.
        relative_tolerance: Relative change of the loss below which training stops; None never stops it.
        config: Instance of `tf.estimator.RunConfig`.
        feature_columns: Columns of `tf.feature_column` for features in a dict; None takes all features.

    Raises:
        ValueError: `initial_clusters` or `distance_metric` is unknown.
    """

    SQUARED_EUCLIDEAN_DISTANCE = clustering_ops.SQUARED_EUCLIDEAN_DISTANCE
    COSINE_DISTANCE = clustering_ops.COSINE_DISTANCE
    RANDOM_INIT = clustering_ops.RANDOM_INIT
    KMEANS_PLUS_PLUS_INIT = clustering_ops.KMEANS_PLUS_PLUS_INIT
    SCORE = "score"
    CLUSTER_INDEX = "cluster_index"
    ALL_DISTANCES = "all_distances"
    CLUSTER_CENTERS_VAR_NAME = clustering_ops.CLUSTERS_VAR_NAME

    def __init__(
        self,
        num_clusters: int,
        model_dir: str | None = None,
        initial_clusters: Any = RANDOM_INIT,
        distance_metric: str = SQUARED_EUCLIDEAN_DISTANCE,
        random_seed: int = 0,
        use_mini_batch: bool = True,
        mini_batch_steps_per_iteration: int = 1,
        kmeans_plus_plus_num_retries: int = 2,
        relative_tolerance: float | None = None,
        config: Any = None,
        feature_columns: Any = None,
    ) -> None:
        if isinstance(initial_clusters, str) and initial_clusters not in (self.RANDOM_INIT, self.KMEANS_PLUS_PLUS_INIT):
            raise ValueError(f"Unsupported initialization algorithm '{initial_clusters}'")
        if distance_metric not in (self.SQUARED_EUCLIDEAN_DISTANCE, self.COSINE_DISTANCE):
            raise ValueError(f"Unsupported distance metric '{distance_metric}'")
        options = {
            "num_clusters": num_clusters,
            "initial_clusters": initial_clusters,
            "distance_metric": distance_metric,
            "random_seed": random_seed,
            "use_mini_batch": use_mini_batch,
            "mini_batch_steps_per_iteration": mini_batch_steps_per_iteration,
            "kmeans_plus_plus_num_retries": kmeans_plus_plus_num_retries,
        }

        def model_fn(features: Any, mode: str, config: Any) -> Any:
            """Returns the EstimatorSpec for `[batch, num_features]` features."""
            rows = _rows(features, feature_columns)
            return _model(rows, mode, config.is_chief, relative_tolerance, options)

        super().__init__(model_fn=model_fn, model_dir=model_dir, config=config)

    def _predictions(self, input_fn: Any, key: str) -> Iterator[Any]:
        for prediction in self.predict(input_fn=input_fn, predict_keys=[key]):
            yield prediction[key]

    def predict_cluster_index(self, input_fn: Any) -> Iterator[Any]:
        """Yields the number of each row's cluster, a scalar.

        Args:
            input_fn: Function that returns a `[batch, num_features]` tensor.
        """
        return self._predictions(input_fn, self.CLUSTER_INDEX)

    def score(self, input_fn: Any) -> Any:
        """Returns the sum of the first batch's distances (Euclidean ones squared) from the nearest centers, a scalar.

        Args:
            input_fn: Function that returns a `[batch, num_features]` tensor.
        """
        return self.evaluate(input_fn=input_fn, steps=1)[self.SCORE]

    def transform(self, input_fn: Any) -> Iterator[Any]:
        """Yields each row's distances from the centers, `[num_clusters]`; Euclidean ones are squared.

        Args:
            input_fn: Function that returns a `[batch, num_features]` tensor.
        """
        return self._predictions(input_fn, self.ALL_DISTANCES)

    def cluster_centers(self) -> Any:
        """Returns the centers, a `[num_clusters, num_features]` array."""
        return self.get_variable_value(self.CLUSTER_CENTERS_VAR_NAME)


def _rows(features: Any, feature_columns: Any) -> Any:
    """Returns features as a `[batch, num_features]` tensor."""
    if not isinstance(features, dict):
        return features
    if feature_columns:
        return tf.feature_column.input_layer(features, feature_columns)
    names = sorted(features)
    with tf.colocate_with(features[names[0]]):
        return tf.concat([features[name] for name in names], axis=1)


def _model(rows: Any, mode: str, is_chief: bool, tolerance: float | None, options: dict[str, Any]) -> Any:
    """Returns the EstimatorSpec of a k-means model of these rows."""
    distances, nearest, losses, is_initialized, init_op, train_op = clustering_ops.KMeans(
        rows, **options
    ).training_graph()
    loss = tf.reduce_sum(losses)
    tf.summary.scalar("loss/raw", loss)
    step = tf.assign_add(tf.train.get_global_step(), 1)
    with tf.control_dependencies([train_op, step]):
        train_op = tf.identity(loss)
    predictions = {
        KMeansClustering.ALL_DISTANCES: distances[0],
        KMeansClustering.CLUSTER_INDEX: nearest[0],
    }
    outputs = {name: tf.estimator.export.PredictOutput(value) for name, value in predictions.items()}
    default = tf.saved_model.signature_constants.DEFAULT_SERVING_SIGNATURE_DEF_KEY
    outputs[default] = tf.estimator.export.PredictOutput(nearest[0])
    return tf.estimator.EstimatorSpec(
        mode=mode,
        predictions=predictions,
        loss=loss,
        train_op=train_op,
        eval_metric_ops={KMeansClustering.SCORE: tf.metrics.mean(loss)},
        training_hooks=hooks(loss, init_op, is_initialized, is_chief, tolerance),
        export_outputs=outputs,
    )
