# Copyright 2015-2019 The TensorFlow Authors. All Rights Reserved.
# Licensed under the Apache License, Version 2.0: see LICENSE.
# Written anew for tf1mem after tensorflow/contrib of TensorFlow 1.15.5, and changed: see NOTICE.

"""K-means clustering as ops, which TensorFlow 2 has under another name and with other seeds."""

from __future__ import annotations

from typing import Any

# The ops of tf.estimator's KMeans; they have no public name.
from tensorflow.python.ops import clustering_ops

import tf1mem.v1 as tf

SQUARED_EUCLIDEAN_DISTANCE: str = clustering_ops.SQUARED_EUCLIDEAN_DISTANCE
COSINE_DISTANCE: str = clustering_ops.COSINE_DISTANCE
RANDOM_INIT: str = clustering_ops.RANDOM_INIT
KMEANS_PLUS_PLUS_INIT: str = clustering_ops.KMEANS_PLUS_PLUS_INIT
KMC2_INIT: str = clustering_ops.KMC2_INIT
# Name of the centers' variable.
CLUSTERS_VAR_NAME: str = clustering_ops.CLUSTERS_VAR_NAME


class KMeans(clustering_ops.KMeans):  # type: ignore[misc] # TensorFlow has no types
    """Makes the ops of k-means clustering, by its method `training_graph`.

    Each step with all rows is one iteration of Lloyd's algorithm. Sculley (2010) describes mini-batch k-means, Arthur
    and Vassilvitskii (2007) k-means++, Bachem et al. (2016) k-MC2.

    Args:
        inputs: `[batch, num_features]` float32 tensor, or a list of such tensors, in random order.
        num_clusters: Number of clusters; unused where `initial_clusters` is an array.
        initial_clusters: Initial centers: a `[num_clusters, num_features]` array, a function of the inputs and the
            number of missing centers, RANDOM_INIT, KMEANS_PLUS_PLUS_INIT or KMC2_INIT.
        distance_metric: SQUARED_EUCLIDEAN_DISTANCE or COSINE_DISTANCE.
        use_mini_batch: True if each step uses a batch of the rows instead of all rows.
        mini_batch_steps_per_iteration: Steps after which the centers used for the assignment are updated.
        random_seed: Seed for the initial centers. As in TensorFlow 1 it is the seed of the ops themselves; TensorFlow
            2 takes the graph's seed in its place.
        kmeans_plus_plus_num_retries: Number of rows tried for each initial center of k-means++; if negative, it is
            chosen by the number of centers.
        kmc2_chain_length: Number of rows in each Markov chain of k-MC2.

    Raises:
        ValueError: `initial_clusters` or `distance_metric` is unknown.
    """

    def __init__(
        self,
        inputs: Any,
        num_clusters: Any,
        initial_clusters: Any = RANDOM_INIT,
        distance_metric: str = SQUARED_EUCLIDEAN_DISTANCE,
        use_mini_batch: bool = False,
        mini_batch_steps_per_iteration: int = 1,
        random_seed: int = 0,
        kmeans_plus_plus_num_retries: int = 2,
        kmc2_chain_length: int = 200,
    ) -> None:
        super().__init__(
            inputs,
            num_clusters,
            initial_clusters,
            distance_metric,
            use_mini_batch,
            mini_batch_steps_per_iteration,
            random_seed,
            kmeans_plus_plus_num_retries,
            kmc2_chain_length,
        )
        self._seed = random_seed

    def _create_variables(self, num_clusters: Any) -> tuple[Any, Any, Any, Any, Any]:
        """Returns the variables; centers start from a constant: TensorFlow 2's placeholder would be one op more.

        Args:
            num_clusters: Scalar tensor, the number of clusters.

        Returns:
            The centers, of shape `[0]` at first; a bool, true when all are chosen; the rows counted for each center,
            or None; the centers of the next iteration; the steps until then, or None.
        """
        no_centers = tf.constant([], dtype=tf.float32)
        centers = tf.Variable(no_centers, name=CLUSTERS_VAR_NAME, validate_shape=False)
        initialized = tf.Variable(False, dtype=tf.bool, name="initialized")
        if self._mini_batch_steps_per_iteration > 1 and self._use_mini_batch:
            updated = tf.Variable(no_centers, name="clusters_updated", validate_shape=False)
            steps_left = tf.Variable(self._mini_batch_steps_per_iteration, dtype=tf.int64, name="update_in_steps")
            counts = tf.Variable(tf.zeros([num_clusters], dtype=tf.int64))
            return centers, initialized, counts, updated, steps_left
        counts = tf.Variable(tf.ones([num_clusters], dtype=tf.int64)) if self._use_mini_batch else None
        return centers, initialized, counts, centers, None
