"""Holds two recordings side by side, with what rounding alone does as the measure.

The old side runs again with its first weights moved by one unit in the last place. By what these runs differ from it,
tensor by tensor and step by step, is the band of rounding. A difference of up to `MULTIPLE` times the band, or `UNITS`
units of rounding of the tensor's type where the band is narrower, is rounding; above it the programs compute otherwise.
TTrace (arXiv:2506.09280) has such thresholds for parallel training.
"""

from __future__ import annotations

from collections import defaultdict
from typing import Any, NamedTuple, Sequence

from tf1mem.verifying import values
from tf1mem.verifying.recordings import Recording, distance

# Equal programs came to at most 9.2 times the band: nets with batch norm, by Sessions, Estimator and Keras, 2.21 beside
# 1.15.5; thirty is three times that, and every planted difference of `tests/verifying/planted.py` is above it.
MULTIPLE = 30.0
UNITS = 64.0
# Where rounding alone comes to more of a tensor's largest value, a comparison says nothing any more.
CHAOS = 0.05
# Kinds of values, in the order in which a run comes by them.
ORDER = ("feed", "data", "before", "gradient", "fetch")


class Compared(NamedTuple):
    """A value of one run on both sides.

    Attributes:
        key: The run's key.
        name: The value's name on the old side, such as "fetch:0:loss:0".
        new_name: The value's name on the new side.
        apart: The distance between the sides.
        band: The distance that rounding alone makes.
        limit: The distance up to which it is rounding.
        jumps: True for a figure that jumps, such as an accuracy or a count.
    """

    key: str
    name: str
    new_name: str
    apart: float
    band: float
    limit: float
    jumps: bool = False

    @property
    def differs(self) -> bool:
        """True where the sides differ by more than rounding does."""
        return self.apart > self.limit

    @property
    def says_nothing(self) -> bool:
        """True where rounding alone makes so large a difference that the comparison says nothing."""
        return self.band > CHAOS


class Gap(NamedTuple):
    """A run, or a value of one, that only one side has.

    Attributes:
        key: The run's key.
        name: The value's name; "" for the run as a whole.
        side: The side that has it: "old" or "new".
    """

    key: str
    name: str
    side: str


class Comparison(NamedTuple):
    """Two recordings, value by value.

    Attributes:
        values: All values that both sides have, in the order in which the old side came by them.
        gaps: Runs and values of one side alone.
    """

    values: list[Compared]
    gaps: list[Gap]


def compare(old: Recording, moved: Sequence[Recording], new: Recording) -> Comparison:
    """Compares recordings of the old and the new side.

    Args:
        old: The old side.
        moved: The old side with its first weights moved by one unit in the last place, once or more.
        new: The new side.
    """
    compared: list[Compared] = []
    gaps: list[Gap] = []
    bands: dict[str, float] = defaultdict(float)
    runs, others = new.runs, [each.runs for each in moved]
    for key, run in old.runs.items():
        if key not in runs:
            gaps.append(Gap(key, "", "old"))
            continue
        pairs, lone = _pairs(run["values"], runs[key]["values"])
        gaps += [Gap(key, name, side) for name, side in lone]
        for name, new_name in pairs:
            mine, theirs = run["values"][name], runs[key]["values"][new_name]
            for recording, there in zip(moved, others):
                again = there.get(key, {"values": {}})["values"].get(name)
                if again is not None:
                    bands[name] = max(bands[name], distance(old, mine, recording, again))
            apart = distance(old, mine, new, theirs)
            limit = max(MULTIPLE * bands[name], UNITS * values.epsilon(mine))
            jumps = name in run["jumps"] or (name.startswith("fetch:") and not values.is_real(mine))
            compared.append(Compared(key, name, new_name, apart, bands[name], limit, jumps))
    gaps += [Gap(key, "", "new") for key in runs if key not in old.runs]
    return Comparison(compared, gaps)


def _pairs(mine: dict[str, Any], theirs: dict[str, Any]) -> tuple[list[tuple[str, str]], list[tuple[str, str]]]:
    """Matches the values of a run: by name, then by kind and place.

    Returns:
        Pairs of names in the order of `ORDER`; and the names that only one side has, each with the side.
    """
    pairs, lone = [], []
    for kind in ORDER:
        a, b = (_of_kind(each, kind) for each in (mine, theirs))
        common = [name for name in a if name in b]
        rest_a, rest_b = [n for n in a if n not in common], [n for n in b if n not in common]
        pairs += [(name, name) for name in common]
        if len(rest_a) == len(rest_b) and all(mine[m]["shape"] == theirs[n]["shape"] for m, n in zip(rest_a, rest_b)):
            pairs += list(zip(rest_a, rest_b))
        else:
            lone += [(name, "old") for name in rest_a] + [(name, "new") for name in rest_b]
    return pairs, lone


def _of_kind(noted: dict[str, Any], kind: str) -> list[str]:
    # Texts that are fetched, such as summaries, hold the figures that are compared by themselves.
    is_fetch = kind == "fetch"
    return [name for name in noted if name.startswith(kind + ":") and not (is_fetch and noted[name]["dtype"] == "text")]
