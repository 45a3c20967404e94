"""Verdicts as JSON, a line for each path, so that the outputs of several runs can be joined."""

from __future__ import annotations

import json
from typing import Any

import tf1mem
from tf1mem.checking import kinds
from tf1mem.checking.here import Here
from tf1mem.checking.verdict import Checked
from tf1mem.codemod.trees.phrases import portable

_SCHEMA = 3  # rises when a field goes or changes its meaning


def line(checked: Checked, here: Here) -> str:
    """Returns the line of a path."""
    return json.dumps(as_dict(checked, here))


def as_dict(checked: Checked, here: Here) -> dict[str, Any]:
    """Returns the line's content; paths have forward slashes."""
    return {
        "schema": _SCHEMA,
        "tf1mem": tf1mem.__version__,
        "python": "{}.{}".format(*here.python),
        "tensorflow": str(here.tensorflow) if here.tensorflow else None,
        "path": portable(checked.path),
        "verdict": checked.verdict,
        "files": checked.files,
        "programs": [
            {
                "path": portable(program.path),
                "verdict": program.verdict,
                "stops": list(program.stops),
                "is_test": program.is_test,
            }
            for program in checked.programs
        ],
        "gpu_settings": sorted(
            {placed.finding.what for placed in checked.placed if placed.finding.kind == kinds.SETTINGS}
        ),
        "findings": [
            {
                "code": finding.kind.code,
                "severity": finding.kind.severity,
                "what": finding.what,
                "message": finding.message,
                "remedy": finding.remedy or None,
                "path": portable(path),
                "line": finding.line,
                "column": finding.column,
                "cell": finding.cell,
                "reached": path in checked.reached,
            }
            for path, finding in checked.placed
        ],
        "problems": [{"path": portable(path), "message": why} for path, why in checked.problems],
    }
