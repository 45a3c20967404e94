"""The JSON Schemas themselves. The tests of each command check its real output against them."""

from __future__ import annotations

import json
import re
from pathlib import Path

import jsonschema
import pytest

from tests.processes.schemas import FOLDER, valid

SCHEMAS = sorted(path.stem for path in FOLDER.glob("*.json"))


def described(schema):
    """Yields the name of each property of a schema, nested ones included, and True if it has a description."""
    for name, part in schema.get("properties", {}).items():
        yield name, "description" in part
    for part in [*schema.get("properties", {}).values(), schema.get("items"), schema.get("additionalProperties")]:
        if isinstance(part, dict):
            yield from described(part)


@pytest.mark.parametrize("name", SCHEMAS)
def test_a_schema_describes_every_key(name):
    schema = json.loads((FOLDER / f"{name}.json").read_text(encoding="utf-8"))
    jsonschema.Draft202012Validator.check_schema(schema)
    assert list(schema["properties"])[:2] == ["schema", "tf1mem"]
    assert schema["properties"]["schema"]["const"] >= 1
    assert [key for key, is_described in described(schema) if not is_described] == []


def test_every_schema_is_held_against_real_output():
    tests = Path(__file__).parents[1].rglob("*.py")
    held = {name for path in tests for name in re.findall(r'valid\("(\w+)"', path.read_text(encoding="utf-8"))}
    assert held == set(SCHEMAS)


def test_a_key_that_no_schema_has_is_an_error():
    with pytest.raises(jsonschema.ValidationError, match="'more' was unexpected"):
        valid("report", {"schema": 3, "tf1mem": "0", "tensorflow": None, "lines": [], "more": 1})
