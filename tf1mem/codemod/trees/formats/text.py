"""The report for people: diffs and remarks on the way, what went wrong and a summary at the end.

Piped, standard output is a patch with remarks between the files, which `patch` and `git apply` pass over, and what was
passed over or went wrong is on standard error. On a terminal all of it has colour.
"""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

from tf1mem.codemod.trees.formats import Situation
from tf1mem.codemod.trees.formats.wording import MARGIN, number, place, sentence, shown, summary
from tf1mem.codemod.trees.outcomes import Outcome, Tally

if TYPE_CHECKING:
    from rich.console import Console


class Report:
    """Tells people.

    Args:
        situation: What it is about, and where it goes.
    """

    def __init__(self, situation: Situation) -> None:
        self._mode = situation.mode
        self._out = situation.out
        self._notes: list[tuple[str, str]] = []  # style, text
        self._terminal = None
        if situation.terminal:
            from tf1mem.codemod.trees.formats.terminal import Terminal

            self._terminal = Terminal()

    @property
    def console(self) -> Console | None:
        """The terminal that the report is on."""
        return self._terminal.console if self._terminal else None

    def add(self, outcome: Outcome) -> None:
        """Tells of one more file."""
        path = shown(outcome.path)
        if outcome.passed_over:
            self._notes.append(("dim", f"{path}: passed over: {outcome.passed_over}"))
        if outcome.problem:
            self._notes.append(("red", f"{path}: error: {sentence(outcome.problem, outcome.remedy)}"))
        if not outcome.changes and not outcome.remarks:
            return
        did = self._did(outcome)
        if self._terminal is not None:
            self._terminal.show(outcome, did)
            return
        self._out.write(outcome.diff)
        lines = [did] if did else []
        for remark in outcome.remarks:
            lines.append(f"{place(outcome, remark)}: {remark.code} {remark.message}")
            lines.append(" " * MARGIN + remark.remedy)
        self._out.write("".join(line + "\n" for line in lines).encode("utf-8", "backslashreplace"))

    def end(self, tally: Tally) -> None:
        """Tells what could not be done, and the whole."""
        lines = summary(tally, self._mode)
        if self._terminal is not None:
            self._terminal.end(self._notes, lines)
            return
        self._out.flush()
        for line in [text for _, text in self._notes] + lines:
            print(line, file=sys.stderr)

    def _did(self, outcome: Outcome) -> str:
        """The line that stands for a diff where there is none."""
        if not outcome.changes or outcome.diff or (self._mode == "write" and not outcome.written):
            return ""
        done = "rewritten" if outcome.written else "would change"
        return "{}: {} ({})".format(shown(outcome.path), done, number(len(outcome.changes), "construct"))
