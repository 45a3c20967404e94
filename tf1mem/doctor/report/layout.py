"""Layout of the doctor's pages: plain text that fits the terminal and can be pasted into a bug report."""

from __future__ import annotations

import textwrap
from typing import Callable, Sequence

from tf1mem.doctor.finding import ERROR, NOTE, WARNING, Finding
from tf1mem.errors import printable

# Styles a text for the terminal. Styles: "title", "error", "warning", "note", "removed", "added" or "".
Paint = Callable[[str, str], str]
_LABEL = 16


def plain(text: str, style: str) -> str:
    """Returns text unstyled: for a pipe, or under NO_COLOR."""
    return text


def row(label: str, text: str, width: int) -> list[str]:
    """Returns a label and its text as lines of at most `width` columns; further lines are below the text's start."""
    return wrapped(text, width, "  " + label.ljust(_LABEL), " " * (_LABEL + 2))


def wrapped(text: str, width: int, first: str, others: str) -> list[str]:
    """Returns text as lines of at most `width` columns, broken between words if possible.

    Args:
        text: The text; unprintable characters are escaped.
        width: Columns of the terminal.
        first: The start of the first line, an indent or a label.
        others: The indent of the other lines.
    """
    return textwrap.wrap(
        clean(text), width, initial_indent=first, subsequent_indent=others, break_on_hyphens=False
    ) or [first.rstrip()]


def clean(text: str) -> str:
    """Returns text with unprintable characters escaped: environment variables and errors can contain any character."""
    return printable(text, keep="\n\t")


def findings_text(findings: Sequence[Finding], width: int, paint: Paint = plain) -> list[str]:
    """Returns the findings as lines, each with its remedy below.

    Args:
        findings: The findings, in the order to show them.
        width: Columns of the terminal.
        paint: Function that styles a text.
    """
    if not findings:
        return [paint("Nothing found.", "title")]
    severities = [finding.severity for finding in findings]
    counts = [(severities.count(kind), kind) for kind in (ERROR, WARNING, NOTE)]
    totals = ", ".join(f"{number} {kind}{'' if number == 1 else 's'}" for number, kind in counts)
    lines = [paint("Findings: " + totals, "title")]
    for finding in findings:
        head = f"{finding.code} {finding.severity}"
        body = wrapped(finding.message, width, f"  {head}  ", "      ")
        body[0] = body[0].replace(head, paint(head, finding.severity), 1)
        detail = clean(finding.detail).split("\n") if finding.detail else []
        # Wide details, such as those of 80 columns, are indented less, so that they still fit.
        margin = " " * max(0, min(6, width - max(map(len, detail), default=0)))
        body += [margin + line for line in detail]
        lines += [*body, *wrapped(finding.remedy.rstrip(".") + ".", width, "      > ", "        ")]
    return lines
