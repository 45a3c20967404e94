# Copyright 2015-2019 The TensorFlow Authors. All Rights Reserved.
# Licensed under the Apache License, Version 2.0: see LICENSE.
# Written anew for tf1mem after tensorflow/contrib of TensorFlow 1.15.5, and changed: see NOTICE.

"""LSTMs computed by one op: a step (LSTMBlockCell), or a whole sequence (BlockLSTM)."""

from __future__ import annotations

from typing import Any, List, Optional

import tf1mem.v1 as tf
from tf1mem.v1.contrib.rnn.cells.base import LayerCell, depth, lstm_state

LSTMStateTuple = tf.nn.rnn_cell.LSTMStateTuple


def _lstm_block_cell(
    x: Any,
    cs_prev: Any,
    h_prev: Any,
    w: Any,
    b: Any,
    wci: Any = None,
    wcf: Any = None,
    wco: Any = None,
    forget_bias: Optional[float] = None,
    cell_clip: Optional[float] = None,
    use_peephole: Optional[bool] = None,
    name: Optional[str] = None,
) -> Any:
    """Returns the seven outputs of the op LSTMBlockCell, each `[batch, units]`: i, cs, f, o, ci, co, h.

    They are the input gate, cell state, forget gate, output gate, cell input, tanh of the cell state, and output.
    """
    if wci is None:
        units = tf.dimension_value(cs_prev.shape.with_rank(2)[1])
        if units is None:
            raise ValueError("cs_prev: the number of columns is unknown. Set its shape.")
        wci = wcf = wco = tf.constant(0, dtype=tf.float32, shape=[units])
    return tf.raw_ops.LSTMBlockCell(
        x=x,
        cs_prev=cs_prev,
        h_prev=h_prev,
        w=w,
        wci=wci,
        wcf=wcf,
        wco=wco,
        b=b,
        forget_bias=1.0 if forget_bias is None else forget_bias,
        cell_clip=-1 if cell_clip is None else cell_clip,
        use_peephole=bool(use_peephole),
        name=name,
    )


def _block_lstm(
    seq_len_max: Any,
    x: List[Any],
    w: Any,
    b: Any,
    cs_prev: Any = None,
    h_prev: Any = None,
    wci: Any = None,
    wcf: Any = None,
    wco: Any = None,
    forget_bias: Optional[float] = None,
    cell_clip: Optional[float] = None,
    use_peephole: Optional[bool] = None,
    name: Optional[str] = None,
) -> Any:
    """Returns the outputs of `_lstm_block_cell` for a sequence, each a list of a `[batch, units]` tensor per step."""
    dtype = x[0].dtype
    batch = tf.dimension_value(x[0].shape.with_rank(2)[0])
    size = tf.dimension_value(b.shape.with_rank(1)[0])
    if size is None:
        raise ValueError("`b` shape must not be None.")
    units = size // 4
    if cs_prev is None or h_prev is None:
        zeros = tf.constant(0, dtype=dtype, shape=[batch, units])
        cs_prev = zeros if cs_prev is None else cs_prev
        h_prev = zeros if h_prev is None else h_prev
    if wci is None:
        wci = wcf = wco = tf.constant(0, dtype=dtype, shape=[units])
    outputs = tf.raw_ops.BlockLSTM(
        seq_len_max=seq_len_max,
        x=tf.stack(x),
        cs_prev=cs_prev,
        h_prev=h_prev,
        w=w,
        wci=wci,
        wcf=wcf,
        wco=wco,
        b=b,
        forget_bias=1.0 if forget_bias is None else forget_bias,
        cell_clip=-1 if cell_clip is None else cell_clip,
        use_peephole=bool(use_peephole),
        name=name,
    )
    return tuple(tf.unstack(output) for output in outputs)


def _lstm_block_cell_grad(op: Any, *grad: Any) -> Any:
    x, cs_prev, h_prev, w, wci, wcf, wco, b = op.inputs
    i, cs, f, o, ci, co, _ = op.outputs
    grad_cs_prev, grad_gates, grad_wci, grad_wcf, grad_wco = tf.raw_ops.LSTMBlockCellGrad(
        x=x,
        cs_prev=cs_prev,
        h_prev=h_prev,
        w=w,
        wci=wci,
        wcf=wcf,
        wco=wco,
        b=b,
        i=i,
        cs=cs,
        f=f,
        o=o,
        ci=ci,
        co=co,
        cs_grad=grad[1],
        h_grad=grad[6],
        use_peephole=op.get_attr("use_peephole"),
    )
    grad_x, grad_h_prev = gradients_of_both(grad_gates, w, x, h_prev)
    grad_w = tf.matmul(tf.concat([x, h_prev], 1), grad_gates, transpose_a=True)
    return grad_x, grad_cs_prev, grad_h_prev, grad_w, grad_wci, grad_wcf, grad_wco, tf.reduce_sum(grad_gates, 0)


def gradients_of_both(grad_gates: Any, w: Any, x: Any, h_prev: Any) -> Any:
    """Returns the gradients of `x` and `h_prev`, whose concatenation was multiplied by `w`.

    Args:
        grad_gates: Gradient of the product, `[batch, 4 * units]`.
        w: Kernel, `[input_size + units, 4 * units]`.
        x: Inputs, `[batch, input_size]`.
        h_prev: Output of the step before, `[batch, units]`.
    """
    sizes = [tf.dimension_value(each.shape[1]) for each in (x, h_prev)]
    gradients = tf.split(tf.matmul(grad_gates, w, transpose_b=True), sizes, 1)
    for gradient, tensor in zip(gradients, (x, h_prev)):
        gradient.set_shape(tensor.shape)
    return gradients


def register_gradient(op_type: str, gradient: Any) -> None:
    """Registers the gradient of an op, as contrib did in TensorFlow 1, unless another package has done so.

    Args:
        op_type: Type of the op.
        gradient: Function of the op and the gradients of its outputs, which returns the gradients of its inputs, in the
            inputs' shapes.
    """
    try:
        tf.RegisterGradient(op_type)(gradient)
    except KeyError:
        pass  # Another package has registered it.


register_gradient("LSTMBlockCell", _lstm_block_cell_grad)


def _add_weights(layer: Any, input_size: int, units: int) -> None:
    """Makes the variables of a layer that calls LSTMBlockCell or BlockLSTM."""
    layer._kernel = layer.add_weight("kernel", [input_size + units, units * 4])
    layer._bias = layer.add_weight("bias", [units * 4], initializer=tf.constant_initializer(0.0))
    if layer._use_peephole:
        layer._w_i_diag = layer.add_weight("w_i_diag", [units])
        layer._w_f_diag = layer.add_weight("w_f_diag", [units])
        layer._w_o_diag = layer.add_weight("w_o_diag", [units])


def _peepholes(layer: Any, units: int, dtype: Any) -> Any:
    if layer._use_peephole:
        return layer._w_i_diag, layer._w_f_diag, layer._w_o_diag
    return (tf.zeros([units], dtype=dtype),) * 3


class LSTMBlockCell(LayerCell):
    """LSTM cell computed by the op LSTMBlockCell; Zaremba et al., arXiv:1409.2329.

    Args:
        num_units: Units of the cell state.
        forget_bias: Number added to the forget gate before its sigmoid.
        cell_clip: Largest absolute value of the cell state; None for no limit.
        use_peephole: True to let the gates see the cell state, by a weight for each unit.
        dtype: Type of the variables; None for the inputs'.
        reuse: True to use variables that exist already in the scope.
        name: Name of the layer.
    """

    def __init__(
        self,
        num_units: int,
        forget_bias: float = 1.0,
        cell_clip: Optional[float] = None,
        use_peephole: bool = False,
        dtype: Any = None,
        reuse: Optional[bool] = None,
        name: str = "lstm_cell",
    ) -> None:
        super().__init__(lstm_state(num_units), num_units, reuse, dtype=dtype, name=name)
        self._num_units = num_units
        self._forget_bias = forget_bias
        self._use_peephole = use_peephole
        self._cell_clip = -1 if cell_clip is None else cell_clip

    def build(self, inputs_shape: Any) -> None:
        """Makes the variables, for inputs of shape `[batch, input_size]`."""
        _add_weights(self, depth(inputs_shape), self._num_units)
        self.built = True

    def call(self, inputs: Any, state: Any) -> Any:
        """Computes one step.

        Args:
            inputs: `[batch, input_size]` float32 or float16 tensor.
            state: LSTMStateTuple of cell state and output, `[batch, num_units]` both, or another pair.

        Returns:
            Output, `[batch, num_units]`, and the next state.

        Raises:
            ValueError: The state has more or fewer parts.
        """
        if len(state) != 2:
            raise ValueError(f"state: it has {len(state)} parts. Give two, (c, h).")
        wci, wcf, wco = _peepholes(self, self._num_units, self.dtype)
        cs_prev, h_prev = state
        _, cs, _, _, _, _, h = _lstm_block_cell(
            inputs,
            cs_prev,
            h_prev,
            w=self._kernel,
            b=self._bias,
            wci=wci,
            wcf=wcf,
            wco=wco,
            forget_bias=self._forget_bias,
            cell_clip=self._cell_clip,
            use_peephole=self._use_peephole,
        )
        return h, LSTMStateTuple(cs, h)


class LSTMBlockWrapper(tf.layers.Layer):  # type: ignore[misc, name-defined]
    """Base of LSTMs that compute a whole sequence, `[time, batch, input_size]`, in one call."""

    @property
    def num_units(self) -> int:
        """Returns the number of units of the cell state, `[batch, num_units]`; a subclass defines it."""
        raise NotImplementedError

    def _call_cell(
        self, inputs: Any, initial_cell_state: Any, initial_output: Any, dtype: Any, sequence_length: Any
    ) -> Any:
        raise NotImplementedError

    def call(self, inputs: Any, initial_state: Any = None, dtype: Any = None, sequence_length: Any = None) -> Any:
        """Computes all steps of a sequence.

        Args:
            inputs: `[time, batch, input_size]` tensor, or a list of `[batch, input_size]` tensors, one for each step.
            initial_state: Cell state and output before the first step, each `[batch, num_units]`; None for zeros.
            dtype: Type of the zero state; required without `initial_state`, whose type is the default.
            sequence_length: `[batch]` integers, number of steps of each example; None for all steps.

        Returns:
            The outputs, `[time, batch, num_units]`, or a list if the inputs are one, and the last state, an
            LSTMStateTuple.

        Raises:
            ValueError: The last dimension of the inputs isn't known, both `initial_state` and `dtype` are missing, or
                the state isn't a pair.
        """
        as_list = isinstance(inputs, list)
        if as_list:
            inputs = tf.stack(inputs)
        time, batch, size = inputs.shape.with_rank(3).as_list()
        if not size:
            raise ValueError(f"Expecting inputs_shape[2] to be set: {inputs.shape}")
        if batch is None:
            batch = tf.shape(inputs)[1]
        if time is None:
            time = tf.shape(inputs)[0]
        if initial_state is None:
            if dtype is None:
                raise ValueError("initial_state, dtype: both are missing. Give one of them.")
            zeros = tf.zeros(tf.stack([batch, self.num_units]), dtype=dtype)
            initial_state = (zeros, zeros)
        elif len(initial_state) != 2:
            raise ValueError(f"initial_state: it has {len(initial_state)} parts. Give two, (c, h), or None.")
        elif dtype is None:
            dtype = initial_state[0].dtype
        if sequence_length is not None:
            sequence_length = tf.convert_to_tensor(sequence_length)
        cell_states, outputs = self._call_cell(inputs, initial_state[0], initial_state[1], dtype, sequence_length)
        if sequence_length is None:
            last = LSTMStateTuple(cell_states[-1], outputs[-1])
        else:
            # These are the ops that TensorFlow 1 makes: the seeds of later ops depend on the number of ops.
            present = tf.transpose(tf.sequence_mask(sequence_length, time, dtype=dtype), [1, 0])
            outputs *= tf.tile(tf.expand_dims(present, -1), [1, 1, self.num_units])

            def last_of(before: Any, steps: Any) -> Any:
                """Returns each sequence's last of the `[time, batch, units]` steps, or `before` for an empty one."""
                after = tf.concat([tf.expand_dims(before, 0), steps], 0)
                return tf.gather_nd(after, tf.stack([sequence_length, tf.range(batch)], axis=1))

            last = LSTMStateTuple(last_of(initial_state[0], cell_states), last_of(initial_state[1], outputs))
        return tf.unstack(outputs) if as_list else outputs, last


class LSTMBlockFusedCell(LSTMBlockWrapper):
    """LSTM over a whole sequence, computed by the op BlockLSTM; Zaremba et al., arXiv:1409.2329.

    Args:
        num_units: Units of the cell state.
        forget_bias: Number added to the forget gate before its sigmoid.
        cell_clip: Largest absolute value of the cell state; None for no limit.
        use_peephole: True to let the gates see the cell state, by a weight for each unit.
        reuse: True to use variables that exist already in the scope.
        dtype: Type of the variables; None for the inputs'.
        name: Name of the layer.
    """

    def __init__(
        self,
        num_units: int,
        forget_bias: float = 1.0,
        cell_clip: Optional[float] = None,
        use_peephole: bool = False,
        reuse: Optional[bool] = None,
        dtype: Any = None,
        name: str = "lstm_fused_cell",
    ) -> None:
        super().__init__(_reuse=reuse, name=name, dtype=dtype)
        self._num_units = num_units
        self._forget_bias = forget_bias
        self._cell_clip = -1 if cell_clip is None else cell_clip
        self._use_peephole = use_peephole
        self.input_spec = tf.layers.InputSpec(ndim=3)

    @property
    def num_units(self) -> int:
        """Returns the number of units of the cell state, `[batch, num_units]`."""
        return self._num_units

    def build(self, input_shape: Any) -> None:
        """Makes the variables, for inputs of shape `[time, batch, input_size]`."""
        _add_weights(self, depth(input_shape), self._num_units)
        self.built = True

    def _call_cell(
        self,
        inputs: Any,
        initial_cell_state: Any = None,
        initial_output: Any = None,
        dtype: Any = None,
        sequence_length: Any = None,
    ) -> Any:
        wci, wcf, wco = _peepholes(self, self._num_units, dtype)
        if sequence_length is not None:
            steps = tf.reduce_max(sequence_length)
        elif inputs.shape.dims[0].value is not None:  # As in TensorFlow 1, no op: seeds depend on their number.
            steps = inputs.shape.dims[0].value
        else:
            steps = tf.shape(inputs)[0]
        _, cs, _, _, _, _, h = tf.raw_ops.BlockLSTM(
            seq_len_max=tf.cast(steps, tf.int64),
            x=inputs,
            cs_prev=initial_cell_state,
            h_prev=initial_output,
            w=self._kernel,
            wci=wci,
            wcf=wcf,
            wco=wco,
            b=self._bias,
            forget_bias=self._forget_bias,
            cell_clip=self._cell_clip,
            use_peephole=self._use_peephole,
        )
        return cs, h
