# Copyright 2015-2019 The TensorFlow Authors. All Rights Reserved.
# Licensed under the Apache License, Version 2.0: see LICENSE.
# Written anew for tf1mem after tensorflow/contrib of TensorFlow 1.15.5, and changed: see NOTICE.

"""Helpers, which sample from a decoder's outputs and make its next inputs."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import Any, Callable

from tensorflow.python.ops.rnn import _transpose_batch_time

import tf1mem.v1 as tf
from tf1mem.v1._seeds import makes_other_ops


class Helper(ABC):
    """Interface of helpers of a BasicDecoder; tensors are `[batch, ...]`."""

    @property
    @abstractmethod
    def batch_size(self) -> Any:
        """Returns the batch size, an int32 tensor of shape `[]`."""

    @property
    @abstractmethod
    def sample_ids_shape(self) -> Any:
        """Returns the shape of a sample, without the batch."""

    @property
    @abstractmethod
    def sample_ids_dtype(self) -> Any:
        """Returns the dtype of a step's samples, `[batch, ...]`."""

    @abstractmethod
    def initialize(self, name: str | None = None) -> Any:
        """Starts a decoding.

        Args:
            name: Name scope of the ops.

        Returns:
            `finished`, `[batch]` bool, and the first inputs, `[batch, ...]`.
        """

    @abstractmethod
    def sample(self, time: Any, outputs: Any, state: Any, name: str | None = None) -> Any:
        """Samples from the outputs of a step.

        Args:
            time: Number of the step, an int32 scalar.
            outputs: Outputs of the step, `[batch, ...]`.
            state: State after the step.
            name: Name scope of the ops.

        Returns:
            Samples, `[batch, *sample_ids_shape]`, mostly `[batch]` int32.
        """

    @abstractmethod
    def next_inputs(self, time: Any, outputs: Any, state: Any, sample_ids: Any, name: str | None = None) -> Any:
        """Computes the inputs and the state of the next step.

        Args:
            time: Number of the step, an int32 scalar.
            outputs: Outputs of the step, `[batch, ...]`.
            state: State after the step.
            sample_ids: Result of `sample` for this step.
            name: Name scope of the ops.

        Returns:
            `finished`, `[batch]` bool, the next inputs, `[batch, ...]`, and the state for the next step.
        """


class CustomHelper(Helper):
    """Helper made of functions.

    Args:
        initialize_fn: Function that returns `finished`, `[batch]` bool, and the first inputs, `[batch, ...]`.
        sample_fn: Function of `time`, `outputs` and `state` that returns samples, `[batch, *sample_ids_shape]`.
        next_inputs_fn: Function of `time`, `outputs`, `state` and `sample_ids` that returns `finished`, `[batch]` bool,
            the next inputs, `[batch, ...]`, and the next state.
        sample_ids_shape: Shape of a sample, without the batch; None for a scalar.
        sample_ids_dtype: Type of a sample; None for int32.
    """

    def __init__(
        self,
        initialize_fn: Callable[[], Any],
        sample_fn: Callable[..., Any],
        next_inputs_fn: Callable[..., Any],
        sample_ids_shape: Any = None,
        sample_ids_dtype: Any = None,
    ) -> None:
        self._initialize_fn = initialize_fn
        self._sample_fn = sample_fn
        self._next_inputs_fn = next_inputs_fn
        self._batch_size: Any = None
        self._sample_ids_shape = tf.TensorShape(sample_ids_shape or [])
        self._sample_ids_dtype = sample_ids_dtype or tf.int32

    @property
    def batch_size(self) -> Any:
        """Returns the batch size, an int32 tensor of shape `[]`.

        Raises:
            ValueError: `initialize` wasn't called yet.
        """
        if self._batch_size is None:
            raise ValueError("batch_size: this is unknown before initialize. Call initialize first.")
        return self._batch_size

    @property
    def sample_ids_shape(self) -> Any:
        """Returns the shape of a sample, without the batch."""
        return self._sample_ids_shape

    @property
    def sample_ids_dtype(self) -> Any:
        """Returns the dtype of a step's samples, `[batch, ...]`."""
        return self._sample_ids_dtype

    def initialize(self, name: str | None = None) -> Any:
        """Returns `finished` (`[batch]` bool) and the first inputs (`[batch, ...]`)."""
        with tf.name_scope(name, type(self).__name__ + "Initialize"):
            finished, inputs = self._initialize_fn()
            if self._batch_size is None:
                self._batch_size = tf.size(finished)
        return finished, inputs

    def sample(self, time: Any, outputs: Any, state: Any, name: str | None = None) -> Any:
        """Returns samples, `[batch, ...]`, of a step's outputs."""
        with tf.name_scope(name, type(self).__name__ + "Sample", (time, outputs, state)):
            return self._sample_fn(time=time, outputs=outputs, state=state)

    def next_inputs(self, time: Any, outputs: Any, state: Any, sample_ids: Any, name: str | None = None) -> Any:
        """Returns `finished` (`[batch]` bool), the next inputs (`[batch, ...]`) and the next state."""
        with tf.name_scope(name, type(self).__name__ + "NextInputs", (time, outputs, state)):
            return self._next_inputs_fn(time=time, outputs=outputs, state=state, sample_ids=sample_ids)


class _ScalarIds(Helper):
    """Helper whose samples are ids, `[batch]` int32."""

    _batch_size: Any

    @property
    def batch_size(self) -> Any:
        """Returns the batch size, an int32 tensor of shape `[]`."""
        return self._batch_size

    @property
    def sample_ids_shape(self) -> Any:
        """Returns the shape of a sample without the batch, `[]`."""
        return tf.TensorShape([])

    @property
    def sample_ids_dtype(self) -> Any:
        """Returns int32, the dtype of a step's samples, `[batch, ...]`."""
        return tf.int32


class TrainingHelper(_ScalarIds):
    """Helper that feeds the true inputs, for training (teacher forcing).

    Args:
        inputs: `[batch, time, ...]` tensor; `[time, batch, ...]` if `time_major`.
        sequence_length: Number of steps of each sequence, `[batch]` int32.
        time_major: True to take inputs as `[time, batch, ...]`.
        name: Name scope of the ops.

    Raises:
        ValueError: `sequence_length` isn't a vector.
    """

    def __init__(self, inputs: Any, sequence_length: Any, time_major: bool = False, name: str | None = None) -> None:
        with tf.name_scope(name, "TrainingHelper", [inputs, sequence_length]):
            self._inputs = tf.convert_to_tensor(inputs, name="inputs")
            inputs = self._inputs if time_major else _transpose_batch_time(self._inputs)
            self._input_tas = _unstack_ta(inputs)
            self._sequence_length = tf.convert_to_tensor(sequence_length, name="sequence_length")
            if self._sequence_length.get_shape().ndims != 1:
                raise ValueError(
                    f"Expected sequence_length to be a vector, but received shape: {self._sequence_length.get_shape()}"
                )
            self._zero_inputs = tf.zeros_like(inputs[0, :])
            self._batch_size = tf.size(sequence_length)

    @property
    def inputs(self) -> Any:
        """Returns the inputs, `[batch, time, ...]`, or `[time, batch, ...]` if `time_major`."""
        return self._inputs

    @property
    def sequence_length(self) -> Any:
        """Returns the steps of each sequence, `[batch]` int32."""
        return self._sequence_length

    def initialize(self, name: str | None = None) -> Any:
        """Returns `finished` (`[batch]` bool) and the first inputs (`[batch, ...]`)."""
        with tf.name_scope(name, "TrainingHelperInitialize"):
            finished = tf.equal(0, self._sequence_length)
            return finished, self._read(0, finished)

    def sample(self, time: Any, outputs: Any, name: str | None = None, **unused_kwargs: Any) -> Any:
        """Returns the most likely ids, `[batch]` int32, of `[batch, ids]` outputs."""
        with tf.name_scope(name, "TrainingHelperSample", [time, outputs]):
            return tf.cast(tf.argmax(outputs, axis=-1), tf.int32)

    def next_inputs(self, time: Any, outputs: Any, state: Any, name: str | None = None, **unused_kwargs: Any) -> Any:
        """Returns `finished` (`[batch]` bool), the true inputs of the next step (`[batch, ...]`) and the state."""
        with tf.name_scope(name, "TrainingHelperNextInputs", [time, outputs, state]):
            next_time = time + 1
            finished = next_time >= self._sequence_length
            return finished, self._read(next_time, finished), state

    def _read(self, time: Any, finished: Any) -> Any:
        """Returns the inputs of a step; zeros when all are finished, since the array may end before."""
        return tf.cond(tf.reduce_all(finished), lambda: self._zero_inputs, lambda: self._input_tas.read(time))


class ScheduledEmbeddingTrainingHelper(TrainingHelper):
    """Helper with scheduled sampling: embeds sampled ids in place of some inputs; Bengio et al., arXiv:1506.03099.

    Args:
        inputs: `[batch, time, ...]` tensor; `[time, batch, ...]` if `time_major`.
        sequence_length: Number of steps of each sequence, `[batch]` int32.
        embedding: Function from ids to inputs, or `params` of tf.nn.embedding_lookup.
        sampling_probability: Probability of sampling, a scalar or `[batch]`.
        time_major: True to take inputs as `[time, batch, ...]`.
        seed: Seed of sampling ids.
        scheduling_seed: Seed of choosing when to sample.
        name: Name scope of the ops.

    Raises:
        ValueError: `sampling_probability` is neither a scalar nor a vector.
    """

    def __init__(
        self,
        inputs: Any,
        sequence_length: Any,
        embedding: Any,
        sampling_probability: Any,
        time_major: bool = False,
        seed: int | None = None,
        scheduling_seed: int | None = None,
        name: str | None = None,
    ) -> None:
        with tf.name_scope(name, "ScheduledEmbeddingSamplingWrapper", [embedding, sampling_probability]):
            self._embedding_fn = _embedding_fn(embedding)
            self._sampling_probability = _probability(sampling_probability)
            self._seed = seed
            self._scheduling_seed = scheduling_seed
            super().__init__(inputs, sequence_length, time_major=time_major, name=name)

    def sample(self, time: Any, outputs: Any, state: Any, name: str | None = None) -> Any:
        """Returns ids, `[batch]` int32; -1 where the true inputs are fed."""
        with tf.name_scope(name, "ScheduledEmbeddingTrainingHelperSample", [time, outputs, state]):
            chosen = bernoulli_sample(
                probs=self._sampling_probability,
                dtype=tf.bool,
                sample_shape=self.batch_size,
                seed=self._scheduling_seed,
            )
            ids = categorical_sample(logits=outputs, seed=self._seed)
            return tf.where(chosen, ids, tf.fill([self.batch_size], -1))

    def next_inputs(self, time: Any, outputs: Any, state: Any, sample_ids: Any, name: str | None = None) -> Any:
        """Returns `finished` (`[batch]` bool), the next inputs (`[batch, ...]`) and the state."""
        with tf.name_scope(name, "ScheduledEmbeddingTrainingHelperNextInputs", [time, outputs, state, sample_ids]):
            finished, inputs, state = super().next_inputs(time, outputs, state, name=name)

            def replaced() -> Any:
                """Returns inputs, `[batch, ...]`, replaced by embeddings where ids were sampled."""
                return _replace_where(
                    sample_ids > -1, lambda which: self._embedding_fn(tf.gather_nd(sample_ids, which)), inputs
                )

            makes_other_ops("contrib.seq2seq.ScheduledEmbeddingTrainingHelper")
            return finished, tf.cond(tf.reduce_all(finished), lambda: inputs, replaced), state


class ScheduledOutputTrainingHelper(TrainingHelper):
    """Helper with scheduled sampling: feeds the output in place of some inputs; Bengio et al., arXiv:1506.03099.

    Args:
        inputs: `[batch, time, ...]` tensor; `[time, batch, ...]` if `time_major`.
        sequence_length: Number of steps of each sequence, `[batch]` int32.
        sampling_probability: Probability of sampling, a scalar or `[batch]`.
        time_major: True to take inputs as `[time, batch, ...]`.
        seed: Seed of choosing when to sample.
        next_inputs_fn: Function from outputs to inputs; None for the outputs themselves.
        auxiliary_inputs: Tensor like `inputs` that is concatenated to inputs and outputs; None for no tensor.
        name: Name scope of the ops.

    Raises:
        ValueError: `sampling_probability` is neither a scalar nor a vector.
    """

    def __init__(
        self,
        inputs: Any,
        sequence_length: Any,
        sampling_probability: Any,
        time_major: bool = False,
        seed: int | None = None,
        next_inputs_fn: Any = None,
        auxiliary_inputs: Any = None,
        name: str | None = None,
    ) -> None:
        with tf.name_scope(name, "ScheduledOutputTrainingHelper", [inputs, auxiliary_inputs, sampling_probability]):
            self._sampling_probability = _probability(sampling_probability)
            self._auxiliary_input_tas: Any = None
            if auxiliary_inputs is not None:
                inputs = tf.convert_to_tensor(inputs, name="inputs")
                auxiliary_inputs = tf.convert_to_tensor(auxiliary_inputs, name="auxiliary_inputs")
                inputs = tf.concat((inputs, auxiliary_inputs), -1)
                if not time_major:
                    auxiliary_inputs = _transpose_batch_time(auxiliary_inputs)
                self._auxiliary_input_tas = _unstack_ta(auxiliary_inputs)
            self._seed = seed
            self._next_inputs_fn = next_inputs_fn
            super().__init__(inputs, sequence_length, time_major=time_major, name=name)

    def sample(self, time: Any, outputs: Any, state: Any, name: str | None = None) -> Any:
        """Returns 1 where the output is fed, 0 where the true inputs are, `[batch]` int32."""
        with tf.name_scope(name, "ScheduledOutputTrainingHelperSample", [time, outputs, state]):
            return bernoulli_sample(probs=self._sampling_probability, sample_shape=self.batch_size, seed=self._seed)

    def next_inputs(self, time: Any, outputs: Any, state: Any, sample_ids: Any, name: str | None = None) -> Any:
        """Returns `finished` (`[batch]` bool), the next inputs (`[batch, ...]`) and the state."""
        with tf.name_scope(name, "ScheduledOutputTrainingHelperNextInputs", [time, outputs, state, sample_ids]):
            finished, inputs, state = super().next_inputs(time, outputs, state, name=name)
            is_sampled = tf.cast(sample_ids, tf.bool)

            def with_auxiliary(values: Any, indices: Any = None) -> Any:
                """Returns `[batch, depth]` values with the auxiliary inputs concatenated."""
                if self._auxiliary_input_tas is None:
                    return values
                auxiliary = self._auxiliary_input_tas.read(time + 1)
                if indices is not None:
                    auxiliary = tf.gather_nd(auxiliary, indices)
                return tf.concat((values, auxiliary), -1)

            def replaced() -> Any:
                """Returns inputs, `[batch, ...]`, replaced by outputs where these were sampled."""
                if self._next_inputs_fn is None:
                    return tf.where(is_sampled, with_auxiliary(outputs), inputs)
                return _replace_where(
                    is_sampled,
                    lambda indices: with_auxiliary(self._next_inputs_fn(tf.gather_nd(outputs, indices)), indices),
                    inputs,
                )

            is_unchanged = tf.logical_or(tf.reduce_all(finished), tf.logical_not(tf.reduce_any(is_sampled)))
            return finished, tf.cond(is_unchanged, lambda: inputs, replaced), state


class GreedyEmbeddingHelper(_ScalarIds):
    """Helper that embeds the likeliest id of each output, for inference.

    Args:
        embedding: Function from ids to inputs, or `params` of tf.nn.embedding_lookup.
        start_tokens: `[batch]` int32.
        end_token: int32 scalar, the id that ends a sequence.

    Raises:
        ValueError: `start_tokens` isn't a vector, or `end_token` no scalar.
    """

    def __init__(self, embedding: Any, start_tokens: Any, end_token: Any) -> None:
        self._embedding_fn = _embedding_fn(embedding)
        self._start_tokens = tf.convert_to_tensor(start_tokens, dtype=tf.int32, name="start_tokens")
        self._end_token = tf.convert_to_tensor(end_token, dtype=tf.int32, name="end_token")
        if self._start_tokens.get_shape().ndims != 1:
            raise ValueError("start_tokens must be a vector")
        self._batch_size = tf.size(start_tokens)
        if self._end_token.get_shape().ndims != 0:
            raise ValueError("end_token must be a scalar")
        self._start_inputs = self._embedding_fn(self._start_tokens)

    def initialize(self, name: str | None = None) -> Any:
        """Returns `finished` (`[batch]` bool, all False) and the embedded start tokens (`[batch, ...]`)."""
        return tf.tile([False], [self._batch_size]), self._start_inputs

    def sample(self, time: Any, outputs: Any, state: Any, name: str | None = None) -> Any:
        """Returns the most likely ids, `[batch]` int32, of `[batch, ids]` outputs."""
        _check_one_tensor(outputs)
        return tf.argmax(outputs, axis=-1, output_type=tf.int32)

    def next_inputs(self, time: Any, outputs: Any, state: Any, sample_ids: Any, name: str | None = None) -> Any:
        """Returns `finished` (`[batch]` bool), the embedded samples (`[batch, ...]`) and the state."""
        finished = tf.equal(sample_ids, self._end_token)
        # Inputs after the end aren't read, and the ids may lie outside of the embedding.
        inputs = tf.cond(tf.reduce_all(finished), lambda: self._start_inputs, lambda: self._embedding_fn(sample_ids))
        return finished, inputs, state


class SampleEmbeddingHelper(GreedyEmbeddingHelper):
    """Helper that embeds an id drawn from each output's logits, for inference.

    Args:
        embedding: Function from ids to inputs, or `params` of tf.nn.embedding_lookup.
        start_tokens: `[batch]` int32.
        end_token: int32 scalar, the id that ends a sequence.
        softmax_temperature: Number that outputs are divided by; None for 1.
        seed: Seed of the random draws.
    """

    def __init__(
        self,
        embedding: Any,
        start_tokens: Any,
        end_token: Any,
        softmax_temperature: Any = None,
        seed: int | None = None,
    ) -> None:
        super().__init__(embedding, start_tokens, end_token)
        self._softmax_temperature = softmax_temperature
        self._seed = seed

    def sample(self, time: Any, outputs: Any, state: Any, name: str | None = None) -> Any:
        """Returns ids, `[batch]` int32, drawn from `[batch, ids]` outputs."""
        _check_one_tensor(outputs)
        if self._softmax_temperature is not None:
            outputs = outputs / self._softmax_temperature
        return categorical_sample(logits=outputs, seed=self._seed)


class InferenceHelper(Helper):
    """Helper that samples by a function, for inference.

    Args:
        sample_fn: Function from outputs to samples.
        sample_shape: Shape of a sample, without the batch.
        sample_dtype: Type of a sample.
        start_inputs: Inputs of the first step, `[batch, ...]`.
        end_fn: Function from samples to `finished`, `[batch]` bool.
        next_inputs_fn: Function from samples to inputs; None for the samples themselves.
    """

    def __init__(
        self,
        sample_fn: Callable[[Any], Any],
        sample_shape: Any,
        sample_dtype: Any,
        start_inputs: Any,
        end_fn: Callable[[Any], Any],
        next_inputs_fn: Any = None,
    ) -> None:
        self._sample_fn = sample_fn
        self._end_fn = end_fn
        self._sample_shape = tf.TensorShape(sample_shape)
        self._sample_dtype = sample_dtype
        self._next_inputs_fn = next_inputs_fn
        self._batch_size = tf.shape(start_inputs)[0]
        self._start_inputs = tf.convert_to_tensor(start_inputs, name="start_inputs")

    @property
    def batch_size(self) -> Any:
        """Returns the batch size, an int32 tensor of shape `[]`."""
        return self._batch_size

    @property
    def sample_ids_shape(self) -> Any:
        """Returns the shape of a sample, without the batch."""
        return self._sample_shape

    @property
    def sample_ids_dtype(self) -> Any:
        """Returns the dtype of a step's samples, `[batch, ...]`."""
        return self._sample_dtype

    def initialize(self, name: str | None = None) -> Any:
        """Returns `finished` (`[batch]` bool, all False) and the first inputs (`[batch, ...]`)."""
        return tf.tile([False], [self._batch_size]), self._start_inputs

    def sample(self, time: Any, outputs: Any, state: Any, name: str | None = None) -> Any:
        """Returns samples, `[batch, ...]`, of a step's outputs."""
        return self._sample_fn(outputs)

    def next_inputs(self, time: Any, outputs: Any, state: Any, sample_ids: Any, name: str | None = None) -> Any:
        """Returns `finished` (`[batch]` bool), the next inputs (`[batch, ...]`) and the state."""
        inputs = sample_ids if self._next_inputs_fn is None else self._next_inputs_fn(sample_ids)
        return self._end_fn(sample_ids), inputs, state


def bernoulli_sample(
    probs: Any = None, logits: Any = None, dtype: Any = tf.int32, sample_shape: Any = (), seed: int | None = None
) -> Any:
    """Returns draws of 0 or 1, `[*sample_shape, *probs.shape]`.

    Args:
        probs: Probabilities of 1; None to use `logits`.
        logits: Logits of these probabilities.
        dtype: Type of the draws.
        sample_shape: Shape of the draws before the shape of `probs`.
        seed: Seed of the random draws.
    """
    probs = tf.sigmoid(logits, name="probs") if probs is None else tf.convert_to_tensor(probs, name="probs")
    shape = tf.shape(probs)

    def draw(n: Any) -> Any:
        """Returns n draws, `[n, *probs.shape]`."""
        uniform = tf.random_uniform(tf.concat([[n], shape], 0), seed=seed, dtype=probs.dtype)
        return tf.cast(tf.less(uniform, probs), dtype)

    return _call_sampler(draw, sample_shape)


def categorical_sample(logits: Any, dtype: Any = tf.int32, sample_shape: Any = (), seed: int | None = None) -> Any:
    """Returns draws of classes, `[*sample_shape, ...]` for logits `[..., classes]`.

    Args:
        logits: Logits of the classes, `[..., classes]`.
        dtype: Type of the draws.
        sample_shape: Shape of the draws before the shape of `logits` without the classes.
        seed: Seed of the random draws.
    """
    logits = tf.convert_to_tensor(logits, name="logits")
    classes = tf.shape(logits)[-1]
    shape = tf.shape(logits)[:-1]

    def draw(n: Any) -> Any:
        """Returns n draws, `[n, *logits.shape[:-1]]`."""
        flat = logits if logits.shape.ndims == 2 else tf.reshape(logits, [-1, classes])
        # As in TensorFlow 1: the random numbers depend on the width of the ids.
        id_dtype = tf.int64 if logits.dtype.size > 4 else tf.int32
        draws = tf.multinomial(flat, n, seed=seed, output_dtype=id_dtype)
        draws = tf.reshape(tf.transpose(draws), tf.concat([[n], shape], 0))
        return tf.cast(draws, dtype)

    return _call_sampler(draw, sample_shape)


def _call_sampler(draw: Callable[[Any], Any], sample_shape: Any, name: str | None = None) -> Any:
    """Returns draws in a shape; a scalar `sample_shape` is a shape of one dimension."""
    with tf.name_scope(name, "call_sampler", values=[sample_shape]):
        shape = tf.convert_to_tensor(sample_shape, dtype=tf.int32, name="sample_shape")
        of_scalar = tf.cast(tf.equal(tf.rank(shape), 0), tf.int32)
        shape = tf.reshape(shape, tf.pad(tf.shape(shape), paddings=[[of_scalar, 0]], constant_values=1))
        draws = draw(tf.reduce_prod(shape))
        return tf.reshape(draws, tf.concat([shape, tf.shape(draws)[1:]], 0))


def _replace_where(is_sampled: Any, sampled: Callable[[Any], Any], inputs: Any) -> Any:
    """Returns the inputs, replaced where `is_sampled` is True by `sampled(indices)`."""
    which = tf.cast(tf.where(is_sampled), tf.int32)
    others = tf.cast(tf.where(tf.logical_not(is_sampled)), tf.int32)
    unsampled = tf.gather_nd(inputs, others)
    new = sampled(which)
    shape = tf.shape(inputs)
    return tf.scatter_nd(indices=which, updates=new, shape=shape) + tf.scatter_nd(
        indices=others, updates=unsampled, shape=shape
    )


def _embedding_fn(embedding: Any) -> Callable[[Any], Any]:
    return embedding if callable(embedding) else lambda ids: tf.nn.embedding_lookup(embedding, ids)


def _probability(sampling_probability: Any) -> Any:
    probability = tf.convert_to_tensor(sampling_probability, name="sampling_probability")
    if probability.get_shape().ndims not in (0, 1):
        raise ValueError(
            f"sampling_probability: its shape is {probability.get_shape()}. Give a scalar, or one value for each row."
        )
    return probability


def _check_one_tensor(outputs: Any) -> None:
    if not tf.is_tensor(outputs):
        raise TypeError(f"Expected outputs to be a single Tensor, got: {type(outputs)}")


def _unstack_ta(inp: Any) -> Any:
    """Returns a TensorArray of a tensor's first dimension."""
    array = tf.TensorArray(dtype=inp.dtype, size=tf.shape(inp)[0], element_shape=inp.get_shape()[1:])
    return array.unstack(inp)
