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
    """tf.distribute's MirroredStrategy; it takes a number of GPUs, and each replica gets a whole batch of a data set.

    Args:
        devices: List of the replicas' devices.
        num_gpus: Number of this machine's first GPUs, in place of `devices`; 0 for its CPU. All GPUs by default.
        num_gpus_per_worker: Another name of `num_gpus`.
        cross_device_ops: CrossDeviceOps that combine the replicas' values.
        auto_shard_dataset: Ignored; TensorFlow 2 decides about sharding.
        cross_tower_ops: Another name of `cross_device_ops`.

    Raises:
        AssertionError: Both `cross_device_ops` and `cross_tower_ops` are set.
        ValueError: More than one of `devices`, `num_gpus` and `num_gpus_per_worker` is set.
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
        assert not (cross_device_ops and cross_tower_ops), (
            "cross_device_ops: cross_tower_ops is another name of it. Give only one of them."
        )
        if num_gpus is not None and num_gpus_per_worker is not None:
            raise ValueError("num_gpus: num_gpus_per_worker is another name of it. Give only one of them.")
        number = num_gpus_per_worker if num_gpus is None else num_gpus
        if devices is not None and number is not None:
            raise ValueError("devices: num_gpus also selects devices. Give only one of them.")
        if devices is None:
            gpu_count = len(tf.config.experimental.list_logical_devices("GPU")) if number is None else number
            devices = device_util.local_devices_from_num_gpus(gpu_count)
        extended = _Extended(self, devices, cross_device_ops or cross_tower_ops)
        super(mirrored_strategy.MirroredStrategyV1, self).__init__(extended)


class _Extended(BatchesOfAReplica, mirrored_strategy.MirroredExtended):  # type: ignore[misc]
    pass
