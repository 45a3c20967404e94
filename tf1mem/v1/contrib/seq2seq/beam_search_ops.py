# Copyright 2015-2019 The TensorFlow Authors. All Rights Reserved.
# Licensed under the Apache License, Version 2.0: see LICENSE.
# Written anew for tf1mem after tensorflow/contrib of TensorFlow 1.15.5, and changed: see NOTICE.

"""The beam search op GatherTree, which TensorFlow 2 lacks, composed of other ops."""

from __future__ import annotations

from typing import Any

import tf1mem.v1 as tf


def gather_tree(
    step_ids: Any, parent_ids: Any, max_sequence_lengths: Any, end_token: Any, name: str | None = None
) -> Any:
    """Returns the ids of whole beams, from the ids and the parent beams of each step.

    Args:
        step_ids: Ids of each step, `[time, batch, beams]` int32.
        parent_ids: Beam of the step before that each beam continues, `[time, batch, beams]` int32.
        max_sequence_lengths: Number of steps that count, `[batch]` int32.
        end_token: Id that is written after a beam's end, an int32 scalar.
        name: Name scope of the ops.

    Returns:
        The ids of each beam, `[time, batch, beams]` int32.
    """
    with tf.name_scope(name, "GatherTree", [step_ids, parent_ids, max_sequence_lengths, end_token]):
        step_ids = tf.convert_to_tensor(step_ids, dtype=tf.int32)
        parent_ids = tf.convert_to_tensor(parent_ids, dtype=tf.int32)
        end_token = tf.convert_to_tensor(end_token, dtype=tf.int32)
        steps, _, beams = tf.unstack(tf.shape(step_ids))
        lengths = tf.minimum(tf.convert_to_tensor(max_sequence_lengths, dtype=tf.int32), steps)
        ended = tf.fill(tf.shape(step_ids)[1:], end_token)
        own_beams = tf.zeros_like(ended) + tf.range(beams)

        def back(later: Any, now: Any) -> Any:
            """Follows the parents one step back; returns ids and parents, `[batch, beams]` each."""
            time, ids, parents = now
            at = tf.where(tf.less(time, lengths - 1), later[1], own_beams)
            with tf.control_dependencies([_assert_beams(at, beams, time)]):
                at = tf.identity(at)
            return tf.where(tf.less(time, lengths), _gather_beams(ids, at), ended), _gather_beams(parents, at)

        ids, _ = tf.scan(
            back, (tf.range(steps), step_ids, parent_ids), initializer=(ended, own_beams), reverse=True, back_prop=False
        )
        is_end = tf.cast(tf.equal(ids, end_token), tf.int32)
        past_end = tf.cumsum(is_end, exclusive=True) > 0
        trimmed = tf.where(past_end, tf.fill(tf.shape(ids), end_token), ids)
        trimmed.set_shape(step_ids.shape)
        return trimmed


def _gather_beams(values: Any, at: Any) -> Any:
    """Returns the values, `[batch, beams]`, of the beams `at`, `[batch, beams]`."""
    batch = tf.range(tf.shape(at)[0])
    rows = tf.zeros_like(at) + tf.expand_dims(batch, 1)
    return tf.gather_nd(values, tf.stack([rows, at], -1))


def _assert_beams(at: Any, beams: Any, time: Any) -> Any:
    """Returns an op that fails where a parent is no beam, with TensorFlow 1's message."""
    invalid = tf.logical_or(at < 0, at >= beams)
    batch, beam = tf.unstack(tf.concat([tf.where(invalid), [[0, 0]]], 0)[0])
    text = tf.strings.format(
        "Saw invalid parent id {} at (batch, time, beam) == ({}, {}, {})", (at[batch, beam], batch, time, beam)
    )
    return tf.Assert(tf.logical_not(tf.reduce_any(invalid)), [text])
