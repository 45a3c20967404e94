# Copyright 2015-2019 The TensorFlow Authors. All Rights Reserved.
# Licensed under the Apache License, Version 2.0: see LICENSE.
# Written anew for tf1mem after tensorflow/contrib of TensorFlow 1.15.5, and changed: see NOTICE.

"""Wrappers of cells: attention over past outputs, highway connections, compilation by XLA."""

from __future__ import annotations

from typing import Any, Dict, Optional

# The registry of ops, which has no public name, tells which ops are stateful.
from tensorflow.python.framework import op_def_registry

import tf1mem.v1 as tf
from tf1mem.v1.contrib.rnn.cells.base import columns
from tf1mem.v1.contrib.rnn.core_rnn_cell import CellWrapper, _Linear


class AttentionCellWrapper(CellWrapper):
    """Adds attention over the outputs of the last steps; Cheng et al., arXiv:1601.06733.

    Args:
        cell: Cell that is wrapped.
        attn_length: Number of past outputs that attention sees.
        attn_size: Units of the outputs; None for the cell's.
        attn_vec_size: Units of the space in which query and outputs are compared; None for `attn_size`.
        input_size: Units of the cell's input; None for the size of the inputs.
        state_is_tuple: True to make a state a tuple of three tensors; else it is one, `[batch, state_size]`.
        reuse: True to use variables that exist already in the scope.

    Raises:
        TypeError: `cell` isn't an RNNCell.
        ValueError: `state_is_tuple` is False and the cell's state is a tuple, or `attn_length` isn't positive.
    """

    def __init__(
        self,
        cell: Any,
        attn_length: int,
        attn_size: Optional[int] = None,
        attn_vec_size: Optional[int] = None,
        input_size: Optional[int] = None,
        state_is_tuple: bool = True,
        reuse: Optional[bool] = None,
    ) -> None:
        super().__init__(cell, _reuse=reuse)
        if tf.nest.is_nested(cell.state_size) and not state_is_tuple:
            raise ValueError(
                "Cell returns tuple of states, but the flag state_is_tuple is not set. "
                f"State size is: {cell.state_size}"
            )
        if attn_length <= 0:
            raise ValueError(f"attn_length should be greater than zero, got {attn_length}")
        if not state_is_tuple:
            tf.logging.warn("%s: Using a concatenated state is slower. Use state_is_tuple=True.", self)
        self._state_is_tuple = state_is_tuple
        self._attn_size = cell.output_size if attn_size is None else attn_size
        self._attn_vec_size = self._attn_size if attn_vec_size is None else attn_vec_size
        self._input_size = input_size
        self._attn_length = attn_length
        self._matrices: Dict[str, _Linear] = {}

    @property
    def state_size(self) -> Any:
        """Returns the sizes of the `[batch, size]` states: the cell's, the last attention vector, the past outputs."""
        size = (self._cell.state_size, self._attn_size, self._attn_size * self._attn_length)
        return size if self._state_is_tuple else sum(size)

    @property
    def output_size(self) -> int:
        """Returns the size of a `[batch, size]` output."""
        return self._attn_size

    def zero_state(self, batch_size: Any, dtype: Any) -> Any:
        """Returns a state of zeros, tensors of shape `[batch, size]`.

        Args:
            batch_size: Number of examples.
            dtype: Type of the state.
        """
        return tf.nn.rnn_cell.RNNCell.zero_state(self, batch_size, dtype)

    def call(self, inputs: Any, state: Any) -> Any:
        """Computes one step.

        Args:
            inputs: `[batch, input_size]` float tensor.
            state: Tuple of the cell's state, the last attention vector, `[batch, attn_size]`, and the past outputs,
                `[batch, attn_length * attn_size]`; without `state_is_tuple` their concatenation along columns.

        Returns:
            Output, `[batch, attn_size]`, and the next state.
        """
        if not self._state_is_tuple:
            state = tf.split(state, [self._cell.state_size, self._attn_size, self._attn_size * self._attn_length], 1)
        inner, read, past_outputs = state
        past_outputs = tf.reshape(past_outputs, [-1, self._attn_length, self._attn_size])
        size = columns(inputs) if self._input_size is None else self._input_size
        output, inner = self._cell(self._linear("inputs", [inputs, read], size), inner)
        query = tf.concat(tf.nest.flatten(inner), 1) if self._state_is_tuple else inner
        read, past_outputs = self._attention(query, past_outputs)
        with tf.variable_scope("attn_output_projection"):
            output = self._linear("output", [output, read], self._attn_size)
        past_outputs = tf.concat([past_outputs, tf.expand_dims(output, 1)], 1)
        state = (inner, read, tf.reshape(past_outputs, [-1, self._attn_length * self._attn_size]))
        return output, state if self._state_is_tuple else tf.concat(list(state), 1)

    def _linear(self, key: str, args: Any, size: int) -> Any:
        if key not in self._matrices:
            self._matrices[key] = _Linear(args, size, True)
        return self._matrices[key](args)

    def _attention(self, query: Any, attn_states: Any) -> Any:
        """Returns the attention vector, `[batch, attn_size]`, and the past outputs without the oldest."""
        with tf.variable_scope("attention"):
            weights = tf.get_variable("attn_w", [1, 1, self._attn_size, self._attn_vec_size])
            scale = tf.get_variable("attn_v", [self._attn_vec_size])
            # Each example is an image of one column, so that a 1x1 convolution multiplies each step by a matrix.
            hidden = tf.reshape(attn_states, [-1, self._attn_length, 1, self._attn_size])
            features = tf.nn.conv2d(hidden, weights, [1, 1, 1, 1], "SAME")
            query = tf.reshape(self._linear("attention", query, self._attn_vec_size), [-1, 1, 1, self._attn_vec_size])
            shares = tf.nn.softmax(tf.reduce_sum(scale * tf.tanh(features + query), [2, 3]))
            read = tf.reduce_sum(tf.reshape(shares, [-1, self._attn_length, 1, 1]) * hidden, [1, 2])
            return tf.reshape(read, [-1, self._attn_size]), tf.slice(attn_states, [0, 1, 0], [-1, -1, -1])


class HighwayWrapper(CellWrapper):
    """Adds a highway connection from a cell's input to its output; Srivastava et al., arXiv:1505.00387.

    Args:
        cell: Cell that is wrapped; its outputs have the shape of its inputs.
        couple_carry_transform_gates: True to set the transform gate to 1 - carry gate; else it has weights of its own.
        carry_bias_init: Initial value of the carry gate's bias.
    """

    def __init__(self, cell: Any, couple_carry_transform_gates: bool = True, carry_bias_init: float = 1.0) -> None:
        super().__init__(cell)
        self._couple_carry_transform_gates = couple_carry_transform_gates
        self._carry_bias_init = carry_bias_init

    def _highway(self, inp: Any, out: Any) -> Any:
        carry = self._gate("carry", inp, self._carry_bias_init)
        if self._couple_carry_transform_gates:
            transform = 1 - carry
        else:
            transform = self._gate("transform", inp, -self._carry_bias_init)
        return inp * carry + out * transform

    def _gate(self, name: str, inp: Any, bias: float) -> Any:
        size = columns(inp)
        weights = tf.get_variable(name + "_w", [size, size])
        biases = tf.get_variable(name + "_b", [size], initializer=tf.constant_initializer(bias))
        return tf.sigmoid(tf.nn.xw_plus_b(inp, weights, biases))

    def __call__(self, inputs: Any, state: Any, scope: Any = None) -> Any:
        """Computes one step.

        Args:
            inputs: `[batch, input_size]` float tensor, or a nested structure of such tensors.
            state: State of the wrapped cell.
            scope: Variable scope of the wrapped cell.

        Returns:
            Output, of the inputs' structure and shapes, and the next state.
        """
        outputs, state = self._cell(inputs, state, scope=scope)
        tf.nest.assert_same_structure(inputs, outputs)
        for flat_input, flat_output in zip(tf.nest.flatten(inputs), tf.nest.flatten(outputs)):
            flat_input.shape.assert_is_compatible_with(flat_output.shape)
        return tf.nest.map_structure(self._highway, inputs, outputs), state


class CompiledWrapper(CellWrapper):
    """Compiles a cell's ops by XLA; shapes are the cell's.

    Args:
        cell: Cell that is wrapped.
        compile_stateful: True to compile stateful ops, too.
    """

    def __init__(self, cell: Any, compile_stateful: bool = False) -> None:
        super().__init__(cell)
        self._compile_stateful = compile_stateful

    def __call__(self, inputs: Any, state: Any, scope: Any = None) -> Any:
        """Computes one step of the wrapped cell: takes and returns tensors of that cell's shapes."""
        compile_ops = True if self._compile_stateful else _is_stateless
        with tf.xla.experimental.jit_scope(compile_ops=compile_ops):
            return self._cell(inputs, state, scope=scope)


def _is_stateless(node: Any) -> bool:
    # TensorFlow 2.0's registry has no `get`.
    get = getattr(op_def_registry, "get", None) or op_def_registry.get_registered_ops().get
    definition = get(node.op)
    return definition is not None and not definition.is_stateful
