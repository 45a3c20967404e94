"""The report as annotations of GitHub Actions.

The commands and their escapes: https://docs.github.com/actions/reference/workflow-commands-for-github-actions and
`command.ts` of actions/toolkit.
"""

from __future__ import annotations

import os

from tf1mem.codemod.results import Change, Remark
from tf1mem.codemod.trees.formats import FormatWriter
from tf1mem.codemod.trees.outcomes import Outcome, Tally
from tf1mem.codemod.trees.phrases import sentence, summary


class Writer(FormatWriter):
    """Writes warnings for planned changes and remarks, and notices for written changes."""

    def add(self, outcome: Outcome) -> None:
        """Writes the annotations of one more file."""
        # The unescaped path, or GitHub doesn't find it; _command escapes what would end the property or the line.
        path = outcome.path.replace(os.sep, "/")
        if outcome.problem:
            self._write(annotation("error", path, sentence(outcome.problem, outcome.remedy)))
        if outcome.passed_over:
            self._write(annotation("notice", path, "Skipped: " + outcome.passed_over))
        for change in outcome.changes:
            self._write(self._annotation(path, change, "notice" if outcome.written else "warning", change.message))
        for remark in outcome.remarks:
            self._write(self._annotation(path, remark, "warning", sentence(remark.message, remark.remedy)))

    def end(self, tally: Tally) -> None:
        """Writes the summary, which is a line of the log."""
        if self.output.verbosity >= 0:
            self._write("\n".join(summary(tally, self.output.mode)))
        self.output.stream.flush()

    def _annotation(self, path: str, finding: Change | Remark, level: str, message: str) -> str:
        return annotation(level, path, message, (finding.line, finding.column, finding.cell), finding.code)

    def _write(self, line: str) -> None:
        self.output.stream.write(line.encode("utf-8", "surrogateescape") + b"\n")


def annotation(
    level: str, path: str, message: str, place: tuple[int, int, int | None] | None = None, code: str | None = None
) -> str:
    """Returns an annotation of a file.

    Args:
        level: "error", "warning" or "notice".
        path: Path of the file, with forward slashes.
        message: The message.
        place: Line, column, and the cell of a notebook or None; None for the whole file.
        code: Code of the rule, which becomes the title.
    """
    properties = {"file": path}
    if place is not None:
        line, column, cell = place
        if cell is None:
            properties.update(line=str(line), col=str(column))
        else:  # nobody sees the lines of a notebook's JSON
            message = f"Cell {cell}, line {line}: {message}"
    if code is not None:
        properties["title"] = code
    written = ",".join("{}={}".format(name, _escaped(value, ":,")) for name, value in properties.items())
    return f"::{level} {written}::{_escaped(message)}"


def _escaped(text: str, more: str = "") -> str:
    for character in "%\r\n" + more:  # the sign of the escapes first
        text = text.replace(character, f"%{ord(character):02X}")
    return text
