# Copyright 2015-2019 The TensorFlow Authors. All Rights Reserved.
# Licensed under the Apache License, Version 2.0: see LICENSE.
# Written anew for tf1mem after tensorflow/contrib of TensorFlow 1.15.5, and changed: see NOTICE.

"""Where a net's weights and biases are in the one vector that cuDNN has them in.

All weights come first, layer by layer and forward before backward, each matrix row by row; then all biases. Of a layer
and a direction: the gates' weights for inputs, those for what was given before, and the projection's.
"""

from __future__ import annotations

from typing import Any, List, NamedTuple, Optional, Sequence, Tuple

import tf1mem.v1 as tf

UNIDIRECTIONAL, BIDIRECTIONAL = "unidirectional", "bidirectional"

# What a net is -> its gates.
GATES = {"lstm": 4, "gru": 3, "rnn_relu": 1, "rnn_tanh": 1}


class Layout(NamedTuple):
    """What a net is.

    Attributes:
        rnn_mode: A key of `GATES`.
        num_layers: Layers.
        num_units: Columns of what a layer remembers.
        input_size: Columns of the inputs.
        direction: "unidirectional" or "bidirectional".
        num_proj: Columns that outputs are projected to; None or 0 doesn't.
    """

    rnn_mode: str
    num_layers: int
    num_units: int
    input_size: int
    direction: str = UNIDIRECTIONAL
    num_proj: Optional[int] = None

    @property
    def directions(self) -> int:
        """1 or 2."""
        return 2 if self.direction == BIDIRECTIONAL else 1

    @property
    def given(self) -> int:
        """Columns that a layer gives in one direction."""
        return self.num_proj or self.num_units

    def columns(self, layer: int) -> int:
        """Columns that a layer is given.

        Args:
            layer: Its number.
        """
        return self.given * self.directions if layer else self.input_size

    def weight_shapes(self) -> List[Tuple[int, int]]:
        """The shapes of all matrices."""
        gates = GATES[self.rnn_mode]
        shapes = []
        for layer in range(self.num_layers):
            of_one = [(self.num_units, self.columns(layer))] * gates + [(self.num_units, self.given)] * gates
            if self.num_proj:
                of_one.append((self.num_proj, self.num_units))
            shapes += of_one * self.directions
        return shapes

    def bias_shapes(self) -> List[Tuple[int]]:
        """The shapes of all biases."""
        return [(self.num_units,)] * (2 * GATES[self.rnn_mode] * self.num_layers * self.directions)

    def size(self) -> int:
        """Numbers in the vector."""
        return sum(rows * columns for rows, columns in self.weight_shapes()) + sum(n for (n,) in self.bias_shapes())

    def split(self, params: Any) -> Tuple[List[Any], List[Any]]:
        """The matrices and biases of a vector.

        Args:
            params: The vector.
        """
        matrices, biases = self.weight_shapes(), self.bias_shapes()
        sizes = [rows * columns for rows, columns in matrices] + [n for (n,) in biases]
        parts = tf.split(tf.reshape(params, [self.size()]), sizes)
        weights = [tf.reshape(part, shape) for part, shape in zip(parts, matrices)]
        return weights, parts[len(matrices) :]

    def join(self, weights: Sequence[Any], biases: Sequence[Any]) -> Any:
        """The vector of matrices and biases.

        Args:
            weights: The matrices, of rank 2 or flat.
            biases: The biases.
        """
        return tf.concat([tf.reshape(part, [-1]) for part in [*weights, *biases]], 0)

    def by_layer(self, parts: Sequence[Any]) -> List[List[Any]]:
        """Matrices, or biases, of each layer and direction.

        Args:
            parts: All of them.
        """
        each = len(parts) // (self.num_layers * self.directions)
        return [list(parts[at : at + each]) for at in range(0, len(parts), each)]
