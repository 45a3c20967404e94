"""Generates json.md from the JSON Schemas, and exit_codes.md from the table of exit statuses."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any, Iterator

from migration_guide.generating.markdown import code, document, table, with_tables
from tf1mem.cli import exits

SCHEMAS = Path(exits.__file__).parent / "schemas"
# The documents, in the order of the page.
NAMES = ("plan", "report", "doctor", "doctor_script", "check", "codemod", "explain", "estimate", "verify", "cards")

JSON = """
# JSON output

`tf1mem check`, `codemod`, `doctor`, `estimate`, `explain`, `plan`, `verify` and `sim --list-cards` print JSON with
`--format json`. Only the JSON goes to stdout. The [trace of `tf1mem sim`](simulated_gpus.md#the-trace) is described on
its own page, and SARIF, of `check` and `codemod`, by its standard.

## What may change

Each document begins with `schema`, the number of its layout, and `tf1mem`, the version that wrote it. The number rises
when a key goes, gets another name or changes its meaning. Without a new number, keys may be added, and so may words
where a value is one of several. So check the number, and ignore keys that you don't know.

A JSON Schema (draft 2020-12) of each document is installed with tf1mem. It describes what this version writes, and
allows no other keys:

```console
$ python -c 'import tf1mem, pathlib; print(*pathlib.Path(tf1mem.__file__).parent.glob("cli/schemas/plan.json"))'
```

Keys that mean the same have the same name everywhere: `code`, `severity`, `message` (what is wrong), `remedy` (what to
do about it), `line`, `column` and `cell`. A file is `path` or `file`.
"""


def json_page() -> str:
    """Returns the text of json.md."""
    return document(JSON, *(_section(name) for name in NAMES))


def exits_page() -> str:
    """Returns the text of exit_codes.md, with every command's exit statuses."""
    rows = [(status, "all commands", meaning) for status, meaning in exits.EVERY]
    rows += [(status, code(name), meaning) for name, own in exits.OWN.items() for status, meaning in own]
    rows.sort(key=lambda row: 999 if row[0] is None else row[0])
    cells = (("any other" if status is None else str(status), command, meaning) for status, command, meaning in rows)
    listed = table(("code", "command", "meaning"), cells)
    return with_tables("exit_codes.md", {"codes": listed})


def _section(name: str) -> str:
    schema = json.loads((SCHEMAS / f"{name}.json").read_text(encoding="utf-8"))
    number = schema["properties"]["schema"]["const"]
    text = f"{schema['description']} `schema` is {number}; the file is `schemas/{name}.json`."
    rows = [row for row in _rows(schema, "") if row[0] not in ("`schema`", "`tf1mem`")]
    return f"## {schema['title']}\n\n{text}\n\n" + table(("key", "type", "meaning"), rows)


def _rows(schema: dict[str, Any], prefix: str) -> Iterator[tuple[str, str, str]]:
    required = schema.get("required", ())
    for name, part in schema.get("properties", {}).items():
        path = prefix + name
        meaning = part["description"] + ("" if name in required else "; may be left out")
        yield code(path), _type(part), meaning
        yield from _rows(part, path + ".")
        if "items" in part:
            yield from _rows(part["items"], path + "[].")
        if isinstance(part.get("additionalProperties"), dict):
            yield from _rows(part["additionalProperties"], path + ".*.")


def _type(part: dict[str, Any]) -> str:
    if "enum" in part:
        return ", ".join(code(json.dumps(value)) for value in part["enum"])
    if "const" in part:
        return code(json.dumps(part["const"]))
    types = part.get("type", "any")
    names = [types] if isinstance(types, str) else list(types)
    if "items" in part:
        inner = part["items"].get("type", "any")
        names[0] = "array: " + (inner if isinstance(inner, str) else " or ".join(inner))
    return "; or ".join(names) if "items" in part else " or ".join(names)
