# Copyright 2015-2019 The TensorFlow Authors. All Rights Reserved.
# Licensed under the Apache License, Version 2.0: see LICENSE.
# Written anew for tf1mem after tensorflow/contrib of TensorFlow 1.15.5, and changed: see NOTICE.

"""Decoders that sample with a helper or a sampler."""

from __future__ import annotations

from typing import Any, NamedTuple

import tf1mem.v1 as tf
from tf1mem.v1.contrib.seq2seq import decoder
from tf1mem.v1.contrib.seq2seq import helper as helpers
from tf1mem.v1.contrib.seq2seq import sampler as samplers
from tf1mem.v1.contrib.seq2seq._cells import assert_like_rnncell, is_layer, output_size


class BasicDecoderOutput(NamedTuple):
    """Output and sample of a step; `dynamic_decode` returns both with a time axis, too: `[batch, time, ...]`.

    Attributes:
        rnn_output: Output of the output layer or, without one, of the cell, `[batch, ...]`.
        sample_id: Sample, `[batch]` ids or a helper's own shape, `[batch, ...]`.
    """

    rnn_output: Any
    sample_id: Any


class BasicDecoder(decoder.Decoder):
    """Decoder with a helper, which samples from the cell's `[batch, ...]` outputs and makes the next inputs.

    Args:
        cell: RNNCell that decodes.
        helper: Helper that samples and makes inputs.
        initial_state: Initial state of the cell, a structure of `[batch, ...]` tensors; outputs have the first one's
            dtype.
        output_layer: tf.layers.Layer that is applied to the cell's output; None for no layer.

    Raises:
        TypeError: `cell` isn't an RNNCell, `helper` not a Helper, or `output_layer` not a layer.
    """

    def __init__(self, cell: Any, helper: Any, initial_state: Any, output_layer: Any = None) -> None:
        assert_like_rnncell("cell", cell)
        if not isinstance(helper, helpers.Helper):
            raise TypeError(f"helper must be a Helper, received: {type(helper)}")
        if output_layer is not None and not is_layer(output_layer):
            raise TypeError(f"output_layer must be a Layer, received: {type(output_layer)}")
        self._cell = cell
        self._helper = helper
        self._initial_state = initial_state
        self._output_layer = output_layer

    @property
    def batch_size(self) -> Any:
        """Returns the batch size, an int32 tensor of shape `[]`."""
        return self._helper.batch_size

    def _rnn_output_size(self) -> Any:
        return output_size(self._cell, self._output_layer)

    @property
    def output_size(self) -> BasicDecoderOutput:
        """Returns the shapes of output and sample, without the batch axis."""
        return BasicDecoderOutput(self._rnn_output_size(), self._helper.sample_ids_shape)

    @property
    def output_dtype(self) -> BasicDecoderOutput:
        """Returns the dtypes of the output, `[batch, ...]`, and of the sample."""
        dtype = tf.nest.flatten(self._initial_state)[0].dtype
        outputs = tf.nest.map_structure(lambda _: dtype, self._rnn_output_size())
        return BasicDecoderOutput(outputs, self._helper.sample_ids_dtype)

    def initialize(self, name: str | None = None) -> Any:
        """Returns `finished` (`[batch]` bool), the first inputs (`[batch, ...]`) and the initial state.

        Args:
            name: Not used.
        """
        return (*self._helper.initialize(), self._initial_state)

    def step(self, time: Any, inputs: Any, state: Any, name: str | None = None) -> Any:
        """Computes a step; returns outputs, the next state, the next inputs and `finished`, `[batch]` bool.

        Args:
            time: Number of the step, an int32 scalar from 0.
            inputs: Inputs of the step, `[batch, ...]`.
            state: State after the previous step, a structure of `[batch, ...]` tensors.
            name: Name scope of the ops.
        """
        with tf.name_scope(name, "BasicDecoderStep", (time, inputs, state)):
            outputs, next_state = self._cell(inputs, state)
            if self._output_layer is not None:
                outputs = self._output_layer(outputs)
            ids = self._helper.sample(time=time, outputs=outputs, state=next_state)
            finished, next_inputs, next_state = self._helper.next_inputs(
                time=time, outputs=outputs, state=next_state, sample_ids=ids
            )
        return BasicDecoderOutput(outputs, ids), next_state, next_inputs, finished


class BasicDecoderV2(decoder.BaseDecoder):
    """Basic decoder as a Keras layer, with a sampler in place of the helper, for `[batch, ...]` inputs.

    A call of the layer decodes; it takes the arguments of `initialize`.

    Args:
        cell: RNNCell that decodes.
        sampler: Sampler that samples and makes inputs.
        output_layer: Layer that is applied to the cell's output; None for no layer.
        **kwargs: Arguments of BaseDecoder.

    Raises:
        TypeError: `cell` isn't an RNNCell, `sampler` not a Sampler, or `output_layer` not a layer.
    """

    def __init__(self, cell: Any, sampler: Any, output_layer: Any = None, **kwargs: Any) -> None:
        assert_like_rnncell("cell", cell)
        if not isinstance(sampler, samplers.Sampler):
            raise TypeError(f"sampler must be a Sampler, received: {sampler}")
        if output_layer is not None and not is_layer(output_layer):
            raise TypeError(f"output_layer must be a Layer, received: {output_layer}")
        super().__init__(**kwargs)
        self.cell = cell
        self.sampler = sampler
        self.output_layer = output_layer

    def initialize(self, inputs: Any, initial_state: Any = None, **kwargs: Any) -> Any:
        """Returns `finished` (`[batch]` bool), the first inputs (`[batch, ...]`) and the initial state.

        Args:
            inputs: Argument of the sampler's `initialize`.
            initial_state: Initial state of the cell, a structure of `[batch, ...]` tensors, which is required; outputs
                have the first one's dtype.
            **kwargs: More arguments of the sampler's `initialize`.
        """
        self._cell_dtype = tf.nest.flatten(initial_state)[0].dtype
        return (*self.sampler.initialize(inputs, **kwargs), initial_state)

    @property
    def batch_size(self) -> Any:
        """Returns the batch size, an int32 tensor of shape `[]`."""
        return self.sampler.batch_size

    def _rnn_output_size(self) -> Any:
        if self.output_layer is None:
            return tf.TensorShape(self.cell.output_size)
        return output_size(self.cell, self.output_layer)

    @property
    def output_size(self) -> BasicDecoderOutput:
        """Returns the shapes of output and sample, without the batch axis."""
        return BasicDecoderOutput(self._rnn_output_size(), self.sampler.sample_ids_shape)

    @property
    def output_dtype(self) -> BasicDecoderOutput:
        """Returns the dtypes of the output, `[batch, ...]`, and of the sample; known once `initialize` was called."""
        outputs = tf.nest.map_structure(lambda _: self._cell_dtype, self._rnn_output_size())
        return BasicDecoderOutput(outputs, self.sampler.sample_ids_dtype)

    def step(self, time: Any, inputs: Any, state: Any) -> Any:
        """Computes a step; returns outputs, the next state, the next inputs and `finished`, `[batch]` bool.

        Args:
            time: Number of the step, an int32 scalar from 0.
            inputs: Inputs of the step, `[batch, ...]`.
            state: State after the previous step, a structure of `[batch, ...]` tensors.
        """
        outputs, next_state = self.cell(inputs, state)
        if self.output_layer is not None:
            outputs = self.output_layer(outputs)
        ids = self.sampler.sample(time=time, outputs=outputs, state=next_state)
        finished, next_inputs, next_state = self.sampler.next_inputs(
            time=time, outputs=outputs, state=next_state, sample_ids=ids
        )
        return BasicDecoderOutput(outputs, ids), next_state, next_inputs, finished
