"""The report as annotations of GitHub Actions.

The commands and how they are escaped: https://docs.github.com/actions/reference/workflow-commands-for-github-actions
and `command.ts` of actions/toolkit.
"""

from __future__ import annotations

import os

from tf1mem.codemod.results import Change, Remark
from tf1mem.codemod.trees.formats import FormatWriter
from tf1mem.codemod.trees.outcomes import Outcome, Tally
from tf1mem.codemod.trees.phrases import sentence, summary


class Writer(FormatWriter):
    """Tells GitHub: what would change and what is left as warnings, what was written as notices."""

    def add(self, outcome: Outcome) -> None:
        """Writes the annotations of one more file."""
        # As it is, or GitHub doesn't find it: what would end the property or the line is escaped there.
        path = outcome.path.replace(os.sep, "/")
        if outcome.problem:
            self._write(_command("error", sentence(outcome.problem, outcome.remedy), file=path))
        if outcome.passed_over:
            self._write(_command("notice", "Passed over: " + outcome.passed_over, file=path))
        for change in outcome.changes:
            self._write(self._of(path, change, "notice" if outcome.written else "warning", change.message))
        for remark in outcome.remarks:
            self._write(self._of(path, remark, "warning", sentence(remark.message, remark.remedy)))

    def end(self, tally: Tally) -> None:
        """Writes the summary, which is a line of the log."""
        if self.output.verbosity >= 0:
            self._write("\n".join(summary(tally, self.output.mode)))
        self.output.stream.flush()

    def _of(self, path: str, found: Change | Remark, level: str, message: str) -> str:
        if found.cell is not None:  # the lines of a notebook's file are nothing to a person
            where = f"Cell {found.cell}, line {found.line}: "
            return _command(level, where + message, file=path, title=found.code)
        return _command(level, message, file=path, line=str(found.line), col=str(found.column), title=found.code)

    def _write(self, line: str) -> None:
        self.output.stream.write(line.encode("utf-8", "surrogateescape") + b"\n")


def _command(level: str, message: str, **properties: str) -> str:
    told = ",".join("{}={}".format(name, _escaped(value, ":,")) for name, value in properties.items())
    return f"::{level} {told}::{_escaped(message)}"


def _escaped(text: str, more: str = "") -> str:
    for character in "%\r\n" + more:  # the sign of the escapes first
        text = text.replace(character, f"%{ord(character):02X}")
    return text
