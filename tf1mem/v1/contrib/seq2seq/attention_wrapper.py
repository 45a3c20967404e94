# Copyright 2015-2019 The TensorFlow Authors. All Rights Reserved.
# Licensed under the Apache License, Version 2.0: see LICENSE.
# Written anew for tf1mem after tensorflow/contrib of TensorFlow 1.15.5, and changed: see NOTICE.

"""Attention mechanisms, and the cell wrapper that feeds their result back to the cell.

Programs subclass these mechanisms, so names that begin with an underscore are also those of TensorFlow 1.
"""

from __future__ import annotations

import math
from functools import partial
from typing import Any, Callable, NamedTuple

import numpy as np

import tf1mem.v1 as tf
from tf1mem.v1.contrib.seq2seq._cells import assert_like_rnncell, is_layer
from tf1mem.v1.contrib.seq2seq._cells import zero_state_tensors as _zero_state_tensors

_TILE = "The memory's batch size isn't {}'s. For a BeamSearchDecoder, tile both with tf.contrib.seq2seq.tile_batch."


class AttentionMechanism:
    """Base class of the attention mechanisms of an AttentionWrapper; alignments have the shape `[batch, time]`."""

    @property
    def alignments_size(self) -> Any:
        """Returns the number of memory steps, the last size of the `[batch, time]` alignments."""
        raise NotImplementedError

    @property
    def state_size(self) -> Any:
        """Returns the size of the `[batch, size]` attention state."""
        raise NotImplementedError


class _BaseAttentionMechanism(AttentionMechanism):
    """Attention mechanism with a memory and a function from scores to alignments.

    Args:
        query_layer: tf.layers.Layer that is applied to queries; None for no layer.
        memory: `[batch, time, depth]` tensor, such as the outputs of an encoder.
        probability_fn: Function from scores and the previous state to alignments, `[batch, time]` each.
        memory_sequence_length: `[batch]` integers, number of steps of each entry; later steps are masked. None for all.
        memory_layer: tf.layers.Layer from the memory to keys.
        check_inner_dims_defined: True to require that the depth of the memory is known.
        score_mask_value: Score of masked steps; None for -inf.
        custom_key_value_fn: Function from keys and values to the keys and values that are used.
        name: Name scope of the ops.
    """

    def __init__(
        self,
        query_layer: Any,
        memory: Any,
        probability_fn: Callable[..., Any],
        memory_sequence_length: Any = None,
        memory_layer: Any = None,
        check_inner_dims_defined: bool = True,
        score_mask_value: Any = None,
        custom_key_value_fn: Any = None,
        name: str | None = None,
    ) -> None:
        for argument, layer in (("query_layer", query_layer), ("memory_layer", memory_layer)):
            if layer is not None and not is_layer(layer):
                raise TypeError(f"{argument} is not a Layer: {type(layer).__name__}")
        self._query_layer = query_layer
        self._memory_layer = memory_layer
        self.dtype = memory_layer.dtype
        if not callable(probability_fn):
            raise TypeError(f"probability_fn must be callable, saw type: {type(probability_fn).__name__}")
        if score_mask_value is None:
            score_mask_value = tf.as_dtype(self.dtype).as_numpy_dtype(-np.inf)

        def masked_probability(score: Any, previous: Any) -> Any:
            """Returns the `[batch, time]` alignments of masked scores."""
            masked = _maybe_mask_score(score, memory_sequence_length, score_mask_value=score_mask_value)
            return probability_fn(masked, previous)

        self._probability_fn = masked_probability
        with tf.name_scope(name, "BaseAttentionMechanismInit", tf.nest.flatten(memory)):
            self._values = _prepare_memory(
                memory, memory_sequence_length, check_inner_dims_defined=check_inner_dims_defined
            )
            self._keys = self.memory_layer(self._values) if self.memory_layer else self._values
            if custom_key_value_fn is not None:
                self._keys, self._values = custom_key_value_fn(self._keys, self._values)
            self._batch_size = _dimension(self._keys, 0)
            self._alignments_size = _dimension(self._keys, 1)

    @property
    def memory_layer(self) -> Any:
        """Returns the layer from the `[batch, time, depth]` memory to keys, or None."""
        return self._memory_layer

    @property
    def query_layer(self) -> Any:
        """Returns the layer applied to `[batch, depth]` queries, or None."""
        return self._query_layer

    @property
    def values(self) -> Any:
        """Returns the masked memory, `[batch, time, depth]`."""
        return self._values

    @property
    def keys(self) -> Any:
        """Returns the keys, `[batch, time, num_units]`."""
        return self._keys

    @property
    def batch_size(self) -> Any:
        """Returns the batch size of the memory, an int or an int32 tensor of shape `[]`."""
        return self._batch_size

    @property
    def alignments_size(self) -> Any:
        """Returns the number of memory steps, the last size of the `[batch, time]` alignments."""
        return self._alignments_size

    @property
    def state_size(self) -> Any:
        """Returns the last size of the `[batch, time]` attention state, the alignments of the step before."""
        return self._alignments_size

    def initial_alignments(self, batch_size: Any, dtype: Any) -> Any:
        """Returns zeros, `[batch, time]`."""
        return _zero_state_tensors(self._alignments_size, batch_size, dtype)

    def initial_state(self, batch_size: Any, dtype: Any) -> Any:
        """Returns the initial alignments, `[batch, time]`; a mechanism with another state overrides this."""
        return self.initial_alignments(batch_size, dtype)


class _BaseMonotonicAttentionMechanism(_BaseAttentionMechanism):
    """Attention mechanism that starts at the first step of the memory."""

    def initial_alignments(self, batch_size: Any, dtype: Any) -> Any:
        """Returns `[batch, time]` alignments with 1 at the first step."""
        first = tf.zeros((batch_size,), dtype=tf.int32)
        return tf.one_hot(first, self._alignments_size, dtype=dtype)


class LuongAttention(_BaseAttentionMechanism):
    """Multiplicative attention; Luong et al., arXiv:1508.04025.

    Args:
        num_units: Depth of the keys; must be the depth of the queries.
        memory: `[batch, time, depth]` tensor, such as the outputs of an encoder.
        memory_sequence_length: `[batch]` integers, number of steps of each entry; later steps are masked. None for all.
        scale: True to multiply scores by a trainable scalar.
        probability_fn: Function from scores to alignments, `[batch, time]` both; None for softmax.
        score_mask_value: Score of masked steps; None for -inf.
        dtype: Type of the layers; None for float32.
        custom_key_value_fn: Function from keys and values to the keys and values that are used.
        name: Name scope of the ops.
    """

    def __init__(
        self,
        num_units: int,
        memory: Any,
        memory_sequence_length: Any = None,
        scale: bool = False,
        probability_fn: Any = None,
        score_mask_value: Any = None,
        dtype: Any = None,
        custom_key_value_fn: Any = None,
        name: str = "LuongAttention",
    ) -> None:
        super().__init__(
            query_layer=None,
            memory_layer=_projection(num_units, "memory_layer", dtype),
            memory=memory,
            probability_fn=_without_state(probability_fn),
            memory_sequence_length=memory_sequence_length,
            score_mask_value=score_mask_value,
            custom_key_value_fn=custom_key_value_fn,
            name=name,
        )
        self._num_units = num_units
        self._scale = scale
        self._name = name

    def __call__(self, query: Any, state: Any) -> tuple[Any, Any]:
        """Returns the `[batch, time]` alignments of a `[batch, depth]` query, and the same tensor as the next state."""
        with tf.variable_scope(None, "luong_attention", [query]):
            score = _luong_score(query, self._keys, _scale_of(self, query))
        alignments = self._probability_fn(score, state)
        return alignments, alignments


class BahdanauAttention(_BaseAttentionMechanism):
    """Additive attention; Bahdanau et al., arXiv:1409.0473.

    Args:
        num_units: Depth that queries and keys are projected to.
        memory: `[batch, time, depth]` tensor, such as the outputs of an encoder.
        memory_sequence_length: `[batch]` integers, number of steps of each entry; later steps are masked. None for all.
        normalize: True for weight normalization of the energy; Salimans and Kingma, arXiv:1602.07868.
        probability_fn: Function from scores to alignments, `[batch, time]` both; None for softmax.
        score_mask_value: Score of masked steps; None for -inf.
        dtype: Type of the layers; None for float32.
        custom_key_value_fn: Function from keys and values to the keys and values that are used.
        name: Name scope of the ops.
    """

    def __init__(
        self,
        num_units: int,
        memory: Any,
        memory_sequence_length: Any = None,
        normalize: bool = False,
        probability_fn: Any = None,
        score_mask_value: Any = None,
        dtype: Any = None,
        custom_key_value_fn: Any = None,
        name: str = "BahdanauAttention",
    ) -> None:
        super().__init__(
            query_layer=_projection(num_units, "query_layer", dtype),
            memory_layer=_projection(num_units, "memory_layer", dtype),
            memory=memory,
            probability_fn=_without_state(probability_fn),
            custom_key_value_fn=custom_key_value_fn,
            memory_sequence_length=memory_sequence_length,
            score_mask_value=score_mask_value,
            name=name,
        )
        self._num_units = num_units
        self._normalize = normalize
        self._name = name

    def __call__(self, query: Any, state: Any) -> tuple[Any, Any]:
        """Returns the `[batch, time]` alignments of a `[batch, depth]` query, and the same tensor as the next state."""
        with tf.variable_scope(None, "bahdanau_attention", [query]):
            score = _additive_score_of(self, query)
        alignments = self._probability_fn(score, state)
        return alignments, alignments


class BahdanauMonotonicAttention(_BaseMonotonicAttentionMechanism):
    """Additive attention whose alignments only move forward; Raffel et al., arXiv:1704.00784.

    Args:
        num_units: Depth that queries and keys are projected to.
        memory: `[batch, time, depth]` tensor, such as the outputs of an encoder.
        memory_sequence_length: `[batch]` integers, number of steps of each entry; later steps are masked. None for all.
        normalize: True for weight normalization of the energy; Salimans and Kingma, arXiv:1602.07868.
        score_mask_value: Score of masked steps; None for -inf.
        sigmoid_noise: Standard deviation of the normal noise that is added to scores.
        sigmoid_noise_seed: Seed of the noise.
        score_bias_init: Initial value of the scores' bias.
        mode: "recursive" is exact and slow, "parallel" is fast and can be inexact, "hard" takes only 0 and 1.
        dtype: Type of the layers; None for float32.
        name: Name scope of the ops.
    """

    def __init__(
        self,
        num_units: int,
        memory: Any,
        memory_sequence_length: Any = None,
        normalize: bool = False,
        score_mask_value: Any = None,
        sigmoid_noise: float = 0.0,
        sigmoid_noise_seed: int | None = None,
        score_bias_init: float = 0.0,
        mode: str = "parallel",
        dtype: Any = None,
        name: str = "BahdanauMonotonicAttention",
    ) -> None:
        super().__init__(
            query_layer=_projection(num_units, "query_layer", dtype),
            memory_layer=_projection(num_units, "memory_layer", dtype),
            memory=memory,
            probability_fn=partial(
                _monotonic_probability_fn, sigmoid_noise=sigmoid_noise, mode=mode, seed=sigmoid_noise_seed
            ),
            memory_sequence_length=memory_sequence_length,
            score_mask_value=score_mask_value,
            name=name,
        )
        self._num_units = num_units
        self._normalize = normalize
        self._name = name
        self._score_bias_init = score_bias_init

    def __call__(self, query: Any, state: Any) -> tuple[Any, Any]:
        """Returns the `[batch, time]` alignments of a `[batch, depth]` query, and the same tensor as the next state."""
        with tf.variable_scope(None, "bahdanau_monotonic_attention", [query]):
            score = _additive_score_of(self, query)
            score += tf.get_variable("attention_score_bias", dtype=query.dtype, initializer=self._score_bias_init)
        alignments = self._probability_fn(score, state)
        return alignments, alignments


class LuongMonotonicAttention(_BaseMonotonicAttentionMechanism):
    """Multiplicative attention whose alignments only move forward; Raffel et al., arXiv:1704.00784.

    Args:
        num_units: Depth of the keys; must be the depth of the queries.
        memory: `[batch, time, depth]` tensor, such as the outputs of an encoder.
        memory_sequence_length: `[batch]` integers, number of steps of each entry; later steps are masked. None for all.
        scale: True to multiply scores by a trainable scalar.
        score_mask_value: Score of masked steps; None for -inf.
        sigmoid_noise: Standard deviation of the normal noise that is added to scores.
        sigmoid_noise_seed: Seed of the noise.
        score_bias_init: Initial value of the scores' bias.
        mode: "recursive" is exact and slow, "parallel" is fast and can be inexact, "hard" takes only 0 and 1.
        dtype: Type of the layers; None for float32.
        name: Name scope of the ops.
    """

    def __init__(
        self,
        num_units: int,
        memory: Any,
        memory_sequence_length: Any = None,
        scale: bool = False,
        score_mask_value: Any = None,
        sigmoid_noise: float = 0.0,
        sigmoid_noise_seed: int | None = None,
        score_bias_init: float = 0.0,
        mode: str = "parallel",
        dtype: Any = None,
        name: str = "LuongMonotonicAttention",
    ) -> None:
        super().__init__(
            query_layer=None,
            memory_layer=_projection(num_units, "memory_layer", dtype),
            memory=memory,
            probability_fn=partial(
                _monotonic_probability_fn, sigmoid_noise=sigmoid_noise, mode=mode, seed=sigmoid_noise_seed
            ),
            memory_sequence_length=memory_sequence_length,
            score_mask_value=score_mask_value,
            name=name,
        )
        self._num_units = num_units
        self._scale = scale
        self._score_bias_init = score_bias_init
        self._name = name

    def __call__(self, query: Any, state: Any) -> tuple[Any, Any]:
        """Returns the `[batch, time]` alignments of a `[batch, depth]` query, and the same tensor as the next state."""
        with tf.variable_scope(None, "luong_monotonic_attention", [query]):
            score = _luong_score(query, self._keys, _scale_of(self, query))
            score += tf.get_variable("attention_score_bias", dtype=query.dtype, initializer=self._score_bias_init)
        alignments = self._probability_fn(score, state)
        return alignments, alignments


def _projection(units: int, name: str, dtype: Any) -> Any:
    return tf.layers.Dense(units, name=name, use_bias=False, dtype=tf.float32 if dtype is None else dtype)


def _without_state(probability_fn: Any) -> Callable[[Any, Any], Any]:
    chosen = tf.nn.softmax if probability_fn is None else probability_fn
    return lambda score, _: chosen(score)


def _scale_of(mechanism: Any, query: Any) -> Any:
    if not mechanism._scale:
        return None
    return tf.get_variable("attention_g", dtype=query.dtype, initializer=tf.ones_initializer, shape=())


def _additive_score_of(mechanism: Any, query: Any) -> Any:
    """Returns the additive scores, `[batch, time]`, by variables in the current scope."""
    units = mechanism._num_units
    processed = mechanism.query_layer(query) if mechanism.query_layer else query
    v = tf.get_variable("attention_v", [units], dtype=query.dtype)
    g = b = None
    if mechanism._normalize:
        start = tf.constant_initializer(math.sqrt(1.0 / units))
        g = tf.get_variable("attention_g", dtype=query.dtype, initializer=start, shape=())
        b = tf.get_variable("attention_b", [units], dtype=query.dtype, initializer=tf.zeros_initializer())
    return _bahdanau_score(processed, mechanism._keys, v, g, b)


def _luong_score(query: Any, keys: Any, scale: Any) -> Any:
    """Returns the products of each query with its keys, `[batch, time]`."""
    depth, units = query.get_shape()[-1], keys.get_shape()[-1]
    if depth != units:
        raise ValueError(
            f"query and keys: their last sizes differ, or are unknown. Query ({query}) has units: {depth}. "
            f"Keys ({keys}) have units: {units}. Give the mechanism num_units={depth}"
        )
    product = tf.matmul(tf.expand_dims(query, 1), keys, transpose_b=True)
    score = tf.squeeze(product, [1])
    return score if scale is None else scale * score


def _bahdanau_score(
    processed_query: Any, keys: Any, attention_v: Any, attention_g: Any = None, attention_b: Any = None
) -> Any:
    """Returns the energies of queries and keys, `[batch, time]`; normalized by `attention_g` and `attention_b`."""
    query = tf.expand_dims(processed_query, 1)
    if attention_g is None or attention_b is None:
        return tf.reduce_sum(attention_v * tf.tanh(keys + query), [2])
    direction = attention_g * attention_v * tf.rsqrt(tf.reduce_sum(tf.square(attention_v)))
    return tf.reduce_sum(direction * tf.tanh(keys + query + attention_b), [2])


def safe_cumprod(x: Any, *args: Any, **kwargs: Any) -> Any:
    """Returns the cumulative product of numbers between 0 and 1, by their logarithms; its gradient is finite.

    Args:
        x: Float tensor of any shape.
        *args: Arguments of tf.cumsum.
        **kwargs: Arguments of tf.cumsum.
    """
    with tf.name_scope(None, "SafeCumprod", [x]):
        x = tf.convert_to_tensor(x, name="x")
        smallest = np.finfo(x.dtype.as_numpy_dtype).tiny
        return tf.exp(tf.cumsum(tf.log(tf.clip_by_value(x, smallest, 1)), *args, **kwargs))


def monotonic_attention(p_choose_i: Any, previous_attention: Any, mode: str) -> Any:
    """Returns alignments that only move forward, `[batch, time]`; Raffel et al., arXiv:1704.00784.

    Args:
        p_choose_i: Probability of stopping at each entry, `[batch, time]`.
        previous_attention: Alignments of the step before, `[batch, time]`.
        mode: "recursive" is exact and slow, "parallel" is fast and can be inexact, "hard" takes probabilities that are
            0 or 1.

    Raises:
        ValueError: `mode` is none of these.
    """
    p = tf.convert_to_tensor(p_choose_i, name="p_choose_i")
    previous = tf.convert_to_tensor(previous_attention, name="previous_attention")
    if mode == "recursive":
        batch = _dimension(p, 0)
        passed = tf.concat([tf.ones((batch, 1)), 1 - p[:, :-1]], 1)
        reached = tf.scan(
            lambda before, now: tf.reshape(now[0] * before + now[1], (batch,)),
            [tf.transpose(passed), tf.transpose(previous)],
            tf.zeros((batch,)),
        )
        return p * tf.transpose(reached)
    if mode == "parallel":
        passed = safe_cumprod(1 - p, axis=1, exclusive=True)
        return p * passed * tf.cumsum(previous / tf.clip_by_value(passed, 1e-10, 1.0), axis=1)
    if mode == "hard":
        # Entries before the previous alignment can't be chosen; the first of the others is chosen.
        p *= tf.cumsum(previous, axis=1)
        return p * tf.cumprod(1 - p, axis=1, exclusive=True)
    raise ValueError(f"mode: {mode!r} is unknown. Give 'recursive', 'parallel' or 'hard'.")


def _monotonic_probability_fn(
    score: Any, previous_alignments: Any, sigmoid_noise: float, mode: str, seed: int | None = None
) -> Any:
    """Returns monotonic alignments of scores, `[batch, time]`, after adding normal noise."""
    if sigmoid_noise > 0:
        score += sigmoid_noise * tf.random_normal(tf.shape(score), dtype=score.dtype, seed=seed)
    p = tf.cast(score > 0, score.dtype) if mode == "hard" else tf.sigmoid(score)
    return monotonic_attention(p, previous_alignments, mode)


def hardmax(logits: Any, name: str | None = None) -> Any:
    """Returns 1 at the largest entry of the last dimension and 0 elsewhere.

    Args:
        logits: `[..., depth]` number tensor.
        name: Name scope of the ops.

    Returns:
        Tensor of the shape and dtype of `logits`.
    """
    with tf.name_scope(name, "Hardmax", [logits]):
        logits = tf.convert_to_tensor(logits, name="logits")
        depth = tf.dimension_value(logits.get_shape()[-1])
        if depth is None:
            depth = tf.shape(logits)[-1]
        return tf.one_hot(tf.argmax(logits, -1), depth, dtype=logits.dtype)


def _dimension(tensor: Any, axis: int) -> Any:
    """Returns the size of a dimension: an integer if it is known, else a tensor."""
    return tf.dimension_value(tensor.shape[axis]) or tf.shape(tensor)[axis]


def _check_one_mask(memory_sequence_length: Any, memory_mask: Any) -> None:
    if memory_sequence_length is not None and memory_mask is not None:
        raise ValueError("memory_sequence_length, memory_mask: both define the mask. Give only one of them.")


def _prepare_memory(
    memory: Any, memory_sequence_length: Any = None, memory_mask: Any = None, check_inner_dims_defined: bool = True
) -> Any:
    """Returns the memory as tensors, `[batch, time, ...]`, set to zero where it is masked."""
    memory = tf.nest.map_structure(lambda m: tf.convert_to_tensor(m, name="memory"), memory)
    _check_one_mask(memory_sequence_length, memory_mask)
    if memory_sequence_length is not None:
        memory_sequence_length = tf.convert_to_tensor(memory_sequence_length, name="memory_sequence_length")
    flat = tf.nest.flatten(memory)
    if check_inner_dims_defined:
        for m in flat:
            if not m.get_shape()[2:].is_fully_defined():
                raise ValueError(
                    f"Expected memory {m.name} to have fully defined inner dims, but saw shape: {m.get_shape()}"
                )
    if memory_sequence_length is not None:
        mask = tf.sequence_mask(memory_sequence_length, maxlen=tf.shape(flat[0])[1], dtype=flat[0].dtype)
    elif memory_mask is not None:
        mask = tf.cast(memory_mask, dtype=flat[0].dtype)
    else:
        return memory

    def masked(m: Any) -> Any:
        """Returns a `[batch, time, ...]` memory with masked steps set to zero."""
        rank = m.get_shape().ndims
        inner = tf.ones((tf.rank(m) if rank is None else rank) - 2, dtype=tf.int32)
        return m * tf.reshape(mask, tf.concat((tf.shape(mask), inner), 0))

    return tf.nest.map_structure(masked, memory)


def _maybe_mask_score(
    score: Any, memory_sequence_length: Any = None, memory_mask: Any = None, score_mask_value: Any = None
) -> Any:
    """Returns the score, `[batch, time]`, with `score_mask_value` where the memory is masked."""
    _check_one_mask(memory_sequence_length, memory_mask)
    if memory_sequence_length is not None:
        message = "memory_sequence_length: a length is 0 or less. Give 1 or more for each row."
        with tf.control_dependencies([tf.assert_positive(memory_sequence_length, message=message)]):
            memory_mask = tf.sequence_mask(memory_sequence_length, maxlen=tf.shape(score)[1])
    if memory_mask is None:
        return score
    return tf.where(memory_mask, score, score_mask_value * tf.ones_like(score))


def _compute_attention(
    attention_mechanism: Any, cell_output: Any, attention_state: Any, attention_layer: Any
) -> tuple[Any, Any, Any]:
    """Returns attention `[batch, depth]`, alignments `[batch, time]` and the mechanism's next state."""
    alignments, next_state = attention_mechanism(cell_output, state=attention_state)
    context = tf.squeeze(tf.matmul(tf.expand_dims(alignments, 1), attention_mechanism.values), [1])
    if attention_layer is None:
        return context, alignments, next_state
    return attention_layer(tf.concat([cell_output, context], 1)), alignments, next_state


class AttentionWrapperState(NamedTuple):
    """State of an AttentionWrapper.

    Attributes:
        cell_state: State of the wrapped cell.
        attention: Attention of the last step, `[batch, attention_layer_size]`.
        time: Number of the step, an int32 scalar.
        alignments: Alignments, `[batch, time]`; a tuple of them if there are several mechanisms.
        alignment_history: TensorArray of the alignments of each step, or (); a tuple if there are several mechanisms.
        attention_state: State of the mechanism; a tuple if there are several.
    """

    cell_state: Any
    attention: Any
    time: Any
    alignments: Any
    alignment_history: Any
    attention_state: Any

    def clone(self, **kwargs: Any) -> Any:
        """Returns this state with other values of some fields.

        Raises:
            ValueError: A tensor has another shape than the one it replaces.
        """
        return tf.nest.map_structure(_with_shape_of, self, self._replace(**kwargs))


def _with_shape_of(old: Any, new: Any) -> Any:
    """Returns the new tensor, known or checked to have the shape of the old one."""
    if not (tf.is_tensor(old) and tf.is_tensor(new)):
        return new
    if not old.shape.is_compatible_with(new.shape):
        raise ValueError(f"Expected shape {old.shape}, as {old.name} has it, but {new.name} has {new.shape}")
    if not (old.shape.is_fully_defined() and new.shape.is_fully_defined()):
        same = tf.reduce_all(tf.equal(tf.shape(old), tf.shape(new)))
        with tf.control_dependencies([tf.Assert(same, ["Wrong shape for", new.name, tf.shape(old), tf.shape(new)])]):
            new = tf.identity(new)
        new.set_shape(old.shape)
    return new


class AttentionWrapper(tf.nn.rnn_cell.RNNCell):
    """Cell wrapper that adds attention: the cell's output is the query, and the attention joins its next input.

    Args:
        cell: RNNCell that decodes.
        attention_mechanism: AttentionMechanism, or a list of them.
        attention_layer_size: Units of a Dense layer over the cell's output and the context, an integer or one for each
            mechanism; None for the context itself.
        alignment_history: True to keep the alignments of all steps, each `[batch, max_time]`, in the state.
        cell_input_fn: Function from input and attention to the cell's input; None to concatenate them.
        output_attention: True to return the attention as the output, rather than the cell's output.
        initial_cell_state: State of the cell in `zero_state`; None for zeros.
        name: Name of the layer.
        attention_layer: Layer, or one for each mechanism, in place of `attention_layer_size`.
        attention_fn: Function of mechanism, cell output, attention state and layer that returns attention, alignments
            and the next attention state; None for the usual one.
        dtype: Type of the variables.

    Raises:
        TypeError: `attention_mechanism` is no AttentionMechanism, or `cell_input_fn` isn't callable.
        ValueError: There are not as many layers as mechanisms, or both kinds of layers are set.
    """

    def __init__(
        self,
        cell: Any,
        attention_mechanism: Any,
        attention_layer_size: Any = None,
        alignment_history: bool = False,
        cell_input_fn: Any = None,
        output_attention: bool = True,
        initial_cell_state: Any = None,
        name: str | None = None,
        attention_layer: Any = None,
        attention_fn: Any = None,
        dtype: Any = None,
    ) -> None:
        super().__init__(name=name, dtype=dtype)
        assert_like_rnncell("cell", cell)
        self._is_multi = isinstance(attention_mechanism, (list, tuple))
        mechanisms = attention_mechanism if self._is_multi else (attention_mechanism,)
        for mechanism in mechanisms:
            if not isinstance(mechanism, AttentionMechanism):
                expected = (
                    "contain only instances of AttentionMechanism" if self._is_multi else "be an AttentionMechanism"
                )
                raise TypeError(f"attention_mechanism must {expected}, saw type: {type(mechanism).__name__}")
        if cell_input_fn is None:

            def cell_input_fn(inputs: Any, attention: Any) -> Any:
                """Returns the `[batch, input_size]` input and the `[batch, depth]` attention, concatenated."""
                return tf.concat([inputs, attention], -1)

        elif not callable(cell_input_fn):
            raise TypeError(f"cell_input_fn must be callable, saw type: {type(cell_input_fn).__name__}")
        if attention_layer_size is not None and attention_layer is not None:
            raise ValueError("attention_layer_size, attention_layer: both are set. Give only one of them.")

        def depth(mechanism: Any) -> Any:
            """Returns the depth of a mechanism's `[batch, time, depth]` values."""
            return tf.dimension_value(mechanism.values.shape[-1])

        if attention_layer_size is not None:
            sizes = _one_for_each("attention_layer_size", "integer", attention_layer_size, mechanisms)
            self._attention_layers: Any = tuple(
                _projection(size, "attention_layer", mechanism.dtype) for size, mechanism in zip(sizes, mechanisms)
            )
        elif attention_layer is not None:
            self._attention_layers = _one_for_each("attention_layer", "layer", attention_layer, mechanisms)
            sizes = tuple(
                tf.dimension_value(layer.compute_output_shape([None, cell.output_size + depth(mechanism)])[-1])
                for layer, mechanism in zip(self._attention_layers, mechanisms)
            )
        else:
            self._attention_layers = None
            sizes = tuple(depth(mechanism) for mechanism in mechanisms)
        self._attention_layer_size = sum(sizes)
        self._attention_fn = _compute_attention if attention_fn is None else attention_fn
        self._cell = cell
        self._attention_mechanisms = mechanisms
        self._cell_input_fn = cell_input_fn
        self._output_attention = output_attention
        self._alignment_history = alignment_history
        with tf.name_scope(name, "AttentionWrapperInit"):
            if initial_cell_state is None:
                self._initial_cell_state = None
            else:
                self._initial_cell_state = self._checked(
                    initial_cell_state,
                    _dimension(tf.nest.flatten(initial_cell_state)[-1], 0),
                    _TILE.format("initial_cell_state"),
                    "check_initial_cell_state",
                )

    def _checked(self, values: Any, batch_size: Any, message: str, name: str) -> Any:
        """Returns the values, after a check that `batch_size` equals the memories' batch size."""
        with tf.control_dependencies(self._batch_size_checks(batch_size, f"AttentionWrapper {self.name}: {message}")):
            return tf.nest.map_structure(lambda value: tf.identity(value, name=name), values)

    def _batch_size_checks(self, batch_size: Any, error_message: str) -> list[Any]:
        return [
            tf.assert_equal(batch_size, mechanism.batch_size, message=error_message)
            for mechanism in self._attention_mechanisms
        ]

    def _item_or_tuple(self, seq: Any) -> Any:
        """Returns the items as a tuple if there is a list of mechanisms, else the single item."""
        items = tuple(seq)
        return items if self._is_multi else items[0]

    @property
    def output_size(self) -> Any:
        """Returns the last size of the `[batch, size]` output."""
        return self._attention_layer_size if self._output_attention else self._cell.output_size

    @property
    def state_size(self) -> AttentionWrapperState:
        """Returns the sizes of the state's fields, without the batch; see AttentionWrapperState for the shapes."""
        mechanisms = self._attention_mechanisms
        return AttentionWrapperState(
            cell_state=self._cell.state_size,
            time=tf.TensorShape([]),
            attention=self._attention_layer_size,
            alignments=self._item_or_tuple(each.alignments_size for each in mechanisms),
            attention_state=self._item_or_tuple(each.state_size for each in mechanisms),
            alignment_history=self._item_or_tuple(
                each.alignments_size if self._alignment_history else () for each in mechanisms
            ),
        )

    def zero_state(self, batch_size: Any, dtype: Any) -> AttentionWrapperState:
        """Returns the initial state, `[batch, ...]`: `initial_cell_state` or zeros, and the mechanisms' initial states.

        Args:
            batch_size: Batch size of the memories.
            dtype: Type of the state.
        """
        with tf.name_scope(type(self).__name__ + "ZeroState", values=[batch_size]):
            cell_state = self._initial_cell_state
            if cell_state is None:
                cell_state = self._cell.get_initial_state(batch_size=batch_size, dtype=dtype)
            cell_state = self._checked(cell_state, batch_size, _TILE.format("zero_state"), "checked_cell_state")
            mechanisms = self._attention_mechanisms
            alignments = [each.initial_alignments(batch_size, dtype) for each in mechanisms]
            return AttentionWrapperState(
                cell_state=cell_state,
                time=tf.zeros([], dtype=tf.int32),
                attention=_zero_state_tensors(self._attention_layer_size, batch_size, dtype),
                alignments=self._item_or_tuple(alignments),
                attention_state=self._item_or_tuple(each.initial_state(batch_size, dtype) for each in mechanisms),
                alignment_history=self._item_or_tuple(
                    tf.TensorArray(dtype, size=0, dynamic_size=True, element_shape=each.shape)
                    if self._alignment_history
                    else ()
                    for each in alignments
                ),
            )

    def call(self, inputs: Any, state: Any) -> tuple[Any, AttentionWrapperState]:
        """Computes one step.

        Args:
            inputs: `[batch, input_size]` float tensor.
            state: State of the step before, an AttentionWrapperState, whose docstring has the shapes.

        Returns:
            Output, `[batch, output_size]`, and the next state. The output is the attention or, without
            `output_attention`, the cell's output.

        Raises:
            TypeError: `state` is no AttentionWrapperState.
        """
        if not isinstance(state, AttentionWrapperState):
            raise TypeError(
                f"state: {type(state)} is no AttentionWrapperState. Give the state that zero_state or the last step "
                "returned."
            )
        cell_output, next_cell_state = self._cell(self._cell_input_fn(inputs, state.attention), state.cell_state)
        cell_output = self._checked(
            cell_output, _dimension(cell_output, 0), _TILE.format("the query"), "checked_cell_output"
        )
        mechanisms = self._attention_mechanisms
        states, histories = (
            value if self._is_multi else [value] for value in (state.attention_state, state.alignment_history)
        )
        computed = []
        next_histories: list[Any] = []
        for i, mechanism in enumerate(mechanisms):
            layer = self._attention_layers[i] if self._attention_layers else None
            computed.append(self._attention_fn(mechanism, cell_output, states[i], layer))
            next_histories.append(histories[i].write(state.time, computed[i][1]) if self._alignment_history else ())
        attention = tf.concat([each[0] for each in computed], 1)
        next_state = AttentionWrapperState(
            time=state.time + 1,
            cell_state=next_cell_state,
            attention=attention,
            attention_state=self._item_or_tuple(each[2] for each in computed),
            alignments=self._item_or_tuple(each[1] for each in computed),
            alignment_history=self._item_or_tuple(next_histories),
        )
        return attention if self._output_attention else cell_output, next_state


def _one_for_each(argument: str, kind: str, value: Any, mechanisms: Any) -> tuple[Any, ...]:
    values = tuple(value) if isinstance(value, (list, tuple)) else (value,)
    if len(values) != len(mechanisms):
        raise ValueError(
            f"If provided, {argument} must contain exactly one {kind} per attention_mechanism, "
            f"saw: {len(values)} vs {len(mechanisms)}"
        )
    return values
