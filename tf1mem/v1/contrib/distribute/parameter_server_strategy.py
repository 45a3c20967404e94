# Copyright 2015-2019 The TensorFlow Authors. All Rights Reserved.
# Licensed under the Apache License, Version 2.0: see LICENSE.
# Written anew for tf1mem after tensorflow/contrib of TensorFlow 1.15.5, and changed: see NOTICE.

"""ParameterServerStrategy of tf.contrib.distribute."""

from __future__ import annotations

from tensorflow.python.distribute.parameter_server_strategy import ParameterServerStrategyExtended

import tf1mem.v1 as tf
from tf1mem.v1.contrib.distribute._extended import BatchesOfAReplica, cluster


class ParameterServerStrategy(tf.distribute.Strategy):  # type: ignore[misc]
    """tf.distribute's ParameterServerStrategy for a number of GPUs; each replica gets whole batches, not shares of one.

    It isn't derived from compat.v1's, whose `run` returns None on TensorFlow 2.21.

    Args:
        num_gpus_per_worker: Number of GPUs of each worker; 0, the default, for its CPU.
    """

    def __init__(self, num_gpus_per_worker: int = 0) -> None:
        super().__init__(_Extended(self, cluster_resolver=cluster(num_gpus_per_worker)))


class _Extended(BatchesOfAReplica, ParameterServerStrategyExtended):  # type: ignore[misc]
    pass
