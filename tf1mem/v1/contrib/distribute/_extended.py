# Copyright 2015-2019 The TensorFlow Authors. All Rights Reserved.
# Licensed under the Apache License, Version 2.0: see LICENSE.
# Written anew for tf1mem after tensorflow/contrib of TensorFlow 1.15.5, and changed: see NOTICE.

"""What the strategies of tf.contrib.distribute have in common."""

from __future__ import annotations

from typing import Any

try:
    from tensorflow.python.distribute.v1.input_lib import DatasetIterator
except ImportError:  # before TensorFlow 2.5
    from tensorflow.python.distribute.input_lib import DatasetIterator

import tf1mem.v1 as tf


class BatchesOfAReplica:
    """For a strategy's extended: a data set that is dealt out has batches for one replica, and not for all together."""

    def _make_dataset_iterator(self: Any, dataset: Any) -> Any:
        return DatasetIterator(dataset, self._input_workers, self._container_strategy())

    @property
    def _global_batch_size(self) -> bool:
        return False


def cluster(num_gpus_per_worker: int) -> Any:
    """The cluster that TF_CONFIG tells of.

    Args:
        num_gpus_per_worker: How many GPUs each of its workers has.
    """
    told = tf.distribute.cluster_resolver.TFConfigClusterResolver()
    return tf.distribute.cluster_resolver.SimpleClusterResolver(
        cluster_spec=told.cluster_spec(),
        task_type=told.task_type,
        task_id=told.task_id,
        num_accelerators={"GPU": num_gpus_per_worker},
        rpc_layer=told.rpc_layer,
    )
