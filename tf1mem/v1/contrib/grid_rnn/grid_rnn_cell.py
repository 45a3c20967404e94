# Copyright 2015-2019 The TensorFlow Authors. All Rights Reserved.
# Licensed under the Apache License, Version 2.0: see LICENSE.
# Written anew for tf1mem after tensorflow/contrib of TensorFlow 1.15.5, and changed: see NOTICE.

"""Grid cells: along each dimension a cell of its own, that sees what the others gave."""

from __future__ import annotations

from typing import Any, Callable, List, Optional, Sequence, Union

import tf1mem.v1 as tf
from tf1mem.v1.contrib.layers.initializers import xavier_initializer
from tf1mem.v1.contrib.layers.layers import fully_connected

Dims = Union[None, int, Sequence[int]]


class GridRNNCell(tf.nn.rnn_cell.RNNCell):  # type: ignore[misc, name-defined]
    """A grid of cells.

    Args:
        num_units: Columns of each.
        num_dims: Dimensions.
        input_dims: Those that inputs come in by, one or a list.
        output_dims: Those whose outputs are given.
        priority_dims: Those that are computed last, of what the others gave in this step.
        non_recurrent_dims: Those that have a plain layer and no cell.
        tied: Whether all share their variables.
        cell_fn: Makes a cell of `num_units`; None makes an LSTMCell.
        non_recurrent_fn: Activation of plain layers; None is relu.
        state_is_tuple: Whether a state is a tuple, and not all side by side.
        output_is_tuple: Whether an output is.

    Raises:
        TypeError: `cell_fn` makes no cell.
        ValueError: A dimension isn't there.
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
        for what, is_tuple in (("state", state_is_tuple), ("output", output_is_tuple)):
            if not is_tuple:
                tf.logging.warning("%s: Using a concatenated %s is slower. Use %s_is_tuple=True.", self, what, what)
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
        made = [self._cell(cell_fn) for _ in range(1 if tied else num_dims)]
        self._cells = made * num_dims if tied else made
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
        """Columns of an output."""
        return self._output_size

    @property
    def state_size(self) -> Any:
        """Columns of a state."""
        return self._state_size

    def __call__(self, inputs: Any, state: Any, scope: Any = None) -> Any:
        """Go one step on."""
        dims = range(self._num_dims)
        remembered, given = self._before(state)
        outputs: List[Any] = [None] * self._num_dims
        states: List[Any] = [None] * self._num_dims
        with tf.variable_scope(scope or type(self).__name__):
            self._project(inputs, remembered, given)
            first = [dim for dim in dims if dim not in self._priority]
            made = False
            for group in (first, self._priority):
                # All of a group see what was there before it.
                seen = [now if now is not None else then for now, then in zip(outputs, given)]
                for dim in group:
                    outputs[dim], states[dim] = self._along(dim, seen, remembered[dim], reuse=made and self._tied)
                    made = True
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

    def _before(self, state: Any) -> Any:
        """What is remembered, and was given, along each dimension."""
        remembered: List[Any] = [None] * self._num_dims
        given: List[Any] = [None] * self._num_dims
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
                remembered[dim], given[dim] = part
            else:
                given[dim] = part
        return remembered, given

    def _project(self, inputs: Any, remembered: List[Any], given: List[Any]) -> None:
        """Let inputs in, in place of what was given along their dimensions."""
        if inputs is None or not self._inputs or not tf.dimension_value(inputs.shape.with_rank(2)[1]):
            return
        parts = tf.split(inputs, len(self._inputs), 1)
        rows = tf.dimension_value(parts[0].shape[1])
        with_c = self._cell_state_size() > self._num_units
        for part, dim in zip(parts, self._inputs):
            shape = [rows, self._num_units]
            given[dim] = tf.matmul(part, tf.get_variable(f"project_m_{dim}", shape, dtype=inputs.dtype))
            if with_c:
                remembered[dim] = tf.matmul(part, tf.get_variable(f"project_c_{dim}", shape, dtype=inputs.dtype))

    def _along(self, dim: int, seen: List[Any], remembered: Any, reuse: bool) -> Any:
        """What is given along a dimension, and the state there."""
        last = seen[-1]
        if self._num_dims > 1:
            others = tf.concat(seen[:-1], 1)
        else:
            others = tf.zeros([tf.dimension_value(last.shape[0]) or tf.shape(last)[0], 0], last.dtype)
        plain = dim in self._non_recurrent
        scope = "non_recurrent" if plain else "recurrent"
        with tf.variable_scope(scope if self._tied else f"{scope}/cell_{dim}"):
            if reuse:
                tf.get_variable_scope().reuse_variables()
            if plain:
                return self._plain(tf.concat([others, last], 1) if self._num_dims > 1 else last), None
            state = last if remembered is None else tf.nn.rnn_cell.LSTMStateTuple(remembered, last)
            return self._cells[dim](others, state)

    def _plain(self, inputs: Any) -> Any:
        scope = tf.get_variable_scope()
        return fully_connected(
            inputs,
            num_outputs=self._num_units,
            activation_fn=self._non_recurrent_fn,
            weights_initializer=scope.initializer or xavier_initializer(),
            weights_regularizer=scope.regularizer,
        )


def _dims(dims: Dims, num_dims: int) -> List[int]:
    found = [] if dims is None else list(dims) if isinstance(dims, (list, tuple)) else [dims]
    if any(dim < 0 or dim >= num_dims for dim in found):  # type: ignore[operator]
        raise ValueError(f"Invalid dims: {found}. Must be in [0, {num_dims})")
    return sorted(set(found))  # type: ignore[arg-type]


class _Grid(GridRNNCell):
    """A grid whose first dimension has input, output and priority."""

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
    """A grid of one dimension, of BasicRNNCell.

    Args:
        num_units: As of `GridRNNCell`, as are the others.
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
    """A grid of two dimensions, of BasicRNNCell.

    Args:
        num_units: As of `GridRNNCell`, as are the others.
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
    """A grid of one dimension, of BasicLSTMCell.

    Args:
        num_units: As of `GridRNNCell`, as are the others.
        forget_bias: The cells'.
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
    """A grid of two dimensions, of BasicLSTMCell.

    Args:
        num_units: As of `GridRNNCell`, as are the others.
        forget_bias: The cells'.
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
            return tf.nn.rnn_cell.BasicLSTMCell(n, forget_bias=forget_bias)

        super().__init__(num_units, 2, cell_fn, tied, non_recurrent_fn, state_is_tuple, output_is_tuple)


class Grid1LSTMCell(_Grid):
    """A grid of one dimension, of LSTMCell.

    Args:
        num_units: As of `GridRNNCell`, as are the others.
        use_peepholes: The cells'.
        forget_bias: The cells'.
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
    """A grid of two dimensions, of LSTMCell.

    Args:
        num_units: As of `GridRNNCell`, as are the others.
        use_peepholes: The cells'.
        forget_bias: The cells'.
    """

    _dims = 2

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
            return tf.nn.rnn_cell.LSTMCell(n, forget_bias=forget_bias, use_peepholes=use_peepholes)

        super().__init__(num_units, self._dims, cell_fn, tied, non_recurrent_fn, state_is_tuple, output_is_tuple)


class Grid3LSTMCell(Grid2LSTMCell):
    """A grid of three dimensions, of LSTMCell.

    Args:
        num_units: As of `GridRNNCell`, as are the others.
        use_peepholes: The cells'.
        forget_bias: The cells'.
    """

    _dims = 3


class Grid2GRUCell(_Grid):
    """A grid of two dimensions, of GRUCell.

    Args:
        num_units: As of `GridRNNCell`, as are the others.
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
