# Copyright 2015-2019 The TensorFlow Authors. All Rights Reserved.
# Licensed under the Apache License, Version 2.0: see LICENSE.
# Written anew for tf1mem after tensorflow/contrib of TensorFlow 1.15.5, and changed: see NOTICE.

"""Weight decay that isn't part of the loss."""

from __future__ import annotations

from typing import Any

import tf1mem.v1 as tf
from tf1mem.v1.contrib.opt.shampoo import ShampooOptimizer


class DecoupledWeightDecayExtension:
    """For a class that inherits from this and an optimizer: variables decay before each step (arXiv:1711.05101).

    Args:
        weight_decay: The part that they lose, or a function that returns it.
        **kwargs: For the optimizer.
    """

    def __init__(self, weight_decay: Any, **kwargs: Any) -> None:
        self._decay_var_list: Any = None
        self._weight_decay = weight_decay
        self._weight_decay_tensor: Any = None
        super().__init__(**kwargs)

    def minimize(
        self: Any,
        loss: Any,
        global_step: Any = None,
        var_list: Any = None,
        gate_gradients: Any = tf.train.Optimizer.GATE_OP,
        aggregation_method: Any = None,
        colocate_gradients_with_ops: bool = False,
        name: str | None = None,
        grad_loss: Any = None,
        decay_var_list: Any = None,
    ) -> Any:
        """As an optimizer's; `decay_var_list` are the variables that decay, all by default."""
        self._decay_var_list = set(decay_var_list) if decay_var_list else False
        return super().minimize(  # type: ignore[misc]
            loss,
            global_step=global_step,
            var_list=var_list,
            gate_gradients=gate_gradients,
            aggregation_method=aggregation_method,
            colocate_gradients_with_ops=colocate_gradients_with_ops,
            name=name,
            grad_loss=grad_loss,
        )

    def apply_gradients(
        self: Any, grads_and_vars: Any, global_step: Any = None, name: str | None = None, decay_var_list: Any = None
    ) -> Any:
        """As an optimizer's; `decay_var_list` are the variables that decay, all by default.

        `minimize` ends here, too, without them: TensorFlow 1 lets all variables decay then.
        """
        self._decay_var_list = set(decay_var_list) if decay_var_list else False
        return super().apply_gradients(grads_and_vars, global_step=global_step, name=name)  # type: ignore[misc]

    def _prepare(self: Any) -> None:
        weight_decay = self._weight_decay() if callable(self._weight_decay) else self._weight_decay
        self._weight_decay_tensor = tf.convert_to_tensor(weight_decay, name="weight_decay")
        super()._prepare()  # type: ignore[misc]

    def _decays(self, var: Any) -> bool:
        return not self._decay_var_list or var in self._decay_var_list

    def _decay_weights_op(self: Any, var: Any) -> Any:
        if not self._decays(var):
            return tf.no_op()
        return var.assign_sub(self._weight_decay * var, self._use_locking)

    def _decay_weights_sparse_op(self: Any, var: Any, indices: Any) -> Any:
        if not self._decays(var):
            return tf.no_op()
        update = -self._weight_decay * tf.gather(var, indices)
        return tf.scatter_add(var, indices, update, use_locking=self._use_locking)

    def _apply_dense(self: Any, grad: Any, var: Any) -> Any:
        with tf.control_dependencies([self._decay_weights_op(var)]):
            return super()._apply_dense(grad, var)  # type: ignore[misc]

    def _resource_apply_dense(self: Any, grad: Any, var: Any) -> Any:
        with tf.control_dependencies([self._decay_weights_op(var)]):
            return super()._resource_apply_dense(grad, var)  # type: ignore[misc]

    def _apply_sparse(self: Any, grad: Any, var: Any) -> Any:
        with tf.control_dependencies([self._decay_weights_sparse_op(var, grad.indices)]):
            return super()._apply_sparse(grad, var)  # type: ignore[misc]

    def _resource_apply_sparse(self: Any, grad: Any, var: Any, indices: Any) -> Any:
        with tf.control_dependencies([self._decay_weights_sparse_op(var, indices)]):
            return super()._resource_apply_sparse(grad, var, indices)  # type: ignore[misc]


def extend_with_decoupled_weight_decay(base_optimizer: Any) -> Any:
    """A class of optimizers with weight decay.

    Args:
        base_optimizer: The class without, of tf.train.Optimizer.

    Returns:
        A class whose first argument is `weight_decay`; the others are given by name.
    """

    class OptimizerWithDecoupledWeightDecay(DecoupledWeightDecayExtension, base_optimizer):  # type: ignore[misc]
        """The optimizer with weight decay."""

        def __init__(self, weight_decay: Any, *args: Any, **kwargs: Any) -> None:
            super().__init__(weight_decay, *args, **kwargs)

    return OptimizerWithDecoupledWeightDecay


class MomentumWOptimizer(DecoupledWeightDecayExtension, tf.train.MomentumOptimizer):
    """Momentum with weight decay.

    Args:
        weight_decay: The part that variables lose at each step.
        learning_rate: The step's size.
        momentum: Of all steps before.
        use_locking: Whether updates are locked.
        name: Of the optimizer.
        use_nesterov: Whether momentum is Nesterov's.
    """

    def __init__(
        self,
        weight_decay: Any,
        learning_rate: Any,
        momentum: Any,
        use_locking: bool = False,
        name: str = "MomentumW",
        use_nesterov: bool = False,
    ) -> None:
        super().__init__(
            weight_decay,
            learning_rate=learning_rate,
            momentum=momentum,
            use_locking=use_locking,
            name=name,
            use_nesterov=use_nesterov,
        )


class AdamWOptimizer(DecoupledWeightDecayExtension, tf.train.AdamOptimizer):
    """Adam with weight decay.

    Args:
        weight_decay: The part that variables lose at each step.
        learning_rate: The step's size.
        beta1: Decay of the first momentum.
        beta2: Decay of the second.
        epsilon: What is added to a divisor.
        use_locking: Whether updates are locked.
        name: Of the optimizer.
    """

    def __init__(
        self,
        weight_decay: Any,
        learning_rate: Any = 0.001,
        beta1: Any = 0.9,
        beta2: Any = 0.999,
        epsilon: Any = 1e-8,
        use_locking: bool = False,
        name: str = "AdamW",
    ) -> None:
        super().__init__(
            weight_decay,
            learning_rate=learning_rate,
            beta1=beta1,
            beta2=beta2,
            epsilon=epsilon,
            use_locking=use_locking,
            name=name,
        )


class ShampooWOptimizer(DecoupledWeightDecayExtension, ShampooOptimizer):
    """Shampoo with weight decay: its arguments behind the part that variables lose at each step."""

    def __init__(
        self,
        weight_decay: Any,
        global_step: Any,
        max_matrix_size: int = 768,
        gbar_decay: Any = 0.0,
        gbar_weight: Any = 1.0,
        mat_gbar_decay: Any = 1.0,
        mat_gbar_weight: Any = 1.0,
        learning_rate: Any = 1.0,
        svd_interval: Any = 1,
        precond_update_interval: Any = 1,
        epsilon: float = 1e-4,
        alpha: Any = 0.5,
        use_iterative_root: bool = False,
        use_locking: bool = False,
        name: str = "ShampooW",
    ) -> None:
        # TensorFlow 1 took the weight for the decay, and gave no weight: what it computed stays.
        super().__init__(
            weight_decay,
            global_step=global_step,
            max_matrix_size=max_matrix_size,
            gbar_decay=gbar_decay,
            gbar_weight=gbar_weight,
            mat_gbar_decay=mat_gbar_weight,
            learning_rate=learning_rate,
            svd_interval=svd_interval,
            precond_update_interval=precond_update_interval,
            epsilon=epsilon,
            alpha=alpha,
            use_iterative_root=use_iterative_root,
            use_locking=use_locking,
            name=name,
        )
