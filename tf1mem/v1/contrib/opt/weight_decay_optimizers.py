# Copyright 2015-2019 The TensorFlow Authors. All Rights Reserved.
# Licensed under the Apache License, Version 2.0: see LICENSE.
# Written anew for tf1mem after tensorflow/contrib of TensorFlow 1.15.5, and changed: see NOTICE.

"""Weight decay decoupled from the loss; Loshchilov and Hutter 2017, arXiv:1711.05101."""

from __future__ import annotations

from typing import Any

import tf1mem.v1 as tf
from tf1mem.v1.contrib.opt._training import tensor
from tf1mem.v1.contrib.opt.shampoo import ShampooOptimizer


class DecoupledWeightDecayExtension:
    """Mixin for optimizers: variables decay before each step; Loshchilov and Hutter 2017, arXiv:1711.05101.

    Args:
        weight_decay: Fraction of a variable that is subtracted, or a function that returns it.
        **kwargs: Arguments of the optimizer.
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
        """Returns an op that minimizes a loss of shape `[]`; `tf.train.Optimizer.minimize` has the other arguments.

        Args:
            decay_var_list: Ignored, as in TensorFlow 1: all variables decay. `apply_gradients` uses its own.
        """
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
        """Returns an op that subtracts the decay from each variable, then applies its gradient.

        `minimize` calls this without `decay_var_list`; then all variables decay, as in TensorFlow 1.

        Args:
            grads_and_vars: (gradient, variable) pairs of equal shape.
            global_step: Step variable, which is incremented.
            name: Name of the op.
            decay_var_list: Variables that decay; all by default.
        """
        self._decay_var_list = set(decay_var_list) if decay_var_list else False
        return super().apply_gradients(grads_and_vars, global_step=global_step, name=name)  # type: ignore[misc]

    def _prepare(self: Any) -> None:
        self._weight_decay_tensor = tensor(self._weight_decay, "weight_decay")
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
    """Returns a subclass of an optimizer with weight decay; Loshchilov and Hutter 2017, arXiv:1711.05101.

    Args:
        base_optimizer: Subclass of tf.train.Optimizer.

    Returns:
        A class whose first argument is `weight_decay`; the others are keyword arguments.
    """

    class OptimizerWithDecoupledWeightDecay(DecoupledWeightDecayExtension, base_optimizer):  # type: ignore[misc]
        """The optimizer with weight decay; Loshchilov and Hutter 2017, arXiv:1711.05101."""

        def __init__(self, weight_decay: Any, *args: Any, **kwargs: Any) -> None:
            super().__init__(weight_decay, *args, **kwargs)

    return OptimizerWithDecoupledWeightDecay


class MomentumWOptimizer(DecoupledWeightDecayExtension, tf.train.MomentumOptimizer):
    """Momentum with weight decay (SGDW); Loshchilov and Hutter 2017, arXiv:1711.05101.

    Args:
        weight_decay: Fraction of a variable that is subtracted at each step.
        learning_rate: Learning rate.
        momentum: Decay of the momentum.
        use_locking: True to lock variables during updates.
        name: Name of the optimizer.
        use_nesterov: True for Nesterov momentum.
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
    """Adam with weight decay (AdamW); Loshchilov and Hutter 2017, arXiv:1711.05101.

    Args:
        weight_decay: Fraction of a variable that is subtracted at each step.
        learning_rate: Learning rate; 0.001 by default.
        beta1: Decay of the first moment; 0.9 by default.
        beta2: Decay of the second moment; 0.999 by default.
        epsilon: Added to the divisor; 1e-8 by default.
        use_locking: True to lock variables during updates.
        name: Name of the optimizer.
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
    """Shampoo with weight decay; arXiv:1802.09568 and arXiv:1711.05101.

    Args:
        weight_decay: Fraction of a variable that is subtracted at each step.
        global_step: The step. This and the other arguments are those of `ShampooOptimizer`.
    """

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
        # TensorFlow 1 passed mat_gbar_weight as mat_gbar_decay, and no mat_gbar_weight. This keeps its results.
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
