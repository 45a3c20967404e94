"""What is found, as SARIF 2.1.0.

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
    """A document of one run.

    Args:
        rules: The code, the name and a sentence of each rule; a name may be "".
        results: What was found.
        notifications: What else there is to say.
        status: The command's exit status.
        is_whole: Whether all files could be read.
    """
    named = [
        {"id": code, **({"name": name} if name else {}), "shortDescription": {"text": says}}
        for code, name, says in rules
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
    """What is said of a file as a whole.

    Args:
        path: The file.
        level: "error" or "note".
        text: What is said.
    """
    location = {"physicalLocation": {"artifactLocation": {"uri": _uri(path)}}}
    return {"level": level, "message": {"text": text}, "locations": [location]}


def result(path: str, place: tuple[int, int, int | None], code: str, level: str, text: str) -> dict[str, Any]:
    """What is found at a place.

    Args:
        path: The file.
        place: Line, column, and in a notebook the cell.
        code: Its rule's code.
        level: "error", "warning" or "note".
        text: What is said.
    """
    line, column, cell = place
    physical: dict[str, Any] = {"artifactLocation": {"uri": _uri(path)}}
    location: dict[str, Any] = {"physicalLocation": physical}
    if cell is None:
        physical["region"] = {"startLine": line, "startColumn": column}
    else:  # a region counts the file's lines, which a person never sees
        text = f"Cell {cell}, line {line}: {text}"
        location["logicalLocations"] = [{"name": f"cell {cell}", "kind": "module"}]
    return {"ruleId": code, "level": level, "message": {"text": text}, "locations": [location]}


def _uri(path: str) -> str:
    """A URI reference: relative for a relative path, so that it holds in every checkout."""
    uri = quote(os.fsencode(path.replace(os.sep, "/")), safe="/~")
    if os.path.isabs(path):
        return "file://" + (uri if uri.startswith("/") else "/" + uri)
    return uri
