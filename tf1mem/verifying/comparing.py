"""Compares two recordings; the effect of rounding alone decides which differences count.

The old side also runs with its initial weights moved by one unit in the last place. The largest distance between these
runs, for each tensor over all steps so far, is the tensor's band. A difference is rounding up to `MULTIPLE` times the
band, or up to `UNITS` units of rounding of the tensor's type if that is more. A larger difference means that the
programs compute different things. TTrace (arXiv:2506.09280) uses such thresholds for parallel training.
"""

from __future__ import annotations

import math
from collections import defaultdict
from typing import Any, Mapping, NamedTuple, Sequence, Tuple

from tf1mem.verifying import array_records
from tf1mem.verifying.recording import starting
from tf1mem.verifying.recordings import Recording, distance

# Equal programs differed by at most 9.2 times the band: nets with batch norm, by Sessions, Estimator and Keras, on 2.21
# and 1.15.5. Thirty is three times that; each planted difference of `tests/verifying/planted.py` is larger. Where the
# band is narrower than rounding, UNITS covers the rest: a residual net with 37 times the band, and a net of many
# convolutions with 473.
MULTIPLE = 30.0
UNITS = 64.0
# The largest slack. A batch norm over 3,200 numbers, after which each value differed by up to 31 times the band and 200
# units, has a slack of 7; longer sums need little more, since TensorFlow adds them in blocks.
_WIDEST = 16.0
# A larger effect of rounding, relative to a tensor's largest value, makes a comparison meaningless.
CHAOS = 0.05
# The unit of rounding of a float32, in which programs compute most of what they print.
_SINGLE = 1.2e-7
# The kinds of values, in the order in which a run computes them.
ORDER = ("feed", "data", "before", "gradient", "fetch")


class Compared(NamedTuple):
    """A value of one run, on both sides.

    Attributes:
        key: The run's key.
        name: The value's name on the old side, such as "fetch:0:loss:0".
        new_name: The value's name on the new side.
        apart: The distance between the sides.
        band: The distance that rounding alone makes.
        limit: The largest distance that counts as rounding.
        jumps: True for a value that changes in jumps, such as an accuracy or a count.
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
        """True if the sides differ by more than rounding."""
        return self.apart > self.limit

    @property
    def is_meaningless(self) -> bool:
        """True if rounding alone makes so large a difference that the comparison is meaningless."""
        return self.band > CHAOS


class Gap(NamedTuple):
    """A run, or a value of a run, that only one side has.

    Attributes:
        key: The run's key.
        name: The value's name; "" for the run as a whole.
        side: The side that has it: "old" or "new".
    """

    key: str
    name: str
    side: str


class Comparison(NamedTuple):
    """The comparison of two recordings, value by value.

    Attributes:
        values: All values that both sides have, in the order of the old side.
        gaps: The runs and values that only one side has.
        slack: The factor by which the limits are wider than `MULTIPLE` and `UNITS` say.
        until: The step from which on only feeds and data are compared; None if all are.
    """

    values: list[Compared]
    gaps: list[Gap]
    slack: float = 1.0
    until: int | None = None

    def widened(self, slack: float) -> Comparison:
        """Returns this comparison with its limits multiplied by `slack`."""
        return self._replace(values=[each._replace(limit=slack * each.limit) for each in self.values], slack=slack)

    def ignoring_from(self, step: int) -> Comparison:
        """Returns this comparison, in which values from a step on are meaningless, except feeds and data."""
        kept = ("feed:", "data:")
        values = [
            each._replace(band=math.inf, limit=math.inf)
            if _step_of(each) >= step and not each.name.startswith(kept)
            else each
            for each in self.values
        ]
        return self._replace(values=values, until=step)


def _step_of(value: Compared) -> int:
    return int(value.key.partition(".")[0])


def compare(old: Recording, moved: Sequence[Recording], new: Recording) -> Comparison:
    """Returns the comparison of recordings of the old and the new side.

    Args:
        old: The old side.
        moved: Recordings of the old side with its initial weights moved by one unit in the last place.
        new: The new side.
    """
    compared: list[Compared] = []
    gaps: list[Gap] = []
    bands: dict[str, float] = defaultdict(float)
    runs, others = new.runs, [each.runs for each in moved]
    named = names_of_weights(old, new) if is_rewrite(old, new) else None
    for key, run in old.runs.items():
        if key not in runs:
            gaps.append(Gap(key, "", "old"))
            continue
        if named is None:
            pairs, lone = _pairs(run["values"], runs[key]["values"])
        else:
            pairs, lone = _pairs_of_rewrite(run["values"], runs[key]["values"], named), []
        gaps += [Gap(key, name, side) for name, side in lone]
        for recording, moved_runs in zip(moved, others):
            moved_values = moved_runs[key]["values"] if key in moved_runs else {}
            # Names may differ between two runs of one program, too: GPflow's end with a random number.
            for name, other in _pairs(run["values"], moved_values)[0]:
                bands[name] = max(bands[name], distance(old, run["values"][name], recording, moved_values[other]))
        for name, new_name in pairs:
            mine, theirs = run["values"][name], runs[key]["values"][new_name]
            apart = distance(old, mine, new, theirs)
            limit = _limit(bands[name], array_records.epsilon(mine))
            jumps = name in run["jumps"] or (name.startswith("fetch:") and not array_records.is_real(mine))
            compared.append(Compared(key, name, new_name, apart, bands[name], limit, jumps))
    gaps += [Gap(key, "", "new") for key in runs if key not in old.runs]
    return Comparison(compared, [] if named is not None else gaps)


def slack_of(terms: int) -> float:
    """Returns the factor by which limits are wider in a program whose longest sum has so many terms.

    Moving weights by one unit in the last place changes each term, but not the order in which a version of TensorFlow
    adds them. The effect of that order grows with the square root of the number of terms.
    """
    return min(max(1.0, math.sqrt(terms) / 8), _WIDEST)


def _limit(band: float, unit: float) -> float:
    """Returns the largest distance that counts as rounding, from a band and the type's unit of rounding."""
    return max(MULTIPLE * band, UNITS * unit)


def is_rewrite(old: Recording, new: Recording) -> bool:
    """Returns True if Sessions are compared with eager training, which has only weights and the loss in common."""
    return new.is_eager and not old.is_eager


def names_of_weights(old: Recording, new: Recording) -> dict[str, str]:
    """Returns old name -> new name of the trainable variables, matched by name or else by shape and order."""
    sides = ({n: each["shape"] for n, each in side.notes["first"].items() if each["trainable"]} for side in (old, new))
    return starting.pairs(*sides)


def _pairs_of_rewrite(mine: dict[str, Any], theirs: dict[str, Any], named: dict[str, str]) -> list[tuple[str, str]]:
    """Returns the pairs of names of a Session's run and an eager step: variables, the loss and gradients."""
    losses = [(name, "fetch:0:loss") for name in mine if name.startswith("loss:")]
    pairs = [(f"before:{name}", f"before:{other}") for name, other in named.items()]
    pairs += losses
    pairs += [(f"gradient:{name.rpartition(':')[0]}", f"gradient:{other}") for name, other in named.items()]
    return [(name, other) for name, other in pairs if name in mine and other in theirs]


class Number(NamedTuple):
    """A number as text shows it.

    Attributes:
        value: The number.
        unit: The value of one unit of its last digit; 0 if all its digits are shown.
        is_whole: True for an integer.
    """

    value: float
    unit: float = 0.0
    is_whole: bool = False


class Point(NamedTuple):
    """A place of a program's output with numbers: a printed line, or a summary at a step.

    Attributes:
        key: The line's number, or the step.
        text: The text for people.
        numbers: The numbers in the place's order.
    """

    key: str
    text: str
    numbers: tuple[Number, ...]


Points = Mapping[Tuple[str, int], Point]


def compare_points(old: Points, moved: Sequence[Points], new: Points) -> Comparison:
    """Returns the comparison of the numbers in outputs, by the rule of `compare` and by the digits that are shown.

    A place that a run with moved weights lacks varies by itself, and isn't compared.

    Args:
        old: The old side's output: name and count, or name and step -> the place.
        moved: The output of the old side with its initial weights moved.
        new: The new side's output.
    """
    compared, gaps = [], []
    bands: dict[tuple[str, int], float] = defaultdict(float)
    for key, point in old.items():
        others = [each.get(key) for each in moved]
        if None in others:
            continue
        if key not in new:
            gaps.append(Gap(point.key, point.text, "old"))
            continue
        for index, (a, b) in enumerate(zip(point.numbers, new[key].numbers)):
            place = (key[0], index)
            for other in others:
                again = other.numbers[index]  # type: ignore[union-attr]
                apart = _numbers_apart(a, again)
                bands[place] = math.inf if a.is_whole and apart else max(bands[place], apart)
            limit = max(_limit(bands[place], _SINGLE), _digits(a, b))
            limit = limit if not (a.is_whole and b.is_whole) or math.isinf(bands[place]) else 0.0
            compared.append(Compared(point.key, point.text, new[key].text, _numbers_apart(a, b), bands[place], limit))
    gaps += [Gap(point.key, point.text, "new") for key, point in new.items() if key not in old]
    return Comparison(compared, gaps)


def _numbers_apart(a: Number, b: Number) -> float:
    if a.value == b.value or (math.isnan(a.value) and math.isnan(b.value)):
        return 0.0
    if not (math.isfinite(a.value) and math.isfinite(b.value)):
        return math.inf
    return abs(a.value - b.value) / max(abs(a.value), abs(b.value))


def _digits(a: Number, b: Number) -> float:
    """Returns the distance of two numbers that differ by one unit of the last digit of the longer one."""
    scale = max(abs(a.value), abs(b.value))
    unit = min((each.unit for each in (a, b) if each.unit), default=0.0)
    return 1.001 * unit / scale if scale and math.isfinite(scale) else 0.0


def compare_checkpoints(old: Recording, moved: Sequence[Recording], new: Recording) -> Comparison:
    """Returns the comparison of each folder's last checkpoint, by the names of the variables in it."""
    compared, gaps = [], []
    mine, theirs, *others = (each.notes.get("checkpoints", {}) for each in (old, new, *moved))
    for prefix, figures in mine.items():
        if prefix not in theirs:
            gaps.append(Gap("", prefix, "old"))
            continue
        for name, a in figures.items():
            b = theirs[prefix].get(name)
            if b is None:
                gaps.append(Gap(prefix, name, "old"))
                continue
            again = [(run, other.get(prefix, {}).get(name)) for run, other in zip(moved, others)]
            band = max((distance(old, a, run, value) for run, value in again if value is not None), default=0.0)
            limit = _limit(band, array_records.epsilon(a))
            compared.append(Compared(prefix, name, name, distance(old, a, new, b), band, limit))
        gaps += [Gap(prefix, name, "new") for name in theirs[prefix] if name not in figures]
    gaps += [Gap("", prefix, "new") for prefix in theirs if prefix not in mine]
    return Comparison(compared, gaps)


def _pairs(mine: dict[str, Any], theirs: dict[str, Any]) -> tuple[list[tuple[str, str]], list[tuple[str, str]]]:
    """Matches the values of a run: by name; the remaining ones of a kind in order, if their shapes agree.

    Returns:
        Pairs of names in the order of `ORDER`; and the names that only one side has, each with the side.
    """
    pairs, lone = [], []
    for kind in ORDER:
        a, b = (_names_of_kind(each, kind) for each in (mine, theirs))
        common = [name for name in a if name in b]
        rest_a, rest_b = [n for n in a if n not in common], [n for n in b if n not in common]
        pairs += [(name, name) for name in common]
        if len(rest_a) == len(rest_b) and all(mine[m]["shape"] == theirs[n]["shape"] for m, n in zip(rest_a, rest_b)):
            pairs += list(zip(rest_a, rest_b))
        else:
            lone += [(name, "old") for name in rest_a] + [(name, "new") for name in rest_b]
    return pairs, lone


def _names_of_kind(noted: dict[str, Any], kind: str) -> list[str]:
    # Fetched text, such as summaries, is left out: it contains figures that are compared by themselves.
    is_fetch = kind == "fetch"
    return [name for name in noted if name.startswith(kind + ":") and not (is_fetch and noted[name]["dtype"] == "text")]
