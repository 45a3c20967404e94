# Copyright 2015-2019 The TensorFlow Authors. All Rights Reserved.
# Licensed under the Apache License, Version 2.0: see LICENSE.
# Written anew for tf1mem after tensorflow/contrib of TensorFlow 1.15.5, and changed: see NOTICE.

"""Common parts of tf.contrib.distribute's strategies."""

from __future__ import annotations

from typing import Any

try:
    from tensorflow.python.distribute.v1.input_lib import DatasetIterator
except ImportError:  # before TensorFlow 2.5
    from tensorflow.python.distribute.input_lib import DatasetIterator

import tf1mem.v1 as tf


class BatchesOfAReplica:
    """Mixin for a strategy's `extended`: each replica gets a whole batch of a data set, not a part of one."""

    def _make_dataset_iterator(self: Any, dataset: Any) -> Any:
        return DatasetIterator(dataset, self._input_workers, self._container_strategy())

    @property
    def _global_batch_size(self) -> bool:
        return False


def cluster(num_gpus_per_worker: int) -> Any:
    """Returns a cluster resolver for the cluster that the environment variable TF_CONFIG describes.

    Args:
        num_gpus_per_worker: Number of GPUs of each worker.
    """
    from_tf_config = tf.distribute.cluster_resolver.TFConfigClusterResolver()
    return tf.distribute.cluster_resolver.SimpleClusterResolver(
        cluster_spec=from_tf_config.cluster_spec(),
        task_type=from_tf_config.task_type,
        task_id=from_tf_config.task_id,
        num_accelerators={"GPU": num_gpus_per_worker},
        rpc_layer=from_tf_config.rpc_layer,
    )
