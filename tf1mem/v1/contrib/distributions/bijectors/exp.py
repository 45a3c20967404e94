# Copyright 2015-2019 The TensorFlow Authors. All Rights Reserved.
# Licensed under the Apache License, Version 2.0: see LICENSE.
# Written anew for tf1mem after tensorflow/contrib of TensorFlow 1.15.5, and changed: see NOTICE.

"""The exponential function (tf.contrib.distributions.bijectors)."""

from __future__ import annotations

from tf1mem.v1.contrib.distributions.bijectors.power_transform import PowerTransform


class Exp(PowerTransform):
    """Computes exp(x) for tensors of any shape.

    Args:
        validate_args: True to check at run time that inverses are taken only of positive numbers.
        name: Name of the bijector.
    """

    def __init__(self, validate_args: bool = False, name: str = "exp") -> None:
        super().__init__(validate_args=validate_args, name=name)
