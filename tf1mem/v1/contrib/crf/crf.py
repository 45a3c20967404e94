# Copyright 2015-2019 The TensorFlow Authors. All Rights Reserved.
# Licensed under the Apache License, Version 2.0: see LICENSE.
# Written anew for tf1mem after tensorflow/contrib of TensorFlow 1.15.5, and changed: see NOTICE.

"""Linear-chain conditional random fields: scores, log-likelihoods, Viterbi decoding; Lafferty et al., ICML 2001."""

from __future__ import annotations

from typing import Any, Callable, List, Tuple

import numpy as np

import tf1mem.v1 as tf


def _by_length(inputs: Any, one_step: Callable[[], Any], several_steps: Callable[[], Any]) -> Any:
    """Returns `one_step()` or, for longer sequences, `several_steps()`; by `tf.cond` if the length is unknown."""
    steps = tf.dimension_value(inputs.shape[1])
    # Like TensorFlow 1, compares by ops even if the length is known: later seeds depend on the number of ops.
    is_one = tf.equal(steps or tf.shape(inputs)[1], 1)
    if steps is None:
        return tf.cond(is_one, one_step, several_steps)
    return one_step() if steps == 1 else several_steps()


def _zero_where_empty(sequence_lengths: Any, values: Any) -> Any:
    return tf.where(tf.less_equal(sequence_lengths, 0), tf.zeros_like(values), values)


def _minus_one(sequence_lengths: Any) -> Any:
    return tf.maximum(tf.constant(0, dtype=sequence_lengths.dtype), sequence_lengths - 1)


def _split_first_step(inputs: Any) -> Tuple[Any, Any]:
    return tf.squeeze(tf.slice(inputs, [0, 0, 0], [-1, 1, -1]), [1]), tf.slice(inputs, [0, 1, 0], [-1, -1, -1])


def crf_sequence_score(inputs: Any, tag_indices: Any, sequence_lengths: Any, transition_params: Any) -> Any:
    """Returns the unnormalized score of tag sequences.

    Args:
        inputs: Unary scores, `[batch, time, tags]` float32.
        tag_indices: Tags, `[batch, time]` int32 or int64.
        sequence_lengths: Number of steps of each example, `[batch]` integers.
        transition_params: Score of tag j after tag i at [i, j], `[tags, tags]`.

    Returns:
        Unnormalized scores, `[batch]`.
    """

    def one_step() -> Any:
        """Returns the `[batch]` scores of sequences of one step."""
        examples = tf.shape(inputs, out_type=tag_indices.dtype)[0]
        rows = tf.reshape(tf.range(examples, dtype=tag_indices.dtype), [-1, 1])
        scores = tf.gather_nd(tf.squeeze(inputs, [1]), tf.concat([rows, tag_indices], axis=1))
        return _zero_where_empty(sequence_lengths, scores)

    def several_steps() -> Any:
        """Returns the `[batch]` scores of longer sequences."""
        unary = crf_unary_score(tag_indices, sequence_lengths, inputs)
        return unary + crf_binary_score(tag_indices, sequence_lengths, transition_params)

    return _by_length(inputs, one_step, several_steps)


def crf_multitag_sequence_score(inputs: Any, tag_bitmap: Any, sequence_lengths: Any, transition_params: Any) -> Any:
    """Returns the unnormalized score of all tag sequences that a bitmap allows, summed in log space.

    Args:
        inputs: Unary scores, `[batch, time, tags]` float32.
        tag_bitmap: Tags that are allowed at each step, `[batch, time, tags]` bool.
        sequence_lengths: Number of steps of each example, `[batch]` integers.
        transition_params: Score of tag j after tag i at [i, j], `[tags, tags]`.

    Returns:
        Unnormalized scores, `[batch]`.
    """
    allowed = tf.where(tag_bitmap, inputs, tf.fill(tf.shape(inputs), float("-inf")))
    return _by_length(
        inputs,
        lambda: tf.reduce_logsumexp(allowed, axis=[1, 2], keepdims=False),
        lambda: crf_log_norm(allowed, sequence_lengths, transition_params),
    )


def crf_log_norm(inputs: Any, sequence_lengths: Any, transition_params: Any) -> Any:
    """Returns the log of the partition function, by the forward algorithm.

    Args:
        inputs: Unary scores, `[batch, time, tags]` float32.
        sequence_lengths: Number of steps of each example, `[batch]` integers.
        transition_params: Score of tag j after tag i at [i, j], `[tags, tags]`.

    Returns:
        Scores, `[batch]`.
    """
    first = tf.squeeze(tf.slice(inputs, [0, 0, 0], [-1, 1, -1]), [1])

    def one_step() -> Any:
        """Returns the `[batch]` log norms of sequences of one step."""
        return _zero_where_empty(sequence_lengths, tf.reduce_logsumexp(first, [1]))

    def several_steps() -> Any:
        """Returns the `[batch]` log norms of longer sequences."""
        later_inputs = tf.slice(inputs, [0, 1, 0], [-1, -1, -1])
        _, alphas = tf.nn.dynamic_rnn(
            CrfForwardRnnCell(transition_params),
            later_inputs,
            sequence_length=_minus_one(sequence_lengths),
            initial_state=first,
            dtype=tf.float32,
        )
        return _zero_where_empty(sequence_lengths, tf.reduce_logsumexp(alphas, [1]))

    return _by_length(inputs, one_step, several_steps)


def crf_log_likelihood(inputs: Any, tag_indices: Any, sequence_lengths: Any, transition_params: Any = None) -> Any:
    """Returns the log-likelihood of tag sequences.

    Args:
        inputs: Unary scores, `[batch, time, tags]` float32.
        tag_indices: Tags, `[batch, time]` int32 or int64.
        sequence_lengths: Number of steps of each example, `[batch]` integers.
        transition_params: Score of tag j after tag i at [i, j], `[tags, tags]`; None makes the variable "transitions".

    Returns:
        Log-likelihoods `[batch]`, and the transition parameters `[tags, tags]`.
    """
    if transition_params is None:
        tags = tf.dimension_value(inputs.shape[2])
        transition_params = tf.get_variable("transitions", [tags, tags])
    scores = crf_sequence_score(inputs, tag_indices, sequence_lengths, transition_params)
    return scores - crf_log_norm(inputs, sequence_lengths, transition_params), transition_params


def crf_unary_score(tag_indices: Any, sequence_lengths: Any, inputs: Any) -> Any:
    """Returns the sum of the unary scores of tag sequences.

    Args:
        tag_indices: Tags, `[batch, time]` int32 or int64.
        sequence_lengths: Number of steps of each example, `[batch]` integers.
        inputs: Unary scores, `[batch, time, tags]` float32.

    Returns:
        Scores, `[batch]`.
    """
    examples, steps, tags = (tf.shape(inputs)[axis] for axis in range(3))  # One shape op per axis, as in TensorFlow 1.
    # Offset of each step's scores in the flattened inputs.
    starts = tf.expand_dims(tf.range(examples) * steps * tags, 1) + tf.expand_dims(tf.range(steps) * tags, 0)
    positions = tf.reshape(tf.cast(starts, tag_indices.dtype) + tag_indices, [-1])
    scores = tf.reshape(tf.gather(tf.reshape(inputs, [-1]), positions), [examples, steps])
    mask = tf.sequence_mask(sequence_lengths, maxlen=tf.shape(tag_indices)[1], dtype=tf.float32)
    return tf.reduce_sum(scores * mask, 1)


def crf_binary_score(tag_indices: Any, sequence_lengths: Any, transition_params: Any) -> Any:
    """Returns the sum of the transition scores of tag sequences.

    Args:
        tag_indices: Tags, `[batch, time]` int32 or int64.
        sequence_lengths: Number of steps of each example, `[batch]` integers.
        transition_params: Score of tag j after tag i at [i, j], `[tags, tags]`.

    Returns:
        Scores, `[batch]`.
    """
    tags = transition_params.get_shape()[0]
    transitions = tf.shape(tag_indices)[1] - 1
    before = tf.slice(tag_indices, [0, 0], [-1, transitions])
    after = tf.slice(tag_indices, [0, 1], [-1, transitions])
    scores = tf.gather(tf.reshape(transition_params, [-1]), before * tags + after)
    mask = tf.sequence_mask(sequence_lengths, maxlen=tf.shape(tag_indices)[1], dtype=tf.float32)
    return tf.reduce_sum(scores * tf.slice(mask, [0, 1], [-1, -1]), 1)


class _TagCell(tf.nn.rnn_cell.RNNCell):  # type: ignore[misc, name-defined]
    # As in 1.15, Layer's __init__ and __call__ aren't used: the cell has no variables and takes tags of any dtype.
    def __init__(self, size: Any) -> None:
        self._size = size

    @property
    def state_size(self) -> Any:
        """Returns the last size of a state, `[batch, size]`."""
        return self._size

    @property
    def output_size(self) -> Any:
        """Returns the last size of an output, `[batch, size]`."""
        return self._size


class CrfForwardRnnCell(_TagCell):
    """Cell of the forward algorithm: sums the scores of all paths to each tag, in log space.

    Collins, "The Forward-Backward Algorithm".

    Args:
        transition_params: Score of tag j after tag i at [i, j], `[tags, tags]`.
    """

    def __init__(self, transition_params: Any) -> None:
        super().__init__(tf.dimension_value(transition_params.shape[0]))
        self._transition_params = tf.expand_dims(transition_params, 0)

    def __call__(self, inputs: Any, state: Any, scope: Any = None) -> Any:
        """Computes one step.

        Args:
            inputs: Unary scores of the step, `[batch, tags]`.
            state: Log of the sums up to the step before, `[batch, tags]`.
            scope: Ignored.

        Returns:
            The next state, twice: as the output and as the state.
        """
        scores = tf.expand_dims(state, 2) + self._transition_params
        alphas = inputs + tf.reduce_logsumexp(scores, [1])
        return alphas, alphas


def viterbi_decode(score: Any, transition_params: Any) -> Tuple[List[Any], Any]:
    """Returns the best tag sequence of one example, by NumPy.

    Args:
        score: Unary scores, `[time, tags]` array.
        transition_params: Score of tag j after tag i at [i, j], `[tags, tags]`.

    Returns:
        The tags, a list of `time` integers, and their score.
    """
    best = np.array(score[0])
    tags_before = []
    for unary in score[1:]:
        path_scores = best[:, np.newaxis] + transition_params
        tags_before.append(np.argmax(path_scores, 0))
        best = unary + np.max(path_scores, 0)
    tags = [np.argmax(best)]
    for tag_before in reversed(tags_before):
        tags.append(tag_before[tags[-1]])
    return tags[::-1], np.max(best)


class CrfDecodeForwardRnnCell(_TagCell):
    """Cell of Viterbi's forward pass: the best score of each tag, and the tag before it.

    Args:
        transition_params: Score of tag j after tag i at [i, j], `[tags, tags]`.
    """

    def __init__(self, transition_params: Any) -> None:
        super().__init__(tf.dimension_value(transition_params.shape[0]))
        self._transition_params = tf.expand_dims(transition_params, 0)

    def __call__(self, inputs: Any, state: Any, scope: Any = None) -> Any:
        """Computes one step.

        Args:
            inputs: Unary scores of the step, `[batch, tags]`.
            state: Best scores up to the step before, `[batch, tags]`.
            scope: Ignored.

        Returns:
            The tag before each tag on its best path, `[batch, tags]` int32, and the next state.
        """
        scores = tf.expand_dims(state, 2) + self._transition_params
        backpointers = tf.cast(tf.argmax(scores, 1), tf.int32)
        return backpointers, inputs + tf.reduce_max(scores, [1])


class CrfDecodeBackwardRnnCell(_TagCell):
    """Cell of Viterbi's backward pass, which follows the best path; states are `[batch, 1]` tags.

    Args:
        num_tags: Number of tags.
    """

    def __init__(self, num_tags: int) -> None:
        super().__init__(1)
        self._num_tags = num_tags

    def __call__(self, inputs: Any, state: Any, scope: Any = None) -> Any:
        """Computes one step backward.

        Args:
            inputs: The tag before each tag, `[batch, tags]` int32.
            state: The tag of the step after, `[batch, 1]` int32.
            scope: Ignored.

        Returns:
            The next state, twice: as the output and as the state.
        """
        rows = tf.range(tf.shape(inputs)[0])
        tag = tf.expand_dims(tf.gather_nd(inputs, tf.stack([rows, tf.squeeze(state, [1])], axis=1)), -1)
        return tag, tag


def crf_decode(potentials: Any, transition_params: Any, sequence_length: Any) -> Any:
    """Returns the best tag sequences, by the Viterbi algorithm.

    Args:
        potentials: Unary scores, `[batch, time, tags]` float32.
        transition_params: Score of tag j after tag i at [i, j], `[tags, tags]`.
        sequence_length: Number of steps of each example, `[batch]` integers.

    Returns:
        Tags, `[batch, time]` int32, 0 after a sequence's end; and their scores, `[batch]`.
    """

    def one_step() -> Any:
        """Returns the `[batch, 1]` tags and `[batch]` scores of sequences of one step."""
        scores = tf.squeeze(potentials, [1])
        return tf.cast(tf.expand_dims(tf.argmax(scores, axis=1), 1), tf.int32), tf.reduce_max(scores, axis=1)

    def several_steps() -> Any:
        """Returns the `[batch, time]` tags and `[batch]` scores of longer sequences."""
        first, later_potentials = _split_first_step(potentials)
        transition_counts = _minus_one(sequence_length)
        backpointers, scores = tf.nn.dynamic_rnn(
            CrfDecodeForwardRnnCell(transition_params),
            later_potentials,
            sequence_length=transition_counts,
            initial_state=first,
            time_major=False,
            dtype=tf.int32,
        )
        last = tf.expand_dims(tf.cast(tf.argmax(scores, axis=1), tf.int32), -1)
        tags, _ = tf.nn.dynamic_rnn(
            CrfDecodeBackwardRnnCell(tf.dimension_value(potentials.shape[2])),
            tf.reverse_sequence(backpointers, transition_counts, seq_axis=1),
            sequence_length=transition_counts,
            initial_state=last,
            time_major=False,
            dtype=tf.int32,
        )
        backward = tf.concat([last, tf.squeeze(tags, [2])], axis=1)
        return tf.reverse_sequence(backward, sequence_length, seq_axis=1), tf.reduce_max(scores, axis=1)

    return _by_length(potentials, one_step, several_steps)
