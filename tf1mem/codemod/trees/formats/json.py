"""The report as one JSON document, written as the files come."""

from __future__ import annotations

import json
from dataclasses import asdict
from typing import Any

import tf1mem
from tf1mem.codemod.results import Change, Remark
from tf1mem.codemod.trees.formats import FormatWriter, Output
from tf1mem.codemod.trees.outcomes import Outcome, Tally
from tf1mem.codemod.trees.phrases import portable

_SCHEMA = 2  # rises when a field goes or changes its meaning


class Writer(FormatWriter):
    """Writes {"schema", "tf1mem", "to", "mode", "files": […], "summary": {…}}.

    "files" has the files with changes or remarks, and those that were passed over or failed. Paths have forward
    slashes; bytes of a path or a diff that aren't UTF-8 are replaced.
    """

    def __init__(self, output: Output) -> None:
        super().__init__(output)
        head = {"schema": _SCHEMA, "tf1mem": tf1mem.__version__, "to": output.to, "mode": output.mode}
        self._next = json.dumps(head)[:-1] + ', "files": [\n'

    def add(self, outcome: Outcome) -> None:
        """Writes one more file."""
        if outcome.changes or outcome.remarks or outcome.passed_over or outcome.problem:
            self._write(self._next + json.dumps(_file_entry(outcome, diff=self.output.mode == "show")))
            self._next = ",\n"

    def end(self, tally: Tally) -> None:
        """Writes the summary."""
        start = self._next if "{" in self._next else ""
        self._write(start + f'\n], "summary": {json.dumps(asdict(tally))}}}\n')
        self.output.stream.flush()

    def _write(self, text: str) -> None:
        self.output.stream.write(text.encode("ascii"))


def _file_entry(outcome: Outcome, *, diff: bool) -> dict[str, Any]:
    entry: dict[str, Any] = {
        "path": portable(outcome.path),
        "kind": outcome.kind,
        "written": outcome.written,
        "changes": [_finding_entry(change) for change in outcome.changes],
        "remarks": [{**_finding_entry(remark), "remedy": remark.remedy} for remark in outcome.remarks],
        "passed_over": outcome.passed_over or None,
        "problem": outcome.problem or None,
        "remedy": outcome.remedy or None,
    }
    if diff:
        entry["diff"] = outcome.diff.decode("utf-8", "replace")
    return entry


def _finding_entry(finding: Change | Remark) -> dict[str, Any]:
    return {name: getattr(finding, name) for name in ("code", "line", "column", "cell", "message")}
