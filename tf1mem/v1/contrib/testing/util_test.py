# Copyright 2015-2019 The TensorFlow Authors. All Rights Reserved.
# Licensed under the Apache License, Version 2.0: see LICENSE.
# Written anew for tf1mem after tensorflow/contrib of TensorFlow 1.15.5, and changed: see NOTICE.

"""Assertions about summaries, and access to event files, for programs' tests; this module itself has no tests."""

from __future__ import annotations

import glob
import os
from typing import Any, Container, Iterable, Mapping

import numpy as np

import tf1mem.v1 as tf


def assert_summary(
    expected_tags: Iterable[str], expected_simple_values: Mapping[str, float], summary_proto: Any
) -> None:
    """Checks the tags and values of a summary.

    Args:
        expected_tags: All tags of the summary.
        expected_simple_values: Dict of tag -> value, compared to two decimals; tags without a value aren't compared.
        summary_proto: Summary message.

    Raises:
        AssertionError: A value differs.
        ValueError: The tags differ.
    """
    values = {value.tag: value.simple_value for value in summary_proto.value}
    for tag in values.keys() & expected_simple_values.keys():
        np.testing.assert_almost_equal(values[tag], expected_simple_values[tag], decimal=2, err_msg=tag)
    if {*expected_tags} != {*values}:
        raise ValueError(f"Expected tags {sorted(expected_tags)}, got {sorted(values)}.")


def to_summary_proto(summary_str: bytes) -> Any:
    """Returns the Summary message of its serialized bytes.

    Args:
        summary_str: The bytes.
    """
    return tf.Summary.FromString(summary_str)


def latest_event_file(base_dir: str) -> str | None:
    """Returns the path of the latest event file in a folder, or None.

    Args:
        base_dir: The folder.
    """
    return max(glob.glob(os.path.join(base_dir, "events.*")), default=None)


def latest_events(base_dir: str) -> Iterable[Any]:
    """Returns the events of the latest event file in a folder.

    Args:
        base_dir: The folder.
    """
    path = latest_event_file(base_dir)
    return tf.train.summary_iterator(path) if path else []


def latest_summaries(base_dir: str) -> list[Any]:
    """Returns the events with a summary of the latest event file in a folder.

    Args:
        base_dir: The folder.
    """
    return [event for event in latest_events(base_dir) if event.HasField("summary")]


def simple_values_from_events(events: Iterable[Any], tags: Container[str]) -> dict[str, float]:
    """Returns the values of tags at their last steps, a dict of tag -> number.

    Args:
        events: Iterable of the Event protos of a summary file.
        tags: Tags to read.

    Raises:
        ValueError: A tag has a value that isn't a number.
    """
    latest: dict[str, tuple[int, float]] = {}
    for event in events:
        for value in event.summary.value:
            if value.tag not in tags:
                continue
            if not value.HasField("simple_value"):
                raise ValueError(f"Summary for {value.tag} is not a simple_value.")
            if value.tag not in latest or event.step > latest[value.tag][0]:
                latest[value.tag] = event.step, value.simple_value
    return {tag: number for tag, (_, number) in latest.items()}
