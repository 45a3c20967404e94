"""The JSON Schema of each JSON document, held against real output."""

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
    """Returns a document that its schema describes: every key of it, and no other.

    Args:
        name: The schema's name, such as "plan".
        document: The document.

    Raises:
        jsonschema.ValidationError: It differs from the schema.
    """
    _validator(name).validate(document)
    return document
