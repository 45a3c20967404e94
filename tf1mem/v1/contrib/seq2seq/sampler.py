# Copyright 2015-2019 The TensorFlow Authors. All Rights Reserved.
# Licensed under the Apache License, Version 2.0: see LICENSE.
# Written anew for tf1mem after tensorflow/contrib of TensorFlow 1.15.5, and changed: see NOTICE.

"""Samplers: helpers that receive their tensors when the decoder is called."""

from __future__ import annotations

from abc import ABC, abstractmethod
from functools import partial
from typing import Any, Callable

import tf1mem.v1 as tf
from tf1mem.v1.contrib.seq2seq import helper as helpers

bernoulli_sample = helpers.bernoulli_sample
categorical_sample = helpers.categorical_sample


class Sampler(ABC):
    """Interface of samplers of a BasicDecoderV2; tensors are `[batch, ...]`."""

    @abstractmethod
    def initialize(self, inputs: Any, **kwargs: Any) -> Any:
        """Stores the tensors; returns `finished` (`[batch]` bool) and the first inputs (`[batch, ...]`)."""

    @abstractmethod
    def sample(self, time: Any, outputs: Any, state: Any) -> Any:
        """Samples from the outputs of a step.

        Args:
            time: Number of the step, an int32 scalar.
            outputs: Outputs of the step, `[batch, ...]`.
            state: State after the step.

        Returns:
            Samples, `[batch, *sample_ids_shape]`, mostly `[batch]` int32.
        """

    @abstractmethod
    def next_inputs(self, time: Any, outputs: Any, state: Any, sample_ids: Any) -> Any:
        """Computes the inputs and the state of the next step.

        Args:
            time: Number of the step, an int32 scalar.
            outputs: Outputs of the step, `[batch, ...]`.
            state: State after the step.
            sample_ids: Result of `sample` for this step.

        Returns:
            `finished`, `[batch]` bool, the next inputs, `[batch, ...]`, and the state for the next step.
        """

    @property
    @abstractmethod
    def batch_size(self) -> Any:
        """Returns the batch size, an int32 tensor of shape `[]`, after `initialize`."""

    @property
    @abstractmethod
    def sample_ids_shape(self) -> Any:
        """Returns the shape of a sample, without the batch."""

    @property
    @abstractmethod
    def sample_ids_dtype(self) -> Any:
        """Returns the dtype of a step's samples, `[batch, ...]`."""


class _HelperSampler(Sampler):
    """Sampler that makes a helper when it receives the tensors."""

    _helper: Any = None
    sample_ids_shape: Any = tf.TensorShape([])
    sample_ids_dtype: Any = tf.int32

    def _begin(self, helper: helpers.Helper) -> Any:
        self._helper = helper
        return helper.initialize()

    @property
    def batch_size(self) -> Any:
        """Returns the batch size, an int32 tensor of shape `[]`.

        Raises:
            ValueError: `initialize` wasn't called yet.
        """
        if self._helper is None:
            raise ValueError("batch_size accessed before initialize was called")
        return self._helper.batch_size

    def sample(self, time: Any, outputs: Any, state: Any) -> Any:
        """Returns samples, `[batch, ...]`, of a step's outputs."""
        return self._helper.sample(time=time, outputs=outputs, state=state)

    def next_inputs(self, time: Any, outputs: Any, state: Any, sample_ids: Any) -> Any:
        """Returns `finished` (`[batch]` bool), the next inputs (`[batch, ...]`) and the next state."""
        return self._helper.next_inputs(time=time, outputs=outputs, state=state, sample_ids=sample_ids)


class CustomSampler(_HelperSampler):
    """Sampler from functions on `[batch, ...]` tensors.

    Args:
        initialize_fn: Function of the arguments of `initialize` that returns `finished`, `[batch]` bool, and the first
            inputs, `[batch, ...]`.
        sample_fn: Function of `time`, `outputs` and `state` that returns samples, `[batch, *sample_ids_shape]`.
        next_inputs_fn: Function of `time`, `outputs`, `state` and `sample_ids` that returns `finished`, `[batch]` bool,
            the next inputs, `[batch, ...]`, and the next state.
        sample_ids_shape: Shape of a sample, without the batch; None for a scalar.
        sample_ids_dtype: Type of a sample; None for int32.
    """

    def __init__(
        self,
        initialize_fn: Callable[..., Any],
        sample_fn: Callable[..., Any],
        next_inputs_fn: Callable[..., Any],
        sample_ids_shape: Any = None,
        sample_ids_dtype: Any = None,
    ) -> None:
        self._initialize_fn = initialize_fn
        self._sample_fn = sample_fn
        self._next_inputs_fn = next_inputs_fn
        self.sample_ids_shape = tf.TensorShape(sample_ids_shape or [])
        self.sample_ids_dtype = sample_ids_dtype or tf.int32

    def initialize(self, inputs: Any, **kwargs: Any) -> Any:
        """Calls `initialize_fn`.

        Args:
            inputs: First argument of `initialize_fn`.
            **kwargs: Further arguments of `initialize_fn`.

        Returns:
            `finished`, `[batch]` bool, and the first inputs, `[batch, ...]`.
        """
        first = partial(self._initialize_fn, inputs, **kwargs)
        return self._begin(helpers.CustomHelper(first, self._sample_fn, self._next_inputs_fn))


class TrainingSampler(_HelperSampler):
    """Sampler that feeds the true inputs, for training; see TrainingHelper.

    Args:
        time_major: True to take inputs as `[time, batch, ...]` rather than `[batch, time, ...]`.
    """

    def __init__(self, time_major: bool = False) -> None:
        self.time_major = time_major

    def initialize(self, inputs: Any, sequence_length: Any = None) -> Any:
        """Stores the inputs.

        Args:
            inputs: `[batch, time, ...]` tensor; `[time, batch, ...]` if `time_major`.
            sequence_length: Number of steps of each sequence, `[batch]` int32.

        Returns:
            `finished`, `[batch]` bool, and the first inputs, `[batch, ...]`.

        Raises:
            ValueError: `sequence_length` is missing, or isn't a vector.
        """
        _check_sequence_length(sequence_length)
        return self._begin(helpers.TrainingHelper(inputs, sequence_length, self.time_major))


class ScheduledEmbeddingTrainingSampler(TrainingSampler):
    """Sampler with scheduled sampling of embedded ids; see ScheduledEmbeddingTrainingHelper.

    Bengio et al., arXiv:1506.03099.

    Args:
        sampling_probability: Probability of sampling, a scalar or `[batch]`.
        embedding_fn: Function from ids to inputs; without it `initialize` needs an `embedding`.
        time_major: True to take inputs as `[time, batch, ...]`.
        seed: Seed of the ids that are drawn.
        scheduling_seed: Seed of choosing when to sample.

    Raises:
        ValueError: `embedding_fn` isn't callable, or the probability is neither a scalar nor a vector.
    """

    def __init__(
        self,
        sampling_probability: Any,
        embedding_fn: Any = None,
        time_major: bool = False,
        seed: int | None = None,
        scheduling_seed: int | None = None,
    ) -> None:
        super().__init__(time_major)
        self.embedding_fn = _checked_function(embedding_fn)
        self.sampling_probability = helpers._probability(sampling_probability)
        self.seed = seed
        self.scheduling_seed = scheduling_seed

    def initialize(self, inputs: Any, sequence_length: Any = None, embedding: Any = None) -> Any:
        """Stores the inputs.

        Args:
            inputs: `[batch, time, ...]` tensor; `[time, batch, ...]` if `time_major`.
            sequence_length: Number of steps of each sequence, `[batch]` int32.
            embedding: `params` of tf.nn.embedding_lookup; ignored with an `embedding_fn`.

        Returns:
            `finished`, `[batch]` bool, and the first inputs, `[batch, ...]`.

        Raises:
            ValueError: Both embeddings are missing, or `sequence_length` is missing or isn't a vector.
        """
        if self.embedding_fn is None and embedding is None:
            raise ValueError("embedding is required as a keyword argument for ScheduledEmbeddingTrainingSampler")
        _check_sequence_length(sequence_length)
        self.embedding_fn = self.embedding_fn or helpers._embedding_fn(embedding)
        helper = helpers.ScheduledEmbeddingTrainingHelper(
            inputs,
            sequence_length,
            self.embedding_fn,
            self.sampling_probability,
            time_major=self.time_major,
            seed=self.seed,
            scheduling_seed=self.scheduling_seed,
        )
        return self._begin(helper)


class ScheduledOutputTrainingSampler(TrainingSampler):
    """Sampler with scheduled sampling of outputs; see ScheduledOutputTrainingHelper.

    Bengio et al., arXiv:1506.03099.

    Args:
        sampling_probability: Probability of sampling, a scalar or `[batch]`.
        time_major: True to take inputs as `[time, batch, ...]`.
        seed: Seed of choosing when to sample.
        next_inputs_fn: Function from outputs to inputs; None for the outputs themselves.

    Raises:
        ValueError: The probability is neither a scalar nor a vector.
    """

    def __init__(
        self,
        sampling_probability: Any,
        time_major: bool = False,
        seed: int | None = None,
        next_inputs_fn: Any = None,
    ) -> None:
        super().__init__(time_major)
        self.sampling_probability = helpers._probability(sampling_probability)
        self.seed = seed
        self.next_inputs_fn = next_inputs_fn

    def initialize(self, inputs: Any, sequence_length: Any = None, auxiliary_inputs: Any = None) -> Any:
        """Stores the inputs.

        Args:
            inputs: `[batch, time, ...]` tensor; `[time, batch, ...]` if `time_major`.
            sequence_length: Number of steps of each sequence, `[batch]` int32.
            auxiliary_inputs: Tensor like `inputs` that is concatenated to inputs and outputs; None for no tensor.

        Returns:
            `finished`, `[batch]` bool, and the first inputs, `[batch, ...]`.

        Raises:
            ValueError: `sequence_length` is missing, or isn't a vector.
        """
        _check_sequence_length(sequence_length)
        helper = helpers.ScheduledOutputTrainingHelper(
            inputs,
            sequence_length,
            self.sampling_probability,
            time_major=self.time_major,
            seed=self.seed,
            next_inputs_fn=self.next_inputs_fn,
            auxiliary_inputs=auxiliary_inputs,
        )
        return self._begin(helper)


class GreedyEmbeddingSampler(_HelperSampler):
    """Sampler of the most likely id, `[batch]` int32; see GreedyEmbeddingHelper.

    Args:
        embedding_fn: Function from ids to inputs; without it `initialize` needs an `embedding`.

    Raises:
        ValueError: `embedding_fn` isn't callable.
    """

    def __init__(self, embedding_fn: Any = None) -> None:
        self.embedding_fn = _checked_function(embedding_fn)

    def initialize(self, embedding: Any, start_tokens: Any = None, end_token: Any = None) -> Any:
        """Embeds the start tokens.

        Args:
            embedding: `params` of tf.nn.embedding_lookup; ignored with an `embedding_fn`.
            start_tokens: `[batch]` int32.
            end_token: int32 scalar, the id that ends a sequence.

        Returns:
            `finished`, `[batch]` bool, all False, and the first inputs, `[batch, ...]`.

        Raises:
            ValueError: `start_tokens` isn't a vector, or `end_token` no scalar.
        """
        self.embedding_fn = self.embedding_fn or helpers._embedding_fn(embedding)
        return self._begin(self._make_helper(start_tokens, end_token))

    def _make_helper(self, start_tokens: Any, end_token: Any) -> helpers.Helper:
        return helpers.GreedyEmbeddingHelper(self.embedding_fn, start_tokens, end_token)


class SampleEmbeddingSampler(GreedyEmbeddingSampler):
    """Sampler that draws ids, `[batch]` int32; see SampleEmbeddingHelper and GreedyEmbeddingSampler.

    Args:
        embedding_fn: Function from ids to inputs; without it `initialize` needs an `embedding`.
        softmax_temperature: Number that outputs are divided by; None for 1.
        seed: Seed of the random draws.

    Raises:
        ValueError: `embedding_fn` isn't callable.
    """

    def __init__(self, embedding_fn: Any = None, softmax_temperature: Any = None, seed: int | None = None) -> None:
        super().__init__(embedding_fn)
        self.softmax_temperature = softmax_temperature
        self.seed = seed

    def _make_helper(self, start_tokens: Any, end_token: Any) -> helpers.Helper:
        return helpers.SampleEmbeddingHelper(
            self.embedding_fn, start_tokens, end_token, self.softmax_temperature, self.seed
        )


class InferenceSampler(_HelperSampler):
    """Sampler from functions on `[batch, ...]` tensors; see InferenceHelper. `initialize` takes the first inputs.

    Args:
        sample_fn: Function from outputs to samples.
        sample_shape: Shape of a sample, without the batch.
        sample_dtype: Type of a sample.
        end_fn: Function from samples to `finished`, `[batch]` bool.
        next_inputs_fn: Function from samples to inputs; None for the samples themselves.
    """

    def __init__(
        self, sample_fn: Any, sample_shape: Any, sample_dtype: Any, end_fn: Any, next_inputs_fn: Any = None
    ) -> None:
        self.sample_fn = sample_fn
        self.sample_ids_shape = tf.TensorShape(sample_shape)
        self.sample_ids_dtype = sample_dtype
        self.end_fn = end_fn
        self.next_inputs_fn = next_inputs_fn

    def initialize(self, start_inputs: Any) -> Any:
        """Returns `finished` (`[batch]` bool) and the first inputs (`[batch, ...]`)."""
        helper = helpers.InferenceHelper(
            self.sample_fn, self.sample_ids_shape, self.sample_ids_dtype, start_inputs, self.end_fn, self.next_inputs_fn
        )
        return self._begin(helper)


def _check_sequence_length(sequence_length: Any) -> None:
    if sequence_length is None:
        raise ValueError("sequence_length is required for TrainingSampler")


def _checked_function(embedding_fn: Any) -> Any:
    if embedding_fn is not None and not callable(embedding_fn):
        raise ValueError(f"embedding_fn is expected to be callable, got {type(embedding_fn)}")
    return embedding_fn
