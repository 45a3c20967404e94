# Copyright 2015-2019 The TensorFlow Authors. All Rights Reserved.
# Licensed under the Apache License, Version 2.0: see LICENSE.
# Written anew for tf1mem after tensorflow/contrib of TensorFlow 1.15.5, and changed: see NOTICE.

"""Batches of long sequences in segments; a network's state after a segment is saved for the next segment."""

from __future__ import annotations

import numbers
from collections import OrderedDict
from typing import Any

from tensorflow.python.ops.control_flow_ops import with_dependencies
from tensorflow.python.ops.data_flow_ops import Barrier
from tensorflow.python.ops.sparse_ops import _add_many_sparse_to_tensors_map, _take_many_sparse_from_tensors_map

import tf1mem.v1 as tf

_CLOSED = (tf.errors.OutOfRangeError, tf.errors.CancelledError)
_TOKEN = 0  # An entry of the queue that counts sequences; its value is never read.
# The barrier's first components of each segment; sequences, context and states follow.
_SEGMENT_COMPONENTS = ("length", "total_length", "next_key", "sequence", "sequence_count")
# Prefix of the names under which sparse context tensors pass the barrier as sequences.
_SPARSE_CONTEXT_PREFIX_KEY = "_context_in_seq_"


def _checked(value: Any, condition: Any, error_data: list[Any], name: str | None = None) -> Any:
    """Returns the value after asserting the condition."""
    with tf.control_dependencies([tf.Assert(condition, error_data)]):
        return tf.identity(value, name=name)


def _check_rank(value: Any, rank: int) -> Any:
    try:
        shape = value.get_shape().with_rank(rank)
    except ValueError as error:
        raise ValueError(f"Rank check failed for {value.name}: {error}") from None
    message = f"Rank of tensor {value.name} should be: {rank}, shape received:"
    checked = _checked(value, tf.equal(tf.rank(value), rank), [message, tf.shape(value)], "rank_checked")
    checked.set_shape(shape)  # Set on the copy: setting it on the value would make the check always pass.
    return checked


def _check_multiple_of(value: Any, unit: int, label: str) -> Any:
    """Returns the value after asserting that it is a multiple of `unit` and not 0."""
    is_multiple = tf.logical_and(tf.equal(value % unit, 0), tf.not_equal(value, 0))
    text = [f"{label} should be a multiple of: {unit}, but saw value: ", tf.as_string(value)]
    return _checked(value, is_multiple, [tf.string_join([*text, ". Consider setting pad=True."])])


def _check_first_dimension(value: Any, size: Any, label: str) -> Any:
    first_size = tf.shape(value)[0]
    text = [f"Dimension 0 of tensor labeled {label} should be: ", tf.as_string(size), ", shape received: "]
    return _checked(value, tf.equal(first_size, size), [tf.string_join([*text, tf.as_string(first_size)])])


def _check_names(names: Any, kind: str) -> None:
    for name in names:
        if not isinstance(name, str):
            raise TypeError(f"{kind} must be string: {name}")
        if ":" in name:
            raise ValueError(f"{kind} may not have a colon: '{name}'")


class _SequenceInputWrapper:
    """A sequence, as tensors.

    Attributes:
        length: Number of steps, int32 of shape `[]`.
        key: Unique name of the sequence, a string of shape `[]`.
        sequences: Name -> `[time, ...]` tensor.
        context: Name -> tensor for the whole sequence.
    """

    def __init__(self, length: Any, key: Any, sequences: Any, context: Any) -> None:
        self.length = tf.convert_to_tensor(length, name="length")
        self.key = tf.convert_to_tensor(key, name="key")
        for kind, tensors in (("sequence", sequences), ("context", context)):
            if not isinstance(tensors, dict):
                raise TypeError(f"{'sequences' if kind == 'sequence' else kind} must be a dict")
            _check_names(tensors, kind + " key")
        if not sequences:
            raise ValueError("sequences: this is empty. Give one tensor or more.")
        self.sequences = _tensors(sequences, "sequence")
        self.context = _tensors(context, "context")


def _tensors(values: dict[str, Any], kind: str) -> OrderedDict[str, Any]:
    """Returns values as tensors, in the order of their names, which is the barrier's order."""
    return OrderedDict((name, tf.convert_to_tensor(values[name], name=f"{kind}_{name}")) for name in sorted(values))


class NextQueuedSequenceBatch:
    """A batch of segments of sequences, tensors of shape `[batch, ...]`.

    Args:
        state_saver: The SequenceQueueingStateSaver that provides the batch.
    """

    def __init__(self, state_saver: SequenceQueueingStateSaver) -> None:
        self._saver = state_saver
        barrier, names = state_saver.barrier, state_saver._indices
        self._insertion_index, self._key, values = barrier.take_many(
            state_saver.batch_size, state_saver._allow_small_batch, name="BarrierTakeMany"
        )
        received = {kind_and_name: values[index] for kind_and_name, index in names.items()}
        self._segment_values = {name: received["segment", name] for name in _SEGMENT_COMPONENTS}
        self._is_done = self.sequence + 1 >= self.sequence_count
        finished = tf.reduce_sum(tf.cast(self._is_done, tf.int32))
        with tf.control_dependencies([state_saver._capacity_queue.dequeue_many(finished)]):
            self._states = {name: tf.identity(value) for (kind, name), value in received.items() if kind == "state"}
        self._context, self._sequences = (
            OrderedDict((name, value) for (kind, name), value in received.items() if kind == batch_kind)
            for batch_kind in ("context", "sequence")
        )

    @property
    def total_length(self) -> Any:
        """Returns the number of steps of each whole sequence, int32 of shape `[batch]`."""
        return self._segment_values["total_length"]

    @property
    def length(self) -> Any:
        """Returns the number of steps of each segment without padding, int32 of shape `[batch]`."""
        return self._segment_values["length"]

    @property
    def batch_size(self) -> Any:
        """Returns the number of segments, int32 of shape `[]`."""
        return tf.squeeze(tf.shape(self.length))

    @property
    def insertion_index(self) -> Any:
        """Returns a number for each segment that increases in order of insertion, int64 of shape `[batch]`."""
        return self._insertion_index

    @property
    def key(self) -> Any:
        """Returns the keys of the segments, such as "00000_of_00003:SEQUENCE KEY", strings of shape `[batch]`."""
        return self._key

    @property
    def next_key(self) -> Any:
        """Returns the key of each next segment, strings of shape `[batch]`.

        After the last segment it is "STOP:" and the sequence's key.
        """
        return self._segment_values["next_key"]

    @property
    def sequence(self) -> Any:
        """Returns the number of each segment in its sequence, from 0, int32 of shape `[batch]`."""
        return self._segment_values["sequence"]

    @property
    def sequence_count(self) -> Any:
        """Returns the number of segments of each sequence, int32 of shape `[batch]`."""
        return self._segment_values["sequence_count"]

    @property
    def context(self) -> OrderedDict[str, Any]:
        """Returns a dict, name -> `[batch, ...]` tensor for the whole sequences."""
        return self._context

    @property
    def sequences(self) -> OrderedDict[str, Any]:
        """Returns a dict, name -> tensor of shape `[batch, num_unroll, ...]`."""
        return self._sequences

    def state(self, state_name: str) -> Any:
        """Returns the state that each previous segment saved, or the initial state, of shape `[batch, ...]`."""
        return self._states[state_name]

    def save_state(self, state_name: str, value: Any, name: str | None = None) -> Any:
        """Returns an op that saves a state for the next segments.

        Args:
            state_name: Name of the state.
            value: Tensor of the shape of `state(state_name)`.
            name: Name scope.

        Raises:
            KeyError: There is no such state.
            ValueError: The value has another shape.
        """
        if state_name not in self._states:
            raise KeyError(f"state was not declared: {state_name}")
        state, saver = self._states[state_name], self._saver
        with tf.name_scope(name, "InputQueueingStateSaver_SaveState", [value]), tf.colocate_with(
            saver._capacity_queue.queue_ref
        ):
            unfinished = tf.reshape(tf.where(tf.logical_not(self._is_done)), [-1])
            value = _check_rank(tf.identity(value, name=f"convert_{state_name}"), state.get_shape().ndims)
            error_data = [f"Shape of tensor {value.name} should be that of the state, shape received:", tf.shape(value)]
            checked = _checked(value, tf.reduce_all(tf.equal(tf.shape(state), tf.shape(value))), error_data)
            try:
                checked.set_shape(state.get_shape())
            except ValueError as error:
                raise ValueError(f"Shape check failed for {value.name}: {error}") from None
            return saver.barrier.insert_many(
                saver._indices["state", state_name],
                tf.gather(self.next_key, unfinished),
                tf.gather(checked, unfinished),
                name=f"BarrierInsertState_{state_name}",
            )


class SequenceQueueingStateSaver:
    """Splits sequences into segments, and stores a network's states between them.

    Args:
        batch_size: Number of segments in a batch.
        num_unroll: Number of steps in a segment.
        input_length: Number of steps of the sequence, int32 of shape `[]`.
        input_key: Unique name of the sequence, a string of shape `[]`.
        input_sequences: Name -> `[time, ...]` tensor; the number of steps is a multiple of `num_unroll`.
        input_context: Name -> tensor for the whole sequence.
        initial_states: Name -> state at the start of a sequence.
        capacity: Maximum number of waiting sequences; None for no limit.
        allow_small_batch: True if the last batches may be smaller.
        name: Name scope.

    Raises:
        TypeError: An argument is no dict, a name is no string, or length or key have another dtype.
        ValueError: There are no sequences or no states, a name contains a colon, or a shape is unknown.
    """

    def __init__(
        self,
        batch_size: Any,
        num_unroll: int,
        input_length: Any,
        input_key: Any,
        input_sequences: Any,
        input_context: Any,
        initial_states: Any,
        capacity: Any = None,
        allow_small_batch: bool = False,
        name: str | None = None,
    ) -> None:
        if capacity is not None and tf.is_tensor(batch_size):
            enough = tf.assert_greater_equal(
                tf.cast(capacity, tf.int64),
                tf.cast(batch_size, tf.int64),
                message="capacity needs to be >= batch_size.",
            )
            with tf.control_dependencies([enough]):
                input_key = tf.identity(input_key)
        elif capacity is not None and capacity < batch_size:
            raise ValueError(f"capacity {capacity} needs to be >= batch_size {batch_size}")
        if not isinstance(initial_states, dict):
            raise TypeError("initial_states must be a dictionary")
        if not initial_states:
            raise ValueError("initial_states may not be empty: the segments of a sequence need a state between them")
        _check_names(initial_states, "state name")
        self._batch_size, self._num_unroll = batch_size, num_unroll
        self._allow_small_batch = allow_small_batch
        self._prefetch_op: Any = None
        self._next_batch: NextQueuedSequenceBatch | None = None
        self._capacity_queue = tf.FIFOQueue(capacity=capacity, dtypes=[tf.int32], shapes=[[]])
        inputs = [input_length, input_key, *input_sequences.values(), *input_context.values()]
        with tf.colocate_with(self._capacity_queue.queue_ref), tf.name_scope(
            name, "InputQueueingStateSaver", inputs
        ) as scope:
            self._name = scope
            self._check_inputs(
                _SequenceInputWrapper(input_length, input_key, input_sequences, input_context),
                _tensors(initial_states, "state"),
            )
            self._barrier = self._make_barrier()

    def _check_inputs(self, inputs: _SequenceInputWrapper, states: OrderedDict[str, Any]) -> None:
        """Stores the inputs with checks: dtypes and shapes are checked at once, lengths when the graph runs."""
        for kind, tensors, first_axis in (
            ("state", states, 0),
            ("context", inputs.context, 0),
            ("sequence", inputs.sequences, 1),
        ):
            for name, value in tensors.items():
                if not value.get_shape()[first_axis:].is_fully_defined():
                    raise ValueError(f"Shape for {kind} {name} is not fully defined: {value.get_shape()}")
        for kind, value, dtype in (("length", inputs.length, tf.int32), ("key", inputs.key, tf.string)):
            if value.dtype != dtype:
                raise TypeError(f"{kind} dtype must be {dtype.name}, but received: {value.dtype}")
        length, self._key = _check_rank(inputs.length, 0), _check_rank(inputs.key, 0)
        padded_length = tf.identity(tf.shape(next(iter(inputs.sequences.values())))[0], name="padded_length")
        self._padded_length = _check_multiple_of(padded_length, self._num_unroll, f"Tensor {padded_length.name}")
        sequences = OrderedDict(
            (name, _check_first_dimension(value, self._padded_length, f"sorted_sequences_{name}"))
            for name, value in inputs.sequences.items()
        )
        error_data = [
            "length: this exceeds the number of steps of the sequences:",
            length,
            " vs. ",
            self._padded_length,
        ]
        self._length = _checked(length, tf.less_equal(length, self._padded_length), error_data)
        self._inputs = {"sequence": sequences, "context": inputs.context, "state": states}

    def _make_barrier(self) -> Any:
        """Returns the barrier; an entry has a segment's numbers and its part of the sequences, context and states."""
        kinds = [("segment", name) for name in _SEGMENT_COMPONENTS]
        types = [tf.string if name == "next_key" else tf.int32 for name in _SEGMENT_COMPONENTS]
        shapes: list[Any] = [()] * len(_SEGMENT_COMPONENTS)
        for kind, tensors in self._inputs.items():
            for name, value in tensors.items():
                kinds.append((kind, name))
                types.append(value.dtype)
                shape = value.get_shape().as_list()
                shapes.append([self._num_unroll, *shape[1:]] if kind == "sequence" else shape)
        # (kind, name) of each component -> its index in the barrier.
        self._indices = {kind_and_name: index for index, kind_and_name in enumerate(kinds)}
        return Barrier(types=types, shapes=shapes)

    @property
    def name(self) -> str:
        """Returns the name scope of the operations."""
        return str(self._name)

    @property
    def barrier(self) -> Any:
        """Returns the barrier, in which segments wait until all their components are inserted.

        A segment has numbers and the next key, of shape `[]`; `[num_unroll, ...]` sequences; the context; the states.
        """
        return self._barrier

    @property
    def batch_size(self) -> Any:
        """Returns the number of segments in a batch, the first axis of `[batch, num_unroll, ...]`."""
        return self._batch_size

    @property
    def num_unroll(self) -> int:
        """Returns the number of steps in a segment, the second axis of `[batch, num_unroll, ...]`."""
        return self._num_unroll

    @property
    def prefetch_op(self) -> Any:
        """Returns the op that inserts a sequence as `[num_unroll, ...]` segments; threads run it during training."""
        if self._prefetch_op is None:
            with tf.name_scope(None), tf.name_scope(self._name):
                self._prefetch_op = self._insert_sequence()
        return self._prefetch_op

    @property
    def next_batch(self) -> NextQueuedSequenceBatch:
        """Returns the batch of segments, tensors of shape `[batch, ...]`; always the same object."""
        if self._next_batch is None:
            assert self.prefetch_op is not None
            with tf.name_scope(None), tf.name_scope(self._name):
                self._next_batch = NextQueuedSequenceBatch(self)
        return self._next_batch

    def close(self, cancel_pending_enqueues: bool = False, name: str | None = None) -> Any:
        """Returns an op that ends the input of sequences.

        Args:
            cancel_pending_enqueues: True to drop sequences that wait to be inserted.
            name: Name of the op.
        """
        with tf.name_scope(name, "SQSSClose") as scope:
            return tf.group(
                self.barrier.close(cancel_pending_enqueues, "BarrierClose"),
                self._capacity_queue.close(cancel_pending_enqueues, "FIFOClose"),
                name=scope,
            )

    def _insert_sequence(self) -> Any:
        """Returns the op that inserts all segments of the padded sequence into the barrier."""
        count = self._padded_length // self._num_unroll
        number = tf.range(count)
        ones = tf.ones(tf.expand_dims(count, 0), dtype=tf.int32)
        texts = [tf.as_string(each, width=5, fill="0") for each in (number, count)]
        keys = tf.string_join([texts[0], "_of_", texts[1], ":", self._key], name="StringJoinCurrentKeys")
        stop = tf.string_join(["STOP:", self._key], name="StringJoinStop")
        segment_values = {
            "length": tf.clip_by_value(self._length - self._num_unroll * number, 0, self._num_unroll),
            "total_length": self._length * ones,
            "next_key": tf.concat([keys[1:], [stop]], 0),
            "sequence": number,
            "sequence_count": count * ones,
        }
        values = {("segment", name): value for name, value in segment_values.items()}
        for name, value in self._inputs["sequence"].items():
            shape = value.get_shape().as_list()[1:]
            values["sequence", name] = tf.reshape(value, tf.stack([count, self._num_unroll, *shape]))
        for name, value in self._inputs["context"].items():
            multiples = [count, *[1] * value.get_shape().ndims]
            values["context", name] = tf.tile(tf.expand_dims(value, 0), tf.stack(multiples))

        def insert(kind_and_name: tuple[str, str], at: Any, value: Any) -> Any:
            """Returns an op that inserts a component of segments, a tensor of shape `[segments, ...]`."""
            kind, name = kind_and_name
            return self._barrier.insert_many(
                self._indices[kind_and_name], at, value, name=f"BarrierInsert_{kind}_{name}"
            )

        inserted = {kind_and_name: insert(kind_and_name, keys, value) for kind_and_name, value in values.items()}
        # The state completes the first segment, so it is inserted last; it waits while the capacity is exhausted.
        token = self._capacity_queue.enqueue((_TOKEN,))
        with tf.control_dependencies([inserted["segment", "sequence"], token]):
            states = [
                insert(("state", name), keys[:1], tf.expand_dims(value, 0))
                for name, value in self._inputs["state"].items()
            ]
        return tf.group(token, *inserted.values(), *states, name="StateSaverPrefetchGroup")


def batch_sequences_with_states(
    input_key: Any,
    input_sequences: Any,
    input_context: Any,
    input_length: Any,
    initial_states: Any,
    num_unroll: int,
    batch_size: Any,
    num_threads: int = 3,
    capacity: int = 1000,
    allow_small_batch: bool = True,
    pad: bool = True,
    make_keys_unique: bool = False,
    make_keys_unique_seed: int | None = None,
    name: str | None = None,
) -> NextQueuedSequenceBatch:
    """Batches segments of sequences, and adds a queue runner that inserts the sequences.

    Args:
        input_key: Unique name of the sequence, a string of shape `[]`.
        input_sequences: Name -> `[time, ...]` tensor, dense or sparse.
        input_context: Name -> tensor for the whole sequence, dense or sparse.
        input_length: Number of steps, int32 of shape `[]`; with `pad`, None for the tensors' number of steps.
        initial_states: Name -> state at the start of a sequence.
        num_unroll: Number of steps in a segment.
        batch_size: Number of segments in a batch.
        num_threads: Number of threads that insert sequences; 3 by default.
        capacity: Maximum number of waiting sequences; 1000 by default.
        allow_small_batch: True if the last batches may be smaller.
        pad: True to pad sequences to a multiple of `num_unroll`; else their lengths must be multiples.
        make_keys_unique: True to append a random number to the key.
        make_keys_unique_seed: Seed of the random number.
        name: Name scope.

    Returns:
        A NextQueuedSequenceBatch, with tensors of shape `[batch, num_unroll, ...]`.

    Raises:
        TypeError: The sequences are no dict of tensors.
        ValueError: `num_unroll` isn't an int.
    """
    tensors = [*input_sequences.values(), *input_context.values(), *initial_states.values()]
    with tf.name_scope(name, "batch_sequences_with_states", tensors):
        if pad:
            length, sequences = _padding(input_sequences, num_unroll)
            input_length = length if input_length is None else input_length
        else:
            sequences = {key: _with_length_check(key, value, num_unroll) for key, value in input_sequences.items()}
        context = dict(input_context)
        _move_sparse_tensor_out_context(context, sequences, num_unroll)
        dense, sparse_keys, map_ops = _deconstruct_sparse_tensor_seq(sequences)
        if make_keys_unique:
            number = tf.random_uniform((), maxval=100000000, dtype=tf.int32, seed=make_keys_unique_seed)
            input_key = tf.string_join([input_key, tf.as_string(number)])
        saver = SequenceQueueingStateSaver(
            batch_size,
            num_unroll,
            input_length=input_length,
            input_key=input_key,
            input_sequences=dense,
            input_context=context,
            initial_states=initial_states,
            capacity=capacity,
            allow_small_batch=allow_small_batch,
        )
        ready = tf.cast(saver.barrier.ready_size(), tf.float32)
        tf.summary.scalar(f"queue/{saver.barrier.name}/ready_segment_batches_", ready)
        ops = [saver.prefetch_op] * num_threads
        tf.train.add_queue_runner(tf.train.QueueRunner(saver, ops, queue_closed_exception_types=_CLOSED))
        batch = saver.next_batch
        _reconstruct_sparse_tensor_seq(batch.sequences, sparse_keys, map_ops, batch_size, num_unroll)
        _move_sparse_tensor_in_context(batch.context, batch.sequences)
        return batch


def _is_sparse(value: Any) -> bool:
    return isinstance(value, (tf.SparseTensor, tf.SparseTensorValue))


def _with_length_check(key: str, value: Any, num_unroll: int) -> Any:
    if not _is_sparse(value):
        value = tf.convert_to_tensor(value)
        _check = _check_multiple_of(tf.shape(value)[0], num_unroll, f"Tensor {key} first dimension")
        return with_dependencies([_check], value)
    check = _check_multiple_of(value.dense_shape[0], num_unroll, f"SparseTensor {key} first dimension")
    parts = [with_dependencies([check], part) for part in (value.indices, value.values, value.dense_shape)]
    return tf.SparseTensor(*parts)


def _padding(sequences: Any, num_unroll: int) -> tuple[Any, dict[str, Any]]:
    """Returns the length of sequences, and the sequences padded to a multiple of `num_unroll`."""
    if not isinstance(num_unroll, numbers.Integral):
        raise ValueError(f"Unsupported num_unroll expected int, got: {num_unroll}")
    if not isinstance(sequences, dict):
        raise TypeError(f"Unsupported sequences expected dict, got: {sequences}")
    for key in sequences:
        if not isinstance(key, str):
            raise TypeError(f"Unsupported sequences key expected string, got: {key}")
    if not sequences:
        return 0, {}
    tensors = {
        key: value if _is_sparse(value) else tf.convert_to_tensor(value) for key, value in sorted(sequences.items())
    }
    lengths = [tf.shape(value)[0] for value in tensors.values() if not _is_sparse(value)]
    if lengths:
        message = tf.string_join(["sequences: their lengths differ: ", tf.as_string(lengths)])
        length = with_dependencies([tf.Assert(tf.equal(each, lengths[0]), [message]) for each in lengths], lengths[0])
    else:
        length = tf.reduce_max(tf.cast([value.dense_shape[0] for value in tensors.values()], tf.int32))
    missing = -length % num_unroll
    padded = {}
    for key, value in tensors.items():
        if _is_sparse(value):
            shape = tf.concat([[tf.cast(length + missing, tf.int64)], value.dense_shape[1:]], 0)
            padded[key] = tf.SparseTensor(value.indices, value.values, shape)
        else:
            shape = tf.concat([[missing], tf.shape(value)[1:]], 0)
            padding_value = tf.constant("" if value.dtype == tf.string else 0, dtype=value.dtype)
            padded[key] = tf.concat([value, tf.fill(shape, padding_value)], 0)
    return length, padded


def _move_sparse_tensor_out_context(context: dict[str, Any], sequences: dict[str, Any], num_unroll: int) -> None:
    """Moves sparse context tensors to the sequences, at the first step of every segment."""
    length = tf.constant(1, tf.int64)
    for value in list(sequences.values())[:1]:
        length = value.dense_shape[0] if _is_sparse(value) else tf.shape(value, out_type=tf.int64)[0]
    for key in sorted(key for key, value in context.items() if _is_sparse(value)):
        value = context.pop(key)
        steps = tf.range(0, length, num_unroll)
        segments, entries = tf.size(steps), tf.shape(value.indices)[0]
        step_of_entry = tf.reshape(tf.tile(tf.expand_dims(steps, 1), [1, entries]), [-1, 1])
        sequences[_SPARSE_CONTEXT_PREFIX_KEY + key] = tf.SparseTensor(
            tf.concat([step_of_entry, tf.tile(value.indices, [segments, 1])], 1),
            tf.tile(value.values, [segments]),
            tf.concat([[length], value.dense_shape], 0),
        )


def _move_sparse_tensor_in_context(context: dict[str, Any], sequences: dict[str, Any]) -> None:
    """Moves sparse context tensors back from the sequences, out of the first steps."""
    for key in sorted(key for key in sequences if key.startswith(_SPARSE_CONTEXT_PREFIX_KEY)):
        value = sequences.pop(key)
        context[key[len(_SPARSE_CONTEXT_PREFIX_KEY) :]] = tf.SparseTensor(
            tf.concat([value.indices[:, :1], value.indices[:, 2:]], 1),
            value.values,
            tf.concat([value.dense_shape[:1], value.dense_shape[2:]], 0),
        )


def _deconstruct_sparse_tensor_seq(
    input_sequence: dict[str, Any], shared_name: str | None = None
) -> tuple[dict[str, Any], list[str], list[Any]]:
    """Replaces each sparse tensor of the sequences by a handle for each step.

    Returns:
        The sequences, the keys of the sparse ones, and for each of these the op that stores it.
    """
    keys = sorted(key for key, value in input_sequence.items() if _is_sparse(value))
    handles = {key: _add_many_sparse_to_tensors_map(input_sequence[key], shared_name=shared_name) for key in keys}
    return {**input_sequence, **handles}, keys, [handles[key].op for key in keys]


def _reconstruct_sparse_tensor_seq(
    sequence: dict[str, Any], sparse_tensor_keys: list[str], tensor_op_list: list[Any], batch_size: Any, num_unroll: int
) -> None:
    """Replaces the batched handles, of shape [batch_size, num_unroll], by sparse tensors again."""
    for key, op in zip(sparse_tensor_keys, tensor_op_list):
        sparse = _take_many_sparse_from_tensors_map(
            sparse_map_op=op, sparse_handles=tf.reshape(sequence[key], [-1]), rank=None
        )
        row = sparse.indices[:, :1]
        sizes = [tf.cast(size, tf.int64) for size in (batch_size, num_unroll)]
        sequence[key] = tf.SparseTensor(
            tf.concat([row // num_unroll, row % num_unroll, sparse.indices[:, 1:]], 1),
            sparse.values,
            tf.concat([sizes, sparse.dense_shape[1:]], 0),
        )
