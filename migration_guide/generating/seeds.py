"""Generates the tables in seeds.md, of random numbers that differ from TensorFlow 1's."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Iterator

from migration_guide.generating.markdown import code, table, with_tables
from tf1mem.v1._differing import readable
from tf1mem.v1._differing_table import ROWS

ROOT = Path(__file__).resolve().parents[2]
OTHERS = ROOT / "tests" / "v1" / "seeds" / "recorded" / "others.json"


def page() -> str:
    """Returns the text of seeds.md, with the report's lines by TensorFlow, and every call that counts differently."""
    reported = table(("numbers differ after", "if the call is given", "on TensorFlow"), _reported())
    others: dict[str, list[str]] = json.loads(OTHERS.read_text(encoding="utf-8"))
    versions = sorted(others, key=_release)
    calls = table(("call", *versions), _calls(others, versions))
    return with_tables("seeds.md", {"what is reported": reported, "calls": calls})


def _release(version: str) -> tuple[int, ...]:
    return tuple(map(int, version.split(".")))


def _reported() -> Iterator[tuple[str, str, str]]:
    rows: dict[tuple[str, str], list[str]] = {}
    for version, kinds_of in ROWS.items():
        for name, kinds in kinds_of.items():
            rows.setdefault((name, "; or ".join(filter(None, map(_features, kinds)))), []).append(version)
    for (name, features), versions in sorted(rows.items()):
        yield readable(name), features or "anything", ", ".join(versions)


# The abbreviations for arguments in a call's features, unless they are a type or value.
_MEANS = {
    "t": "True", "f": "False or a float", "i": "a whole number", "S": "of a static shape", "D": "of a dynamic shape",
    "0": "a scalar tensor", "l": "a list of numbers", "V": "a variable", "F": "a float type", "I": "an integer type",
    "?": "of an unknown rank",
}  # fmt: skip


def _features(kind: str) -> str:
    return " and ".join(map(_feature, kind.split()))


def _feature(feature: str) -> str:
    name, _, value = feature.partition("=")
    return f"no {code(name[1:])}" if feature.startswith("!") else f"{code(name)}: {_meaning(value)}"


def _meaning(value: str) -> str:
    return f"of {value[4:]} dimensions" if value.startswith("rank") else _MEANS.get(value) or code(value)


def _calls(others: dict[str, list[str]], versions: list[str]) -> Iterator[tuple[str, ...]]:
    more = {version: dict(line.rsplit("  # ", 1) for line in others[version]) for version in versions}
    for call in sorted({call for of_version in more.values() for call in of_version}):
        yield (code(call), *(more[version].get(call, "") for version in versions))
