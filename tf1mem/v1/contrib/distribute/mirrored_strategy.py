# Copyright 2015-2019 The TensorFlow Authors. All Rights Reserved.
# Licensed under the Apache License, Version 2.0: see LICENSE.
# Written anew for tf1mem after tensorflow/contrib of TensorFlow 1.15.5, and changed: see NOTICE.

"""MirroredStrategy of tf.contrib.distribute."""

from __future__ import annotations

from typing import Any

from tensorflow.python.distribute import device_util, mirrored_strategy

import tf1mem.v1 as tf
from tf1mem.v1.contrib.distribute._extended import BatchesOfAReplica


class MirroredStrategy(mirrored_strategy.MirroredStrategyV1):  # type: ignore[misc]
    """tf.distribute's, with a number of GPUs, and batches for one replica where a data set is dealt out.

    Args:
        devices: The devices of the replicas.
        num_gpus: How many of this machine's GPUs, in place of `devices`: the first ones, and for 0 its CPU. Where
            neither is given, all.
        num_gpus_per_worker: The same by another name.
        cross_device_ops: How values of replicas are put together.
        auto_shard_dataset: Of several workers, which TensorFlow 2 decides for itself: counts for nothing.
        cross_tower_ops: `cross_device_ops` by another name.

    Raises:
        ValueError: Two of what says which GPUs are given.
    """

    def __init__(
        self,
        devices: Any = None,
        num_gpus: int | None = None,
        num_gpus_per_worker: int | None = None,
        cross_device_ops: Any = None,
        auto_shard_dataset: bool = False,
        cross_tower_ops: Any = None,
    ) -> None:
        assert not (cross_device_ops and cross_tower_ops)
        if num_gpus is not None and num_gpus_per_worker is not None:
            raise ValueError("num_gpus: num_gpus_per_worker says the same. Give one of them.")
        number = num_gpus_per_worker if num_gpus is None else num_gpus
        if devices is not None and number is not None:
            raise ValueError("devices: num_gpus says which, too. Give one of them.")
        if devices is None:
            found = len(tf.config.experimental.list_logical_devices("GPU")) if number is None else number
            devices = device_util.local_devices_from_num_gpus(found)
        extended = _Extended(self, devices, cross_device_ops or cross_tower_ops)
        super(mirrored_strategy.MirroredStrategyV1, self).__init__(extended)


class _Extended(BatchesOfAReplica, mirrored_strategy.MirroredExtended):  # type: ignore[misc]
    pass
