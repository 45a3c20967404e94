"""The certificate: the result of a comparison, as one dict for JSON."""

from __future__ import annotations

import math
from typing import Any, NamedTuple, Sequence

from tf1mem import __version__
from tf1mem.verifying import judging
from tf1mem.verifying.comparing import MULTIPLE, UNITS, Compared, Comparison
from tf1mem.verifying.hashing import sha256
from tf1mem.verifying.outputs import Outputs
from tf1mem.verifying.recordings import Recording
from tf1mem.verifying.sides import SETTLED

SCHEMA = 2  # rises when a field of the JSON goes or changes its meaning
# A curve has at most this many points. A longer curve keeps every second, third … value.
_POINTS = 500


class Verdict(NamedTuple):
    """A verdict.

    Attributes:
        result: `judging.SAME`, `judging.DIFFERENT` or `judging.NOT_COMPARED`.
        reason: The reason why nothing was compared, or "".
        difference: The first difference, or None.
        notes: Sentences for the reader: about initial values that were copied, or runs that can't be compared.
    """

    result: str
    reason: str = ""
    difference: judging.Difference | None = None
    notes: Sequence[str] = ()


def certificate(  # noqa: PLR0917
    verdict: Verdict,
    program: str,
    old: Recording | None,
    new: Recording | None,
    comparison: Comparison | None,
    outputs: Outputs | None,
    more: dict[str, Any],
) -> dict[str, Any]:
    """Returns the certificate as JSON.

    Args:
        verdict: The verdict on the two programs.
        program: The program's path and arguments, as text.
        old: The old side's recording, or None.
        new: The new side's recording, or None.
        comparison: The comparison of the values; None if they weren't compared.
        outputs: The comparisons of what the sides wrote; None if they weren't compared.
        more: Further entries: those of `hashing.hashes`, "same_data" and "memory".
    """
    difference = verdict.difference
    slack, until = (1.0, None) if comparison is None else (comparison.slack, comparison.until)
    return {
        "schema": SCHEMA,
        "tf1mem": __version__,
        "verdict": verdict.result,
        "reason": verdict.reason,
        "program": program,
        "first_difference": None if difference is None else _difference(difference),
        "notes": list(verdict.notes),
        "old": _side(old),
        "new": _side(new),
        "compared": None if comparison is None else _figures(comparison),
        "outputs": None if outputs is None else {name: _figures(each) for name, each in outputs._asdict().items()},
        "curves": [] if old is None or new is None or comparison is None else _curves(old, new, comparison),
        "settled": SETTLED,
        "thresholds": {"multiple": slack * MULTIPLE, "units": slack * UNITS, "until": until},
        **more,
    }


def _difference(difference: judging.Difference) -> dict[str, Any]:
    fields = difference._asdict()
    return {"kind": fields.pop("kind"), "step": fields.pop("step"), "message": fields.pop("says"), **fields}


def _side(recording: Recording | None) -> dict[str, Any] | None:
    if recording is None:
        return None
    notes = recording.notes
    return {
        "versions": notes.get("versions", {}),
        "steps": recording.trained,
        "seconds": notes.get("seconds"),
        "peak_bytes": notes.get("peak"),
        "settings": notes["sessions"],
        "recording": sha256(recording.folder / "notes.json"),
    }


def _figures(comparison: Comparison) -> dict[str, Any]:
    """Returns the counts of a comparison."""
    values = [each for each in comparison.values if not each.is_meaningless]
    ratios = [each.apart / each.band for each in values if each.band and not math.isinf(each.apart)]
    return {
        "values": len(comparison.values),
        "equal": sum(each.apart == 0 for each in values),
        "rounding": sum(0 < each.apart <= each.limit for each in values),
        "different": sum(each.differs for each in values),
        "beyond_rounding": len(comparison.values) - len(values),
        "largest_multiple": max(ratios, default=0.0),
        "one_side": [each._asdict() for each in comparison.gaps[:50]],
    }


def _curves(old: Recording, new: Recording, comparison: Comparison) -> list[dict[str, Any]]:
    """Returns the scalars that the program fetches as it trains, such as losses: each by step, with its band."""
    by_name: dict[str, list[Compared]] = {}
    for each in comparison.values:
        if each.name.startswith(("fetch:", "loss:")) and "." not in each.key:
            by_name.setdefault(each.name, []).append(each)
    curves = []
    for name, points in by_name.items():
        sides = [_numbers(old, [(p.key, p.name) for p in points]), _numbers(new, [(p.key, p.new_name) for p in points])]
        if len(points) < 2 or None in sides[0] or None in sides[1]:
            continue
        stride = -(-len(points) // _POINTS)
        limits = [p.limit for p in points]
        curves.append(
            {
                "name": name.split(":", 2 if name.startswith("fetch:") else 1)[-1],
                "steps": [int(p.key) for p in points][::stride],
                "old": sides[0][::stride],
                "new": sides[1][::stride],
                "limit": limits[::stride],
            }
        )
    return curves


def _numbers(recording: Recording, places: list[tuple[str, str]]) -> list[float | None]:
    numbers: list[float | None] = []
    runs = recording.runs
    for key, name in places:
        figures = runs[key]["values"][name]
        sample = recording.sample(figures)
        numbers.append(float(sample[0]) if sample is not None and not figures["shape"] else None)
    return numbers
