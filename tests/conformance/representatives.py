"""Selects the entries that stand for all: for every pair of values, every kind of plan, and every intended difference.

If the plans of two entries take the same routes to the same actions, TensorFlow gets the same requests with other
numbers, so one of the two is enough. Plans are made without TensorFlow, in no time.

CI runs every kind of plan by `apply` and by `run`, and every pair of values by `apply`. `run` takes other entries for
the kinds than `apply` does. `make proof` and `make conformance` run the whole grid by every way on every
TensorFlow; on 1.15.5 that checks the recordings.
"""

from __future__ import annotations

from typing import Any, Iterator, Sequence

import tf1mem

from . import comparing, drawing
from .entries import Entry


def names(entries: Sequence[Entry], truth: dict[str, dict[str, Any]], version: str, way: str) -> set[str]:
    """Returns the names of the entries that stand for all.

    Args:
        entries: All entries.
        truth: The observation of each on TensorFlow 1.15.5, by name.
        version: The TensorFlow version that they are run on.
        way: The way that they are run.
    """
    allocating = [entry for entry in entries if entry.values is not None and truth[entry.name].get("limits")]
    chosen = {*(_pairwise(allocating) if way == "apply" else ()), *comparing.ON_PURPOSE}
    kinds = {_kind(entry, truth, version) for entry in entries if entry.name in chosen}
    for entry in reversed(entries) if way == "run" else entries:
        kind = _kind(entry, truth, version)
        if kind not in kinds:
            kinds.add(kind)
            chosen.add(entry.name)
    return chosen


def _kind(entry: Entry, truth: dict[str, dict[str, Any]], version: str) -> tuple[Any, ...]:
    """Returns what tf1mem does for an entry: the steps before its config, the outcomes, and the steps of its plan."""
    observation = truth[entry.name]
    before = tuple(step for step, _ in entry.earlier_steps)
    around = (before, entry.apply_outcome, observation.get("error", [""])[0])
    try:
        steps = tf1mem.plan(entry.config, tensorflow=version, gpus=list(entry.gpus)).steps
    except tf1mem.Tf1memError as error:
        return (*around, type(error).__name__)
    return (*around, *((step.route, step.action) for step in steps))


def _pairwise(entries: Sequence[Entry]) -> Iterator[str]:
    """Yields few of the drawn entries, chosen greedily, that together have every pair of values."""
    meetings = {entry.name: drawing.meetings(entry.values or {}, 2) for entry in entries}
    left = set().union(*meetings.values())
    while left:
        best = max(meetings, key=lambda name: len(meetings[name] & left))
        left -= meetings[best]
        yield best
