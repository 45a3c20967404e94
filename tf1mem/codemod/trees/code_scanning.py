"""Writes findings as SARIF 2.1.0, the format of code scanning.

The format: https://docs.oasis-open.org/sarif/sarif/v2.1.0/sarif-v2.1.0.html
"""

from __future__ import annotations

import json
import os
from typing import Any, Iterable, Sequence
from urllib.parse import quote

import tf1mem

_SCHEMA = "https://json.schemastore.org/sarif-2.1.0.json"


def document(
    rules: Iterable[tuple[str, str, str]],
    results: Sequence[dict[str, Any]],
    notifications: Sequence[dict[str, Any]],
    *,
    status: int,
    is_whole: bool,
) -> bytes:
    """Returns a document of one run.

    Args:
        rules: The code, the name and a sentence of each rule; a name may be "".
        results: Results from `result`.
        notifications: Notifications from `notification`.
        status: The command's exit status.
        is_whole: True if all files could be read.
    """
    named = [
        {"id": code, **({"name": name} if name else {}), "shortDescription": {"text": description}}
        for code, name, description in rules
    ]
    run = {
        "tool": {"driver": {"name": "tf1mem", "semanticVersion": tf1mem.__version__, "rules": named}},
        "columnKind": "unicodeCodePoints",
        "invocations": [
            {"executionSuccessful": is_whole, "exitCode": status, "toolExecutionNotifications": notifications}
        ],
        "results": results,
    }
    return json.dumps({"$schema": _SCHEMA, "version": "2.1.0", "runs": [run]}, indent=1).encode("ascii") + b"\n"


def notification(path: str, level: str, text: str) -> dict[str, Any]:
    """Returns a notification about a whole file.

    Args:
        path: Path of the file.
        level: "error" or "note".
        text: The message.
    """
    location = {"physicalLocation": {"artifactLocation": {"uri": _uri(path)}}}
    return {"level": level, "message": {"text": text}, "locations": [location]}


def result(path: str, place: tuple[int, int, int | None], code: str, level: str, text: str) -> dict[str, Any]:
    """Returns a finding at a place.

    Args:
        path: Path of the file.
        place: Line, column, and the cell of a notebook or None.
        code: Code of the rule.
        level: "error", "warning" or "note".
        text: The message.
    """
    line, column, cell = place
    physical: dict[str, Any] = {"artifactLocation": {"uri": _uri(path)}}
    location: dict[str, Any] = {"physicalLocation": physical}
    if cell is None:
        physical["region"] = {"startLine": line, "startColumn": column}
    else:  # a region would count the lines of the notebook's JSON, which nobody sees
        text = f"Cell {cell}, line {line}: {text}"
        location["logicalLocations"] = [{"name": f"cell {cell}", "kind": "module"}]
    return {"ruleId": code, "level": level, "message": {"text": text}, "locations": [location]}


def _uri(path: str) -> str:
    """Returns a URI reference: relative for a relative path, so that it holds in every checkout."""
    uri = quote(os.fsencode(path.replace(os.sep, "/")), safe="/~")
    if os.path.isabs(path):
        return "file://" + (uri if uri.startswith("/") else "/" + uri)
    return uri
