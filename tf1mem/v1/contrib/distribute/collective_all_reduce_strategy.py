# Copyright 2015-2019 The TensorFlow Authors. All Rights Reserved.
# Licensed under the Apache License, Version 2.0: see LICENSE.
# Written anew for tf1mem after tensorflow/contrib of TensorFlow 1.15.5, and changed: see NOTICE.

"""CollectiveAllReduceStrategy of tf.contrib.distribute."""

from __future__ import annotations

from inspect import signature
from typing import Any

from tensorflow.python.distribute.collective_all_reduce_strategy import CollectiveAllReduceExtended

import tf1mem.v1 as tf
from tf1mem.v1.contrib.distribute._extended import cluster

_Strategy = tf.distribute.experimental.MultiWorkerMirroredStrategy


class CollectiveAllReduceStrategy(_Strategy):  # type: ignore[misc, valid-type]
    """tf.distribute.experimental.MultiWorkerMirroredStrategy under its old name; it takes a number of GPUs.

    Args:
        num_gpus_per_worker: Number of GPUs of each worker; 0, the default, for its CPU.
        communication: Implementation of the communication between workers: AUTO, NCCL or RING.
    """

    def __init__(
        self,
        num_gpus_per_worker: int = 0,
        communication: Any = tf.distribute.experimental.CollectiveCommunication.AUTO,
    ) -> None:
        workers = cluster(num_gpus_per_worker)
        if "cluster_resolver" in signature(_Strategy.__init__).parameters:
            super().__init__(communication=communication, cluster_resolver=workers)
        else:  # TensorFlow 2.0's strategy takes no cluster_resolver.
            super(_Strategy, self).__init__(CollectiveAllReduceExtended(self, communication, workers))
