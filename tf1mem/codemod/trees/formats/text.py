"""The report for people: diffs and remarks as files come, problems and a summary at the end.

If piped, standard output is a patch with remarks between the files, which `patch` and `git apply` ignore; skipped files
and problems go to standard error. On a terminal, and in colour, everything goes to standard output.
"""

from __future__ import annotations

import sys

from tf1mem.codemod.trees.formats import FormatWriter, Output
from tf1mem.codemod.trees.outcomes import Outcome, Tally
from tf1mem.codemod.trees.phrases import MARGIN, number, place, sentence, summary
from tf1mem.errors import printable


class Writer(FormatWriter):
    """Writes text for people."""

    def __init__(self, output: Output) -> None:
        super().__init__(output)
        self._notes: list[tuple[str, str]] = []  # style, text
        self._terminal = None
        if output.terminal or output.color:
            from tf1mem.codemod.trees.terminal import Terminal

            self._terminal = Terminal(is_one=output.terminal, color=output.color)
            self.console = self._terminal.console

    def add(self, outcome: Outcome) -> None:
        """Reports one more file."""
        if outcome.left_out and self.output.verbosity > 0:
            self._notes.append(("dim", printable(f"{outcome.path}: left out: {outcome.kind} {outcome.left_out}")))
        if outcome.passed_over and self.output.verbosity >= 0:
            self._notes.append(("dim", printable(f"{outcome.path}: skipped: {outcome.passed_over}")))
        if outcome.problem:
            problem = sentence(outcome.problem, outcome.remedy)
            self._notes.append(("red", printable(f"{outcome.path}: error: {problem}")))
        if not outcome.changes and not outcome.remarks:
            return
        did = self._did(outcome)
        if self._terminal is not None:
            self._terminal.show(outcome, did, changes=self.output.verbosity > 0)
            return
        self.output.stream.write(outcome.diff)
        lines = [did] if did else []
        if self.output.verbosity > 0:
            lines += [
                f"{place(outcome, change)}: {change.code} {printable(change.message)}" for change in outcome.changes
            ]
        for remark in outcome.remarks:
            lines.append(f"{place(outcome, remark)}: {remark.code} {printable(remark.message)}")
            lines.append(" " * MARGIN + printable(remark.remedy))
        self.output.stream.write("".join(line + "\n" for line in lines).encode("utf-8", "backslashreplace"))

    def end(self, tally: Tally) -> None:
        """Reports problems and the summary."""
        lines = summary(tally, self.output.mode) if self.output.verbosity >= 0 else []
        if self._terminal is not None:
            self._terminal.end(self._notes, lines)
            return
        self.output.stream.flush()
        for line in [text for _, text in self._notes] + lines:
            print(line, file=sys.stderr)

    def _did(self, outcome: Outcome) -> str:
        """Returns the line that replaces a diff where there is none."""
        if not outcome.changes or outcome.diff or (self.output.mode == "write" and not outcome.written):
            return ""
        if outcome.written and self.output.verbosity < 0:
            return ""
        done = "rewritten" if outcome.written else "would change"
        return "{}: {} ({})".format(printable(outcome.path), done, number(len(outcome.changes), "construct"))
