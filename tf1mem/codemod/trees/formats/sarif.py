"""The report as SARIF 2.1.0, which code scanning of GitHub, Azure and others reads.

The format: https://docs.oasis-open.org/sarif/sarif/v2.1.0/sarif-v2.1.0.html
"""

from __future__ import annotations

import json
import os
from typing import Any
from urllib.parse import quote

import tf1mem
from tf1mem.codemod.results import Change, Remark
from tf1mem.codemod.rules import registry
from tf1mem.codemod.trees.formats import FormatWriter, Output
from tf1mem.codemod.trees.outcomes import Outcome, Tally
from tf1mem.codemod.trees.phrases import sentence

_SCHEMA = "https://json.schemastore.org/sarif-2.1.0.json"


class Writer(FormatWriter):
    """Tells code scanning."""

    def __init__(self, output: Output) -> None:
        super().__init__(output)
        self._results: list[dict[str, Any]] = []
        self._notifications: list[dict[str, Any]] = []

    def add(self, outcome: Outcome) -> None:
        """Takes in one more file."""
        for change in outcome.changes:
            self._results.append(_result(outcome, change, "note" if outcome.written else "warning", change.message))
        for remark in outcome.remarks:
            self._results.append(_result(outcome, remark, "warning", sentence(remark.message, remark.remedy)))
        if outcome.problem:
            self._notify(outcome, "error", sentence(outcome.problem, outcome.remedy))
        if outcome.passed_over:
            self._notify(outcome, "note", "passed over: " + outcome.passed_over)

    def end(self, tally: Tally) -> None:
        """Writes the document: one run."""
        rules = [{"id": rule.code, "shortDescription": {"text": rule.summary}} for rule in registry()]
        run = {
            "tool": {"driver": {"name": "tf1mem", "semanticVersion": tf1mem.__version__, "rules": rules}},
            "columnKind": "unicodeCodePoints",
            "invocations": [
                {
                    "executionSuccessful": not tally.problems,
                    "exitCode": tally.status(write=self.output.mode == "write"),
                    "toolExecutionNotifications": self._notifications,
                }
            ],
            "results": self._results,
        }
        document = {"$schema": _SCHEMA, "version": "2.1.0", "runs": [run]}
        self.output.stream.write(json.dumps(document, indent=1).encode("ascii") + b"\n")
        self.output.stream.flush()

    def _notify(self, outcome: Outcome, level: str, text: str) -> None:
        location = {"physicalLocation": {"artifactLocation": {"uri": _uri(outcome.path)}}}
        self._notifications.append({"level": level, "message": {"text": text}, "locations": [location]})


def _result(outcome: Outcome, found: Change | Remark, level: str, text: str) -> dict[str, Any]:
    physical: dict[str, Any] = {"artifactLocation": {"uri": _uri(outcome.path)}}
    location: dict[str, Any] = {"physicalLocation": physical}
    if found.cell is None:
        physical["region"] = {"startLine": found.line, "startColumn": found.column}
    else:  # a region counts the file's lines, which a person never sees
        text = f"Cell {found.cell}, line {found.line}: {text}"
        location["logicalLocations"] = [{"name": f"cell {found.cell}", "kind": "module"}]
    return {"ruleId": found.code, "level": level, "message": {"text": text}, "locations": [location]}


def _uri(path: str) -> str:
    """A URI reference: relative for a relative path, so that it holds in every checkout."""
    uri = quote(os.fsencode(path.replace(os.sep, "/")), safe="/~")
    if os.path.isabs(path):
        return "file://" + (uri if uri.startswith("/") else "/" + uri)
    return uri
