# Copyright 2015-2019 The TensorFlow Authors. All Rights Reserved.
# Licensed under the Apache License, Version 2.0: see LICENSE.
# Written anew for tf1mem after tensorflow/contrib of TensorFlow 1.15.5, and changed: see NOTICE.

"""The layout of a network's weights and biases in cuDNN's parameter vector.

All weights come first, layer by layer and forward before backward, each matrix row by row; then all biases. Each layer
and direction has the gates' matrices for inputs, those for the state, and the projection's matrix.
"""

from __future__ import annotations

from typing import Any, List, NamedTuple, Optional, Sequence, Tuple

import tf1mem.v1 as tf

UNIDIRECTIONAL, BIDIRECTIONAL = "unidirectional", "bidirectional"

# Kind of network -> number of its gates.
GATES = {"lstm": 4, "gru": 3, "rnn_relu": 1, "rnn_tanh": 1}


class Layout(NamedTuple):
    """Describes a stacked recurrent network and its parameter vector of shape `[size()]`.

    Attributes:
        rnn_mode: Kind of network, a key of `GATES`.
        num_layers: Number of layers.
        num_units: Size of a layer's state.
        input_size: Size of an input.
        direction: "unidirectional" or "bidirectional".
        num_proj: Size of the projected outputs; None or 0 for no projection.
    """

    rnn_mode: str
    num_layers: int
    num_units: int
    input_size: int
    direction: str = UNIDIRECTIONAL
    num_proj: Optional[int] = None

    @property
    def directions(self) -> int:
        """Returns the number of directions, 1 or 2; a layer's outputs are `[time, batch, directions * output_size]`."""
        return 2 if self.direction == BIDIRECTIONAL else 1

    @property
    def output_size(self) -> int:
        """Returns the size of a layer's `[batch, output_size]` output in one direction, `num_proj` or `num_units`."""
        return self.num_proj or self.num_units

    def columns(self, layer: int) -> int:
        """Returns the size of a layer's input, the number of columns of its matrices (shape `[num_units, columns]`).

        Args:
            layer: Index of the layer.
        """
        return self.output_size * self.directions if layer else self.input_size

    def weight_shapes(self) -> List[Tuple[int, int]]:
        """Returns the shapes of all matrices."""
        gates = GATES[self.rnn_mode]
        shapes = []
        for layer in range(self.num_layers):
            shapes_of_direction = [(self.num_units, self.columns(layer))] * gates + [
                (self.num_units, self.output_size)
            ] * gates
            if self.num_proj:
                shapes_of_direction.append((self.num_proj, self.num_units))
            shapes += shapes_of_direction * self.directions
        return shapes

    def bias_shapes(self) -> List[Tuple[int]]:
        """Returns the shapes of all biases."""
        return [(self.num_units,)] * (2 * GATES[self.rnn_mode] * self.num_layers * self.directions)

    def size(self) -> int:
        """Returns the number of elements of the parameter vector, whose shape is `[size()]`."""
        return sum(rows * columns for rows, columns in self.weight_shapes()) + sum(n for (n,) in self.bias_shapes())

    def split(self, params: Any) -> Tuple[List[Any], List[Any]]:
        """Splits a parameter vector into matrices and biases, of the shapes of `weight_shapes` and `bias_shapes`.

        Args:
            params: `[size()]` vector.

        Returns:
            List of matrices and list of biases.
        """
        matrices, biases = self.weight_shapes(), self.bias_shapes()
        sizes = [rows * columns for rows, columns in matrices] + [n for (n,) in biases]
        parts = tf.split(tf.reshape(params, [self.size()]), sizes)
        weights = [tf.reshape(part, shape) for part, shape in zip(parts, matrices)]
        return weights, parts[len(matrices) :]

    def join(self, weights: Sequence[Any], biases: Sequence[Any]) -> Any:
        """Returns the parameter vector, `[size()]`, concatenated from matrices and biases.

        Args:
            weights: List of matrices of any shape, which are flattened.
            biases: List of `[num_units]` biases.
        """
        return tf.concat([tf.reshape(part, [-1]) for part in [*weights, *biases]], 0)

    def grouped_by_layer(self, parts: Sequence[Any]) -> List[List[Any]]:
        """Returns matrices or biases, grouped by layer and direction.

        Args:
            parts: All matrices or all biases, of the shapes of `weight_shapes` or `bias_shapes`.
        """
        each = len(parts) // (self.num_layers * self.directions)
        return [list(parts[at : at + each]) for at in range(0, len(parts), each)]
