# Copyright 2015-2019 The TensorFlow Authors. All Rights Reserved.
# Licensed under the Apache License, Version 2.0: see LICENSE.
# Written anew for tf1mem after tensorflow/contrib of TensorFlow 1.15.5, and changed: see NOTICE.

"""Grids of recurrent cells with a cell per dimension; Kalchbrenner et al., 2015, arXiv:1507.01526."""

from __future__ import annotations

from typing import Any, Callable, List, Optional, Sequence, Union

import tf1mem.v1 as tf
from tf1mem.v1.contrib.layers.initializers import xavier_initializer
from tf1mem.v1.contrib.layers.layers import fully_connected

Dims = Union[None, int, Sequence[int]]


class GridRNNCell(tf.nn.rnn_cell.RNNCell):  # type: ignore[misc, name-defined]
    """Runs a grid of cells; Kalchbrenner et al., 2015, arXiv:1507.01526.

    Inputs are `[batch, input_size]`. The output of each dimension is `[batch, num_units]`, and so is its state, or each
    part of an LSTM's.

    Args:
        num_units: Size of each cell.
        num_dims: Number of dimensions.
        input_dims: Dimension, or list of dimensions, that get inputs; None for no dimension.
        output_dims: Dimension, or list of dimensions, whose outputs are returned; None for no dimension.
        priority_dims: Dimension, or list of dimensions, that are computed last, from the new outputs of the others;
            None for no dimension.
        non_recurrent_dims: Dimension, or list of dimensions, that have a fully connected layer instead of a cell, and
            no state; None for no dimension.
        tied: True if all dimensions share their variables.
        cell_fn: Function of `num_units` that returns a cell; an LSTMCell by default.
        non_recurrent_fn: Activation of the fully connected layers; relu by default.
        state_is_tuple: True for a tuple of states, False for their concatenation along columns.
        output_is_tuple: True for a tuple of outputs, False for their concatenation along columns.

    Raises:
        TypeError: `cell_fn` doesn't return an RNNCell.
        ValueError: `num_dims` is below 1, or a dimension isn't from 0 to `num_dims - 1`.
    """

    def __init__(
        self,
        num_units: int,
        num_dims: int = 1,
        input_dims: Dims = None,
        output_dims: Dims = None,
        priority_dims: Dims = None,
        non_recurrent_dims: Dims = None,
        tied: bool = False,
        cell_fn: Optional[Callable[[int], Any]] = None,
        non_recurrent_fn: Optional[Callable[[Any], Any]] = None,
        state_is_tuple: bool = True,
        output_is_tuple: bool = True,
    ) -> None:
        super().__init__()
        for part, is_tuple in (("state", state_is_tuple), ("output", output_is_tuple)):
            if not is_tuple:
                tf.logging.warning("%s: Using a concatenated %s is slower. Use %s_is_tuple=True.", self, part, part)
        if num_dims < 1:
            raise ValueError(f"dims must be >= 1: {num_dims}")
        self._num_units = num_units
        self._num_dims = num_dims
        self._inputs = _dims(input_dims, num_dims)
        self._outputs = _dims(output_dims, num_dims)
        self._priority = _dims(priority_dims, num_dims)
        self._non_recurrent = _dims(non_recurrent_dims, num_dims)
        self._recurrents = [dim for dim in range(num_dims) if dim not in self._non_recurrent]
        self._non_recurrent_fn = non_recurrent_fn or tf.nn.relu
        self._tied = tied
        self._state_is_tuple = state_is_tuple
        self._output_is_tuple = output_is_tuple
        cells = [self._cell(cell_fn) for _ in range(1 if tied else num_dims)]
        self._cells = cells * num_dims if tied else cells
        if not isinstance(self._cells[0], tf.nn.rnn_cell.RNNCell):
            raise TypeError(f"cell_fn must return an RNNCell instance, saw: {type(self._cells[0])}")
        sizes = [self._cells[0].output_size] * len(self._outputs)
        self._output_size = tuple(sizes) if output_is_tuple else sum(sizes)
        states = [self._cells[0].state_size] * len(self._recurrents)
        self._state_size = tuple(states) if state_is_tuple else self._cell_state_size() * len(states)

    def _cell(self, cell_fn: Optional[Callable[[int], Any]]) -> Any:
        if cell_fn is None:
            return tf.nn.rnn_cell.LSTMCell(num_units=self._num_units, state_is_tuple=self._state_is_tuple)
        return cell_fn(self._num_units)

    def _cell_state_size(self) -> int:
        return sum(tf.nest.flatten(self._cells[0].state_size))

    @property
    def output_size(self) -> Any:
        """Returns the size of a `[batch, size]` output, or a tuple of the sizes of the output dimensions."""
        return self._output_size

    @property
    def state_size(self) -> Any:
        """Returns the size of a `[batch, size]` state, or a tuple of the sizes of the recurrent dimensions."""
        return self._state_size

    def __call__(self, inputs: Any, state: Any, scope: Any = None) -> Any:
        """Computes a step.

        Args:
            inputs: `[batch, input_size]` tensor, split evenly among the input dimensions; `[batch, 0]` for no inputs.
            state: State of the shapes of `state_size`, each `[batch, size]`.
            scope: VariableScope, or its name; the class name by default.

        Returns:
            Output and new state, with the shapes of `output_size` and `state_size`.

        Raises:
            ValueError: A tuple `state` doesn't have one state for each recurrent dimension.
        """
        dims = range(self._num_dims)
        cell_states, previous = self._split_state(state)
        outputs: List[Any] = [None] * self._num_dims
        states: List[Any] = [None] * self._num_dims
        with tf.variable_scope(scope or type(self).__name__):
            self._project(inputs, cell_states, previous)
            first = [dim for dim in dims if dim not in self._priority]
            created = False
            for group in (first, self._priority):
                # All dimensions of a group see the outputs from before the group.
                visible = [
                    new_output if new_output is not None else old_output
                    for new_output, old_output in zip(outputs, previous)
                ]
                for dim in group:
                    outputs[dim], states[dim] = self._compute_dimension(
                        dim, visible, cell_states[dim], reuse=created and self._tied
                    )
                    created = True
            output = self._side_by_side([outputs[dim] for dim in self._outputs], self._output_is_tuple, inputs.dtype)
            new = [states[dim] for dim in self._recurrents]
            if not self._state_is_tuple:
                new = tf.nest.flatten(new)
            return output, self._side_by_side(new, self._state_is_tuple, inputs.dtype)

    @staticmethod
    def _side_by_side(tensors: List[Any], as_tuple: bool, dtype: Any) -> Any:
        if as_tuple:
            return tuple(tensors)
        return tf.concat(tensors, 1) if tensors else tf.zeros([0, 0], dtype)

    def _split_state(self, state: Any) -> Any:
        """Splits a state into two lists, with an entry for each dimension.

        Returns:
            The `c` of LSTMs' states, and the previous outputs, which are the rest of the states. An entry is None where
            the dimension has no such part.
        """
        cell_states: List[Any] = [None] * self._num_dims
        previous: List[Any] = [None] * self._num_dims
        size = self._cell_state_size()
        pairs = size > self._num_units
        if self._state_is_tuple:
            if len(self._recurrents) != len(state):
                raise ValueError(f"Expected state as a tuple of {len(self._recurrents)} element")
            parts = list(state)
        else:
            parts = tf.split(state, [size] * len(self._recurrents), 1) if self._recurrents else []
            if pairs:
                parts = [tf.split(part, [self._num_units, size - self._num_units], 1) for part in parts]
        for dim, part in zip(self._recurrents, parts):
            if pairs:
                cell_states[dim], previous[dim] = part
            else:
                previous[dim] = part
        return cell_states, previous

    def _project(self, inputs: Any, cell_states: List[Any], previous: List[Any]) -> None:
        """Replaces the states of the input dimensions in both lists by projections of the inputs."""
        if inputs is None or not self._inputs or not tf.dimension_value(inputs.shape.with_rank(2)[1]):
            return
        parts = tf.split(inputs, len(self._inputs), 1)
        rows = tf.dimension_value(parts[0].shape[1])
        with_c = self._cell_state_size() > self._num_units
        for part, dim in zip(parts, self._inputs):
            shape = [rows, self._num_units]
            previous[dim] = tf.matmul(part, tf.get_variable(f"project_m_{dim}", shape, dtype=inputs.dtype))
            if with_c:
                cell_states[dim] = tf.matmul(part, tf.get_variable(f"project_c_{dim}", shape, dtype=inputs.dtype))

    def _compute_dimension(self, dim: int, visible: List[Any], cell_state: Any, reuse: bool) -> Any:
        """Returns the output and the new state of a dimension; the state is None for a fully connected layer."""
        # As in TensorFlow 1, each cell takes the last dimension's output as its state, and the other outputs as inputs.
        last = visible[-1]
        if self._num_dims > 1:
            others = tf.concat(visible[:-1], 1)
        else:
            others = tf.zeros([tf.dimension_value(last.shape[0]) or tf.shape(last)[0], 0], last.dtype)
        plain = dim in self._non_recurrent
        scope = "non_recurrent" if plain else "recurrent"
        with tf.variable_scope(scope if self._tied else f"{scope}/cell_{dim}"):
            if reuse:
                tf.get_variable_scope().reuse_variables()
            if plain:
                return self._fully_connected(tf.concat([others, last], 1) if self._num_dims > 1 else last), None
            state = last if cell_state is None else tf.nn.rnn_cell.LSTMStateTuple(cell_state, last)
            return self._cells[dim](others, state)

    def _fully_connected(self, inputs: Any) -> Any:
        scope = tf.get_variable_scope()
        return fully_connected(
            inputs,
            num_outputs=self._num_units,
            activation_fn=self._non_recurrent_fn,
            weights_initializer=scope.initializer or xavier_initializer(),
            weights_regularizer=scope.regularizer,
        )


def _dims(dims: Dims, num_dims: int) -> List[int]:
    listed = [] if dims is None else list(dims) if isinstance(dims, (list, tuple)) else [dims]
    if any(dim < 0 or dim >= num_dims for dim in listed):  # type: ignore[operator]
        raise ValueError(f"Invalid dims: {listed}. Must be in [0, {num_dims})")
    return sorted(set(listed))  # type: ignore[arg-type]


class _Grid(GridRNNCell):
    """Runs a grid whose first dimension gets the inputs, gives the outputs, and is computed last."""

    def __init__(
        self,
        num_units: int,
        num_dims: int,
        cell_fn: Callable[[int], Any],
        tied: bool = False,
        non_recurrent_fn: Any = None,
        state_is_tuple: bool = True,
        output_is_tuple: bool = True,
    ) -> None:
        super().__init__(
            num_units,
            num_dims,
            input_dims=0,
            output_dims=0,
            priority_dims=0,
            non_recurrent_dims=None if non_recurrent_fn is None else 0,
            tied=tied,
            cell_fn=cell_fn,
            non_recurrent_fn=non_recurrent_fn,
            state_is_tuple=state_is_tuple,
            output_is_tuple=output_is_tuple,
        )


class Grid1BasicRNNCell(_Grid):
    """Runs a one-dimensional grid of BasicRNNCells: `[batch, input_size]` inputs, `[batch, num_units]` outputs.

    Args:
        num_units: Size of each cell; `GridRNNCell` describes the other arguments.
    """

    def __init__(self, num_units: int, state_is_tuple: bool = True, output_is_tuple: bool = True) -> None:
        super().__init__(
            num_units,
            1,
            tf.nn.rnn_cell.BasicRNNCell,
            state_is_tuple=state_is_tuple,
            output_is_tuple=output_is_tuple,
        )


class Grid2BasicRNNCell(_Grid):
    """Runs a two-dimensional grid of BasicRNNCells: `[batch, input_size]` inputs, `[batch, num_units]` outputs.

    Args:
        num_units: Size of each cell; `GridRNNCell` describes the other arguments.
        non_recurrent_fn: Activation of a fully connected layer in place of the first dimension's cell; None for a cell.
    """

    def __init__(
        self,
        num_units: int,
        tied: bool = False,
        non_recurrent_fn: Any = None,
        state_is_tuple: bool = True,
        output_is_tuple: bool = True,
    ) -> None:
        cell_fn = tf.nn.rnn_cell.BasicRNNCell
        super().__init__(num_units, 2, cell_fn, tied, non_recurrent_fn, state_is_tuple, output_is_tuple)


class Grid1BasicLSTMCell(_Grid):
    """Runs a one-dimensional grid of BasicLSTMCells: `[batch, input_size]` inputs, `[batch, num_units]` outputs.

    Args:
        num_units: Size of each cell; `GridRNNCell` describes the other arguments.
        forget_bias: Number added to the forget gates before their sigmoid; 1 by default.
    """

    def __init__(
        self, num_units: int, forget_bias: float = 1, state_is_tuple: bool = True, output_is_tuple: bool = True
    ) -> None:
        super().__init__(
            num_units,
            1,
            lambda n: tf.nn.rnn_cell.BasicLSTMCell(n, forget_bias=forget_bias),
            state_is_tuple=state_is_tuple,
            output_is_tuple=output_is_tuple,
        )


class Grid2BasicLSTMCell(_Grid):
    """Runs a two-dimensional grid of BasicLSTMCells: `[batch, input_size]` inputs, `[batch, num_units]` outputs.

    Args:
        num_units: Size of each cell; `GridRNNCell` describes the other arguments.
        non_recurrent_fn: Activation of a fully connected layer in place of the first dimension's cell; None for a cell.
        forget_bias: Number added to the forget gates before their sigmoid; 1 by default.
    """

    def __init__(
        self,
        num_units: int,
        tied: bool = False,
        non_recurrent_fn: Any = None,
        forget_bias: float = 1,
        state_is_tuple: bool = True,
        output_is_tuple: bool = True,
    ) -> None:
        def cell_fn(n: int) -> Any:
            """Returns the cell of a dimension, with `[batch, n]` outputs."""
            return tf.nn.rnn_cell.BasicLSTMCell(n, forget_bias=forget_bias)

        super().__init__(num_units, 2, cell_fn, tied, non_recurrent_fn, state_is_tuple, output_is_tuple)


class Grid1LSTMCell(_Grid):
    """Runs a one-dimensional grid of LSTMCells: `[batch, input_size]` inputs, `[batch, num_units]` outputs.

    Args:
        num_units: Size of each cell; `GridRNNCell` describes the other arguments.
        use_peepholes: True to let the gates see the cell state, by a weight for each unit.
        forget_bias: Number added to the forget gates before their sigmoid; 1 by default.
    """

    def __init__(
        self,
        num_units: int,
        use_peepholes: bool = False,
        forget_bias: float = 1.0,
        state_is_tuple: bool = True,
        output_is_tuple: bool = True,
    ) -> None:
        super().__init__(
            num_units,
            1,
            lambda n: tf.nn.rnn_cell.LSTMCell(n, forget_bias=forget_bias, use_peepholes=use_peepholes),
            state_is_tuple=state_is_tuple,
            output_is_tuple=output_is_tuple,
        )


class Grid2LSTMCell(_Grid):
    """Runs a two-dimensional grid of LSTMCells: `[batch, input_size]` inputs, `[batch, num_units]` outputs.

    Args:
        num_units: Size of each cell; `GridRNNCell` describes the other arguments.
        non_recurrent_fn: Activation of a fully connected layer in place of the first dimension's cell; None for a cell.
        use_peepholes: True to let the gates see the cell state, by a weight for each unit.
        forget_bias: Number added to the forget gates before their sigmoid; 1 by default.
    """

    _dims = 2  # the number of dimensions, which Grid3LSTMCell changes

    def __init__(
        self,
        num_units: int,
        tied: bool = False,
        non_recurrent_fn: Any = None,
        use_peepholes: bool = False,
        forget_bias: float = 1.0,
        state_is_tuple: bool = True,
        output_is_tuple: bool = True,
    ) -> None:
        def cell_fn(n: int) -> Any:
            """Returns the cell of a dimension, with `[batch, n]` outputs."""
            return tf.nn.rnn_cell.LSTMCell(n, forget_bias=forget_bias, use_peepholes=use_peepholes)

        super().__init__(num_units, self._dims, cell_fn, tied, non_recurrent_fn, state_is_tuple, output_is_tuple)


class Grid3LSTMCell(Grid2LSTMCell):
    """Runs a three-dimensional grid of LSTMCells: `[batch, input_size]` inputs, `[batch, num_units]` outputs.

    Args:
        num_units: Size of each cell; `GridRNNCell` describes the other arguments.
        non_recurrent_fn: Activation of a fully connected layer in place of the first dimension's cell; None for a cell.
        use_peepholes: True to let the gates see the cell state, by a weight for each unit.
        forget_bias: Number added to the forget gates before their sigmoid; 1 by default.
    """

    _dims = 3


class Grid2GRUCell(_Grid):
    """Runs a two-dimensional grid of GRUCells: `[batch, input_size]` inputs, `[batch, num_units]` outputs.

    Args:
        num_units: Size of each cell; `GridRNNCell` describes the other arguments.
        non_recurrent_fn: Activation of a fully connected layer in place of the first dimension's cell; None for a cell.
    """

    def __init__(
        self,
        num_units: int,
        tied: bool = False,
        non_recurrent_fn: Any = None,
        state_is_tuple: bool = True,
        output_is_tuple: bool = True,
    ) -> None:
        cell_fn = tf.nn.rnn_cell.GRUCell
        super().__init__(num_units, 2, cell_fn, tied, non_recurrent_fn, state_is_tuple, output_is_tuple)
