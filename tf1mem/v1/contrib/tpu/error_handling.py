# Copyright 2015-2019 The TensorFlow Authors. All Rights Reserved.
# Licensed under the Apache License, Version 2.0: see LICENSE.
# Written anew for tf1mem after tensorflow/contrib of TensorFlow 1.15.5, and changed: see NOTICE.

"""The class that collects the errors of several threads and raises the first."""

from __future__ import annotations

from tf1mem.v1.contrib.tpu._packages import estimator_module

ErrorRendezvous = estimator_module("error_handling").ErrorRendezvous
