# Copyright 2015-2019 The TensorFlow Authors. All Rights Reserved.
# Licensed under the Apache License, Version 2.0: see LICENSE.
# Written anew for tf1mem after tensorflow/examples of TensorFlow 1.15.5, and changed: see NOTICE.

"""The MNIST tutorial's data (`input_data`) and model (`mnist`)."""

from __future__ import annotations

from tf1mem.v1.examples.tutorials.mnist import input_data, mnist

__all__ = ["input_data", "mnist"]
