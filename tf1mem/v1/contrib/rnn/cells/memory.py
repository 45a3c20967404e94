# Copyright 2015-2019 The TensorFlow Authors. All Rights Reserved.
# Licensed under the Apache License, Version 2.0: see LICENSE.
# Written anew for tf1mem after tensorflow/contrib of TensorFlow 1.15.5, and changed: see NOTICE.

"""The neural Turing machine, as a cell; Graves et al., arXiv:1410.5401."""

from __future__ import annotations

import math
from typing import Any, List, NamedTuple, Optional

import tf1mem.v1 as tf
from tf1mem.v1.contrib.rnn.cells.base import LayerCell, batch_of, depth
from tf1mem.v1.contrib.rnn.core_rnn_cell import checked_cell


class NTMControllerState(NamedTuple):
    """State of a neural Turing machine.

    Attributes:
        controller_state: State of the controller.
        read_vector_list: List of the vectors that the reading heads read, each `[batch, memory_vector_dim]`.
        w_list: List of the heads' attention over the rows of the memory, each `[batch, memory_size]`; the reading heads
            come first.
        M: Memory, `[batch, memory_size, memory_vector_dim]`.
        time: Number of steps so far, an int scalar.
    """

    controller_state: Any
    read_vector_list: Any
    w_list: Any
    M: Any
    time: Any


class NTMCell(LayerCell):
    """Neural Turing machine: a controller with a memory that heads read and write; Graves et al., arXiv:1410.5401.

    The implementation follows Collier and Beel, arXiv:1807.08518.

    Args:
        controller: RNNCell that drives the heads.
        memory_size: Number of rows of the memory.
        memory_vector_dim: Number of columns of the memory.
        read_head_num: Number of reading heads.
        write_head_num: Number of writing heads.
        shift_range: Rows that a head can shift by, in each direction.
        output_dim: Units of the output; None for the size of the input, known once the variables are made.
        clip_value: Largest absolute value of the outputs and of the heads' parameters.
        dtype: Type of the variables.
        name: Name of the layer.

    Raises:
        TypeError: `controller` isn't an RNNCell.
    """

    def __init__(
        self,
        controller: Any,
        memory_size: int,
        memory_vector_dim: int,
        read_head_num: int,
        write_head_num: int,
        shift_range: int = 1,
        output_dim: Optional[int] = None,
        clip_value: float = 20,
        dtype: Any = tf.float32,
        name: Optional[str] = None,
    ) -> None:
        super().__init__(None, None, dtype=dtype, name=name)
        self.input_spec = None
        self.controller = checked_cell("NTM RNN controller cell", controller)
        self.memory_size = memory_size
        self.memory_vector_dim = memory_vector_dim
        self.read_head_num = read_head_num
        self.write_head_num = write_head_num
        self.clip_value = clip_value
        self.output_dim = output_dim
        self.shift_range = shift_range
        # Parameters of a head: key, key strength, gate, shifts and sharpening.
        self.num_parameters_per_head = memory_vector_dim + 2 * shift_range + 4
        self.num_heads = read_head_num + write_head_num
        # Writing heads also have an erase vector and an add vector.
        self.total_parameter_num = (
            self.num_parameters_per_head * self.num_heads + memory_vector_dim * 2 * write_head_num
        )

    @property
    def state_size(self) -> Any:
        """Returns the sizes of a state's parts, without the batch.

        The memory's is `[memory_size * memory_vector_dim]`, as in TensorFlow 1; NTMControllerState has the real shapes.
        """
        return NTMControllerState(
            controller_state=self.controller.state_size,
            read_vector_list=[self.memory_vector_dim] * self.read_head_num,
            w_list=[self.memory_size] * self.num_heads,
            M=tf.TensorShape([self.memory_size * self.memory_vector_dim]),
            time=tf.TensorShape([]),
        )

    @property
    def output_size(self) -> Any:
        """Returns the size of a `[batch, size]` output; None for `output_dim` None until the variables are made."""
        return self.output_dim

    def zero_state(self, batch_size: Any, dtype: Any) -> Any:
        """Returns the state before the first step, zeros of shape `[batch, ...]`.

        The first step takes trained values in place of all but the controller's state.

        Args:
            batch_size: Number of examples.
            dtype: Type of the controller's state; the other parts are float32.
        """
        return NTMControllerState(
            controller_state=self.controller.zero_state(batch_size, dtype),
            read_vector_list=[tf.zeros([batch_size, self.memory_vector_dim]) for _ in range(self.read_head_num)],
            w_list=[tf.zeros([batch_size, self.memory_size]) for _ in range(self.num_heads)],
            M=tf.zeros([batch_size, self.memory_size, self.memory_vector_dim]),
            time=0,
        )

    def build(self, inputs_shape: Any) -> None:
        """Makes the variables, for inputs of shape `[batch, input_size]`."""
        if self.output_dim is None:
            self.output_dim = depth(inputs_shape)
        output_size = self.controller.output_size
        self._params_kernel, self._params_bias = self._linear("parameters", output_size, self.total_parameter_num)
        input_size = output_size + self.memory_vector_dim * self.read_head_num
        self._output_kernel, self._output_bias = self._linear("output", input_size, self.output_dim)
        self._init_read_vectors = self._initial("read_vector", self.read_head_num, self.memory_vector_dim)
        self._init_address_weights = self._initial("address_weights", self.num_heads, self.memory_size)
        self._M = self.add_weight(
            "memory",
            [self.memory_size, self.memory_vector_dim],
            initializer=tf.constant_initializer(1e-6, dtype=self.dtype),
        )
        self.built = True

    def _linear(self, name: str, rows: int, size: int) -> Any:
        normal = tf.truncated_normal_initializer(stddev=1 / math.sqrt(rows), dtype=tf.float32)
        zeros = tf.constant_initializer(0.0, dtype=self.dtype)
        return (
            self.add_weight(name + "_kernel", [rows, size], initializer=normal),
            self.add_weight(name + "_bias", [size], initializer=zeros),
        )

    def _initial(self, name: str, heads: int, size: int) -> List[Any]:
        return [
            self.add_weight(f"initial_{name}_{i}", [1, size], initializer=tf.keras.initializers.glorot_uniform())
            for i in range(heads)
        ]

    def call(self, x: Any, prev_state: Any) -> Any:
        """Computes one step: runs the controller, then reads from and writes to the memory.

        Args:
            x: `[batch, input_size]` float tensor.
            prev_state: State of the step before, an NTMControllerState, whose docstring has the shapes.

        Returns:
            Output, `[batch, output_dim]`, and the next state.
        """
        state = self._with_initial_values(prev_state, batch_of(x))
        inputs = tf.concat([x, *state.read_vector_list], axis=1)
        output, controller_state = self.controller(inputs, state.controller_state)
        parameters = self._limited(tf.matmul(output, self._params_kernel), self._params_bias)
        head_parameters = self.num_parameters_per_head * self.num_heads
        heads = tf.split(parameters[:, :head_parameters], self.num_heads, axis=1)
        w_list = [self._address(head, state.M, before) for head, before in zip(heads, state.w_list)]
        reading, writing = w_list[: self.read_head_num], w_list[self.read_head_num :]
        read = [tf.reduce_sum(tf.expand_dims(w, 2) * state.M, axis=1) for w in reading]
        memory = state.M
        erase_and_add = tf.split(parameters[:, head_parameters:], 2 * self.write_head_num, axis=1)
        for w, erase, add in zip(writing, erase_and_add[::2], erase_and_add[1::2]):
            rows = tf.expand_dims(w, 2)
            remaining = tf.ones_like(memory) - tf.matmul(rows, tf.expand_dims(tf.sigmoid(erase), 1))
            memory = memory * remaining + tf.matmul(rows, tf.expand_dims(tf.tanh(add), 1))
        output = self._limited(tf.matmul(tf.concat([output, *read], axis=1), self._output_kernel), self._output_bias)
        return output, NTMControllerState(controller_state, read, w_list, memory, prev_state.time + 1)

    def _limited(self, product: Any, biases: Any) -> Any:
        return tf.clip_by_value(tf.nn.bias_add(product, biases), -self.clip_value, self.clip_value)

    def _with_initial_values(self, state: Any, batch_size: Any) -> Any:
        """Returns the state; at the first step, with the trained initial values of vectors, attention and memory."""
        first = tf.equal(state.time, 0)

        def for_all(row: Any) -> Any:
            """Returns a row, repeated for all examples: `[...]` becomes `[batch, ...]`."""
            return tf.tile(tf.expand_dims(row, 0), [batch_size] + [1] * row.shape.ndims)

        def either(begin: Any, now: Any) -> Any:
            """Returns the initial value at the first step, else the current value, `[batch, ...]`."""
            return tf.cond(first, begin, lambda: tf.identity(now))

        vectors = [
            either(lambda v=v: for_all(tf.tanh(tf.reshape(v, [-1]))), now)  # type: ignore[misc]
            for v, now in zip(self._init_read_vectors, state.read_vector_list)
        ]
        w_list = [
            either(lambda w=w: for_all(tf.nn.softmax(tf.reshape(w, [-1]))), now)  # type: ignore[misc]
            for w, now in zip(self._init_address_weights, state.w_list)
        ]
        memory = either(lambda: for_all(self._M), state.M)
        return NTMControllerState(state.controller_state, vectors, w_list, memory, state.time)

    def _address(self, head: Any, memory: Any, before: Any) -> Any:
        """Returns a head's attention over the rows, `[batch, memory_size]`.

        Args:
            head: The head's parameters, `[batch, num_parameters_per_head]`.
            memory: Memory, `[batch, memory_size, memory_vector_dim]`.
            before: The head's attention at the step before, `[batch, memory_size]`.
        """
        dim, size, shift_range = self.memory_vector_dim, self.memory_size, self.shift_range
        key = tf.expand_dims(tf.tanh(head[:, :dim]), 2)
        strength = tf.expand_dims(tf.nn.softplus(head[:, dim]), 1)
        gate = tf.expand_dims(tf.sigmoid(head[:, dim + 1]), 1)
        shifts = tf.nn.softmax(head[:, dim + 2 : dim + 2 + shift_range * 2 + 1])
        sharpening = tf.expand_dims(tf.nn.softplus(head[:, -1]) + 1, 1)

        norms = tf.norm(memory, axis=2, keepdims=True) * tf.norm(key, axis=1, keepdims=True)
        similarity = tf.squeeze(tf.matmul(memory, key) / (norms + 1e-8), [2])
        by_content = tf.nn.softmax(strength * similarity)
        gated = gate * by_content + (1 - gate) * before
        # Circular convolution: row i moves by each shift, weighted by the shift's probability.
        zeros = tf.zeros([batch_of(shifts), size - (shift_range * 2 + 1)])
        by_row = tf.concat([shifts[:, : shift_range + 1], zeros, shifts[:, -shift_range:]], axis=1)
        twice = tf.tile(tf.reverse(by_row, [1]), [1, 2])
        circulant = tf.stack([twice[:, size - i - 1 : size * 2 - i - 1] for i in range(size)], axis=1)
        moved = tf.reduce_sum(tf.expand_dims(gated, 1) * circulant, axis=2)
        sharp = tf.pow(moved, sharpening)
        return sharp / tf.reduce_sum(sharp, axis=1, keepdims=True)
