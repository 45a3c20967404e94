# Copyright 2015-2019 The TensorFlow Authors. All Rights Reserved.
# Licensed under the Apache License, Version 2.0: see LICENSE.
# Written anew for tf1mem after tensorflow/contrib of TensorFlow 1.15.5, and changed: see NOTICE.

"""An estimator of k-means clusters."""

from __future__ import annotations

from typing import Any, Iterator

import numpy as np

import tf1mem.v1 as tf
from tf1mem.v1.contrib.factorization import clustering_ops, kmeans
from tf1mem.v1.contrib.learn.estimators.estimator import Estimator
from tf1mem.v1.contrib.learn.estimators.model_fn import ModelFnOps

_LOSS = "kmeans_loss"


def _model_fn(features: Any, labels: Any, mode: str, params: Any, config: Any) -> ModelFnOps:
    assert labels is None, labels
    if isinstance(features, dict):
        features = tf.concat([features[name] for name in sorted(features)], 1)
    tolerance = params["relative_tolerance"]
    options = {name: value for name, value in params.items() if name != "relative_tolerance"}
    scores, nearest, losses, is_initialized, init_op, train_op = clustering_ops.KMeans(
        features, **options
    ).training_graph()
    step = tf.assign_add(tf.train.get_global_step(), 1)
    loss = tf.reduce_sum(losses, name=_LOSS)
    tf.summary.scalar("loss/raw", loss)
    with tf.control_dependencies([train_op, step]):
        train_op = tf.identity(loss)
    return ModelFnOps(
        mode=mode,
        predictions={KMeansClustering.ALL_SCORES: scores[0], KMeansClustering.CLUSTER_IDX: nearest[0]},
        eval_metric_ops={KMeansClustering.SCORES: loss},
        loss=loss,
        train_op=train_op,
        training_hooks=kmeans.hooks(loss, init_op, is_initialized, config.is_chief, tolerance),
    )


class KMeansClustering(Estimator):
    """Clusters rows by k-means.

    Sculley (2010) describes mini-batch k-means, Arthur and Vassilvitskii (2007) k-means++.

    Features are a `[batch, num_features]` tensor, or a dict of such tensors, which are concatenated.

    Args:
        num_clusters: Number of clusters.
        model_dir: Folder for checkpoints and summaries.
        initial_clusters: Initial centers: a `[num_clusters, num_features]` array, a function of rows and number of
            clusters, RANDOM_INIT or KMEANS_PLUS_PLUS_INIT.
        distance_metric: SQUARED_EUCLIDEAN_DISTANCE or COSINE_DISTANCE.
        random_seed: Seed for the initial centers.
        use_mini_batch: True if each step uses a batch of the rows instead of all rows.
        mini_batch_steps_per_iteration: Steps after which the centers used for the assignment are updated.
        kmeans_plus_plus_num_retries: Number of rows tried for each initial center of k-means++.
        relative_tolerance: Relative change of the loss below which training stops; None never stops it.
        config: Instance of `RunConfig`.
    """

    SQUARED_EUCLIDEAN_DISTANCE = clustering_ops.SQUARED_EUCLIDEAN_DISTANCE
    COSINE_DISTANCE = clustering_ops.COSINE_DISTANCE
    RANDOM_INIT = clustering_ops.RANDOM_INIT
    KMEANS_PLUS_PLUS_INIT = clustering_ops.KMEANS_PLUS_PLUS_INIT
    SCORES = "scores"
    CLUSTER_IDX = "cluster_idx"
    CLUSTERS = "clusters"
    ALL_SCORES = "all_scores"
    LOSS_OP_NAME = _LOSS

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
    ) -> None:
        params = {
            "num_clusters": num_clusters,
            "initial_clusters": initial_clusters,
            "distance_metric": distance_metric,
            "random_seed": random_seed,
            "use_mini_batch": use_mini_batch,
            "mini_batch_steps_per_iteration": mini_batch_steps_per_iteration,
            "kmeans_plus_plus_num_retries": kmeans_plus_plus_num_retries,
            "relative_tolerance": relative_tolerance,
        }
        super().__init__(model_fn=_model_fn, params=params, model_dir=model_dir, config=config)

    def predict_cluster_idx(self, input_fn: Any = None) -> Iterator[Any]:
        """Yields the number of each row's cluster, a scalar.

        Args:
            input_fn: Function that returns a `[batch, num_features]` tensor.
        """
        for prediction in self.predict(input_fn=input_fn, outputs=[self.CLUSTER_IDX]):
            yield prediction[self.CLUSTER_IDX]

    def score(self, input_fn: Any = None, steps: int | None = None) -> Any:
        """Returns the sum of the rows' distances (Euclidean ones squared) from their nearest centers, a scalar.

        Args:
            input_fn: Function that returns a `[batch, num_features]` tensor.
            steps: Number of steps; None evaluates until the input ends.
        """
        return np.sum(self.evaluate(input_fn=input_fn, steps=steps)[self.SCORES])

    def transform(self, input_fn: Any = None, as_iterable: bool = False) -> Any:
        """Returns the rows' distances from each center; Euclidean ones are squared.

        Args:
            input_fn: Function that returns a `[batch, num_features]` tensor.
            as_iterable: True for an iterator over rows, false for the array of the first batch.

        Returns:
            `[batch, num_clusters]` array, or an iterator over dicts with a `[num_clusters]` array.
        """
        predictions = self.predict(input_fn=input_fn, outputs=[self.ALL_SCORES], as_iterable=as_iterable)
        return predictions if as_iterable else predictions[self.ALL_SCORES]

    def clusters(self) -> Any:
        """Returns the centers, a `[num_clusters, num_features]` array."""
        return self.get_variable_value(self.CLUSTERS)
