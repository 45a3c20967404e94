"""Checks JSON output of the commands against its JSON Schema."""

from __future__ import annotations

import json
from functools import lru_cache
from pathlib import Path
from typing import Any

import jsonschema

import tf1mem

FOLDER = Path(tf1mem.__file__).parent / "cli" / "schemas"


@lru_cache(maxsize=None)
def _validator(name: str) -> Any:
    return jsonschema.Draft202012Validator(json.loads((FOLDER / f"{name}.json").read_text(encoding="utf-8")))


def valid(name: str, document: Any) -> Any:
    """Returns a document after checking that its schema describes every key, and that no required key is missing.

    Args:
        name: The schema's name, such as "plan".
        document: The document.

    Raises:
        jsonschema.ValidationError: The document differs from the schema.
    """
    _validator(name).validate(document)
    return document
