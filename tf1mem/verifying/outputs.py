"""Compares what both sides wrote: printed text, scalars of summaries, and checkpoints."""

from __future__ import annotations

import re
from typing import NamedTuple, Sequence

from tf1mem.verifying import printed
from tf1mem.verifying.comparing import Compared, Comparison, Number, Point, compare_checkpoints, compare_points
from tf1mem.verifying.judging import Difference, distance_text
from tf1mem.verifying.recordings import Recording

# Tags of summaries of times and rates, such as TensorFlow's own "global_step/sec", and of how full a queue is.
_TIME = re.compile(
    r"/sec\b|per_?sec|sec_?per|seconds|_secs?\b|\btime\b|_time\b|fraction_(over_\d+_)?of_\d+_full", re.IGNORECASE
)
# The kinds of differences of what the sides wrote.
KINDS = ("checkpoint", "summary", "output")


class Outputs(NamedTuple):
    """The comparisons of what both sides wrote.

    Attributes:
        printed: The comparison of the printed lines' numbers.
        summaries: The comparison of the scalars in event files, by tag and step.
        checkpoints: The comparison of each folder's last checkpoint, by variable.
    """

    printed: Comparison
    summaries: Comparison
    checkpoints: Comparison

    def widened(self, slack: float) -> Outputs:
        """Returns these comparisons with their limits multiplied by `slack`."""
        return Outputs(*(each.widened(slack) for each in self))


def compare_outputs(old: Recording, moved: Sequence[Recording], new: Recording) -> Outputs:
    """Returns the comparisons of what both sides wrote.

    Args:
        old: The old side.
        moved: Recordings of the old side with its initial weights moved.
        new: The new side.
    """
    lines = [printed.points(each.printed, each.notes.get("root", "\0")) for each in (old, *moved, new)]
    scalars = [_scalars(each) for each in (old, *moved, new)]
    return Outputs(
        compare_points(lines[0], lines[1:-1], lines[-1]),
        compare_points(scalars[0], scalars[1:-1], scalars[-1]),
        compare_checkpoints(old, moved, new),
    )


def _scalars(recording: Recording) -> dict[tuple[str, int], Point]:
    points = {}
    for folder, tags in recording.notes.get("summaries", {}).items():
        for tag, series in tags.items():
            for step, value in series if not _TIME.search(tag) else ():
                text = f"{tag} in {folder}: {value:.9g}"
                points[f"{folder}/{tag}", step] = Point(str(step), text, (Number(value),))
    return points


def difference(outputs: Outputs) -> Difference | None:
    """Returns the first difference of checkpoints, summaries or printed numbers, or None."""
    first = _first(outputs.checkpoints)
    if first is not None:
        says = f"{first.name} differs in the checkpoint {first.key}, {distance_text(first.apart)}."
        return Difference("checkpoint", None, says, _details(first))
    first = _first(outputs.summaries)
    if first is not None:
        says = f"A summary differs at step {first.key}: {first.name} on the old side, {first.new_name} on the new."
        return Difference("summary", None, says, _details(first))
    first = _first(outputs.printed)
    if first is not None:
        sides = f'"{first.name}" on the old side, "{first.new_name}" on the new'
        says = f"Printed numbers differ in line {first.key}: {sides}."
        return Difference("output", None, says, _details(first))
    return None


def _first(comparison: Comparison) -> Compared | None:
    return next((each for each in comparison.values if each.differs and not each.is_meaningless), None)


def _details(first: Compared) -> dict[str, object]:
    names = {"old": first.name, "new": first.new_name}
    return {"place": first.key, **names, "apart": first.apart, "rounding": first.band}


def notes(outputs: Outputs) -> list[str]:
    """Returns sentences about outputs that only one side has."""
    sentences = []
    for name, comparison in (("printed lines", outputs.printed), ("summaries", outputs.summaries)):
        for side in ("old", "new"):
            texts = [gap.name for gap in comparison.gaps if gap.side == side]
            if texts:
                sentences.append(f"{len(texts)} {name} are on the {side} side only; the first: {texts[0]}")
    lone = [gap for gap in outputs.checkpoints.gaps if not gap.key]
    if lone:
        text = ", ".join(f"{gap.name} (only {gap.side})" for gap in lone[:3])
        sentences.append(f"{len(lone)} checkpoints are on one side only: {text}")
    return sentences
