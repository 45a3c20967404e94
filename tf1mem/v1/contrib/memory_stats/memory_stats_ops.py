# Copyright 2015-2019 The TensorFlow Authors. All Rights Reserved.
# Licensed under the Apache License, Version 2.0: see LICENSE.
# Written anew for tf1mem after tensorflow/contrib of TensorFlow 1.15.5, and changed: see NOTICE.

"""Ops for the memory of the GPU that they are placed on, in bytes (tf.contrib.memory_stats).

TensorFlow 2 has no such ops. Here a Python function asks the eager context, whose GPUs have the same allocators as
those of Sessions in the same process. So an op reads the memory of its own process, not that of a remote server.
"""

from __future__ import annotations

from typing import Any, Callable

import numpy as np
import tensorflow

import tf1mem.v1 as tf
from tf1mem.machine import eager_context
from tf1mem.machine.tensorflow import installed_version
from tf1mem.oom import logical_devices

__all__ = ["BytesInUse", "BytesLimit", "MaxBytesInUse"]


def BytesInUse() -> Any:  # noqa: N802 - the name in TensorFlow 1
    """Returns an op that reads the bytes in use on its GPU, int64 of shape `[]`; needs TensorFlow 2.4 or newer."""

    def in_use_bytes(context: Any, device: str) -> int:
        snapshot = logical_devices.in_use(tensorflow, None, context, device)
        return _reported("BytesInUse", "2.4", None if snapshot is None else snapshot.in_use_bytes)

    return _op("BytesInUse", in_use_bytes)


def MaxBytesInUse() -> Any:  # noqa: N802
    """Returns an op that reads the peak bytes in use on its GPU, int64 of shape `[]`; needs TensorFlow 2.5 or newer."""

    def peak_bytes(context: Any, device: str) -> int:
        snapshot = logical_devices.in_use(tensorflow, None, context, device)
        return _reported("MaxBytesInUse", "2.5", None if snapshot is None else snapshot.peak_bytes)

    return _op("MaxBytesInUse", peak_bytes)


def BytesLimit() -> Any:  # noqa: N802
    """Returns an op that reads the bytes which TensorFlow may use on its GPU, int64 of shape `[]`."""
    return _op("BytesLimit", lambda context, device: logical_devices.limits(None, context)[device])


def _reported(name: str, first: str, size_bytes: int | None) -> int:
    if size_bytes is None:
        raise ValueError(f"{name}: TensorFlow {installed_version()} doesn't report it. Use TensorFlow {first} or newer")
    return size_bytes


def _op(name: str, size_bytes: Callable[[Any, str], int]) -> Any:
    """Returns an op that calls a function with the eager context and the short name of the op's GPU, such as "GPU:0".

    It runs on the CPU, because Python functions run there. Its errors are ValueErrors, which a Session raises as
    InvalidArgumentError, the error of TensorFlow 1 if the op has no GPU.
    """
    requested: list[str] = []

    def read() -> Any:
        """Returns the number of bytes, int64 of shape `[]`; raises a ValueError for a device that isn't a GPU here."""
        context = eager_context.context_module().context()
        context.ensure_initialized()
        spec = tf.DeviceSpec.from_string(requested[0])
        device = f"{spec.device_type or 'GPU'}:{spec.device_index or 0}"
        gpus = [logical for logical in logical_devices.limits(None, context) if logical.startswith("GPU:")]
        if device not in gpus:
            raise ValueError(f"{name} reads the memory of a GPU, and {device} isn't among this process's GPUs: {gpus}")
        return np.int64(size_bytes(context, device))

    if tf.executing_eagerly():
        requested.append(eager_context.context_module().context().device_name or "")
        return tf.constant(read())
    result = tf.py_func(read, [], tf.int64, name=name)
    requested.append(result.op.device)
    spec = tf.DeviceSpec.from_string(result.op.device)
    on_cpu = tf.DeviceSpec(job=spec.job, replica=spec.replica, task=spec.task, device_type="CPU", device_index=0)
    result.op._set_device(on_cpu.to_string())
    result.set_shape([])
    return result
