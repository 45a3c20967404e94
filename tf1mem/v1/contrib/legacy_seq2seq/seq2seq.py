# Copyright 2015-2019 The TensorFlow Authors. All Rights Reserved.
# Licensed under the Apache License, Version 2.0: see LICENSE.
# Written anew for tf1mem after tensorflow/contrib of TensorFlow 1.15.5, and changed: see NOTICE.

"""Encoders and decoders over lists of tensors, one a time step, and the losses of what they give."""

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
        if output_projection is not None:
            prev = tf.nn.xw_plus_b(prev, output_projection[0], output_projection[1])
        embedded = tf.nn.embedding_lookup(embedding, tf.argmax(prev, 1))
        return embedded if update_embedding else tf.stop_gradient(embedded)

    return loop_function


def _fed_back(loop_function: LoopFunction, previous: Any, i: int, given: Any) -> Any:
    """What step `i` is given: what the loop function makes of the step before, if there are both."""
    if loop_function is None or previous is None:
        return given
    with tf.variable_scope("loop_function", reuse=True):
        return loop_function(previous, i)


def _checked_projection(output_projection: Any, num_symbols: int, dtype: Any) -> None:
    for part, shape in zip(output_projection or (), ([None, num_symbols], [num_symbols])):
        tf.convert_to_tensor(part, dtype=dtype).shape.assert_is_compatible_with(shape)


def _either_way(feed_previous: Any, decode: Callable[[bool], Any], steps: int, structure: Any) -> Any:
    """What decoding gives, by a tensor that says whether a step is fed what the one before gave."""

    def flat(fed: bool) -> Callable[[], Any]:
        def branch() -> Any:
            # The first branch makes the variables; the second shares them.
            with tf.variable_scope(tf.get_variable_scope(), reuse=None if fed else True):
                outputs, state = decode(fed)
                return list(outputs) + tf.nest.flatten(state)

        return branch

    found = tf.cond(feed_previous, flat(True), flat(False))
    state = found[steps]
    if tf.nest.is_nested(structure):
        state = tf.nest.pack_sequence_as(structure, found[steps:])
    return found[:steps], state


def rnn_decoder(
    decoder_inputs: Any, initial_state: Any, cell: Any, loop_function: LoopFunction = None, scope: Any = None
) -> Any:
    """Go through a sequence with a cell.

    Args:
        decoder_inputs: Tensors of rank 2, one a step.
        initial_state: The cell's.
        cell: An RNNCell.
        loop_function: Makes a step's input of the output before and the step's number; None takes `decoder_inputs`.
        scope: A variable scope; None is "rnn_decoder".

    Returns:
        The outputs, one a step, and the last state.
    """
    with tf.variable_scope(scope or "rnn_decoder"):
        state, previous = initial_state, None
        outputs = []
        for i, row in enumerate(decoder_inputs):
            given = _fed_back(loop_function, previous, i, row)
            if i > 0:
                tf.get_variable_scope().reuse_variables()
            previous, state = cell(given, state)
            outputs.append(previous)
    return outputs, state


def basic_rnn_seq2seq(
    encoder_inputs: Any, decoder_inputs: Any, cell: Any, dtype: Any = tf.float32, scope: Any = None
) -> Any:
    """Encode a sequence into a state, and decode another one from it with a copy of the cell.

    Args:
        encoder_inputs: Tensors of rank 2, one a step.
        decoder_inputs: The same, of the decoder.
        cell: An RNNCell.
        dtype: Of the first state.
        scope: A variable scope; None is "basic_rnn_seq2seq".

    Returns:
        The decoder's outputs, one a step, and its last state.
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
    """Encode a sequence into a state, and decode another one from it, with the same variables.

    Args:
        encoder_inputs: Tensors of rank 2, one a step.
        decoder_inputs: The same, of the decoder.
        cell: An RNNCell.
        loop_function: As of `rnn_decoder`.
        dtype: Of the first state.
        scope: A variable scope within "combined_tied_rnn_seq2seq"; None is "tied_rnn_seq2seq".

    Returns:
        The decoder's outputs, one a step, and its last state.
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
    """Go through a sequence of ids with a cell.

    Args:
        decoder_inputs: Tensors of ids of rank 1, one a step.
        initial_state: The cell's.
        cell: An RNNCell.
        num_symbols: How many ids there are.
        embedding_size: Columns of the embedding.
        output_projection: Weights and biases that make logits of an output, for `feed_previous`.
        feed_previous: Whether a step is given the likeliest id of the one before; the first is given its input.
        update_embedding_for_previous: Whether gradients go through the ids so fed.
        scope: A variable scope; None is "embedding_rnn_decoder".

    Returns:
        The outputs, one a step, and the last state.

    Raises:
        ValueError: The projection isn't of `num_symbols`.
    """
    with tf.variable_scope(scope or "embedding_rnn_decoder") as entered:
        _checked_projection(output_projection, num_symbols, entered.dtype)
        embedding = tf.get_variable("embedding", [num_symbols, embedding_size])
        loop_function = None
        if feed_previous:
            loop_function = _extract_argmax_and_embed(embedding, output_projection, update_embedding_for_previous)
        # One after the other, since 1.15 made each lookup within the decoder's scope.
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
    """Encode ids into a state, and decode other ids from it.

    Args:
        encoder_inputs: Tensors of ids of rank 1, one a step.
        decoder_inputs: The same, of the decoder.
        cell: An RNNCell; the encoder has a copy.
        num_encoder_symbols: How many ids the encoder knows.
        num_decoder_symbols: How many the decoder knows.
        embedding_size: Columns of both embeddings.
        output_projection: As of `embedding_rnn_decoder`; None projects each output to `num_decoder_symbols`.
        feed_previous: As of `embedding_rnn_decoder`, or a tensor.
        dtype: Of the states; None is the scope's.
        scope: A variable scope; None is "embedding_rnn_seq2seq".

    Returns:
        The decoder's outputs, one a step, and its last state.
    """
    with tf.variable_scope(scope or "embedding_rnn_seq2seq") as entered:
        if dtype is not None:
            entered.set_dtype(dtype)
        encoder = EmbeddingWrapper(copy.deepcopy(cell), num_encoder_symbols, embedding_size)
        _, encoded = tf.nn.static_rnn(encoder, encoder_inputs, dtype=dtype or entered.dtype)
        if output_projection is None:
            cell = OutputProjectionWrapper(cell, num_decoder_symbols)

        def decode(fed: bool, update: bool = False) -> Any:
            return embedding_rnn_decoder(
                decoder_inputs, encoded, cell, num_decoder_symbols, embedding_size, output_projection, fed, update
            )

        if isinstance(feed_previous, bool):
            return decode(feed_previous, update=True)
        return _either_way(feed_previous, decode, len(decoder_inputs), encoded)


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
    """Encode ids into a state, and decode other ids from it, with the same embedding and cell.

    Args:
        encoder_inputs: Tensors of ids of rank 1, one a step.
        decoder_inputs: The same, of the decoder.
        cell: An RNNCell.
        num_symbols: How many ids there are.
        embedding_size: Columns of the embedding.
        num_decoder_symbols: Columns of the outputs; None is `num_symbols`.
        output_projection: As of `embedding_rnn_decoder`; None projects each output.
        feed_previous: As of `embedding_rnn_decoder`, or a tensor.
        dtype: Of the states; None is the scope's.
        scope: A variable scope; None is "embedding_tied_rnn_seq2seq".

    Returns:
        The decoder's outputs, one a step, and its last state.

    Raises:
        ValueError: The projection isn't of `num_symbols`.
    """
    with tf.variable_scope(scope or "embedding_tied_rnn_seq2seq", dtype=dtype) as entered:
        dtype = entered.dtype
        _checked_projection(output_projection, num_symbols, dtype)
        embedding = tf.get_variable("embedding", [num_symbols, embedding_size], dtype=dtype)
        encoder_embedded = [tf.nn.embedding_lookup(embedding, ids) for ids in encoder_inputs]
        decoder_embedded = [tf.nn.embedding_lookup(embedding, ids) for ids in decoder_inputs]
        if output_projection is None:
            cell = OutputProjectionWrapper(cell, num_symbols if num_decoder_symbols is None else num_decoder_symbols)

        def decode(fed: bool, update: bool = False) -> Any:
            loop_function = _extract_argmax_and_embed(embedding, output_projection, update) if fed else None
            return tied_rnn_seq2seq(encoder_embedded, decoder_embedded, cell, loop_function, dtype)

        if isinstance(feed_previous, bool):
            return decode(feed_previous, update=True)
        batch = tf.dimension_value(encoder_inputs[0].shape[0])
        structure = cell.zero_state(tf.shape(encoder_inputs[0])[0] if batch is None else batch, dtype)
        return _either_way(feed_previous, decode, len(decoder_inputs), structure)


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
    """Go through a sequence with a cell that attends to other states.

    Args:
        decoder_inputs: Tensors of rank 2, one a step.
        initial_state: The cell's.
        attention_states: What is attended to: examples, steps, columns.
        cell: An RNNCell.
        output_size: Columns of the outputs; None is the cell's.
        num_heads: How often each step attends.
        loop_function: As of `rnn_decoder`.
        dtype: Of what is computed; None is the scope's.
        scope: A variable scope; None is "attention_decoder".
        initial_state_attention: Whether the first step has attended already, by the initial state.

    Returns:
        The outputs, one a step, and the last state.

    Raises:
        ValueError: There are no inputs or heads, or a size that is needed isn't known.
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
        attend = _Attention(attention_states, num_heads, dtype)
        state, previous = initial_state, None
        read = attend(initial_state) if initial_state_attention else attend.zeros(tf.shape(decoder_inputs[0])[0])
        outputs = []
        for i, row in enumerate(decoder_inputs):
            if i > 0:
                tf.get_variable_scope().reuse_variables()
            given = _fed_back(loop_function, previous, i, row)
            columns = tf.dimension_value(given.shape.with_rank(2)[1])
            if columns is None:
                raise ValueError(f"Could not infer input size from input: {given.name}")
            inputs = [tf.cast(each, dtype) for each in [given, *read]]
            cell_output, state = cell(Linear(inputs, columns, True)(inputs), state)
            if i == 0 and initial_state_attention:
                # Its variables were made when the initial state attended.
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
    """What reads states, each head a mixture of them that a query decides."""

    def __init__(self, states: Any, heads: int, dtype: Any) -> None:
        self._size = size = tf.dimension_value(states.shape[2])
        self._dtype = dtype
        self._length = tf.dimension_value(states.shape[1])
        if self._length is None:
            self._length = tf.shape(states)[1]
        # An image of one column for each example, so that a convolution multiplies each state by a matrix.
        self._hidden = tf.reshape(states, [-1, self._length, 1, size])
        self._heads = []
        for head in range(heads):
            weights = tf.get_variable(f"AttnW_{head}", [1, 1, size, size], dtype=dtype)
            features = tf.nn.conv2d(self._hidden, weights, [1, 1, 1, 1], "SAME")
            self._heads.append((features, tf.get_variable(f"AttnV_{head}", [size], dtype=dtype)))

    def zeros(self, batch_size: Any) -> Any:
        found = [tf.zeros(tf.stack([batch_size, self._size]), dtype=self._dtype) for _ in self._heads]
        for each in found:
            each.set_shape([None, self._size])
        return found

    def __call__(self, query: Any) -> Any:
        if tf.nest.is_nested(query):
            parts = tf.nest.flatten(query)
            for part in parts:
                assert not part.shape.ndims or part.shape.ndims == 2, part
            query = tf.concat(parts, 1)
        found = []
        for head, (features, scale) in enumerate(self._heads):
            with tf.variable_scope(f"Attention_{head}"):
                asked = tf.reshape(Linear(query, self._size, True)(query), [-1, 1, 1, self._size])
                scores = tf.reduce_sum(scale * tf.tanh(features + tf.cast(asked, self._dtype)), [2, 3])
                shares = tf.cast(tf.nn.softmax(tf.cast(scores, tf.float32)), self._dtype)
                read = tf.reduce_sum(tf.reshape(shares, [-1, self._length, 1, 1]) * self._hidden, [1, 2])
                found.append(tf.reshape(read, [-1, self._size]))
        return found


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
    """Go through a sequence of ids with a cell that attends to other states.

    Args:
        decoder_inputs: Tensors of ids of rank 1, one a step.
        initial_state: The cell's.
        attention_states: As of `attention_decoder`.
        cell: An RNNCell.
        num_symbols: How many ids there are.
        embedding_size: Columns of the embedding.
        num_heads: How often each step attends.
        output_size: Columns of the outputs; None is the cell's.
        output_projection: As of `embedding_rnn_decoder`.
        feed_previous: As of `embedding_rnn_decoder`.
        update_embedding_for_previous: As of `embedding_rnn_decoder`.
        dtype: Of what is computed; None is the scope's.
        scope: A variable scope; None is "embedding_attention_decoder".
        initial_state_attention: As of `attention_decoder`.

    Returns:
        The outputs, one a step, and the last state.

    Raises:
        ValueError: The projection isn't of `num_symbols`.
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
    """Encode ids, and decode other ids with attention to the encoder's outputs.

    Args:
        encoder_inputs: Tensors of ids of rank 1, one a step.
        decoder_inputs: The same, of the decoder.
        cell: An RNNCell; the encoder has a copy.
        num_encoder_symbols: How many ids the encoder knows.
        num_decoder_symbols: How many the decoder knows.
        embedding_size: Columns of both embeddings.
        num_heads: How often each step attends.
        output_projection: As of `embedding_rnn_decoder`; None projects each output to `num_decoder_symbols`.
        feed_previous: As of `embedding_rnn_decoder`, or a tensor.
        dtype: Of the states; None is the scope's.
        scope: A variable scope; None is "embedding_attention_seq2seq".
        initial_state_attention: As of `attention_decoder`.

    Returns:
        The decoder's outputs, one a step, and its last state.
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
        return _either_way(feed_previous, decode, len(decoder_inputs), encoded)


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
    """Encode ids into a state, and decode several sequences from it.

    Args:
        encoder_inputs: Tensors of ids of rank 1, one a step.
        decoder_inputs_dict: Name of a decoder -> tensors of ids, one a step.
        enc_cell: The encoder's RNNCell.
        dec_cells_dict: Name of a decoder -> its RNNCell.
        num_encoder_symbols: How many ids the encoder knows.
        num_decoder_symbols_dict: Name of a decoder -> how many it knows.
        embedding_size: Columns of the embeddings.
        feed_previous: As of `embedding_rnn_decoder`, or a tensor.
        dtype: Of the states; None is the scope's.
        scope: A variable scope; None is "one2many_rnn_seq2seq".

    Returns:
        Two dicts, by the names of the decoders: their outputs, and their last states.

    Raises:
        TypeError: A cell is none.
        ValueError: The decoders' names differ.
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
                    return embedding_rnn_decoder(inputs, encoded, cell, symbols, embedding_size, feed_previous=fed)

                if isinstance(feed_previous, bool):
                    outputs[name], states[name] = decode(feed_previous)
                else:
                    outputs[name], states[name] = _either_way(feed_previous, decode, len(inputs), encoded)
    return outputs, states


def sequence_loss_by_example(
    logits: Any,
    targets: Any,
    weights: Any,
    average_across_timesteps: bool = True,
    softmax_loss_function: Optional[Callable[..., Any]] = None,
    name: Optional[str] = None,
) -> Any:
    """The weighted cross-entropy of each example.

    Args:
        logits: Tensors of examples by ids, one a step.
        targets: Tensors of ids, one a step.
        weights: Tensors of numbers, one a step.
        average_across_timesteps: Whether it is divided by the sum of the weights.
        softmax_loss_function: Takes `labels` and `logits`; None is sparse softmax cross-entropy.
        name: Of the ops.

    Returns:
        A tensor of one number an example.

    Raises:
        ValueError: The lists aren't equally long.
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
    """The weighted cross-entropy of a batch.

    Args:
        logits: As of `sequence_loss_by_example`.
        targets: As there.
        weights: As there.
        average_across_timesteps: As there.
        average_across_batch: Whether it is divided by the number of examples.
        softmax_loss_function: As there.
        name: Of the ops.

    Returns:
        A scalar.

    Raises:
        ValueError: The lists aren't equally long.
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
    """One model for several lengths, sharing its variables.

    Args:
        encoder_inputs: Tensors of ids, one a step, as many as the last bucket takes.
        decoder_inputs: The same, of the decoder.
        targets: The same, of what it should give.
        weights: Tensors of numbers, one a step.
        buckets: Pairs of lengths, of what is encoded and decoded, the longest last.
        seq2seq: Makes outputs and a state of encoder and decoder inputs.
        softmax_loss_function: As of `sequence_loss_by_example`.
        per_example_loss: Whether a loss is one number an example.
        name: Of the ops.

    Returns:
        A list of outputs and a list of losses, one a bucket.

    Raises:
        ValueError: A list is shorter than the last bucket.
    """
    encoded, decoded = buckets[-1]
    for what, given, wanted in (
        ("encoder_inputs", encoder_inputs, encoded),
        ("targets", targets, decoded),
        ("weights", weights, decoded),
    ):
        if len(given) < wanted:
            raise ValueError(f"Length of {what} ({len(given)}) must be at least that of last bucket ({wanted}).")
    loss = sequence_loss_by_example if per_example_loss else sequence_loss
    losses, outputs = [], []
    everything = [*encoder_inputs, *decoder_inputs, *targets, *weights]
    with tf.name_scope(name, "model_with_buckets", everything):
        for i, (encoded, decoded) in enumerate(buckets):
            with tf.variable_scope(tf.get_variable_scope(), reuse=True if i > 0 else None):
                found, _ = seq2seq(encoder_inputs[:encoded], decoder_inputs[:decoded])
                outputs.append(found)
                losses.append(
                    loss(found, targets[:decoded], weights[:decoded], softmax_loss_function=softmax_loss_function)
                )
    return outputs, losses
