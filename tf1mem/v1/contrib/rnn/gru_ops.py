# Copyright 2015-2019 The TensorFlow Authors. All Rights Reserved.
# Licensed under the Apache License, Version 2.0: see LICENSE.
# Written anew for tf1mem after tensorflow/contrib of TensorFlow 1.15.5, and changed: see NOTICE.

"""GRU cells computed by the op GRUBlockCell."""

from __future__ import annotations

from typing import Any, Optional

import tf1mem.v1 as tf
from tf1mem.v1.contrib.rnn.cells.base import LayerCell, depth
from tf1mem.v1.contrib.rnn.lstm_ops import register_gradient


def _gru_block_cell_grad(op: Any, *grad: Any) -> Any:
    x, h_prev, w_ru, w_c, b_ru, b_c = op.inputs
    r, u, c, _ = op.outputs
    grad_x, grad_h_prev, grad_candidate, grad_gates = tf.raw_ops.GRUBlockCellGrad(
        x=x, h_prev=h_prev, w_ru=w_ru, w_c=w_c, b_ru=b_ru, b_c=b_c, r=r, u=u, c=c, d_h=grad[3]
    )
    grad_w_ru = tf.matmul(tf.concat([x, h_prev], 1), grad_gates, transpose_a=True)
    grad_w_c = tf.matmul(tf.concat([x, h_prev * r], 1), grad_candidate, transpose_a=True)
    return grad_x, grad_h_prev, grad_w_ru, grad_w_c, tf.reduce_sum(grad_gates, 0), tf.reduce_sum(grad_candidate, 0)


register_gradient("GRUBlockCell", _gru_block_cell_grad)


class GRUBlockCell(LayerCell):
    """GRU cell computed by the op GRUBlockCell, with variables w_ru, b_ru, w_c and b_c; Cho et al., arXiv:1406.1078.

    Args:
        num_units: Units of the state and of the output.
        cell_size: Older name of `num_units`.
        reuse: True to use variables that exist already in the scope.
        name: Name of the layer.

    Raises:
        ValueError: Both `num_units` and `cell_size` are set, or neither.
    """

    _NAMES = ("w_ru", "b_ru", "w_c", "b_c")

    def __init__(
        self,
        num_units: Optional[int] = None,
        cell_size: Optional[int] = None,
        reuse: Optional[bool] = None,
        name: str = "gru_cell",
    ) -> None:
        if (cell_size is None) == (num_units is None):
            raise ValueError("Exactly one of num_units or cell_size must be provided.")
        units: Any = cell_size if num_units is None else num_units
        super().__init__(units, units, reuse, name=name)
        self._cell_size = units

    def build(self, input_shape: Any) -> None:
        """Makes the variables, for inputs of shape `[batch, input_size]`."""
        rows, units = depth(input_shape) + self._cell_size, self._cell_size
        gates, gate_biases, candidate, candidate_biases = self._NAMES
        ones, zeros = tf.constant_initializer(1.0), tf.constant_initializer(0.0)
        self._gate_kernel = self.add_weight(gates, [rows, units * 2])
        self._gate_bias = self.add_weight(gate_biases, [units * 2], initializer=ones)
        self._candidate_kernel = self.add_weight(candidate, [rows, units])
        self._candidate_bias = self.add_weight(candidate_biases, [units], initializer=zeros)
        self.built = True

    def call(self, inputs: Any, h_prev: Any) -> Any:
        """Computes one step.

        Args:
            inputs: `[batch, input_size]` float32 tensor.
            h_prev: State, `[batch, num_units]` float32.

        Returns:
            Output and next state, the same `[batch, num_units]` tensor.

        Raises:
            ValueError: The state has another size.
        """
        units = tf.dimension_value(h_prev.shape.with_rank(2)[1])
        if units != self._cell_size:
            raise ValueError(f"Shape of h_prev[1] incorrect: cell_size {self._cell_size} vs {units}")
        _, _, _, h = tf.raw_ops.GRUBlockCell(
            x=inputs,
            h_prev=h_prev,
            w_ru=self._gate_kernel,
            w_c=self._candidate_kernel,
            b_ru=self._gate_bias,
            b_c=self._candidate_bias,
        )
        return h, h


class GRUBlockCellV2(GRUBlockCell):
    """GRU cell computed by the op GRUBlockCell, with the variable names of GRUCell; Cho et al., arXiv:1406.1078.

    Args:
        num_units: Units of the state and of the output.
        cell_size: Older name of `num_units`.
        reuse: True to use variables that exist already in the scope.
        name: Name of the layer.
    """

    _NAMES = ("gates/kernel", "gates/bias", "candidate/kernel", "candidate/bias")
