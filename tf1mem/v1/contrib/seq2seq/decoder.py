# Copyright 2015-2019 The TensorFlow Authors. All Rights Reserved.
# Licensed under the Apache License, Version 2.0: see LICENSE.
# Written anew for tf1mem after tensorflow/contrib of TensorFlow 1.15.5, and changed: see NOTICE.

"""What a decoder is, and the loop that runs one."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import Any

from tensorflow.python.ops import control_flow_util
from tensorflow.python.ops.rnn import _transpose_batch_time

import tf1mem.v1 as tf
from tf1mem.v1.contrib.seq2seq._cells import zero_state_tensors as _zero_state_tensors


class Decoder(ABC):
    """What `dynamic_decode` runs step by step."""

    @property
    def batch_size(self) -> Any:
        """An int32 scalar."""
        raise NotImplementedError

    @property
    def output_size(self) -> Any:
        """A nest of sizes or shapes, without the batch."""
        raise NotImplementedError

    @property
    def output_dtype(self) -> Any:
        """A nest of dtypes, like `output_size`."""
        raise NotImplementedError

    @abstractmethod
    def initialize(self, name: str | None = None) -> Any:
        """What the loop starts with: finished, inputs and state."""

    @abstractmethod
    def step(self, time: Any, inputs: Any, state: Any, name: str | None = None) -> Any:
        """One step.

        Args:
            time: An int32 scalar.
            inputs: What the step before, or `initialize`, gave.
            state: The same.
            name: Of the ops' scope.

        Returns:
            Outputs, next state, next inputs, and which of the batch are finished.
        """

    def finalize(self, outputs: Any, final_state: Any, sequence_lengths: Any) -> Any:
        """Outputs, [time, batch, …], and state after the loop, if something is still to be done with them."""
        raise NotImplementedError

    @property
    def tracks_own_finished(self) -> bool:
        """Whether `step` says what is finished so far, and not only what this step finished."""
        return False


class BaseDecoder(tf.keras.layers.Layer):  # type: ignore[misc]
    """A decoder that is a layer of Keras's: calling it runs it, with what `initialize` takes.

    It has what a Decoder has, but for `initialize`.

    Args:
        output_time_major: As `dynamic_decode` takes it.
        impute_finished: The same.
        maximum_iterations: The same.
        parallel_iterations: The same.
        swap_memory: The same.
        **kwargs: The layer's.
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
        """As `dynamic_decode`, of what `initialize` makes of the arguments."""
        kwargs.pop("training", None)  # Keras gives it to whoever takes anything
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
        """What the loop starts with: finished, inputs and state."""
        raise NotImplementedError

    def step(self, time: Any, inputs: Any, state: Any) -> Any:
        """One step, as `Decoder.step`."""
        raise NotImplementedError

    def finalize(self, outputs: Any, final_state: Any, sequence_lengths: Any) -> Any:
        """As `Decoder.finalize`."""
        raise NotImplementedError


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
        decoder: The decoder.
        output_time_major: Whether outputs are [time, batch, …], and not [batch, time, …].
        impute_finished: Whether what is finished keeps its state, and its outputs are zeros from then on.
        maximum_iterations: How many steps at most, a scalar; None for no limit.
        parallel_iterations: Of the loop.
        swap_memory: Of the loop.
        scope: The variable scope, "decoder" by default.
        **kwargs: Of a BaseDecoder: `decoder_init_input` and `decoder_init_kwargs`, for its `initialize`.

    Returns:
        Outputs, final state, and lengths of the sequences, [batch].

    Raises:
        TypeError: It isn't a Decoder.
        ValueError: `maximum_iterations` isn't a scalar, or XLA compiles the loop and there is none.
    """
    if not isinstance(decoder, (Decoder, BaseDecoder)):
        raise TypeError(f"Expected decoder to be type Decoder, but saw: {type(decoder)}")
    with tf.variable_scope(scope, "decoder") as variable_scope:
        context = tf.get_default_graph()._get_control_flow_context()
        with_xla = control_flow_util.GetContainingXLAContext(context) is not None
        in_loop = control_flow_util.GetContainingWhileContext(context) is not None
        # Variables are read once, and not at each step; an outer loop's cache could not be read from here.
        if not in_loop and variable_scope.caching_device is None and not tf.executing_eagerly():
            variable_scope.set_caching_device(lambda op: op.device)
        if maximum_iterations is not None:
            maximum_iterations = tf.convert_to_tensor(maximum_iterations, dtype=tf.int32, name="maximum_iterations")
            if maximum_iterations.get_shape().ndims != 0:
                raise ValueError("maximum_iterations must be a scalar")
        elif with_xla:
            raise ValueError("maximum_iterations: XLA has to know it. Give a number.")

        given: tuple[Any, ...] = ()
        if isinstance(decoder, BaseDecoder):
            given = (kwargs.get("decoder_init_input"),)
        finished, inputs, state = decoder.initialize(*given, **kwargs.get("decoder_init_kwargs", {}))
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
            # XLA needs to know how long an array becomes.
            fixed = maximum_iterations if with_xla else None
            return tf.TensorArray(
                dtype,
                size=0 if fixed is None else fixed,
                dynamic_size=fixed is None,
                element_shape=_element_shape(decoder.batch_size, size),
            )

        arrays = tf.nest.map_structure(collect, decoder.output_size, decoder.output_dtype)

        def go_on(time: Any, arrays: Any, state: Any, inputs: Any, finished: Any, lengths: Any) -> Any:
            return tf.logical_not(tf.reduce_all(finished))

        def body(time: Any, arrays: Any, state: Any, inputs: Any, finished: Any, lengths: Any) -> Any:
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

                def held(new: Any, old: Any) -> Any:
                    if isinstance(old, tf.TensorArray):
                        return new
                    new.set_shape(old.shape)
                    return new if new.shape.ndims == 0 else tf.where(finished, old, new)

                next_state = tf.nest.map_structure(held, next_state, state)
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
    """The shape of one step's output, or None where it isn't known."""
    if not isinstance(size, tf.TensorShape) or size.ndims == 0:
        return None
    batch = tf.get_static_value(tf.convert_to_tensor(batch_size, name="batch_size"))
    return tf.TensorShape([batch]).concatenate(size)
