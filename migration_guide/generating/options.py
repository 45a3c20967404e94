"""Generates the table of options in run.md."""

from __future__ import annotations

from typing import Iterator

import click

from migration_guide.generating.markdown import code, table, with_tables
from tf1mem.cli import run


def page() -> str:
    """Returns the text of run.md, with the options of `tf1mem run` and their help."""
    return with_tables("run.md", {"options": table(("option", "meaning"), _options(run.command))})


def _options(command: click.Command) -> Iterator[tuple[str, str]]:
    for option in command.params:
        if isinstance(option, click.Option) and not option.hidden:
            names = ", ".join(sorted(option.opts, key=len))
            value = "" if option.is_flag else f" {option.metavar}"
            yield code(names + value), option.help or ""
