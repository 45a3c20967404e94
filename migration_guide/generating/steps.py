"""Generates the table in benchmarks.md, of the costs of a training step, which `benchmarks/steps.py` measures."""

from __future__ import annotations

import json

from benchmarks.steps import COLUMNS, ROWS, rows
from migration_guide.generating.markdown import table, with_tables


def page() -> str:
    """Returns the text of benchmarks.md, with the costs of the programs' steps."""
    recorded = json.loads(ROWS.read_text(encoding="utf-8"))
    return with_tables("benchmarks.md", {"steps": table(COLUMNS, rows(recorded))})
