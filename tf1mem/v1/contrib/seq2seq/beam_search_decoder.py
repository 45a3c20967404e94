# Copyright 2015-2019 The TensorFlow Authors. All Rights Reserved.
# Licensed under the Apache License, Version 2.0: see LICENSE.
# Written anew for tf1mem after tensorflow/contrib of TensorFlow 1.15.5, and changed: see NOTICE.

"""Beam search decoders, and functions that prepare their inputs and sort their outputs."""

from __future__ import annotations

import logging
from typing import Any, NamedTuple

import numpy as np

import tf1mem.v1 as tf
from tf1mem.v1._seeds import makes_other_ops
from tf1mem.v1.contrib.seq2seq import beam_search_ops, decoder
from tf1mem.v1.contrib.seq2seq._cells import assert_like_rnncell, is_layer, output_size
from tf1mem.v1.contrib.seq2seq.attention_wrapper import AttentionWrapperState

_LOG = logging.getLogger("tensorflow")
_KEEP_ARRAYS = "Set reorder_tensor_arrays to False to keep TensorArrays as they are"


class BeamSearchDecoderState(NamedTuple):
    """State between two steps.

    Attributes:
        cell_state: State of the cell, `[batch, beams, ...]`.
        log_probs: Log-probability of each beam, `[batch, beams]`.
        finished: True for beams that have ended, `[batch, beams]`.
        lengths: Length of each beam, `[batch, beams]` int64.
        accumulated_attention_probs: Sum of the alignments, `[batch, beams, time]`; () without a coverage penalty.
    """

    cell_state: Any
    log_probs: Any
    finished: Any
    lengths: Any
    accumulated_attention_probs: Any


class BeamSearchDecoderOutput(NamedTuple):
    """Output of a step, `[batch, beams]` each: scores, ids, and the beams of the step before that they continue."""

    scores: Any
    predicted_ids: Any
    parent_ids: Any


class FinalBeamSearchDecoderOutput(NamedTuple):
    """Ids of whole beams, the best first, `[batch, time, beams]`, and the outputs of each step."""

    predicted_ids: Any
    beam_search_decoder_output: Any


def tile_batch(t: Any, multiplier: Any, name: str | None = None) -> Any:
    """Returns a batch with each entry repeated, `[batch * multiplier, ...]`, for the memory and state of a beam search.

    Args:
        t: `[batch, ...]` tensor, or a nest of such tensors.
        multiplier: Number of repetitions, which is the beam width.
        name: Name scope of the ops.

    Raises:
        ValueError: The rank of a tensor isn't known, or it is a scalar.
    """
    with tf.name_scope(name, "tile_batch", [*tf.nest.flatten(t), multiplier]):
        return tf.nest.map_structure(lambda each: _tile_batch(each, multiplier), t)


def _tile_batch(t: Any, multiplier: Any) -> Any:
    t = tf.convert_to_tensor(t, name="t")
    shape = tf.shape(t)
    if t.shape.ndims is None or t.shape.ndims < 1:
        raise ValueError("t must have statically known rank")
    times = [1, multiplier] + [1] * (t.shape.ndims - 1)
    tiled = tf.tile(tf.expand_dims(t, 1), times)
    tiled = tf.reshape(tiled, tf.concat(([shape[0] * multiplier], shape[1:]), 0))
    batch = t.shape.dims[0].value
    tiled.set_shape(tf.TensorShape([None if batch is None else batch * multiplier]).concatenate(t.shape[1:]))
    return tiled


def gather_tree_from_array(t: Any, parent_ids: Any, sequence_length: Any) -> Any:
    """Sorts the values of each step by the beams that the search ended with.

    Args:
        t: `[time, batch * beams, ...]` or `[time, batch, beams, ...]` tensor.
        parent_ids: Beam of the step before that each beam continues, `[time, batch, beams]` int32.
        sequence_length: Length of each beam, `[batch, beams]`.

    Returns:
        The sorted tensor, with the shape of `t`.
    """
    steps, batch, beams = (parent_ids.shape.dims[i].value or tf.shape(parent_ids)[i] for i in range(3))
    unchanged = tf.tile(tf.expand_dims(tf.expand_dims(tf.range(beams), 0), 0), [steps, batch, 1])
    beam_ids = beam_search_ops.gather_tree(
        step_ids=unchanged,
        parent_ids=parent_ids,
        max_sequence_lengths=tf.cast(tf.reduce_max(sequence_length, axis=1), tf.int32),
        end_token=beams + 1,
    )
    in_bounds = tf.transpose(tf.sequence_mask(sequence_length, maxlen=steps), perm=[2, 0, 1])
    beam_ids = tf.where(in_bounds, x=beam_ids, y=unchanged)
    times = tf.tile(tf.reshape(tf.range(steps), [-1, 1, 1]), [1, batch, beams])
    entries = tf.tile(tf.reshape(tf.range(batch), [1, -1, 1]), [steps, 1, beams])
    ordered = tf.gather_nd(tf.reshape(t, [steps, batch, beams, -1]), tf.stack([times, entries, beam_ids], -1))
    return tf.reshape(ordered, tf.shape(t))


class BeamSearchDecoderMixin:
    """Base class of both beam search decoders.

    A subclass lists it before the decoder's class, to which it passes `kwargs`.

    Args:
        cell: RNNCell that decodes.
        beam_width: Number of beams.
        output_layer: tf.keras.layers.Layer from the cell's output to logits; None for the output itself.
        length_penalty_weight: Exponent of the length penalty, arXiv:1609.08144; 0 for none.
        coverage_penalty_weight: Weight of the coverage penalty, arXiv:1609.08144; 0 for none.
        reorder_tensor_arrays: True to sort TensorArrays of the cell's state by the final beams.
        **kwargs: Arguments of the decoder's class.

    Raises:
        TypeError: `cell` isn't an RNNCell, or `output_layer` isn't a layer.
    """

    _embedding_fn: Any

    def __init__(
        self,
        cell: Any,
        beam_width: int,
        output_layer: Any = None,
        length_penalty_weight: float = 0.0,
        coverage_penalty_weight: float = 0.0,
        reorder_tensor_arrays: bool = True,
        **kwargs: Any,
    ) -> None:
        assert_like_rnncell("cell", cell)
        if output_layer is not None and not is_layer(output_layer):
            raise TypeError(f"output_layer must be a Layer, received: {type(output_layer)}")
        super().__init__(**kwargs)
        self._cell = cell
        self._output_layer = output_layer
        self._reorder_tensor_arrays = reorder_tensor_arrays
        self._beam_width = beam_width
        self._length_penalty_weight = length_penalty_weight
        self._coverage_penalty_weight = coverage_penalty_weight

    def _begin(self, start_tokens: Any, end_token: Any, initial_state: Any) -> None:
        """Stores the tensors that a search begins with."""
        makes_other_ops("contrib.seq2seq.BeamSearchDecoder")
        self._start_tokens = tf.convert_to_tensor(start_tokens, dtype=tf.int32, name="start_tokens")
        if self._start_tokens.get_shape().ndims != 1:
            raise ValueError("start_tokens must be a vector")
        self._end_token = tf.convert_to_tensor(end_token, dtype=tf.int32, name="end_token")
        if self._end_token.get_shape().ndims != 0:
            raise ValueError("end_token must be a scalar")
        self._batch_size = tf.size(start_tokens)
        self._initial_cell_state = tf.nest.map_structure(
            self._maybe_split_batch_beams, initial_state, self._cell.state_size
        )
        self._start_tokens = tf.tile(tf.expand_dims(self._start_tokens, 1), [1, self._beam_width])
        self._start_inputs = self._embedding_fn(self._start_tokens)
        # All beams are equal before the first step, so that only the first one is continued there.
        self._finished = tf.one_hot(
            tf.zeros([self._batch_size], dtype=tf.int32),
            depth=self._beam_width,
            on_value=False,
            off_value=True,
            dtype=tf.bool,
        )

    @property
    def batch_size(self) -> Any:
        """Returns the batch size without beams, an int32 tensor of shape `[]`."""
        return self._batch_size

    @property
    def tracks_own_finished(self) -> bool:
        """Returns True: each step reorders the beams, and with them `finished`, `[batch, beam_width]`."""
        return True

    def _rnn_output_size(self) -> Any:
        return output_size(self._cell, self._output_layer)

    @property
    def output_size(self) -> BeamSearchDecoderOutput:
        """Returns the shapes `[beams]` of scores, ids and parents."""
        return BeamSearchDecoderOutput(*(tf.TensorShape([self._beam_width]) for _ in range(3)))

    @property
    def output_dtype(self) -> BeamSearchDecoderOutput:
        """Returns the dtypes of scores, ids and parents, each `[batch, beam_width]`."""
        dtype = tf.nest.flatten(self._initial_cell_state)[0].dtype
        scores = tf.nest.map_structure(lambda _: dtype, self._rnn_output_size())
        return BeamSearchDecoderOutput(scores, tf.int32, tf.int32)

    def _first(self) -> Any:
        """Returns `finished` (`[batch, beams]` bool), the first inputs and the initial state."""
        dtype = tf.nest.flatten(self._initial_cell_state)[0].dtype
        log_probs = tf.one_hot(
            tf.zeros([self._batch_size], dtype=tf.int32),
            depth=self._beam_width,
            on_value=tf.convert_to_tensor(0.0, dtype=dtype),
            off_value=tf.convert_to_tensor(-np.inf, dtype=dtype),
            dtype=dtype,
        )
        attention = get_attention_probs(self._initial_cell_state, self._coverage_penalty_weight)
        state = BeamSearchDecoderState(
            cell_state=self._initial_cell_state,
            log_probs=log_probs,
            finished=self._finished,
            lengths=tf.zeros([self._batch_size, self._beam_width], dtype=tf.int64),
            accumulated_attention_probs=() if attention is None else attention,
        )
        return self._finished, self._start_inputs, state

    def step(self, time: Any, inputs: Any, state: Any, name: str | None = None) -> Any:
        """Computes a step; returns outputs, the next state, the next inputs and `finished`, `[batch, beams]` bool.

        Args:
            time: Number of the step, an int32 scalar.
            inputs: Inputs of the step, `[batch, beams, ...]`.
            state: BeamSearchDecoderState after the previous step.
            name: Name scope of the ops.
        """
        with tf.name_scope(name, "BeamSearchDecoderStep", (time, inputs, state)):
            inputs = tf.nest.map_structure(lambda each: self._merge_batch_beams(each, s=each.shape[2:]), inputs)
            cell_state = tf.nest.map_structure(self._maybe_merge_batch_beams, state.cell_state, self._cell.state_size)
            outputs, next_cell_state = self._cell(inputs, cell_state)
            outputs = tf.nest.map_structure(lambda each: self._split_batch_beams(each, each.shape[1:]), outputs)
            next_cell_state = tf.nest.map_structure(
                self._maybe_split_batch_beams, next_cell_state, self._cell.state_size
            )
            if self._output_layer is not None:
                outputs = self._output_layer(outputs)
            output, next_state = _beam_search_step(
                time=time,
                logits=outputs,
                next_cell_state=next_cell_state,
                beam_state=state,
                batch_size=self._batch_size,
                beam_width=self._beam_width,
                end_token=self._end_token,
                length_penalty_weight=self._length_penalty_weight,
                coverage_penalty_weight=self._coverage_penalty_weight,
            )
            next_inputs = tf.cond(
                tf.reduce_all(next_state.finished),
                lambda: self._start_inputs,
                lambda: self._embedding_fn(output.predicted_ids),
            )
        return output, next_state, next_inputs, next_state.finished

    def finalize(self, outputs: Any, final_state: Any, sequence_lengths: Any) -> Any:
        """Traces the beams back, and sorts the TensorArrays of the cell's state by them.

        Uses the lengths in the state, because those that `dynamic_decode` counts don't follow the reordered beams.

        Args:
            outputs: BeamSearchDecoderOutput, `[time, batch, beams]` each.
            final_state: The last BeamSearchDecoderState.
            sequence_lengths: Ignored.

        Returns:
            A FinalBeamSearchDecoderOutput, and the final state.
        """
        longest = tf.cast(tf.reduce_max(final_state.lengths, axis=1), tf.int32)
        predicted_ids = beam_search_ops.gather_tree(
            outputs.predicted_ids, outputs.parent_ids, max_sequence_lengths=longest, end_token=self._end_token
        )
        if self._reorder_tensor_arrays:
            cell_state = tf.nest.map_structure(
                lambda each: self._maybe_sort_array_beams(each, outputs.parent_ids, final_state.lengths),
                final_state.cell_state,
            )
            final_state = final_state._replace(cell_state=cell_state)
        return FinalBeamSearchDecoderOutput(predicted_ids, outputs), final_state

    def _static_batch_size(self) -> Any:
        return tf.get_static_value(self._batch_size)

    def _merge_batch_beams(self, t: Any, s: Any = None) -> Any:
        """Returns a `[batch, beams, s]` tensor, reshaped to `[batch * beams, s]`."""
        batch = self._static_batch_size()
        merged = tf.reshape(t, tf.concat(([self._batch_size * self._beam_width], tf.shape(t)[2:]), 0))
        together = None if batch is None else batch * self._beam_width
        merged.set_shape(tf.TensorShape([together]).concatenate(_static_shape(s)))
        return merged

    def _split_batch_beams(self, t: Any, s: Any = None) -> Any:
        """Returns a `[batch * beams, s]` tensor, reshaped to `[batch, beams, s]`."""
        split = tf.reshape(t, tf.concat(([self._batch_size, self._beam_width], tf.shape(t)[1:]), 0))
        expected = tf.TensorShape([self._static_batch_size(), self._beam_width]).concatenate(_static_shape(s))
        if not split.shape.is_compatible_with(expected):
            raise ValueError(
                f"Unexpected behavior when reshaping between beam width and batch size: the shape is {split.shape}, "
                f"and [batch_size, beam_width, depth] is {expected}. "
                "Make the zero_state with batch_size=encoder_batch_size * beam_width"
            )
        split.set_shape(expected)
        return split

    def _maybe_split_batch_beams(self, t: Any, s: Any) -> Any:
        if isinstance(t, tf.TensorArray):
            return t
        _check_ndims(t)
        return self._split_batch_beams(t, s) if t.shape.ndims >= 1 else t

    def _maybe_merge_batch_beams(self, t: Any, s: Any) -> Any:
        if isinstance(t, tf.TensorArray):
            return t
        _check_ndims(t)
        return self._merge_batch_beams(t, s) if t.shape.ndims >= 2 else t

    def _maybe_sort_array_beams(self, t: Any, parent_ids: Any, sequence_length: Any) -> Any:
        """Returns a TensorArray as a tensor sorted by beams; other values, and arrays without beams, as they are."""
        if not isinstance(t, tf.TensorArray):
            return t
        if t.element_shape.ndims is None or t.element_shape.ndims < 1:
            _LOG.warning(
                "The TensorArray %s in the cell state cannot be sorted by beams: its elements need a shape of rank 1 "
                "or more, and it is %s. %s",
                t.handle.name,
                t.element_shape,
                _KEEP_ARRAYS,
            )
            return t
        if not _check_static_batch_beam_maybe(t.element_shape, self._static_batch_size(), self._beam_width):
            return t
        stacked = t.stack()
        with tf.control_dependencies([_check_batch_beam(stacked, self._batch_size, self._beam_width)]):
            return gather_tree_from_array(stacked, parent_ids, sequence_length)


class BeamSearchDecoder(BeamSearchDecoderMixin, decoder.Decoder):
    """Beam search decoder; the cell's state has to be tiled by `tile_batch`.

    Args:
        cell: RNNCell that decodes.
        embedding: Function from ids to inputs, or `params` of tf.nn.embedding_lookup.
        start_tokens: `[batch]` int32.
        end_token: int32 scalar, the id that ends a beam.
        initial_state: State of the cell, `[batch * beam_width, ...]`: a state that `tile_batch` has repeated.
        beam_width: Number of beams.
        output_layer: tf.keras.layers.Layer from the cell's output to logits; None for the output itself.
        length_penalty_weight: Exponent of the length penalty, arXiv:1609.08144; 0 for none.
        coverage_penalty_weight: Weight of the coverage penalty, arXiv:1609.08144; 0 for none.
        reorder_tensor_arrays: True to sort TensorArrays of the cell's state by the final beams.

    Raises:
        TypeError: `cell` isn't an RNNCell, or `output_layer` isn't a layer.
        ValueError: `start_tokens` isn't a vector, `end_token` no scalar, or the state isn't tiled.
    """

    def __init__(
        self,
        cell: Any,
        embedding: Any,
        start_tokens: Any,
        end_token: Any,
        initial_state: Any,
        beam_width: int,
        output_layer: Any = None,
        length_penalty_weight: float = 0.0,
        coverage_penalty_weight: float = 0.0,
        reorder_tensor_arrays: bool = True,
    ) -> None:
        super().__init__(
            cell,
            beam_width,
            output_layer=output_layer,
            length_penalty_weight=length_penalty_weight,
            coverage_penalty_weight=coverage_penalty_weight,
            reorder_tensor_arrays=reorder_tensor_arrays,
        )
        self._embedding_fn = embedding if callable(embedding) else _lookup(embedding)
        self._begin(start_tokens, end_token, initial_state)

    def initialize(self, name: str | None = None) -> Any:
        """Returns `finished` (`[batch, beams]` bool), the first inputs and the initial state."""
        return self._first()


class BeamSearchDecoderV2(BeamSearchDecoderMixin, decoder.BaseDecoder):
    """Beam search decoder as a Keras layer; the call takes the tensors. See BeamSearchDecoder.

    Args:
        cell: RNNCell that decodes.
        beam_width: Number of beams.
        embedding_fn: Function from ids to inputs; None if the call gets an embedding.
        output_layer: tf.keras.layers.Layer from the cell's output to logits; None for the output itself.
        length_penalty_weight: Exponent of the length penalty, arXiv:1609.08144; 0 for none.
        coverage_penalty_weight: Weight of the coverage penalty, arXiv:1609.08144; 0 for none.
        reorder_tensor_arrays: True to sort TensorArrays of the cell's state by the final beams.
        **kwargs: Arguments of BaseDecoder.

    Raises:
        TypeError: `cell` isn't an RNNCell, or `output_layer` isn't a layer.
        ValueError: `embedding_fn` isn't callable.
    """

    def __init__(
        self,
        cell: Any,
        beam_width: int,
        embedding_fn: Any = None,
        output_layer: Any = None,
        length_penalty_weight: float = 0.0,
        coverage_penalty_weight: float = 0.0,
        reorder_tensor_arrays: bool = True,
        **kwargs: Any,
    ) -> None:
        super().__init__(
            cell,
            beam_width,
            output_layer=output_layer,
            length_penalty_weight=length_penalty_weight,
            coverage_penalty_weight=coverage_penalty_weight,
            reorder_tensor_arrays=reorder_tensor_arrays,
            **kwargs,
        )
        if embedding_fn is not None and not callable(embedding_fn):
            raise ValueError(f"embedding_fn is expected to be a callable, got {type(embedding_fn)}")
        self._embedding_fn = embedding_fn

    def initialize(self, embedding: Any, start_tokens: Any, end_token: Any, initial_state: Any) -> Any:
        """Returns `finished` (`[batch, beams]` bool), the first inputs and the initial state.

        Args:
            embedding: `params` of tf.nn.embedding_lookup; None with an `embedding_fn`.
            start_tokens: `[batch]` int32.
            end_token: int32 scalar, the id that ends a beam.
            initial_state: State of the cell, `[batch * beam_width, ...]`: a state that `tile_batch` has repeated.

        Raises:
            ValueError: There are two embeddings, `start_tokens` isn't a vector or `end_token` isn't a scalar.
        """
        if embedding is not None:
            if self._embedding_fn is not None:
                raise ValueError("embedding and embedding_fn cannot be provided at same time")
            self._embedding_fn = _lookup(embedding)
        self._begin(start_tokens, end_token, initial_state)
        return self._first()

    def call(self, embedding: Any, start_tokens: Any, end_token: Any, initial_state: Any, **kwargs: Any) -> Any:
        """Runs the loop with the arguments of `initialize`.

        Args:
            embedding: `params` of tf.nn.embedding_lookup; None with an `embedding_fn`.
            start_tokens: `[batch]` int32.
            end_token: int32 scalar, the id that ends a beam.
            initial_state: State of the cell, `[batch * beam_width, ...]`: a state that `tile_batch` has repeated.
            **kwargs: Further arguments of `BaseDecoder.call`.

        Returns:
            Outputs, `[batch, time, ...]`, final state, and lengths of the beams, `[batch, beams]` int32.
        """
        return super().call(embedding, initial_state, start_tokens=start_tokens, end_token=end_token, **kwargs)


def _lookup(embedding: Any) -> Any:
    return lambda ids: tf.nn.embedding_lookup(embedding, ids)


def _static_shape(s: Any) -> Any:
    return tf.TensorShape(tf.get_static_value(s) if tf.is_tensor(s) else s)


def _check_ndims(t: Any) -> None:
    if t.shape.ndims is None:
        raise ValueError(f"Expected tensor ({t}) to have known rank, but ndims == None.")


def _check_static_batch_beam_maybe(shape: Any, batch_size: Any, beam_width: int) -> bool:
    """Returns True if elements of a static shape can be sorted by beams; else logs a warning."""
    known = shape.as_list()
    if batch_size is None or known[0] is None:
        return True
    fits = known[0] == batch_size * beam_width and (
        len(known) < 2 or known[1] is None or known[:2] == [batch_size, beam_width]
    )
    if not fits:
        _LOG.warning(
            "TensorArray reordering expects elements to be reshapable to %s which is incompatible with the current "
            "shape %s. %s",
            tf.TensorShape([batch_size, beam_width, None]),
            shape,
            _KEEP_ARRAYS,
        )
    return fits


def _check_batch_beam(t: Any, batch_size: Any, beam_width: int) -> Any:
    """Returns an op that fails unless the shape is `[time, batch, beams, ...]` or `[time, batch * beams, ...]`."""
    shape = tf.shape(t)
    fits = tf.equal(shape[1], batch_size * beam_width)
    if t.shape.ndims != 2:
        separate = tf.logical_and(tf.equal(shape[1], batch_size), tf.equal(shape[2], beam_width))
        fits = tf.logical_or(fits, separate)
    description = t if tf.executing_eagerly() else t.name
    message = (
        "TensorArray reordering expects elements to be reshapable to [batch_size, beam_size, -1] which is "
        f"incompatible with the dynamic shape of {description} elements. {_KEEP_ARRAYS}"
    )
    return tf.Assert(fits, [message])


def _beam_search_step(
    time: Any,
    logits: Any,
    next_cell_state: Any,
    beam_state: BeamSearchDecoderState,
    batch_size: Any,
    beam_width: int,
    end_token: Any,
    length_penalty_weight: Any,
    coverage_penalty_weight: Any,
) -> tuple[BeamSearchDecoderOutput, BeamSearchDecoderState]:
    """Returns the best continuations of all beams, and the next state.

    Args:
        time: Number of the step, an int32 scalar.
        logits: Logits of the ids, `[batch, beams, ids]`.
        next_cell_state: Next state of the cell, `[batch, beams, ...]`.
        beam_state: State before the step.
        batch_size: int32 scalar.
        beam_width: Number of beams.
        end_token: int32 scalar, the id that ends a beam.
        length_penalty_weight: Exponent of the length penalty; 0 for none.
        coverage_penalty_weight: Weight of the coverage penalty, arXiv:1609.08144; 0 for none.
    """
    static_batch = tf.get_static_value(batch_size)
    not_finished = tf.logical_not(beam_state.finished)
    step_log_probs = _mask_probs(tf.nn.log_softmax(logits), end_token, beam_state.finished)
    total_probs = tf.expand_dims(beam_state.log_probs, 2) + step_log_probs

    # Every id but `end_token` lengthens a beam that hasn't ended.
    words = logits.shape.dims[-1].value or tf.shape(logits)[-1]
    growth = tf.one_hot(
        indices=tf.fill([batch_size, beam_width], end_token),
        depth=words,
        on_value=tf.constant(0, tf.int64),
        off_value=tf.constant(1, tf.int64),
        dtype=tf.int64,
    )
    growth *= tf.expand_dims(tf.cast(not_finished, tf.int64), 2)
    new_lengths = growth + tf.expand_dims(beam_state.lengths, 2)

    accumulated = None
    attention = get_attention_probs(next_cell_state, coverage_penalty_weight)
    if attention is not None:
        attention *= tf.expand_dims(tf.cast(not_finished, tf.float32), 2)
        accumulated = beam_state.accumulated_attention_probs + attention
    scores = _get_scores(
        log_probs=total_probs,
        sequence_lengths=new_lengths,
        length_penalty_weight=length_penalty_weight,
        coverage_penalty_weight=coverage_penalty_weight,
        finished=beam_state.finished,
        accumulated_attention_probs=accumulated,
    )

    num_chosen = tf.convert_to_tensor(beam_width, dtype=tf.int32, name="beam_width")
    best_scores, indices = tf.nn.top_k(tf.reshape(scores, [batch_size, -1]), k=num_chosen)
    for each in (best_scores, indices):
        each.set_shape([static_batch, beam_width])

    log_probs = _tensor_gather_helper(
        indices, total_probs, batch_size, beam_width * words, [-1], name="next_beam_probs"
    )
    word_ids = tf.cast(tf.mod(indices, words, name="next_beam_word_ids"), tf.int32)
    beam_ids = tf.cast(indices / words, tf.int32, name="next_beam_parent_ids")

    def gather_beams(values: Any, shape: Any, name: str | None = None) -> Any:
        """Returns the values of the chosen beams; `shape` is the helper's `gather_shape`."""
        return _tensor_gather_helper(beam_ids, values, batch_size, beam_width, shape, name=name)

    finished_before = gather_beams(beam_state.finished, [-1])
    finished = tf.logical_or(finished_before, tf.equal(word_ids, end_token), name="next_beam_finished")
    # The end counts as a step, so that the trace back keeps it.
    lengths = gather_beams(beam_state.lengths, [-1]) + tf.cast(tf.logical_not(finished_before), tf.int64)
    merged_shape = [batch_size * beam_width, -1]
    next_accumulated: Any = ()
    if accumulated is not None:
        next_accumulated = gather_beams(accumulated, merged_shape, "next_accumulated_attention_probs")
    next_cell_state = tf.nest.map_structure(
        lambda each: _maybe_tensor_gather_helper(beam_ids, each, batch_size, beam_width, merged_shape), next_cell_state
    )
    return BeamSearchDecoderOutput(best_scores, word_ids, beam_ids), BeamSearchDecoderState(
        cell_state=next_cell_state,
        log_probs=log_probs,
        finished=finished,
        lengths=lengths,
        accumulated_attention_probs=next_accumulated,
    )


def get_attention_probs(next_cell_state: Any, coverage_penalty_weight: Any) -> Any:
    """Returns the alignments in a cell's state, `[batch, beams, time]`; their mean if there are several.

    Args:
        next_cell_state: An AttentionWrapperState of `[batch, beams, ...]` tensors, or a tuple with one or more.
        coverage_penalty_weight: Weight of the coverage penalty; for 0.0 the result is None.

    Raises:
        ValueError: There is a coverage penalty, and no cell has attention.
    """
    if coverage_penalty_weight == 0.0:
        return None
    states = next_cell_state
    if isinstance(states, AttentionWrapperState) or not isinstance(states, tuple):
        states = (states,)
    alignments = [attention_probs_from_attn_state(each) for each in states if isinstance(each, AttentionWrapperState)]
    if not alignments:
        raise ValueError(
            "coverage_penalty_weight: no cell has attention. Leave it at 0.0, or give an AttentionWrapper."
        )
    return alignments[0] if len(alignments) == 1 else _mean(alignments)


def attention_probs_from_attn_state(attention_state: AttentionWrapperState) -> Any:
    """Returns the alignments of an AttentionWrapper, `[batch, time]`; their mean if it has several mechanisms."""
    alignments = attention_state.alignments
    return _mean(alignments) if isinstance(alignments, tuple) else alignments


def _mean(values: Any) -> Any:
    return tf.reduce_mean(tf.concat([tf.expand_dims(each, -1) for each in values], -1), -1)


def _get_scores(
    log_probs: Any,
    sequence_lengths: Any,
    length_penalty_weight: Any,
    coverage_penalty_weight: Any,
    finished: Any,
    accumulated_attention_probs: Any,
) -> Any:
    """Returns the scores of all continuations, `[batch, beams, ids]`, with both penalties of arXiv:1609.08144."""
    length_penalty = _length_penalty(sequence_lengths=sequence_lengths, penalty_factor=length_penalty_weight)
    scores = log_probs / tf.cast(length_penalty, dtype=log_probs.dtype)
    weight = tf.convert_to_tensor(coverage_penalty_weight, name="coverage_penalty_weight")
    if weight.shape.ndims != 0:
        raise ValueError(f"coverage_penalty_weight should be a scalar, but saw shape: {weight.shape}")
    if tf.get_static_value(weight) == 0.0:
        return scores
    if accumulated_attention_probs is None:
        raise ValueError(
            "accumulated_attention_probs: the coverage penalty needs them. Give them, or coverage_penalty_weight=0.0."
        )
    # Masked steps have no attention, and don't count.
    accumulated = tf.where(
        tf.equal(accumulated_attention_probs, 0.0),
        tf.ones_like(accumulated_attention_probs),
        accumulated_attention_probs,
    )
    penalty = tf.reduce_sum(tf.log(tf.minimum(accumulated, 1.0)), 2)
    penalty *= tf.cast(finished, tf.float32)
    return scores + tf.expand_dims(penalty * weight, 2)


def _length_penalty(sequence_lengths: Any, penalty_factor: Any) -> Any:
    """Returns ((5 + length) / 6) ** factor; 1 for a factor that is known to be 0."""
    factor = tf.convert_to_tensor(penalty_factor, name="penalty_factor")
    factor.set_shape(())
    if tf.get_static_value(factor) == 0:
        return 1.0
    return tf.div((5.0 + tf.cast(sequence_lengths, tf.float32)) ** factor, (5.0 + 1.0) ** factor)


def _mask_probs(probs: Any, eos_token: Any, finished: Any) -> Any:
    """Returns the log-probabilities, set so that a beam that has ended chooses its end again with probability 1."""
    words = tf.shape(probs)[2]
    end_alone = tf.one_hot(
        eos_token,
        words,
        dtype=probs.dtype,
        on_value=tf.convert_to_tensor(0.0, dtype=probs.dtype),
        off_value=probs.dtype.min,
    )
    ended = tf.tile(tf.reshape(end_alone, [1, 1, -1]), tf.concat([tf.shape(finished), [1]], 0))
    return tf.where(tf.tile(tf.expand_dims(finished, 2), [1, 1, words]), ended, probs)


def _maybe_tensor_gather_helper(
    gather_indices: Any, gather_from: Any, batch_size: Any, range_size: Any, gather_shape: Any
) -> Any:
    """Returns the result of `_tensor_gather_helper`; a TensorArray, or a tensor of a lower rank, as it is."""
    if isinstance(gather_from, tf.TensorArray):
        return gather_from
    _check_ndims(gather_from)
    if gather_from.shape.ndims < len(gather_shape):
        return gather_from
    return _tensor_gather_helper(gather_indices, gather_from, batch_size, range_size, gather_shape)


def _tensor_gather_helper(
    gather_indices: Any, gather_from: Any, batch_size: Any, range_size: Any, gather_shape: Any, name: str | None = None
) -> Any:
    """Returns the chosen rows of each entry of a batch, `[batch, beams, ...]`.

    Args:
        gather_indices: Rows to gather, `[batch, beams]` int32.
        gather_from: Tensor to gather from, `[batch, range_size, ...]`.
        batch_size: int32 scalar.
        range_size: Number of rows of an entry.
        gather_shape: Shape that `gather_from` is reshaped to, with the rows of all entries first.
        name: Name scope of the ops.
    """
    with tf.name_scope(name, "tensor_gather_helper"):
        first_rows = tf.expand_dims(tf.range(batch_size) * range_size, 1)
        rows = tf.reshape(gather_indices + first_rows, [-1])
        output = tf.gather(tf.reshape(gather_from, gather_shape), rows)
        rank = 1 + len(gather_shape)
        output = tf.reshape(output, tf.shape(gather_from)[:rank], name="output")
        static = tf.TensorShape([tf.get_static_value(batch_size)])
        output.set_shape(static.concatenate(gather_from.shape[1:rank]))
        return output
