# Copyright 2015-2019 The TensorFlow Authors. All Rights Reserved.
# Licensed under the Apache License, Version 2.0: see LICENSE.
# Written anew for tf1mem after tensorflow/contrib of TensorFlow 1.15.5, and changed: see NOTICE.

"""Networks and functions that take cuDNN's parameter vector, and cells and checkpoints that are compatible with it."""

from __future__ import annotations

from functools import lru_cache
from typing import Any, List, Optional, Tuple

# The base class of custom objects in a checkpoint has no public name.
from tensorflow.python.training import saver

import tf1mem.v1 as tf
from tf1mem.machine import cuda
from tf1mem.v1.contrib.cudnn_rnn import composed
from tf1mem.v1.contrib.cudnn_rnn.layout import BIDIRECTIONAL, GATES, UNIDIRECTIONAL, Layout
from tf1mem.v1.contrib.rnn.cells.base import depth
from tf1mem.v1.contrib.rnn.lstm_ops import LSTMBlockCell

CUDNN_RNN_UNIDIRECTION = UNIDIRECTIONAL
CUDNN_RNN_BIDIRECTION = BIDIRECTIONAL
CUDNN_LSTM = "lstm"
CUDNN_GRU = "gru"
CUDNN_RNN_RELU = "rnn_relu"
CUDNN_RNN_TANH = "rnn_tanh"
CUDNN_LSTM_PARAMS_PER_LAYER = 8
CUDNN_GRU_PARAMS_PER_LAYER = 6
CUDNN_RNN_TANH_PARAMS_PER_LAYER = 2
CUDNN_RNN_RELU_PARAMS_PER_LAYER = 2
CUDNN_INPUT_LINEAR_MODE = "linear_input"
CUDNN_INPUT_SKIP_MODE = "skip_input"
CUDNN_INPUT_AUTO_MODE = "auto_select"


class CudnnCompatibleLSTMCell(LSTMBlockCell):
    """Computes a step of cuDNN's LSTM: `[batch, input_size]` inputs, `[batch, num_units]` outputs.

    Args:
        num_units: Size of the state.
        reuse: True to reuse existing variables.
    """

    def __init__(self, num_units: int, reuse: Optional[bool] = None) -> None:
        super().__init__(num_units, forget_bias=0, reuse=reuse, name="cudnn_compatible_lstm_cell")


class CudnnCompatibleGRUCell(tf.nn.rnn_cell.GRUCell):  # type: ignore[misc, name-defined]
    """Computes a step of cuDNN's GRU, which applies the reset gate after the matrix product; see arXiv:1406.1078.

    Args:
        num_units: Size of the state.
        reuse: True to reuse existing variables.
        kernel_initializer: Initializer of the matrices; the variable scope's by default.
    """

    def __init__(self, num_units: int, reuse: Optional[bool] = None, kernel_initializer: Any = None) -> None:
        super().__init__(num_units, activation=None, reuse=reuse, kernel_initializer=kernel_initializer)

    def build(self, inputs_shape: Any) -> None:
        """Creates the variables.

        Args:
            inputs_shape: Shape of the inputs, `[batch, input_size]`.
        """
        columns, units, initializer = depth(inputs_shape), self._num_units, self._kernel_initializer
        zeros = self._bias_initializer or tf.zeros_initializer(dtype=self.dtype)
        ones = self._bias_initializer or tf.constant_initializer(1.0, dtype=self.dtype)

        def weight(name: str, shape: List[int], initializer: Any = initializer) -> Any:
            """Returns a new variable of this name and shape."""
            return self.add_weight(name, shape, initializer=initializer)

        self._gate_kernel = weight("gates/kernel", [columns + units, 2 * units])
        self._gate_bias = weight("gates/bias", [2 * units], ones)
        self._candidate_input_kernel = weight("candidate/input_projection/kernel", [columns, units])
        self._candidate_hidden_kernel = weight("candidate/hidden_projection/kernel", [units, units])
        self._candidate_input_bias = weight("candidate/input_projection/bias", [units], zeros)
        self._candidate_hidden_bias = weight("candidate/hidden_projection/bias", [units], zeros)
        self.built = True

    def call(self, inputs: Any, state: Any) -> Any:
        """Computes a step.

        Args:
            inputs: `[batch, input_size]` tensor.
            state: `[batch, num_units]` tensor.

        Returns:
            Output and new state, the same `[batch, num_units]` tensor.
        """
        gates = tf.matmul(tf.concat([inputs, state], 1), self._gate_kernel)
        reset, update = tf.split(tf.sigmoid(tf.nn.bias_add(gates, self._gate_bias)), 2, 1)
        candidate = tf.nn.bias_add(tf.matmul(inputs, self._candidate_input_kernel), self._candidate_input_bias)
        from_state = tf.nn.bias_add(tf.matmul(state, self._candidate_hidden_kernel), self._candidate_hidden_bias)
        state = (1 - update) * self._activation(candidate + reset * from_state) + update * state
        return state, state


class CudnnParamsFormatConverter:
    """Converts between cuDNN's parameter vector, `[num_params]`, and the weights of compatible cells.

    Args:
        num_layers: Number of layers.
        num_units: Size of a layer's state.
        input_size: Size of an input.
        num_proj: Size of the projected outputs; None for no projection.
        input_mode: "linear_input", which multiplies the inputs by a matrix; "skip_input" isn't supported.
        direction: "unidirectional" or "bidirectional".

    Raises:
        ValueError: `direction` or `input_mode` is unknown, or the input mode skips the first layer's matrix.
    """

    _rnn_mode = ""

    def __init__(
        self,
        num_layers: int,
        num_units: int,
        input_size: int,
        num_proj: Optional[int] = None,
        input_mode: str = CUDNN_INPUT_LINEAR_MODE,
        direction: str = CUDNN_RNN_UNIDIRECTION,
    ) -> None:
        self._layout = _layout_for(self._rnn_mode, num_layers, num_units, input_size, input_mode, direction, num_proj)

    def tf_canonical_to_opaque(self, tf_canonicals: Any, weights_proj: Any = None) -> Any:
        """Concatenates cells' weights and biases to the parameter vector.

        Args:
            tf_canonicals: List of all weights, cell by cell, followed by all biases, in the cells' shapes.
            weights_proj: List of the projections' `[num_units, num_proj]` weights; None for no projection.

        Returns:
            `[num_params]` vector.
        """
        half = len(tf_canonicals) // 2
        layout = self._layout
        weights: List[Any] = []
        biases: List[Any] = []
        cells = zip(layout.grouped_by_layer(tf_canonicals[:half]), layout.grouped_by_layer(tf_canonicals[half:]))
        for number, (cell_weights, cell_biases) in enumerate(cells):
            columns = [layout.columns(number // layout.directions), layout.output_size]
            weights += self._to_matrices(columns, *cell_weights)
            if weights_proj is not None:
                weights.append(tf.transpose(weights_proj[number]))
            biases += self._to_biases(*cell_biases)
        return layout.join(weights, biases)

    def opaque_to_tf_canonical(self, opaque_param: Any) -> Any:
        """Converts the parameter vector to cells' weights.

        Args:
            opaque_param: `[num_params]` vector.

        Returns:
            List of weights, cell by cell, list of biases, and, with a projection, the list of its `[num_units,
            num_proj]` weights.
        """
        layout = self._layout
        weights: List[Any] = []
        biases: List[Any] = []
        projections: List[Any] = []
        for matrices, cell_biases in zip(*(layout.grouped_by_layer(parts) for parts in layout.split(opaque_param))):
            if layout.num_proj:
                projections.append(tf.transpose(matrices.pop()))
            weights += self._from_matrices(*matrices)
            biases += self._from_biases(*cell_biases)
        return (weights, biases, projections) if layout.num_proj else (weights, biases)

    def _to_matrices(self, columns: List[int], *weights: Any) -> List[Any]:
        """Returns cuDNN's matrices for a cell's weights; `columns` are the sizes of its inputs and of its state."""
        raise NotImplementedError

    def _from_matrices(self, *matrices: Any) -> List[Any]:
        """Returns a cell's weights for cuDNN's matrices."""
        raise NotImplementedError

    def _to_biases(self, *biases: Any) -> List[Any]:
        """Returns cuDNN's biases, two for each gate, for a cell's biases."""
        raise NotImplementedError

    def _from_biases(self, *biases: Any) -> List[Any]:
        """Returns a cell's biases for cuDNN's."""
        raise NotImplementedError


class CudnnParamsFormatConverterLSTM(CudnnParamsFormatConverter):
    """Converts LSTMs.

    A cell has a `[input_size + num_units, 4 * num_units]` kernel and a `[4 * num_units]` bias.

    Args:
        num_layers: Number of layers; `CudnnParamsFormatConverter` describes the other arguments.
    """

    _rnn_mode = CUDNN_LSTM
    # The indices of cuDNN's gates in the cell's order of input gate, candidate, forget gate and output gate.
    _order: Tuple[int, ...] = (0, 2, 1, 3)

    def _to_matrices(self, columns: List[int], *weights: Any) -> List[Any]:
        gates = _in_order(self._order, tf.split(tf.transpose(weights[0]), len(self._order), 0))
        for_inputs, for_state = zip(*(tf.split(gate, columns, 1) for gate in gates))
        return [*for_inputs, *for_state]

    def _from_matrices(self, *matrices: Any) -> List[Any]:
        gates = len(self._order)
        both = [tf.concat(pair, 1) for pair in zip(matrices[:gates], matrices[gates:])]
        return [tf.transpose(tf.concat(_in_order(self._order, both), 0))]

    def _to_biases(self, *biases: Any) -> List[Any]:
        # cuDNN adds two biases, each half of the cell's.
        return _in_order(self._order, tf.split(biases[0] * 0.5, len(self._order), 0)) * 2

    def _from_biases(self, *biases: Any) -> List[Any]:
        gates = len(self._order)
        sums = [input_bias + state_bias for input_bias, state_bias in zip(biases[:gates], biases[gates:])]
        return [tf.concat(_in_order(self._order, sums), 0)]


def _in_order(order: Tuple[int, ...], gates: Any) -> List[Any]:
    """Returns gates reordered from the cell's order to cuDNN's, or back: the permutation is its own inverse."""
    return [gates[at] for at in order]


class CudnnParamsFormatConverterTanh(CudnnParamsFormatConverterLSTM):
    """Converts tanh cells with a `[input_size + num_units, num_units]` kernel and a `[num_units]` bias.

    Args:
        num_layers: Number of layers; `CudnnParamsFormatConverter` describes the other arguments.
    """

    _rnn_mode = CUDNN_RNN_TANH
    _order = (0,)


class CudnnParamsFormatConverterRelu(CudnnParamsFormatConverterTanh):
    """Converts relu cells with a `[input_size + num_units, num_units]` kernel and a `[num_units]` bias.

    Args:
        num_layers: Number of layers; `CudnnParamsFormatConverter` describes the other arguments.
    """

    _rnn_mode = CUDNN_RNN_RELU


class CudnnParamsFormatConverterGRU(CudnnParamsFormatConverter):
    """Converts GRUs, whose cells have separate weights for the gates and the candidate.

    The kernels are `[input_size + num_units, 2 * num_units]` (gates), `[input_size, num_units]` (candidate from
    inputs) and `[num_units, num_units]` (candidate from state).

    Args:
        num_layers: Number of layers; `CudnnParamsFormatConverter` describes the other arguments.
    """

    _rnn_mode = CUDNN_GRU

    def _to_matrices(self, columns: List[int], *weights: Any) -> List[Any]:
        gates, for_inputs, for_state = (tf.transpose(weight) for weight in weights)
        (reset, reset_state), (update, update_state) = (tf.split(gate, columns, 1) for gate in tf.split(gates, 2, 0))
        return [reset, update, for_inputs, reset_state, update_state, for_state]

    def _from_matrices(self, *matrices: Any) -> List[Any]:
        reset, update, for_inputs, reset_state, update_state, for_state = matrices
        gates = tf.concat([tf.concat([reset, reset_state], 1), tf.concat([update, update_state], 1)], 0)
        return [tf.transpose(each) for each in (gates, for_inputs, for_state)]

    def _to_biases(self, *biases: Any) -> List[Any]:
        gates, for_inputs, for_state = biases
        reset, update = tf.split(gates * 0.5, 2, 0)
        return [reset, update, for_inputs, reset, update, for_state]

    def _from_biases(self, *biases: Any) -> List[Any]:
        reset, update, for_inputs, reset_state, update_state, for_state = biases
        return [tf.concat([reset + reset_state, update + update_state], 0), for_inputs, for_state]


class CudnnOpaqueParamsSaveable(saver.BaseSaverBuilder.SaveableObject):  # type: ignore[misc]
    """Saves cuDNN's parameter vector to checkpoints as the weights of compatible cells, under the cells' names.

    Args:
        opaque_params: Variable of the parameter vector, `[num_params]`.
        num_layers: Number of layers.
        num_units: Size of a layer's state.
        input_size: Size of an input.
        input_mode: "linear_input", which multiplies the inputs by a matrix; "skip_input" isn't supported.
        direction: "unidirectional" or "bidirectional".
        scope: VariableScope, or its name, of the names in the checkpoint.
        name: Name of the object.

    Raises:
        ValueError: `direction` or `input_mode` is unknown, or the input mode skips the first layer's matrix.
    """

    _converter: Any = CudnnParamsFormatConverter
    _cell_name = ""
    _weight_names: Tuple[str, ...] = ("kernel",)
    _bias_names: Tuple[str, ...] = ("bias",)

    def __init__(
        self,
        opaque_params: Any,
        num_layers: int,
        num_units: int,
        input_size: int,
        input_mode: str = CUDNN_INPUT_LINEAR_MODE,
        direction: str = CUDNN_RNN_UNIDIRECTION,
        scope: Any = None,
        name: str = "cudnn_rnn_saveable",
    ) -> None:
        self.format_converter = self._converter(
            num_layers, num_units, input_size, input_mode=input_mode, direction=direction
        )
        self._variables = opaque_params
        scope = getattr(scope, "name", scope)
        prefix = scope + "/" if scope else ""
        weights, biases = self.format_converter.opaque_to_tf_canonical(opaque_params)
        names = [
            f"{prefix}{cell}/{parameter}"
            for parameters in (self._weight_names, self._bias_names)
            for cell in self._cells(num_layers, direction)
            for parameter in parameters
        ]
        specs = [saver.BaseSaverBuilder.SaveSpec(value, "", name) for value, name in zip(weights + biases, names)]
        super().__init__(tf.identity(opaque_params), specs, name)

    def _cells(self, num_layers: int, direction: str) -> List[str]:
        if direction == CUDNN_RNN_UNIDIRECTION:
            return [f"rnn/multi_rnn_cell/cell_{layer}/{self._cell_name}" for layer in range(num_layers)]
        return [
            f"stack_bidirectional_rnn/cell_{layer}/bidirectional_rnn/{cell_scope}/{self._cell_name}"
            for layer in range(num_layers)
            for cell_scope in ("fw", "bw")
        ]

    def restore(self, restored_tensors: Any, restored_shapes: Any) -> Any:
        """Restores the parameter vector from the weights and biases of cells.

        Args:
            restored_tensors: List of the cells' weights and biases, in the cells' shapes.
            restored_shapes: Not used.

        Returns:
            The op that assigns the `[num_params]` vector to the variable.
        """
        opaque = self.format_converter.tf_canonical_to_opaque(restored_tensors)
        return tf.assign(self._variables, opaque, validate_shape=False)


class CudnnLSTMSaveable(CudnnOpaqueParamsSaveable):
    """Saves the parameter vector of an LSTM, `[num_params]`.

    Args:
        opaque_params: Variable of the parameter vector; `CudnnOpaqueParamsSaveable` describes the other arguments.
    """

    _converter = CudnnParamsFormatConverterLSTM
    _cell_name = "cudnn_compatible_lstm_cell"


class CudnnGRUSaveable(CudnnOpaqueParamsSaveable):
    """Saves the parameter vector of a GRU, `[num_params]`.

    Args:
        opaque_params: Variable of the parameter vector; `CudnnOpaqueParamsSaveable` describes the other arguments.
    """

    _converter = CudnnParamsFormatConverterGRU
    _cell_name = "cudnn_compatible_gru_cell"
    _weight_names = ("gates/kernel", "candidate/input_projection/kernel", "candidate/hidden_projection/kernel")
    _bias_names = ("gates/bias", "candidate/input_projection/bias", "candidate/hidden_projection/bias")


class CudnnRNNTanhSaveable(CudnnOpaqueParamsSaveable):
    """Saves the parameter vector of a tanh network, `[num_params]`.

    Args:
        opaque_params: Variable of the parameter vector; `CudnnOpaqueParamsSaveable` describes the other arguments.
    """

    _converter = CudnnParamsFormatConverterTanh
    _cell_name = "basic_rnn_cell"


class CudnnRNNReluSaveable(CudnnOpaqueParamsSaveable):
    """Saves the parameter vector of a relu network, `[num_params]`.

    Args:
        opaque_params: Variable of the parameter vector; `CudnnOpaqueParamsSaveable` describes the other arguments.
    """

    _converter = CudnnParamsFormatConverterRelu
    _cell_name = "basic_rnn_cell"


def check_direction(direction: str) -> None:
    """Raises an error for an unknown direction.

    Args:
        direction: "unidirectional", or "bidirectional" for outputs of `[time, batch, 2 * num_units]`.

    Raises:
        ValueError: The direction is unknown.
    """
    if direction not in (CUDNN_RNN_UNIDIRECTION, CUDNN_RNN_BIDIRECTION):
        raise ValueError(
            f"Invalid direction: {direction}, expecting {CUDNN_RNN_UNIDIRECTION} or {CUDNN_RNN_BIDIRECTION}"
        )


def check_input_mode(input_mode: str) -> None:
    """Raises an error for an unknown input mode.

    Args:
        input_mode: "linear_input", which multiplies the inputs by a `[num_units, input_size]` matrix; "skip_input",
            which uses them as they are; or "auto_select", which skips the matrix if `input_size` is `num_units`.

    Raises:
        ValueError: The input mode is unknown.
    """
    modes = (CUDNN_INPUT_LINEAR_MODE, CUDNN_INPUT_SKIP_MODE, CUDNN_INPUT_AUTO_MODE)
    if input_mode not in modes:
        raise ValueError(f"Invalid input_mode: {input_mode}, expect one of {modes}")


def _layout_for(
    rnn_mode: str,
    num_layers: int,
    num_units: int,
    input_size: int,
    input_mode: str,
    direction: str,
    num_proj: Optional[int] = None,
) -> Layout:
    if rnn_mode not in GATES:
        raise ValueError(f"Invalid rnn_mode: {rnn_mode}, expect one of {tuple(GATES)}")
    check_direction(direction)
    check_input_mode(input_mode)
    # In these modes cuDNN omits the first layer's input matrix, which the layout here always has.
    skipping = input_mode == CUDNN_INPUT_AUTO_MODE and input_size == num_units
    if skipping or input_mode == CUDNN_INPUT_SKIP_MODE:
        raise ValueError(
            f"input_mode={input_mode!r} with {input_size} columns of inputs and {num_units} units: "
            f"tf1mem has no net whose first layer skips its matrix. Use input_mode={CUDNN_INPUT_LINEAR_MODE!r}"
        )
    return Layout(rnn_mode, num_layers, num_units, input_size, direction, num_proj or None)


@lru_cache(maxsize=None)
def _is_cudnn_available() -> bool:
    return bool(tf.test.is_built_with_cuda() and cuda.ask())


def _cudnn_rnn(
    inputs: Any,
    input_h: Any,
    input_c: Any,
    params: Any,
    is_training: bool,
    rnn_mode: str,
    sequence_lengths: Any = None,
    time_major: bool = True,
    input_mode: str = CUDNN_INPUT_LINEAR_MODE,
    direction: str = CUDNN_RNN_UNIDIRECTION,
    dropout: float = 0.0,
    seed: Optional[int] = 0,
    num_proj: Optional[int] = None,
    name: Optional[str] = None,
) -> Any:
    """Returns outputs and the final `h` and `c`: by cuDNN on a GPU, else by TensorFlow's ops."""
    directions = 2 if direction == CUDNN_RNN_BIDIRECTION else 1
    # A projection changes the size of `h`, but not that of `c`.
    units = tf.dimension_value((input_c if num_proj else input_h).shape[-1])
    size, layers = depth(inputs.shape), tf.dimension_value(input_h.shape[0])
    if units is None or layers is None:
        raise ValueError(f"The layers and columns of input_h have to be known: {input_h.shape}")
    layout = _layout_for(rnn_mode, layers // directions, units, size, input_mode, direction, num_proj)
    if not _is_cudnn_available():
        with tf.variable_scope(name or "cudnn_rnn"):
            return composed.net(
                layout, inputs, input_h, input_c, params, is_training, sequence_lengths, time_major, dropout, seed
            )
    seed, seed2 = tf.get_seed(seed)
    arguments = {
        "input": inputs,
        "input_h": input_h,
        "input_c": input_c,
        "params": params,
        "is_training": is_training,
        "rnn_mode": rnn_mode,
        "input_mode": input_mode,
        "direction": direction,
        "dropout": dropout,
        "seed": seed or 0,
        "seed2": seed2 or 0,
        "name": name,
    }
    if sequence_lengths is None and time_major and not num_proj:
        return tf.raw_ops.CudnnRNN(**arguments)[:3]
    if sequence_lengths is None:
        shape = tf.shape(inputs)
        time, examples = (shape[0], shape[1]) if time_major else (shape[1], shape[0])
        sequence_lengths = tf.fill([examples], time)
    arguments.update(sequence_lengths=sequence_lengths, time_major=time_major, num_proj=num_proj or 0)
    return tf.raw_ops.CudnnRNNV3(**arguments)[:3]


def cudnn_rnn_opaque_params_to_canonical(
    rnn_mode: str,
    num_layers: int,
    num_units: int,
    input_size: int,
    params: Any,
    input_mode: str = CUDNN_INPUT_LINEAR_MODE,
    direction: str = CUDNN_RNN_UNIDIRECTION,
    dropout: float = 0,
    seed: int = 0,
    num_proj: Optional[int] = None,
    name: Optional[str] = None,
) -> Any:
    """Splits cuDNN's parameter vector into matrices and biases.

    Args:
        rnn_mode: "lstm", "gru", "rnn_relu" or "rnn_tanh".
        num_layers: Number of layers.
        num_units: Size of a layer's state.
        input_size: Size of an input.
        params: `[num_params]` vector.
        input_mode: "linear_input", which multiplies the inputs by a matrix; "skip_input" isn't supported.
        direction: "unidirectional" or "bidirectional".
        dropout: Not used.
        seed: Not used.
        num_proj: Size of an LSTM's projected outputs; None for no projection.
        name: Name scope of the ops.

    Returns:
        List of `[num_units, columns]` matrices (projections `[num_proj, num_units]`) and list of `[num_units]`
        biases, layer by layer and forward before backward: the gates' for the inputs, the gates' for the state, and the
        projection. `columns` is the size of the inputs or of the state, by which a matrix is multiplied.

    Raises:
        ValueError: A mode or `direction` is unknown, or `input_mode` skips the first layer's matrix.
    """
    layout = _layout_for(rnn_mode, num_layers, num_units, input_size, input_mode, direction, num_proj)
    with tf.name_scope(name, "opaque_to_canonical", [params]):
        return layout.split(params)


def cudnn_rnn_canonical_to_opaque_params(
    rnn_mode: str,
    num_layers: int,
    num_units: int,
    input_size: int,
    weights: Any,
    biases: Any,
    input_mode: str = CUDNN_INPUT_LINEAR_MODE,
    direction: str = CUDNN_RNN_UNIDIRECTION,
    dropout: float = 0,
    seed: int = 0,
    num_proj: Optional[int] = None,
    name: Optional[str] = None,
) -> Any:
    """Returns cuDNN's parameter vector, `[num_params]`, concatenated from matrices and biases.

    Args:
        rnn_mode: "lstm", "gru", "rnn_relu" or "rnn_tanh".
        num_layers: Number of layers.
        num_units: Size of a layer's state.
        input_size: Size of an input.
        weights: List of `[num_units, columns]` matrices (projections `[num_proj, num_units]`), in the order that
            `cudnn_rnn_opaque_params_to_canonical` returns.
        biases: List of `[num_units]` biases, in that order.
        input_mode: "linear_input", which multiplies the inputs by a matrix; "skip_input" isn't supported.
        direction: "unidirectional" or "bidirectional".
        dropout: Not used.
        seed: Not used.
        num_proj: Size of the projected outputs; None for no projection.
        name: Name scope of the ops.

    Raises:
        ValueError: A mode or `direction` is unknown, or `input_mode` skips the first layer's matrix.
    """
    layout = _layout_for(rnn_mode, num_layers, num_units, input_size, input_mode, direction, num_proj)
    with tf.name_scope(name, "canonical_to_opaque", [*weights, *biases]):
        return layout.join(weights, biases)


def cudnn_rnn_opaque_params_size(
    rnn_mode: str,
    num_layers: int,
    num_units: int,
    input_size: int,
    input_mode: str = CUDNN_INPUT_LINEAR_MODE,
    direction: str = CUDNN_RNN_UNIDIRECTION,
    dtype: Any = tf.float32,
    dropout: float = 0,
    seed: int = 0,
    num_proj: Optional[int] = None,
    name: Optional[str] = None,
) -> Any:
    """Returns the size of cuDNN's parameter vector, a scalar int32 tensor (shape `[]`).

    Args:
        rnn_mode: "lstm", "gru", "rnn_relu" or "rnn_tanh".
        num_layers: Number of layers.
        num_units: Size of a layer's state.
        input_size: Size of an input.
        input_mode: "linear_input", which multiplies the inputs by a matrix; "skip_input" isn't supported.
        direction: "unidirectional" or "bidirectional".
        dtype: Not used.
        dropout: Not used.
        seed: Not used.
        num_proj: Size of the projected outputs; None for no projection.
        name: Name of the op.

    Raises:
        ValueError: A mode or `direction` is unknown, or `input_mode` skips the first layer's matrix.
    """
    layout = _layout_for(rnn_mode, num_layers, num_units, input_size, input_mode, direction, num_proj)
    return tf.constant(layout.size(), tf.int32, name=name or "opaque_params_size")


class _CudnnRNN:
    """Runs a stacked recurrent network whose parameter vector is an argument; `CudnnLSTM` describes the arguments."""

    _rnn_mode = ""

    def __init__(
        self,
        num_layers: int,
        num_units: int,
        input_size: int,
        input_mode: str = CUDNN_INPUT_LINEAR_MODE,
        direction: str = CUDNN_RNN_UNIDIRECTION,
        dtype: Any = tf.float32,
        dropout: float = 0.0,
        seed: int = 0,
        num_proj: Optional[int] = None,
    ) -> None:
        self._layout = _layout_for(self._rnn_mode, num_layers, num_units, input_size, input_mode, direction, num_proj)
        self.rnn_mode = self._rnn_mode
        self.num_layers = num_layers
        self.num_units = num_units
        self.input_size = input_size
        self.input_mode = input_mode
        self.direction = direction
        self.num_proj = num_proj
        self._dropout = dropout
        self._seed = seed

    def params_size(self) -> Any:
        """Returns the size of the parameter vector, a scalar int32 tensor (shape `[]`)."""
        return tf.constant(self._layout.size(), tf.int32)

    def params_to_canonical(self, params: Any) -> Any:
        """Returns the `[num_units, columns]` matrices and `[num_units]` biases of the parameter vector.

        Args:
            params: `[num_params]` vector.
        """
        return self._layout.split(params)

    def canonical_to_params(self, weights: Any, biases: Any) -> Any:
        """Returns the parameter vector, `[num_params]`, concatenated from matrices and biases.

        Args:
            weights: List of `[num_units, columns]` matrices, in the order that `params_to_canonical` returns.
            biases: List of `[num_units]` biases, in that order.
        """
        return self._layout.join(weights, biases)

    def _forward(
        self, inputs: Any, h: Any, c: Any, params: Any, is_training: bool, sequence_lengths: Any, time_major: bool
    ) -> Any:
        return _cudnn_rnn(
            inputs,
            h,
            c,
            params,
            is_training,
            self._rnn_mode,
            sequence_lengths=sequence_lengths,
            time_major=time_major,
            input_mode=self.input_mode,
            direction=self.direction,
            dropout=self._dropout,
            seed=self._seed,
            num_proj=self.num_proj,
        )


class CudnnLSTM(_CudnnRNN):
    """Runs a stacked LSTM with a `[num_params]` parameter vector over `[time, batch, input_size]` inputs.

    Args:
        num_layers: Number of layers.
        num_units: Size of a layer's state.
        input_size: Size of an input.
        input_mode: "linear_input", which multiplies the inputs by a matrix; "skip_input" isn't supported.
        direction: "unidirectional" or "bidirectional".
        dtype: Dtype of the parameter vector.
        dropout: Fraction of a layer's inputs to drop in training, from 0 to 1; the first layer has no dropout.
        seed: Seed of the dropout.
        num_proj: Size of an LSTM's projected outputs; None for no projection.

    Raises:
        ValueError: `direction` or `input_mode` is unknown, or the input mode skips the first layer's matrix.
    """

    _rnn_mode = CUDNN_LSTM

    def __call__(
        self,
        input_data: Any,
        input_h: Any,
        input_c: Any,
        params: Any,
        sequence_lengths: Any = None,
        time_major: bool = True,
        is_training: bool = True,
    ) -> Any:
        """Runs the network over a sequence.

        Args:
            input_data: `[time, batch, input_size]` tensor, or `[batch, time, input_size]` without `time_major`.
            input_h: Initial `h`, `[num_layers * num_dirs, batch, output_size]`; `output_size` is `num_proj` or
                `num_units`.
            input_c: Initial `c`, `[num_layers * num_dirs, batch, num_units]`.
            params: `[num_params]` vector.
            sequence_lengths: `[batch]` integer tensor of the sequences' lengths; None if all have full length.
            time_major: True if the time dimension comes first.
            is_training: True to apply dropout.

        Returns:
            Outputs, `[time, batch, num_dirs * output_size]` or batch first like `input_data`, and the final `h` and
            `c`.
        """
        return self._forward(input_data, input_h, input_c, params, is_training, sequence_lengths, time_major)


# The base class of networks whose state has no cell state `c`, only `h`.
class _CudnnRNNNoInputC(_CudnnRNN):
    def __call__(
        self,
        input_data: Any,
        input_h: Any,
        params: Any,
        sequence_lengths: Any = None,
        time_major: bool = True,
        is_training: bool = True,
    ) -> Any:
        """Runs the network over a sequence.

        Args:
            input_data: `[time, batch, input_size]` tensor, or `[batch, time, input_size]` without `time_major`.
            input_h: Initial `h`, `[num_layers * num_dirs, batch, num_units]`.
            params: `[num_params]` vector.
            sequence_lengths: `[batch]` integer tensor of the sequences' lengths; None if all have full length.
            time_major: True if the time dimension comes first.
            is_training: True to apply dropout.

        Returns:
            Outputs, `[time, batch, num_dirs * num_units]` or batch first like `input_data`, and the final `h`.
        """
        no_cell_state = tf.constant([], dtype=input_h.dtype)
        return self._forward(input_data, input_h, no_cell_state, params, is_training, sequence_lengths, time_major)[:2]


class CudnnGRU(_CudnnRNNNoInputC):
    """Runs a stacked GRU with a `[num_params]` parameter vector over `[time, batch, input_size]` inputs.

    Args:
        num_layers: Number of layers; `CudnnLSTM` describes the other arguments.
    """

    _rnn_mode = CUDNN_GRU


class CudnnRNNTanh(_CudnnRNNNoInputC):
    """Runs a stacked tanh network with a `[num_params]` parameter vector over `[time, batch, input_size]` inputs.

    Args:
        num_layers: Number of layers; `CudnnLSTM` describes the other arguments.
    """

    _rnn_mode = CUDNN_RNN_TANH


class CudnnRNNRelu(_CudnnRNNNoInputC):
    """Runs a stacked relu network with a `[num_params]` parameter vector over `[time, batch, input_size]` inputs.

    Args:
        num_layers: Number of layers; `CudnnLSTM` describes the other arguments.
    """

    _rnn_mode = CUDNN_RNN_RELU
