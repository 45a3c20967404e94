# Copyright 2015-2019 The TensorFlow Authors. All Rights Reserved.
# Licensed under the Apache License, Version 2.0: see LICENSE.
# Written anew for tf1mem after tensorflow/contrib of TensorFlow 1.15.5, and changed: see NOTICE.

"""The AddSign optimizer."""

from __future__ import annotations

from typing import Any

from tf1mem.v1.contrib.opt._signs import SignOptimizer


class AddSignOptimizer(SignOptimizer):
    """Multiplies gradients by `alpha + sign(gradient) * sign(momentum)`; Bello et al. 2017, arXiv:1709.07417.

    Args:
        learning_rate: Learning rate; 0.1 by default.
        alpha: Constant term of the factor; 1.0 by default.
        beta: Decay of the momentum; 0.9 by default.
        sign_decay_fn: Function from the global step to the weight of the signs; None for 1.
        use_locking: True to lock variables during updates.
        name: Name of the optimizer.
    """

    def __init__(
        self,
        learning_rate: Any = 0.1,
        alpha: Any = 1.0,
        beta: Any = 0.9,
        sign_decay_fn: Any = None,
        use_locking: bool = False,
        name: str = "AddSignOptimizer",
    ) -> None:
        super().__init__("ApplyAddSign", learning_rate, {"alpha": alpha}, beta, sign_decay_fn, use_locking, name)

    def _multiplier(self, numbers: dict[str, Any], agreement: Any) -> Any:
        return numbers["alpha"] + agreement
