"""Generates the table of options in run.md."""

from __future__ import annotations

from pathlib import Path
from typing import Iterator

import click

from migration_guide.generating.markdown import code, table
from migration_guide.generating.upstream import between
from tf1mem.cli import run

PAGE = Path(__file__).resolve().parents[1] / "run.md"


def page() -> str:
    """Returns the text of run.md, with the options of `tf1mem run` and their help."""
    text = PAGE.read_text(encoding="utf-8")
    return between(text, "options", table(("option", "meaning"), _options(run.command)))


def _options(command: click.Command) -> Iterator[tuple[str, str]]:
    for option in command.params:
        if isinstance(option, click.Option) and not option.hidden:
            names = ", ".join(sorted(option.opts, key=len))
            value = "" if option.is_flag else f" {option.metavar}"
            yield code(names + value), option.help or ""
