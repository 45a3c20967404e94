# Copyright 2015-2019 The TensorFlow Authors. All Rights Reserved.
# Licensed under the Apache License, Version 2.0: see LICENSE.
# Written anew for tf1mem after tensorflow/contrib of TensorFlow 1.15.5, and changed: see NOTICE.

"""Layers that run cuDNN's recurrent networks."""

from __future__ import annotations

from typing import Any, List, Optional, Tuple

import tf1mem.v1 as tf
from tf1mem.v1.contrib.cudnn_rnn import cudnn_rnn_ops
from tf1mem.v1.contrib.cudnn_rnn.cudnn_rnn_ops import (
    CUDNN_GRU,
    CUDNN_INPUT_LINEAR_MODE,
    CUDNN_LSTM,
    CUDNN_RNN_BIDIRECTION,
    CUDNN_RNN_RELU,
    CUDNN_RNN_TANH,
    CUDNN_RNN_UNIDIRECTION,
)
from tf1mem.v1.contrib.cudnn_rnn.layout import Layout


class _CudnnRNN(tf.layers.Layer):  # type: ignore[misc, name-defined]
    """Runs a stacked recurrent network over `[time, batch, input_size]` inputs; `CudnnLSTM` describes the arguments."""

    _rnn_mode = ""
    _saveable_cls: Any = None
    built: bool

    def __init__(
        self,
        num_layers: int,
        num_units: int,
        input_mode: str = CUDNN_INPUT_LINEAR_MODE,
        direction: str = CUDNN_RNN_UNIDIRECTION,
        dropout: float = 0.0,
        seed: Optional[int] = None,
        dtype: Any = tf.float32,
        kernel_initializer: Any = None,
        bias_initializer: Any = None,
        name: Optional[str] = None,
    ) -> None:
        super().__init__(dtype=dtype, name=name)
        cudnn_rnn_ops.check_direction(direction)
        cudnn_rnn_ops.check_input_mode(input_mode)
        if dtype not in (tf.float16, tf.float32, tf.float64):
            raise ValueError(f"Only support float16, float32, float64, provided {dtype}")
        self._plain_dtype = dtype
        self._num_layers = num_layers
        self._num_units = num_units
        self._input_mode = input_mode
        self._direction = direction
        self._dropout = dropout
        self._seed = seed
        self._kernel_initializer = kernel_initializer
        self._bias_initializer = bias_initializer
        self._input_size: Optional[int] = None
        self._saveable: Any = None

    @property
    def num_layers(self) -> int:
        """Returns the number of layers; states are `[num_layers * num_dirs, batch, num_units]`."""
        return self._num_layers

    @property
    def num_units(self) -> int:
        """Returns the size of a layer's state, the last axis of `[num_layers * num_dirs, batch, num_units]`."""
        return self._num_units

    @property
    def input_mode(self) -> str:
        """Returns the first layer's input mode: "linear_input" multiplies `[time, batch, input_size]` by a matrix.

        "auto_select" does the same unless `input_size` is `num_units`; "skip_input" isn't supported.
        """
        return self._input_mode

    @property
    def input_size(self) -> int:
        """Returns the last dimension of the inputs' shape.

        Raises:
            ValueError: The layer isn't built.
        """
        if not self._input_size:
            raise ValueError("input_size: the layer isn't built yet. Call it, or its build, first.")
        return self._input_size

    @property
    def rnn_mode(self) -> str:
        """Returns the kind of network: "lstm", "gru", "rnn_relu" or "rnn_tanh"."""
        return self._rnn_mode

    @property
    def direction(self) -> str:
        """Returns "unidirectional", or "bidirectional" for outputs of `[time, batch, 2 * num_units]`."""
        return self._direction

    @property
    def num_dirs(self) -> int:
        """Returns the number of directions, 1 or 2; outputs are `[time, batch, num_dirs * num_units]`."""
        return 2 if self._direction == CUDNN_RNN_BIDIRECTION else 1

    @property
    def saveable(self) -> Any:
        """Returns the object that saves the weights, in the shapes of `CudnnCompatibleLSTMCell` and its like.

        None if the layer isn't built.
        """
        return self._saveable

    @property
    def canonical_weight_shapes(self) -> List[Tuple[int, int]]:
        """Returns the shapes of cuDNN's matrices: for each layer and direction those of the inputs, then of the states.

        Raises:
            RuntimeError: The layer isn't built.
        """
        return self._layout("canonical_weight_shapes").weight_shapes()

    @property
    def canonical_bias_shapes(self) -> List[List[int]]:
        """Returns the shapes of cuDNN's biases, `[num_units]` each, two for each gate."""
        # These shapes don't depend on the input size, which may be unknown.
        layout = Layout(self._rnn_mode, self._num_layers, self._num_units, 0, self._direction)
        return [list(shape) for shape in layout.bias_shapes()]

    def _layout(self, attribute: str) -> Layout:
        if not self._input_size:
            raise RuntimeError(f"{type(self).__name__}.{attribute} invoked before input shape is known")
        return Layout(self._rnn_mode, self._num_layers, self._num_units, self._input_size, self._direction)

    def build(self, input_shape: Any) -> None:
        """Creates the variable and the object that saves it to checkpoints.

        Args:
            input_shape: Shape of the inputs, three dimensions of which the last is known.

        Raises:
            ValueError: The shape has another rank, its last dimension is unknown, or the input mode skips the first
                layer's matrix.
        """
        if self.built:
            return
        shape = tf.TensorShape(input_shape)
        if shape.ndims != 3:
            raise ValueError(f"Expecting input_shape with 3 dims, got {shape.ndims}")
        self._input_size = shape.as_list()[-1]
        if self._input_size is None:
            raise ValueError(
                "CudnnRNN: the size of the inputs' last dimension isn't known (None). Set the inputs' shape."
            )
        self.input_spec = tf.layers.InputSpec(ndim=3, axes={-1: self._input_size})
        self._set_scope(None)
        with tf.variable_scope(self._scope, reuse=self.built, custom_getter=self._get_tracked):
            dtype = self._plain_dtype
            weights = self._kernel_initializer or tf.glorot_uniform_initializer(seed=self._seed, dtype=dtype)
            biases = self._bias_initializer or tf.constant_initializer(0.0, dtype=dtype)
            opaque = cudnn_rnn_ops.cudnn_rnn_canonical_to_opaque_params(
                self._rnn_mode,
                self._num_layers,
                self._num_units,
                self._input_size,
                [weights(list(shape), dtype=dtype) for shape in self.canonical_weight_shapes],
                [biases(shape, dtype=dtype) for shape in self.canonical_bias_shapes],
                input_mode=self._input_mode,
                direction=self._direction,
            )
            # Without a static shape, as in TensorFlow 1.15: a checkpoint of another cuDNN may have another size.
            self.kernel = tf.get_variable("opaque_kernel", dtype=dtype, initializer=opaque, validate_shape=False)
        if tf.get_variable_scope().reuse is not True:
            self._create_saveable()
        self.built = True

    def _get_tracked(self, getter: Any, *args: Any, **kwargs: Any) -> Any:
        variable = getter(*args, **kwargs)
        if not any(variable is known for known in self._trainable_weights):
            self._trainable_weights.append(variable)
        return variable

    def _create_saveable(self) -> None:
        if self._saveable is not None:
            raise RuntimeError("Cudnn saveable already created.")
        self._saveable = self._saveable_cls(
            self.kernel,
            self.num_layers,
            self.num_units,
            self.input_size,
            self.input_mode,
            self.direction,
            scope=tf.get_variable_scope(),
            name=self.kernel.name.split(":")[0] + "_saveable",
        )
        tf.add_to_collection(tf.GraphKeys.SAVEABLE_OBJECTS, self._saveable)

    def state_shape(self, batch_size: Any) -> Tuple[List[Any], ...]:
        """Returns the shapes of the state's parts, `[num_layers * num_dirs, batch_size, num_units]` each.

        Args:
            batch_size: Number of examples.
        """
        shape = [self.num_layers * self.num_dirs, batch_size, self.num_units]
        return (shape, list(shape)) if self._rnn_mode == CUDNN_LSTM else (shape,)

    def call(
        self,
        inputs: Any,
        initial_state: Any = None,
        sequence_lengths: Any = None,
        time_major: bool = True,
        training: bool = True,
    ) -> Any:
        """Runs the network over a sequence.

        Args:
            inputs: `[time, batch, input_size]` tensor, or `[batch, time, input_size]` without `time_major`.
            initial_state: Tuple `(h, c)` for an LSTM, else `(h,)`, each `[num_layers * num_dirs, batch,
                num_units]`; zeros by default.
            sequence_lengths: `[batch]` integer tensor of the sequences' lengths; None if all have full length.
            time_major: True if the time dimension comes first.
            training: True to apply dropout.

        Returns:
            Outputs, `[time, batch, num_dirs * num_units]` or batch first like `inputs`, and the final state in the
            form of `initial_state`.

        Raises:
            TypeError: `initial_state` isn't a tuple.
        """
        if initial_state is not None and not isinstance(initial_state, tuple):
            raise TypeError(f"Invalid initial_state type: {initial_state}, expecting tuple.")
        inputs = tf.convert_to_tensor(inputs, dtype=self.dtype)
        shapes = self.state_shape(tf.shape(inputs)[1 if time_major else 0])
        if initial_state is None:
            initial_state = tuple(tf.zeros(shape, dtype=self.dtype) for shape in shapes)
        state = [tf.convert_to_tensor(part, dtype=self.dtype) for part in initial_state]
        for part, (layers, _, units) in zip(state, shapes):
            part.set_shape([layers, None, units])
        lstm = self._rnn_mode == CUDNN_LSTM
        outputs, h, c = cudnn_rnn_ops._cudnn_rnn(
            inputs,
            state[0],
            state[1] if lstm else tf.constant([], dtype=self.dtype),
            self.kernel,
            training,
            self._rnn_mode,
            sequence_lengths=sequence_lengths,
            time_major=time_major,
            input_mode=self._input_mode,
            direction=self._direction,
            dropout=self._dropout,
            seed=self._seed,
        )
        return outputs, (h, c) if lstm else (h,)


class CudnnLSTM(_CudnnRNN):
    """Runs a stacked LSTM over `[time, batch, input_size]` inputs.

    The algorithm is Appleyard et al.'s, 2016, arXiv:1604.01946.

    Args:
        num_layers: Number of layers.
        num_units: Size of a layer's state.
        input_mode: "linear_input", which multiplies the inputs by a matrix; "auto_select" does the same, unless
            `input_size` is `num_units`. "skip_input" isn't supported.
        direction: "unidirectional" or "bidirectional".
        dropout: Fraction of a layer's inputs to drop in training, from 0 to 1; the first layer has no dropout.
        seed: Seed of dropout and initial weights.
        dtype: float16, float32 or float64.
        kernel_initializer: Initializer of each matrix; Glorot's uniform initializer by default.
        bias_initializer: Initializer of each bias; zeros by default.
        name: Name of the layer.

    Raises:
        ValueError: An argument has an unknown value.
    """

    _rnn_mode = CUDNN_LSTM
    _saveable_cls = cudnn_rnn_ops.CudnnLSTMSaveable


class CudnnGRU(_CudnnRNN):
    """Runs a stacked GRU over `[time, batch, input_size]` inputs; Cho et al., 2014, arXiv:1406.1078.

    Args:
        num_layers: Number of layers; `CudnnLSTM` describes the other arguments.
    """

    _rnn_mode = CUDNN_GRU
    _saveable_cls = cudnn_rnn_ops.CudnnGRUSaveable


class CudnnRNNTanh(_CudnnRNN):
    """Runs a stacked simple network with tanh over `[time, batch, input_size]` inputs.

    Args:
        num_layers: Number of layers; `CudnnLSTM` describes the other arguments.
    """

    _rnn_mode = CUDNN_RNN_TANH
    _saveable_cls = cudnn_rnn_ops.CudnnRNNTanhSaveable


class CudnnRNNRelu(_CudnnRNN):
    """Runs a stacked simple network with relu over `[time, batch, input_size]` inputs.

    Args:
        num_layers: Number of layers; `CudnnLSTM` describes the other arguments.
    """

    _rnn_mode = CUDNN_RNN_RELU
    _saveable_cls = cudnn_rnn_ops.CudnnRNNReluSaveable
