# Copyright 2015-2019 The TensorFlow Authors. All Rights Reserved.
# Licensed under the Apache License, Version 2.0: see LICENSE.
# Written anew for tf1mem after tensorflow/contrib of TensorFlow 1.15.5, and changed: see NOTICE.

"""Encoders and decoders over lists of tensors, one per time step, and their losses."""

from __future__ import annotations

import copy
from typing import Any, Callable, Optional

import tf1mem.v1 as tf
from tf1mem.v1.contrib.rnn.core_rnn_cell import EmbeddingWrapper, OutputProjectionWrapper
from tf1mem.v1.contrib.rnn.core_rnn_cell import _Linear as Linear

LoopFunction = Optional[Callable[[Any, int], Any]]


def _extract_argmax_and_embed(
    embedding: Any, output_projection: Any = None, update_embedding: bool = True
) -> Callable[[Any, int], Any]:
    def loop_function(prev: Any, _: int) -> Any:
        """Returns the `[batch, embedding_size]` embeddings of the most likely ids of `[batch, output_size]` outputs."""
        if output_projection is not None:
            prev = tf.nn.xw_plus_b(prev, output_projection[0], output_projection[1])
        embedded = tf.nn.embedding_lookup(embedding, tf.argmax(prev, 1))
        return embedded if update_embedding else tf.stop_gradient(embedded)

    return loop_function


def _fed_back(loop_function: LoopFunction, previous: Any, i: int, decoder_input: Any) -> Any:
    """Returns the input of step `i`: the loop function of the previous output, or the decoder's input."""
    if loop_function is None or previous is None:
        return decoder_input
    with tf.variable_scope("loop_function", reuse=True):
        return loop_function(previous, i)


def _check_projection(output_projection: Any, num_symbols: int, dtype: Any) -> None:
    for part, shape in zip(output_projection or (), ([None, num_symbols], [num_symbols])):
        tf.convert_to_tensor(part, dtype=dtype).shape.assert_is_compatible_with(shape)


def _decode_either_way(feed_previous: Any, decode: Callable[[bool], Any], steps: int, structure: Any) -> Any:
    """Returns outputs and state of `decode`; the tensor `feed_previous` decides at run time if outputs are fed back."""

    def flat(fed: bool) -> Callable[[], Any]:
        """Returns the function of a branch, whose result is a flat list of `[batch, ...]` tensors."""

        def branch() -> Any:
            """Returns a list of the outputs, `[batch, output_size]`, and then the parts of the state."""
            # The first branch makes the variables; the second shares them.
            with tf.variable_scope(tf.get_variable_scope(), reuse=None if fed else True):
                outputs, state = decode(fed)
                return list(outputs) + tf.nest.flatten(state)

        return branch

    results = tf.cond(feed_previous, flat(True), flat(False))
    state = results[steps]
    if tf.nest.is_nested(structure):
        state = tf.nest.pack_sequence_as(structure, results[steps:])
    return results[:steps], state


def rnn_decoder(
    decoder_inputs: Any, initial_state: Any, cell: Any, loop_function: LoopFunction = None, scope: Any = None
) -> Any:
    """Runs a cell over the decoder's inputs.

    Args:
        decoder_inputs: List of `[batch, input_size]` tensors, one per time step.
        initial_state: Initial state of the cell, `[batch, cell.state_size]`.
        cell: RNNCell.
        loop_function: Function of the previous output and the step's index that returns the input; None uses
            `decoder_inputs`.
        scope: VariableScope, or its name; "rnn_decoder" by default.

    Returns:
        List of `[batch, cell.output_size]` outputs, and the final state.
    """
    with tf.variable_scope(scope or "rnn_decoder"):
        state, previous = initial_state, None
        outputs = []
        for i, row in enumerate(decoder_inputs):
            step_input = _fed_back(loop_function, previous, i, row)
            if i > 0:
                tf.get_variable_scope().reuse_variables()
            previous, state = cell(step_input, state)
            outputs.append(previous)
    return outputs, state


def basic_rnn_seq2seq(
    encoder_inputs: Any, decoder_inputs: Any, cell: Any, dtype: Any = tf.float32, scope: Any = None
) -> Any:
    """Encodes a sequence into a state, and decodes another with a copy of the cell; Sutskever et al., arXiv:1409.3215.

    Args:
        encoder_inputs: List of `[batch, input_size]` tensors, one per time step.
        decoder_inputs: List of `[batch, input_size]` tensors, one per time step.
        cell: RNNCell.
        dtype: Dtype of the initial state; float32 by default.
        scope: VariableScope, or its name; "basic_rnn_seq2seq" by default.

    Returns:
        List of `[batch, cell.output_size]` decoder outputs, and the decoder's final state.
    """
    with tf.variable_scope(scope or "basic_rnn_seq2seq"):
        _, state = tf.nn.static_rnn(copy.deepcopy(cell), encoder_inputs, dtype=dtype)
        return rnn_decoder(decoder_inputs, state, cell)


def tied_rnn_seq2seq(
    encoder_inputs: Any,
    decoder_inputs: Any,
    cell: Any,
    loop_function: LoopFunction = None,
    dtype: Any = tf.float32,
    scope: Any = None,
) -> Any:
    """Encodes a sequence into a state, and decodes another with the same variables.

    Args:
        encoder_inputs: List of `[batch, input_size]` tensors, one per time step.
        decoder_inputs: List of `[batch, input_size]` tensors, one per time step.
        cell: RNNCell.
        loop_function: Function of the previous output and the step's index that returns the input; None uses
            `decoder_inputs`.
        dtype: Dtype of the initial state; float32 by default.
        scope: VariableScope, or its name, within "combined_tied_rnn_seq2seq"; "tied_rnn_seq2seq" by default.

    Returns:
        List of `[batch, cell.output_size]` decoder outputs, and the decoder's final state.
    """
    with tf.variable_scope("combined_tied_rnn_seq2seq"):
        scope = scope or "tied_rnn_seq2seq"
        _, state = tf.nn.static_rnn(cell, encoder_inputs, dtype=dtype, scope=scope)
        tf.get_variable_scope().reuse_variables()
        return rnn_decoder(decoder_inputs, state, cell, loop_function=loop_function, scope=scope)


def embedding_rnn_decoder(
    decoder_inputs: Any,
    initial_state: Any,
    cell: Any,
    num_symbols: int,
    embedding_size: int,
    output_projection: Any = None,
    feed_previous: bool = False,
    update_embedding_for_previous: bool = True,
    scope: Any = None,
) -> Any:
    """Runs a cell over the embeddings of ids.

    Args:
        decoder_inputs: List of `[batch]` integer tensors of ids, one per time step.
        initial_state: Initial state of the cell, `[batch, cell.state_size]`.
        cell: RNNCell.
        num_symbols: Number of ids.
        embedding_size: Size of an embedding.
        output_projection: Pair of weights, `[cell.output_size, num_symbols]`, and biases, `[num_symbols]`, from
            outputs to logits, for `feed_previous`; None takes outputs as logits.
        feed_previous: True to feed the most likely id of the previous output from the second step on.
        update_embedding_for_previous: True to pass gradients through ids that are fed back.
        scope: VariableScope, or its name; "embedding_rnn_decoder" by default.

    Returns:
        List of `[batch, cell.output_size]` outputs, and the final state.

    Raises:
        ValueError: The shapes of the projection don't match `num_symbols`.
    """
    with tf.variable_scope(scope or "embedding_rnn_decoder") as entered:
        _check_projection(output_projection, num_symbols, entered.dtype)
        embedding = tf.get_variable("embedding", [num_symbols, embedding_size])
        loop_function = None
        if feed_previous:
            loop_function = _extract_argmax_and_embed(embedding, output_projection, update_embedding_for_previous)
        # A generator, because TensorFlow 1.15 creates each lookup within the decoder's scope.
        embedded = (tf.nn.embedding_lookup(embedding, ids) for ids in decoder_inputs)
        return rnn_decoder(embedded, initial_state, cell, loop_function=loop_function)


def embedding_rnn_seq2seq(
    encoder_inputs: Any,
    decoder_inputs: Any,
    cell: Any,
    num_encoder_symbols: int,
    num_decoder_symbols: int,
    embedding_size: int,
    output_projection: Any = None,
    feed_previous: Any = False,
    dtype: Any = None,
    scope: Any = None,
) -> Any:
    """Encodes ids into a state, and decodes other ids; Sutskever et al., 2014, arXiv:1409.3215.

    Args:
        encoder_inputs: List of `[batch]` integer tensors of ids, one per time step.
        decoder_inputs: List of `[batch]` integer tensors of ids, one per time step.
        cell: RNNCell of the decoder; the encoder gets a copy.
        num_encoder_symbols: Number of the encoder's ids.
        num_decoder_symbols: Number of the decoder's ids.
        embedding_size: Size of an embedding.
        output_projection: Pair of weights, `[cell.output_size, num_decoder_symbols]`, and biases; None projects each
            output to `num_decoder_symbols`.
        feed_previous: True, or a boolean scalar tensor, to feed the most likely id of the previous output.
        dtype: Dtype of the states; the scope's by default.
        scope: VariableScope, or its name; "embedding_rnn_seq2seq" by default.

    Returns:
        List of decoder outputs, `[batch, num_decoder_symbols]` or, with `output_projection`, `[batch,
        cell.output_size]`, and the decoder's final state.
    """
    with tf.variable_scope(scope or "embedding_rnn_seq2seq") as entered:
        if dtype is not None:
            entered.set_dtype(dtype)
        encoder = EmbeddingWrapper(copy.deepcopy(cell), num_encoder_symbols, embedding_size)
        _, encoded = tf.nn.static_rnn(encoder, encoder_inputs, dtype=dtype or entered.dtype)
        if output_projection is None:
            cell = OutputProjectionWrapper(cell, num_decoder_symbols)

        def decode(fed: bool, update: bool = False) -> Any:
            """Decodes, feeding back ids if `fed`; returns `[batch, cell.output_size]` outputs and the final state."""
            return embedding_rnn_decoder(
                decoder_inputs, encoded, cell, num_decoder_symbols, embedding_size, output_projection, fed, update
            )

        if isinstance(feed_previous, bool):
            return decode(feed_previous, update=True)
        return _decode_either_way(feed_previous, decode, len(decoder_inputs), encoded)


def embedding_tied_rnn_seq2seq(
    encoder_inputs: Any,
    decoder_inputs: Any,
    cell: Any,
    num_symbols: int,
    embedding_size: int,
    num_decoder_symbols: Optional[int] = None,
    output_projection: Any = None,
    feed_previous: Any = False,
    dtype: Any = None,
    scope: Any = None,
) -> Any:
    """Encodes ids into a state, and decodes other ids with the same embedding and cell.

    Args:
        encoder_inputs: List of `[batch]` integer tensors of ids, one per time step.
        decoder_inputs: List of `[batch]` integer tensors of ids, one per time step.
        cell: RNNCell.
        num_symbols: Number of ids.
        embedding_size: Size of an embedding.
        num_decoder_symbols: Size of the projected outputs; `num_symbols` by default.
        output_projection: Pair of weights, `[cell.output_size, num_decoder_symbols]`, and biases; None projects each
            output.
        feed_previous: True, or a boolean scalar tensor, to feed the most likely id of the previous output.
        dtype: Dtype of the states; the scope's by default.
        scope: VariableScope, or its name; "embedding_tied_rnn_seq2seq" by default.

    Returns:
        List of decoder outputs, `[batch, num_decoder_symbols]` or, with `output_projection`, `[batch,
        cell.output_size]`, and the decoder's final state.

    Raises:
        ValueError: The shapes of the projection don't match `num_symbols`.
    """
    with tf.variable_scope(scope or "embedding_tied_rnn_seq2seq", dtype=dtype) as entered:
        dtype = entered.dtype
        _check_projection(output_projection, num_symbols, dtype)
        embedding = tf.get_variable("embedding", [num_symbols, embedding_size], dtype=dtype)
        encoder_embedded = [tf.nn.embedding_lookup(embedding, ids) for ids in encoder_inputs]
        decoder_embedded = [tf.nn.embedding_lookup(embedding, ids) for ids in decoder_inputs]
        if output_projection is None:
            cell = OutputProjectionWrapper(cell, num_symbols if num_decoder_symbols is None else num_decoder_symbols)

        def decode(fed: bool, update: bool = False) -> Any:
            """Decodes, feeding back ids if `fed`; returns `[batch, cell.output_size]` outputs and the final state."""
            loop_function = _extract_argmax_and_embed(embedding, output_projection, update) if fed else None
            return tied_rnn_seq2seq(encoder_embedded, decoder_embedded, cell, loop_function, dtype)

        if isinstance(feed_previous, bool):
            return decode(feed_previous, update=True)
        batch = tf.dimension_value(encoder_inputs[0].shape[0])
        structure = cell.zero_state(tf.shape(encoder_inputs[0])[0] if batch is None else batch, dtype)
        return _decode_either_way(feed_previous, decode, len(decoder_inputs), structure)


def attention_decoder(
    decoder_inputs: Any,
    initial_state: Any,
    attention_states: Any,
    cell: Any,
    output_size: Optional[int] = None,
    num_heads: int = 1,
    loop_function: LoopFunction = None,
    dtype: Any = None,
    scope: Any = None,
    initial_state_attention: bool = False,
) -> Any:
    """Runs a cell that attends to states; Vinyals et al., 2014, arXiv:1412.7449.

    The attention is Bahdanau et al.'s, 2014, arXiv:1409.0473.

    Args:
        decoder_inputs: List of `[batch, input_size]` tensors, one per time step.
        initial_state: Initial state of the cell, `[batch, cell.state_size]`.
        attention_states: `[batch, attention_length, attention_size]` tensor to attend to.
        cell: RNNCell.
        output_size: Size of the outputs; `cell.output_size` by default.
        num_heads: Number of attention heads.
        loop_function: Function of the previous output and the step's index that returns the input; None uses
            `decoder_inputs`.
        dtype: Dtype of the computation; the scope's by default.
        scope: VariableScope, or its name; "attention_decoder" by default.
        initial_state_attention: True to compute the first step's attention from the initial state; false starts
            with zeros.

    Returns:
        List of `[batch, output_size]` outputs, and the final state.

    Raises:
        ValueError: There are no inputs or heads, or a required size is unknown.
    """
    if not decoder_inputs:
        raise ValueError("decoder_inputs: there is none. Give one or more.")
    if num_heads < 1:
        raise ValueError(
            f"num_heads: {num_heads} heads attend to nothing. Give 1 or more, or take a decoder without attention."
        )
    if tf.dimension_value(attention_states.shape[2]) is None:
        raise ValueError(f"Shape[2] of attention_states must be known: {attention_states.shape}")
    if output_size is None:
        output_size = cell.output_size
    with tf.variable_scope(scope or "attention_decoder", dtype=dtype) as entered:
        dtype = entered.dtype
        # As on TensorFlow 1, the batch's size is the first op, and zeros are made even if they aren't needed: the seeds
        # of the variables depend on the number of ops.
        batch_size = tf.shape(decoder_inputs[0])[0]
        attend = _Attention(attention_states, num_heads, dtype)
        state, previous = initial_state, None
        read = attend.zeros(batch_size)
        if initial_state_attention:
            read = attend(initial_state)
        outputs = []
        for i, row in enumerate(decoder_inputs):
            if i > 0:
                tf.get_variable_scope().reuse_variables()
            step_input = _fed_back(loop_function, previous, i, row)
            columns = tf.dimension_value(step_input.shape.with_rank(2)[1])
            if columns is None:
                raise ValueError(f"Could not infer input size from input: {step_input.name}")
            inputs = [tf.cast(each, dtype) for each in [step_input, *read]]
            cell_output, state = cell(Linear(inputs, columns, True)(inputs), state)
            if i == 0 and initial_state_attention:
                # The attention of the initial state has created these variables.
                with tf.variable_scope(tf.get_variable_scope(), reuse=True):
                    read = attend(state)
            else:
                read = attend(state)
            with tf.variable_scope("AttnOutputProjection"):
                inputs = [tf.cast(cell_output, dtype), *read]
                previous = Linear(inputs, output_size, True)(inputs)
            outputs.append(previous)
    return outputs, state


class _Attention:
    """Computes each head's mixture of the states, `[batch, attention_size]`, for a query."""

    def __init__(self, states: Any, heads: int, dtype: Any) -> None:
        self._size = size = tf.dimension_value(states.shape[2])
        self._dtype = dtype
        self._length = tf.dimension_value(states.shape[1])
        if self._length is None:
            self._length = tf.shape(states)[1]
        # Images of one column, so that a 1x1 convolution multiplies each state by a matrix.
        self._hidden = tf.reshape(states, [-1, self._length, 1, size])
        self._heads = []
        for head in range(heads):
            weights = tf.get_variable(f"AttnW_{head}", [1, 1, size, size], dtype=dtype)
            features = tf.nn.conv2d(self._hidden, weights, [1, 1, 1, 1], "SAME")
            self._heads.append((features, tf.get_variable(f"AttnV_{head}", [size], dtype=dtype)))

    def zeros(self, batch_size: Any) -> Any:
        """Returns a list of `[batch, attention_size]` zeros, one tensor for each head."""
        shape = tf.stack([batch_size, self._size])
        zeros = [tf.zeros(shape, dtype=self._dtype) for _ in self._heads]
        for each in zeros:
            each.set_shape([None, self._size])
        return zeros

    def __call__(self, query: Any) -> Any:
        if tf.nest.is_nested(query):
            parts = tf.nest.flatten(query)
            for part in parts:
                assert not part.shape.ndims or part.shape.ndims == 2, part
            query = tf.concat(parts, 1)
        reads = []
        for head, (features, scale) in enumerate(self._heads):
            with tf.variable_scope(f"Attention_{head}"):
                query_features = tf.reshape(Linear(query, self._size, True)(query), [-1, 1, 1, self._size])
                scores = tf.reduce_sum(scale * tf.tanh(features + tf.cast(query_features, self._dtype)), [2, 3])
                shares = tf.cast(tf.nn.softmax(tf.cast(scores, tf.float32)), self._dtype)
                read = tf.reduce_sum(tf.reshape(shares, [-1, self._length, 1, 1]) * self._hidden, [1, 2])
                reads.append(tf.reshape(read, [-1, self._size]))
        return reads


def embedding_attention_decoder(
    decoder_inputs: Any,
    initial_state: Any,
    attention_states: Any,
    cell: Any,
    num_symbols: int,
    embedding_size: int,
    num_heads: int = 1,
    output_size: Optional[int] = None,
    output_projection: Any = None,
    feed_previous: bool = False,
    update_embedding_for_previous: bool = True,
    dtype: Any = None,
    scope: Any = None,
    initial_state_attention: bool = False,
) -> Any:
    """Runs a cell over the embeddings of ids, with attention to states; Vinyals et al., arXiv:1412.7449.

    Args:
        decoder_inputs: List of `[batch]` integer tensors of ids, one per time step.
        initial_state: Initial state of the cell, `[batch, cell.state_size]`.
        attention_states: `[batch, attention_length, attention_size]` tensor to attend to.
        cell: RNNCell.
        num_symbols: Number of ids.
        embedding_size: Size of an embedding.
        num_heads: Number of attention heads.
        output_size: Size of the outputs; `cell.output_size` by default.
        output_projection: Pair of weights, `[output_size, num_symbols]`, and biases, `[num_symbols]`, from outputs
            to logits, for `feed_previous`; None takes outputs as logits.
        feed_previous: True to feed the most likely id of the previous output from the second step on.
        update_embedding_for_previous: True to pass gradients through ids that are fed back.
        dtype: Dtype of the computation; the scope's by default.
        scope: VariableScope, or its name; "embedding_attention_decoder" by default.
        initial_state_attention: True to compute the first step's attention from the initial state; false starts
            with zeros.

    Returns:
        List of `[batch, output_size]` outputs, and the final state.

    Raises:
        ValueError: The shape of the projection's biases doesn't match `num_symbols`.
    """
    if output_size is None:
        output_size = cell.output_size
    if output_projection is not None:
        tf.convert_to_tensor(output_projection[1], dtype=dtype).shape.assert_is_compatible_with([num_symbols])
    with tf.variable_scope(scope or "embedding_attention_decoder", dtype=dtype):
        embedding = tf.get_variable("embedding", [num_symbols, embedding_size])
        loop_function = None
        if feed_previous:
            loop_function = _extract_argmax_and_embed(embedding, output_projection, update_embedding_for_previous)
        return attention_decoder(
            [tf.nn.embedding_lookup(embedding, ids) for ids in decoder_inputs],
            initial_state,
            attention_states,
            cell,
            output_size=output_size,
            num_heads=num_heads,
            loop_function=loop_function,
            initial_state_attention=initial_state_attention,
        )


def embedding_attention_seq2seq(
    encoder_inputs: Any,
    decoder_inputs: Any,
    cell: Any,
    num_encoder_symbols: int,
    num_decoder_symbols: int,
    embedding_size: int,
    num_heads: int = 1,
    output_projection: Any = None,
    feed_previous: Any = False,
    dtype: Any = None,
    scope: Any = None,
    initial_state_attention: bool = False,
) -> Any:
    """Encodes ids, and decodes other ids with attention to the encoder's outputs.

    The model is Vinyals et al.'s, 2014, arXiv:1412.7449.

    Args:
        encoder_inputs: List of `[batch]` integer tensors of ids, one per time step.
        decoder_inputs: List of `[batch]` integer tensors of ids, one per time step.
        cell: RNNCell of the decoder; the encoder gets a copy.
        num_encoder_symbols: Number of the encoder's ids.
        num_decoder_symbols: Number of the decoder's ids.
        embedding_size: Size of an embedding.
        num_heads: Number of attention heads.
        output_projection: Pair of weights, `[cell.output_size, num_decoder_symbols]`, and biases; None projects each
            output to `num_decoder_symbols`.
        feed_previous: True, or a boolean scalar tensor, to feed the most likely id of the previous output.
        dtype: Dtype of the states; the scope's by default.
        scope: VariableScope, or its name; "embedding_attention_seq2seq" by default.
        initial_state_attention: True to compute the first step's attention from the initial state; false starts
            with zeros.

    Returns:
        List of decoder outputs, `[batch, num_decoder_symbols]` or, with `output_projection`, `[batch,
        cell.output_size]`, and the decoder's final state.
    """
    with tf.variable_scope(scope or "embedding_attention_seq2seq", dtype=dtype) as entered:
        encoder = EmbeddingWrapper(copy.deepcopy(cell), num_encoder_symbols, embedding_size)
        encoder_outputs, encoded = tf.nn.static_rnn(encoder, encoder_inputs, dtype=entered.dtype)
        columns = encoder.output_size
        attention_states = tf.concat([tf.reshape(output, [-1, 1, columns]) for output in encoder_outputs], 1)
        output_size = None
        if output_projection is None:
            cell = OutputProjectionWrapper(cell, num_decoder_symbols)
            output_size = num_decoder_symbols

        def decode(fed: bool, update: bool = False) -> Any:
            """Decodes, feeding back ids if `fed`; returns `[batch, cell.output_size]` outputs and the final state."""
            return embedding_attention_decoder(
                decoder_inputs,
                encoded,
                attention_states,
                cell,
                num_decoder_symbols,
                embedding_size,
                num_heads=num_heads,
                output_size=output_size,
                output_projection=output_projection,
                feed_previous=fed,
                update_embedding_for_previous=update,
                initial_state_attention=initial_state_attention,
            )

        if isinstance(feed_previous, bool):
            return decode(feed_previous, update=True)
        return _decode_either_way(feed_previous, decode, len(decoder_inputs), encoded)


def one2many_rnn_seq2seq(
    encoder_inputs: Any,
    decoder_inputs_dict: Any,
    enc_cell: Any,
    dec_cells_dict: Any,
    num_encoder_symbols: int,
    num_decoder_symbols_dict: Any,
    embedding_size: int,
    feed_previous: Any = False,
    dtype: Any = None,
    scope: Any = None,
) -> Any:
    """Encodes ids into a state, and decodes several sequences; Luong et al., 2015, arXiv:1511.06114.

    Args:
        encoder_inputs: List of `[batch]` integer tensors of ids, one per time step.
        decoder_inputs_dict: Dict of decoder name -> list of `[batch]` integer tensors of ids.
        enc_cell: RNNCell of the encoder.
        dec_cells_dict: Dict of decoder name -> RNNCell.
        num_encoder_symbols: Number of the encoder's ids.
        num_decoder_symbols_dict: Dict of decoder name -> number of its ids.
        embedding_size: Size of an embedding.
        feed_previous: True, or a boolean scalar tensor, to feed the most likely id of the previous output.
        dtype: Dtype of the states; the scope's by default.
        scope: VariableScope, or its name; "one2many_rnn_seq2seq" by default.

    Returns:
        Dict of decoder name -> list of `[batch, num_decoder_symbols]` outputs, and dict of decoder name -> final
        state.

    Raises:
        TypeError: A cell isn't an RNNCell.
        ValueError: The names of the decoders differ.
    """
    if set(dec_cells_dict) != set(decoder_inputs_dict):
        raise ValueError("keys of dec_cells_dict != keys of decoder_inputs_dict")
    for name, cell in [("enc_cell", enc_cell), *(("dec_cell", each) for each in dec_cells_dict.values())]:
        if not isinstance(cell, tf.nn.rnn_cell.RNNCell):
            raise TypeError(f"{name} is not an RNNCell: {type(cell)}")
    outputs, states = {}, {}
    with tf.variable_scope(scope or "one2many_rnn_seq2seq", dtype=dtype) as entered:
        encoder = EmbeddingWrapper(enc_cell, num_encoder_symbols, embedding_size)
        _, encoded = tf.nn.static_rnn(encoder, encoder_inputs, dtype=entered.dtype)
        for name, inputs in decoder_inputs_dict.items():
            symbols = num_decoder_symbols_dict[name]
            with tf.variable_scope(f"one2many_decoder_{name}"):
                cell = OutputProjectionWrapper(dec_cells_dict[name], symbols)

                def decode(fed: bool, inputs: Any = inputs, cell: Any = cell, symbols: int = symbols) -> Any:
                    """Decodes, feeding back ids if `fed`; returns `[batch, symbols]` outputs and the final state."""
                    return embedding_rnn_decoder(inputs, encoded, cell, symbols, embedding_size, feed_previous=fed)

                if isinstance(feed_previous, bool):
                    outputs[name], states[name] = decode(feed_previous)
                else:
                    outputs[name], states[name] = _decode_either_way(feed_previous, decode, len(inputs), encoded)
    return outputs, states


def sequence_loss_by_example(
    logits: Any,
    targets: Any,
    weights: Any,
    average_across_timesteps: bool = True,
    softmax_loss_function: Optional[Callable[..., Any]] = None,
    name: Optional[str] = None,
) -> Any:
    """Returns the weighted cross entropy of each example, a `[batch]` tensor.

    Args:
        logits: List of `[batch, num_symbols]` tensors, one per time step.
        targets: List of `[batch]` integer tensors of ids, one per time step.
        weights: List of `[batch]` float tensors, one per time step.
        average_across_timesteps: True to divide by the sum of the example's weights.
        softmax_loss_function: Function of `labels` and `logits`; sparse softmax cross entropy by default.
        name: Name scope of the ops.

    Returns:
        `[batch]` float tensor.

    Raises:
        ValueError: The lists have different lengths.
    """
    if len(targets) != len(logits) or len(weights) != len(logits):
        raise ValueError(
            f"Lengths of logits, weights, and targets must be the same {len(logits)}, {len(weights)}, {len(targets)}."
        )
    with tf.name_scope(name, "sequence_loss_by_example", list(logits) + list(targets) + list(weights)):
        losses = []
        for logit, target, weight in zip(logits, targets, weights):
            if softmax_loss_function is None:
                labels = tf.reshape(target, [-1])
                loss = tf.nn.sparse_softmax_cross_entropy_with_logits(labels=labels, logits=logit)
            else:
                loss = softmax_loss_function(labels=target, logits=logit)
            losses.append(loss * weight)
        total = tf.add_n(losses)
        if average_across_timesteps:
            # So that an example of weight zero has loss zero.
            total /= tf.add_n(weights) + 1e-12
        return total


def sequence_loss(
    logits: Any,
    targets: Any,
    weights: Any,
    average_across_timesteps: bool = True,
    average_across_batch: bool = True,
    softmax_loss_function: Optional[Callable[..., Any]] = None,
    name: Optional[str] = None,
) -> Any:
    """Returns the weighted cross entropy of a batch, a scalar (shape `[]`).

    Args:
        logits: List of `[batch, num_symbols]` tensors, one per time step.
        targets: List of `[batch]` integer tensors of ids, one per time step.
        weights: List of `[batch]` float tensors, one per time step.
        average_across_timesteps: True to divide each example's loss by the sum of its weights.
        average_across_batch: True to divide by the batch size.
        softmax_loss_function: Function of `labels` and `logits`; sparse softmax cross entropy by default.
        name: Name scope of the ops.

    Returns:
        Scalar float tensor.

    Raises:
        ValueError: The lists have different lengths.
    """
    with tf.name_scope(name, "sequence_loss", list(logits) + list(targets) + list(weights)):
        losses = sequence_loss_by_example(
            logits,
            targets,
            weights,
            average_across_timesteps=average_across_timesteps,
            softmax_loss_function=softmax_loss_function,
        )
        cost = tf.reduce_sum(losses)
        return cost / tf.cast(tf.shape(targets[0])[0], cost.dtype) if average_across_batch else cost


def model_with_buckets(
    encoder_inputs: Any,
    decoder_inputs: Any,
    targets: Any,
    weights: Any,
    buckets: Any,
    seq2seq: Callable[[Any, Any], Any],
    softmax_loss_function: Optional[Callable[..., Any]] = None,
    per_example_loss: bool = False,
    name: Optional[str] = None,
) -> Any:
    """Builds a model for each of several lengths, with shared variables.

    Args:
        encoder_inputs: List of `[batch]` integer tensors of ids, at least as long as the last bucket.
        decoder_inputs: List of `[batch]` integer tensors of ids, at least as long as the last bucket.
        targets: List of `[batch]` integer tensors of ids, at least as long as the last bucket.
        weights: List of `[batch]` float tensors, at least as long as the last bucket.
        buckets: Pairs of encoder and decoder lengths, the longest last.
        seq2seq: Function of encoder and decoder inputs that returns outputs and a state.
        softmax_loss_function: Function of `labels` and `logits`; sparse softmax cross entropy by default.
        per_example_loss: True for losses of shape `[batch]`, false for scalars.
        name: Name scope of the ops.

    Returns:
        List of outputs and list of losses, one per bucket.

    Raises:
        ValueError: A list is shorter than the last bucket.
    """
    encoded, decoded = buckets[-1]
    for argument, tensors, length in (
        ("encoder_inputs", encoder_inputs, encoded),
        ("targets", targets, decoded),
        ("weights", weights, decoded),
    ):
        if len(tensors) < length:
            raise ValueError(f"Length of {argument} ({len(tensors)}) must be at least that of last bucket ({length}).")
    loss = sequence_loss_by_example if per_example_loss else sequence_loss
    losses, outputs = [], []
    all_inputs = [*encoder_inputs, *decoder_inputs, *targets, *weights]
    with tf.name_scope(name, "model_with_buckets", all_inputs):
        for i, (encoded, decoded) in enumerate(buckets):
            with tf.variable_scope(tf.get_variable_scope(), reuse=True if i > 0 else None):
                result, _ = seq2seq(encoder_inputs[:encoded], decoder_inputs[:decoded])
                outputs.append(result)
                losses.append(
                    loss(result, targets[:decoded], weights[:decoded], softmax_loss_function=softmax_loss_function)
                )
    return outputs, losses
