"""Verdicts as JSON lines, one for each path: files of several runs can be put one behind the other."""

from __future__ import annotations

import json
from typing import Any

import tf1mem
from tf1mem.checking import kinds
from tf1mem.checking.here import Here
from tf1mem.checking.verdict import Checked
from tf1mem.codemod.trees.phrases import portable

_VERSION = 1


def line(checked: Checked, here: Here) -> str:
    """The line of a path."""
    return json.dumps(as_dict(checked, here))


def as_dict(checked: Checked, here: Here) -> dict[str, Any]:
    """What the line holds; paths have forward slashes."""
    return {
        "version": _VERSION,
        "tf1mem": tf1mem.__version__,
        "python": "{}.{}".format(*here.python),
        "tensorflow": str(here.tensorflow) if here.tensorflow else None,
        "path": portable(checked.path),
        "verdict": checked.verdict,
        "files": checked.files,
        "programs": [
            {"path": portable(one.path), "verdict": one.verdict, "stops": list(one.stops)} for one in checked.programs
        ],
        "gpu_settings": sorted({one.found.what for one in checked.placed if one.found.kind == kinds.SETTINGS}),
        "findings": [
            {
                "code": found.kind.code,
                "severity": found.kind.severity,
                "what": found.what,
                "says": found.says,
                "mend": found.mend or None,
                "path": portable(path),
                "line": found.line,
                "column": found.column,
                "cell": found.cell,
                "reached": path in checked.reached,
            }
            for path, found in checked.placed
        ],
        "problems": [{"path": portable(path), "problem": why} for path, why in checked.problems],
    }
