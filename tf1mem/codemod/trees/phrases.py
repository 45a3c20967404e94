"""Phrases that several formats of the report share."""

from __future__ import annotations

import os

from tf1mem.codemod.results import Change, Remark
from tf1mem.codemod.trees.outcomes import Outcome, Tally
from tf1mem.errors import printable

MARGIN = 4  # columns before a remedy
LACKING = "TFM103"  # the code for names that tf1mem.v1 lacks


def portable(path: str) -> str:
    """Returns a path as text, with forward slashes, for programs."""
    return printable(path.replace(os.sep, "/"))


def place(outcome: Outcome, finding: Change | Remark) -> str:
    """Returns the place of a finding as ruff writes it: file:line:column, in a notebook with the cell."""
    cell = "" if finding.cell is None else f"cell {finding.cell}:"
    return f"{printable(outcome.path)}:{cell}{finding.line}:{finding.column}"


def number(count: int, singular: str, plural: str | None = None) -> str:
    """Returns a number with its noun."""
    return "{:,} {}".format(count, singular if count == 1 else plural or singular + "s")


def summary(tally: Tally, mode: str) -> list[str]:
    """Returns the summary, in a few lines."""
    parts = [number(tally.files, "file") + " looked at"]
    if not tally.changed:
        if tally.files or not tally.problems:
            parts.append("nothing to change")
    elif mode == "write":
        parts.append(f"{tally.written:,} rewritten")
    else:
        parts.append("{:,} would change ({})".format(tally.changed, number(tally.changes, "construct")))
    if tally.remarks:
        parts.append(number(tally.remarks, "place needs a decision by hand", "places need a decision by hand"))
    lines = [", ".join(parts) + "."]
    if tally.tf1_names:
        are_left = number(tally.tf1_names, "name of TensorFlow 1 remains", "names of TensorFlow 1 remain")
        lines.append(f"{are_left} that TensorFlow 2 lacks: --to shim or tf_upgrade_v2 handles them.")
    if tally.supplied:
        lacks = tally.by_code.get(LACKING, 0)
        either = f", and lacks {number(lacks, 'name')} itself ({LACKING})" if lacks else ""
        lines.append(f"tf1mem.v1 supplies {number(len(tally.supplied), 'name')} that TensorFlow 2 lacks{either}.")
    beside = []
    if tally.passed_over:
        beside.append("{} skipped".format(number(tally.passed_over, "file")))
    if tally.problems:
        beside.append("{} could not be read or written".format(number(tally.problems, "file")))
    if beside:
        lines.append(", ".join(beside) + ".")
    left_out = []
    for why, counts in sorted(tally.left_out.items()):
        numbers = " and ".join(number(count, kind) for kind, count in counts.items() if count)
        left_out.append(f"{numbers} {why}")
    if left_out:
        lines.append("Left out: {}.".format(", ".join(left_out)))
    if mode == "show" and tally.changed:
        keeps = "; --report FILE keeps the places for a decision by hand" if tally.remarks else ""
        lines.append(f"--write writes this{keeps}.")
    return lines


def sentence(text: str, remedy: str) -> str:
    """Returns one or two sentences: the problem, and the remedy."""
    return "{}. {}".format(text.rstrip("."), remedy) if remedy else text
