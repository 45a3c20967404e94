"""The report as SARIF 2.1.0, for code scanning of GitHub, Azure and others."""

from __future__ import annotations

from typing import Any

from tf1mem.codemod.results import Change, Remark
from tf1mem.codemod.rules import registry
from tf1mem.codemod.trees import code_scanning
from tf1mem.codemod.trees.formats import FormatWriter, Output
from tf1mem.codemod.trees.outcomes import Outcome, Tally
from tf1mem.codemod.trees.phrases import sentence


class Writer(FormatWriter):
    """Writes SARIF."""

    def __init__(self, output: Output) -> None:
        super().__init__(output)
        self._results: list[dict[str, Any]] = []
        self._notifications: list[dict[str, Any]] = []

    def add(self, outcome: Outcome) -> None:
        """Adds the results of one more file."""
        for change in outcome.changes:
            self._results.append(_result(outcome, change, "note" if outcome.written else "warning", change.message))
        for remark in outcome.remarks:
            self._results.append(_result(outcome, remark, "warning", sentence(remark.message, remark.remedy)))
        if outcome.problem:
            self._notify(outcome, "error", sentence(outcome.problem, outcome.remedy))
        if outcome.passed_over:
            self._notify(outcome, "note", "skipped: " + outcome.passed_over)

    def end(self, tally: Tally) -> None:
        """Writes the document: one run."""
        rules = [(rule.code, rule.name, rule.summary) for rule in registry()]
        status = tally.status(write=self.output.mode == "write")
        written = code_scanning.document(
            rules, self._results, self._notifications, status=status, is_whole=not tally.problems
        )
        self.output.stream.write(written)
        self.output.stream.flush()

    def _notify(self, outcome: Outcome, level: str, text: str) -> None:
        self._notifications.append(code_scanning.notification(outcome.path, level, text))


def _result(outcome: Outcome, finding: Change | Remark, level: str, text: str) -> dict[str, Any]:
    place = finding.line, finding.column, finding.cell
    return code_scanning.result(outcome.path, place, finding.code, level, text)
