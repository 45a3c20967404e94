"""Generates the tables of flagships in programs.md, from the rows of `benchmarks.flagships…`."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any, Iterator, Sequence

from migration_guide.generating.markdown import code, table

ROWS = Path(__file__).resolve().parents[2] / "benchmarks" / "flagships.json"
TESTS = ROWS.with_name("flagships_tests.json")
CHECKPOINTS = ROWS.with_name("flagships_checkpoints.json")
_COLUMNS = (*("repository", "trained", "tier", "steps", "values", "first loss", "last loss", "seconds", "MiB"),)


def tables() -> dict[str, str]:
    """Returns the tables of programs.md by name: flagships, reasons, checkpoints, unit tests, and tests that differ."""
    rows = json.loads(ROWS.read_text(encoding="utf-8"))
    reasons = ((_repository(row), row["tier"], _reason(row)) for row in rows if row["tier"] != "platinum")
    exchanges = json.loads(CHECKPOINTS.read_text(encoding="utf-8"))
    exchanged = ("repository", "variables", "1.15.5's loss, read by 2.21", "2.21's loss, read by 1.15.5", "difference")
    suites = json.loads(TESTS.read_text(encoding="utf-8"))
    head = ("repository", "test files", "pass on 1.15.5", "of these, pass here", "share")
    differ = ("repository", "tests", "the first", "why, and what to do")
    return {
        "flagships": table(_COLUMNS, (tuple(_cells(row)) for row in rows)),
        "reasons": table(("repository", "tier", "why, what causes it, and what to do"), reasons),
        "checkpoints": table(exchanged, (tuple(_exchange(row)) for row in exchanges)),
        "unit tests": table(head, map(_suite, suites)),
        "tests that differ": table(differ, (cells for suite in suites for cells in _differing(suite))),
    }


def _exchange(row: dict[str, Any]) -> Iterator[str]:
    """Yields the cells of a row: each side's first loss, and the other side's, if it isn't the same."""
    yield _repository(row)
    yield str(row["new"].get("variables", "–"))
    for side in ("new", "old"):
        losses = row[side].get("losses")
        yield row[side]["error"] or (_pair(losses[0][::-1], "{:.8g}") if losses else "–")
    ratios = [row[side].get("largest_ratio") for side in ("new", "old")]
    yield "–" if None in ratios else f"{max(ratios):.1e}" if any(ratios) else "0"


def _suite(row: dict[str, Any]) -> tuple[str, ...]:
    files = str(row["files"])
    if row["left_out"]:
        files += f" of {row['files'] + len(row['left_out'])}"
    return _repository(row), files, str(row["before"]), str(row["here"]), f"{row['here'] / row['before']:.1%}"


def _differing(row: dict[str, Any]) -> Iterator[tuple[str, ...]]:
    """Yields the cells of a row for what a suite needs, and for each reason why tests of it don't pass here."""
    if row["options"]:
        yield _repository(row), "–", "", f"It needs {code(' '.join(row['options']))} here."
    if row["on_old"]:
        path, text, new = row["on_old"]
        yield _repository(row), "–", "", f"1.15.5 alone needs a change, in `{path}`: `{new}` in place of `{text}`."
    tests_of: dict[str, list[str]] = {}
    for test in row["differs"]:
        tests_of.setdefault(test["reason"] or f"Not known yet: {test['says']}", []).append(test["test"])
    for reason, tests in tests_of.items():
        name = tests[0].partition("::")[2].replace("::", ".")
        yield _repository(row), str(len(tests)), code(name), reason


def _repository(row: dict[str, Any]) -> str:
    # On a phone a long name breaks, so that the next columns are in sight.
    name = re.sub("([/_.])", r"\1<wbr>", row["repository"])
    link = f"https://github.com/{row['repository']}/tree/{row['commit']}"
    return f"[{name}]({link}) {row['release'] or row['commit'][:7]}"


def _reason(row: dict[str, Any]) -> str:
    return (row["needs"] if row["tier"] == "gold" else row["reason"]) or f"Not known yet: {row['says']}"


def _cells(row: dict[str, Any]) -> Iterator[str]:
    yield _repository(row)
    yield row["trains"]
    yield row["tier"]
    yield str(row["steps"])
    yield "–" if row["values"] is None else str(row["values"])
    losses = row["losses"]
    for when in ("first", "last"):
        yield "–" if losses is None else _pair(losses[when], "{:.6g}")
    yield _pair([row[side]["seconds"] for side in ("old", "new")], "{:.0f}")
    yield _pair([row[side]["peak_bytes"] and row[side]["peak_bytes"] / 2**20 for side in ("old", "new")], "{:,.0f}")


def _pair(numbers: Sequence[float | None], form: str) -> str:
    """Returns the text of the numbers of both sides, 1.15.5's first; of one if both have the same digits."""
    texts = ["–" if number is None else form.format(number) for number in numbers]
    return texts[0] if texts[0] == texts[1] else f"{texts[0]} / {texts[1]}"
