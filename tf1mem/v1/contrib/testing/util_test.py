# Copyright 2015-2019 The TensorFlow Authors. All Rights Reserved.
# Licensed under the Apache License, Version 2.0: see LICENSE.
# Written anew for tf1mem after tensorflow/contrib of TensorFlow 1.15.5, and changed: see NOTICE.

"""What a program wrote of summaries, for its tests."""

from __future__ import annotations

import glob
import os
from typing import Any, Container, Iterable, Mapping

import numpy as np

import tf1mem.v1 as tf


def assert_summary(
    expected_tags: Iterable[str], expected_simple_values: Mapping[str, float], summary_proto: Any
) -> None:
    """Checks a summary.

    Args:
        expected_tags: All tags that it has.
        expected_simple_values: Of some of them, the values, to two decimals.
        summary_proto: The summary.

    Raises:
        AssertionError: A value is another one.
        ValueError: It has other tags.
    """
    found = {value.tag: value.simple_value for value in summary_proto.value}
    for tag in found.keys() & expected_simple_values.keys():
        np.testing.assert_almost_equal(found[tag], expected_simple_values[tag], decimal=2, err_msg=tag)
    if {*expected_tags} != {*found}:
        raise ValueError(f"Expected tags {sorted(expected_tags)}, got {sorted(found)}.")


def to_summary_proto(summary_str: bytes) -> Any:
    """A summary, of what one is serialized to."""
    return tf.Summary.FromString(summary_str)


def latest_event_file(base_dir: str) -> str | None:
    """The path of a folder's latest file of events, or None."""
    return max(glob.glob(os.path.join(base_dir, "events.*")), default=None)


def latest_events(base_dir: str) -> Iterable[Any]:
    """The events of a folder's latest file."""
    path = latest_event_file(base_dir)
    return tf.train.summary_iterator(path) if path else []


def latest_summaries(base_dir: str) -> list[Any]:
    """Those of them that have a summary."""
    return [event for event in latest_events(base_dir) if event.HasField("summary")]


def simple_values_from_events(events: Iterable[Any], tags: Container[str]) -> dict[str, float]:
    """The values that tags had at their last step.

    Args:
        events: The events.
        tags: The tags.

    Raises:
        ValueError: One has something else than a number.
    """
    found: dict[str, tuple[int, float]] = {}
    for event in events:
        for value in event.summary.value:
            if value.tag not in tags:
                continue
            if not value.HasField("simple_value"):
                raise ValueError(f"Summary for {value.tag} is not a simple_value.")
            if value.tag not in found or event.step > found[value.tag][0]:
                found[value.tag] = event.step, value.simple_value
    return {tag: number for tag, (_, number) in found.items()}
