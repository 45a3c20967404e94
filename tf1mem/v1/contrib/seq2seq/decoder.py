# Copyright 2015-2019 The TensorFlow Authors. All Rights Reserved.
# Licensed under the Apache License, Version 2.0: see LICENSE.
# Written anew for tf1mem after tensorflow/contrib of TensorFlow 1.15.5, and changed: see NOTICE.

"""Interface of decoders, and `dynamic_decode`, the loop that runs one."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import Any

from tensorflow.python.ops import control_flow_util
from tensorflow.python.ops.rnn import _transpose_batch_time

import tf1mem.v1 as tf
from tf1mem.v1.contrib.seq2seq._cells import zero_state_tensors as _zero_state_tensors


class Decoder(ABC):
    """Interface of decoders that `dynamic_decode` runs step by step; tensors are `[batch, ...]`."""

    @property
    def batch_size(self) -> Any:
        """Returns the batch size, an int32 tensor of shape `[]`."""
        raise NotImplementedError

    @property
    def output_size(self) -> Any:
        """Returns the nested shapes of an output, without the batch."""
        raise NotImplementedError

    @property
    def output_dtype(self) -> Any:
        """Returns the nested dtypes of an output, `[batch, ...]`, in the structure of `output_size`."""
        raise NotImplementedError

    @abstractmethod
    def initialize(self, name: str | None = None) -> Any:
        """Returns `finished` (`[batch]` bool), the first inputs (`[batch, ...]`) and the initial state."""

    @abstractmethod
    def step(self, time: Any, inputs: Any, state: Any, name: str | None = None) -> Any:
        """Computes one step.

        Args:
            time: Number of the step, an int32 scalar.
            inputs: Inputs of the step, `[batch, ...]`, from the step before or `initialize`.
            state: State from the step before or `initialize`.
            name: Name scope of the ops.

        Returns:
            Outputs `[batch, ...]`, next state, next inputs `[batch, ...]`, and `finished`, `[batch]` bool.
        """

    def finalize(self, outputs: Any, final_state: Any, sequence_lengths: Any) -> Any:
        """Returns the final outputs and state; called after the loop with all steps' outputs, `[time, batch, ...]`."""
        raise NotImplementedError

    @property
    def tracks_own_finished(self) -> bool:
        """Returns True if the `[batch]` bools `finished` of `step` include entries that finished in earlier steps."""
        return False


class BaseDecoder(tf.keras.layers.Layer):  # type: ignore[misc]
    """Base of decoders that are Keras layers: a call runs the loop, with the arguments of `initialize`.

    It has the members of Decoder; its `initialize` takes the inputs.

    Args:
        output_time_major: True to return outputs as `[time, batch, ...]` rather than `[batch, time, ...]`.
        impute_finished: True to keep the state of finished entries and set their outputs to zero.
        maximum_iterations: Largest number of steps, a scalar; None for no limit.
        parallel_iterations: Number of steps that may be computed in parallel.
        swap_memory: True to swap tensors that gradients need from the GPU's memory to the host's.
        **kwargs: Arguments of tf.keras.layers.Layer.
    """

    def __init__(
        self,
        output_time_major: bool = False,
        impute_finished: bool = False,
        maximum_iterations: Any = None,
        parallel_iterations: int = 32,
        swap_memory: bool = False,
        **kwargs: Any,
    ) -> None:
        super().__init__(**kwargs)
        self.output_time_major = output_time_major
        self.impute_finished = impute_finished
        self.maximum_iterations = maximum_iterations
        self.parallel_iterations = parallel_iterations
        self.swap_memory = swap_memory

    def call(self, inputs: Any, initial_state: Any = None, **kwargs: Any) -> Any:
        """Runs the loop; returns outputs, `[batch, time, ...]`, the final state and the lengths, `[batch]` int32.

        Args:
            inputs: First argument of `initialize`.
            initial_state: State before the first step.
            **kwargs: Further arguments of `initialize`.
        """
        kwargs.pop("training", None)  # Keras passes it to every layer that takes **kwargs.
        return dynamic_decode(
            self,
            output_time_major=self.output_time_major,
            impute_finished=self.impute_finished,
            maximum_iterations=self.maximum_iterations,
            parallel_iterations=self.parallel_iterations,
            swap_memory=self.swap_memory,
            decoder_init_input=inputs,
            decoder_init_kwargs={"initial_state": initial_state, **kwargs},
        )

    batch_size = Decoder.batch_size
    output_size = Decoder.output_size
    output_dtype = Decoder.output_dtype
    tracks_own_finished = Decoder.tracks_own_finished

    def initialize(self, inputs: Any, initial_state: Any = None, **kwargs: Any) -> Any:
        """Returns `finished` (`[batch]` bool), the first inputs (`[batch, ...]`) and the initial state."""
        raise NotImplementedError

    def step(self, time: Any, inputs: Any, state: Any) -> Any:
        """Computes a step; returns outputs, the next state, the next inputs and `finished`, `[batch]` bool.

        Args:
            time: Number of the step, an int32 scalar.
            inputs: Inputs of the step, `[batch, ...]`.
            state: State after the previous step.
        """
        raise NotImplementedError

    def finalize(self, outputs: Any, final_state: Any, sequence_lengths: Any) -> Any:
        """Returns the final outputs and state; called after the loop.

        Args:
            outputs: Outputs of all steps, `[time, batch, ...]`.
            final_state: State after the last step.
            sequence_lengths: `[batch]` int32, number of steps of each entry.
        """
        raise NotImplementedError


def _keep_finished(finished: Any, new: Any, old: Any) -> Any:
    """Returns the new `[batch, ...]` state with the old one in finished entries; scalars have no entries."""
    if isinstance(old, tf.TensorArray):
        return new
    new.set_shape(old.shape)
    return new if new.shape.ndims == 0 else tf.where(finished, old, new)


def dynamic_decode(
    decoder: Decoder | BaseDecoder,
    output_time_major: bool = False,
    impute_finished: bool = False,
    maximum_iterations: Any = None,
    parallel_iterations: int = 32,
    swap_memory: bool = False,
    scope: Any = None,
    **kwargs: Any,
) -> tuple[Any, Any, Any]:
    """Runs a decoder until all of the batch is finished.

    Args:
        decoder: Decoder or BaseDecoder.
        output_time_major: True to return outputs as `[time, batch, ...]` rather than `[batch, time, ...]`.
        impute_finished: True to keep the state of finished entries and set their outputs to zero.
        maximum_iterations: Largest number of steps, a scalar; None for no limit.
        parallel_iterations: Number of steps that may be computed in parallel.
        swap_memory: True to swap tensors that gradients need from the GPU's memory to the host's.
        scope: Variable scope; None for "decoder".
        **kwargs: For a BaseDecoder `decoder_init_input` and `decoder_init_kwargs`, the arguments of its `initialize`.

    Returns:
        Outputs, final state, and lengths of the sequences, `[batch]` int32; of a beam search `[batch, beams]`.

    Raises:
        TypeError: `decoder` isn't a decoder.
        ValueError: `maximum_iterations` isn't a scalar, or is None where XLA compiles the loop.
    """
    if not isinstance(decoder, (Decoder, BaseDecoder)):
        raise TypeError(f"Expected decoder to be type Decoder, but saw: {type(decoder)}")
    with tf.variable_scope(scope, "decoder") as variable_scope:
        context = tf.get_default_graph()._get_control_flow_context()
        with_xla = control_flow_util.GetContainingXLAContext(context) is not None
        in_loop = control_flow_util.GetContainingWhileContext(context) is not None
        # Caches variables, so that steps don't read them again; the cache of an outer loop can't be read here.
        if not in_loop and variable_scope.caching_device is None and not tf.executing_eagerly():
            variable_scope.set_caching_device(lambda op: op.device)
        if maximum_iterations is not None:
            maximum_iterations = tf.convert_to_tensor(maximum_iterations, dtype=tf.int32, name="maximum_iterations")
            if maximum_iterations.get_shape().ndims != 0:
                raise ValueError("maximum_iterations must be a scalar")
        elif with_xla:
            raise ValueError("maximum_iterations: XLA needs this number. Give it.")

        first: tuple[Any, ...] = ()
        if isinstance(decoder, BaseDecoder):
            first = (kwargs.get("decoder_init_input"),)
        finished, inputs, state = decoder.initialize(*first, **kwargs.get("decoder_init_kwargs", {}))
        zero_outputs = tf.nest.map_structure(
            lambda size, dtype: _zero_state_tensors(size, decoder.batch_size, dtype),
            decoder.output_size,
            decoder.output_dtype,
        )
        if maximum_iterations is not None:
            finished = tf.logical_or(finished, maximum_iterations <= 0)
        lengths = tf.zeros_like(finished, dtype=tf.int32)
        start = tf.constant(0, dtype=tf.int32)

        def collect(size: Any, dtype: Any) -> Any:
            """Returns the array of one output, whose elements have the shape `[batch, *size]`."""
            # XLA needs arrays of fixed size.
            fixed = maximum_iterations if with_xla else None
            return tf.TensorArray(
                dtype,
                size=0 if fixed is None else fixed,
                dynamic_size=fixed is None,
                element_shape=_element_shape(decoder.batch_size, size),
            )

        arrays = tf.nest.map_structure(collect, decoder.output_size, decoder.output_dtype)

        # Loop variables: `time` int32 [], inputs [batch, ...], `finished` bool and `lengths` int32 [batch]; in a beam
        # search these two are [batch, beams].
        def go_on(time: Any, arrays: Any, state: Any, inputs: Any, finished: Any, lengths: Any) -> Any:
            """Returns True, of shape `[]`, until all entries are finished."""
            return tf.logical_not(tf.reduce_all(finished))

        def body(time: Any, arrays: Any, state: Any, inputs: Any, finished: Any, lengths: Any) -> Any:
            """Takes one step, writes its `[batch, ...]` outputs into the arrays, and returns the loop variables."""
            outputs, next_state, next_inputs, next_finished = decoder.step(time, inputs, state)
            if not decoder.tracks_own_finished:
                next_finished = tf.logical_or(next_finished, finished)
            so_far = tf.fill(tf.shape(lengths), time + 1)
            next_lengths = tf.where(tf.logical_not(finished), so_far, lengths)
            for before, after in ((state, next_state), (arrays, outputs), (inputs, next_inputs)):
                tf.nest.assert_same_structure(before, after)
            if impute_finished:
                outputs = tf.nest.map_structure(
                    lambda output, zero: tf.where(finished, zero, output), outputs, zero_outputs
                )
                next_state = tf.nest.map_structure(
                    lambda new, old: _keep_finished(finished, new, old), next_state, state
                )
            arrays = tf.nest.map_structure(lambda array, output: array.write(time, output), arrays, outputs)
            return time + 1, arrays, next_state, next_inputs, next_finished, next_lengths

        _, arrays, state, _, _, lengths = tf.while_loop(
            go_on,
            body,
            loop_vars=(start, arrays, state, inputs, finished, lengths),
            parallel_iterations=parallel_iterations,
            maximum_iterations=maximum_iterations,
            swap_memory=swap_memory,
        )
        outputs = tf.nest.map_structure(lambda array: array.stack(), arrays)
        try:
            outputs, state = decoder.finalize(outputs, state, lengths)
        except NotImplementedError:
            pass
        if not output_time_major:
            outputs = tf.nest.map_structure(_transpose_batch_time, outputs)
    return outputs, state, lengths


def _element_shape(batch_size: Any, size: Any) -> Any:
    """Returns the shape of one step's output, or None where it isn't known."""
    if not isinstance(size, tf.TensorShape) or size.ndims == 0:
        return None
    batch = tf.get_static_value(tf.convert_to_tensor(batch_size, name="batch_size"))
    return tf.TensorShape([batch]).concatenate(size)
