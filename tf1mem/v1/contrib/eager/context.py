# Copyright 2015-2019 The TensorFlow Authors. All Rights Reserved.
# Licensed under the Apache License, Version 2.0: see LICENSE.
# Written anew for tf1mem after tensorflow/contrib of TensorFlow 1.15.5, and changed: see NOTICE.

"""The devices of eager execution."""

from __future__ import annotations

import tf1mem.v1 as tf


def list_devices() -> list[str]:
    """Returns the names of the devices that can run ops, such as "/job:localhost/replica:0/task:0/device:CPU:0"."""
    names = [device.name for device in tf.config.experimental.list_logical_devices()]
    # TensorFlow 2 names this process's own devices without a job, for example "/device:CPU:0".
    return [name if name.startswith("/job") else f"/job:localhost/replica:0/task:0{name}" for name in names]
