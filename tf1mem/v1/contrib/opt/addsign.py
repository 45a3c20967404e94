# Copyright 2015-2019 The TensorFlow Authors. All Rights Reserved.
# Licensed under the Apache License, Version 2.0: see LICENSE.
# Written anew for tf1mem after tensorflow/contrib of TensorFlow 1.15.5, and changed: see NOTICE.

"""AddSign."""

from __future__ import annotations

from typing import Any

from tf1mem.v1.contrib.opt._signs import SignOptimizer


class AddSignOptimizer(SignOptimizer):
    """Multiplies gradients by alpha plus the product of their sign and the momentum's (arXiv:1709.07417).

    Args:
        learning_rate: The step's size.
        alpha: What is added to the signs' product.
        beta: Decay of the momentum.
        sign_decay_fn: From the global step to how much the signs count.
        use_locking: Whether updates are locked.
        name: Of the optimizer.
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
