"""Writes Markdown that looks the same on the site and on the repository's host."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Iterable, Mapping, Sequence

GUIDE = Path(__file__).resolve().parents[1]
GENERATED = "<!-- Made by `python -m migration_guide.generating`: don't edit. -->"
# Keeps formatters from changing generated code blocks.
AS_IT_IS = "<!-- fmt: off -->"
# The mark before blocks of Python that aren't whole programs.
PART = "<!-- not run: a part of a program -->"


def table(head: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """Returns a table; bars in cells are escaped.

    Args:
        head: The heads of the columns.
        rows: The cells of each row.
    """
    lines = [_row(head), "|" + "---|" * len(head), *map(_row, rows)]
    return "\n".join(lines)


def _row(cells: Sequence[str]) -> str:
    return "| {} |".format(" | ".join(cell.replace("|", "\\|") for cell in cells))


def code(text: str) -> str:
    """Returns text as inline code, or "" for empty text."""
    return f"`{text}`" if text else ""


def block(source: str, language: str = "python") -> str:
    """Returns a block of code, to be read only: tests don't run generated code."""
    return "```{}\n{}\n```".format(language, source.rstrip("\n"))


def side_by_side(before: str, after: str, titles: tuple[str, str] = ("Before", "After")) -> str:
    """Returns two blocks of code side by side if there is room, else below each other.

    Args:
        before: The Python source of the first block.
        after: The Python source of the second block.
        titles: The titles of the blocks.
    """
    halves = "\n\n".join(
        f'<div markdown="1">\n\n**{title}**\n\n{PART}\n{block(source)}\n\n</div>'
        for title, source in zip(titles, (before, after))
    )
    return f'<div class="side-by-side" markdown="1">\n\n{halves}\n\n</div>'


def document(*parts: str) -> str:
    """Returns the text of a page: its parts with a blank line between them."""
    return "\n\n".join(part.strip("\n") for part in (GENERATED + "\n" + AS_IT_IS, *parts) if part) + "\n"


def with_tables(page: str, tables: Mapping[str, str]) -> str:
    """Returns the text of a page that is written by hand, with its generated tables replaced.

    Args:
        page: The page's path in the guide: "contrib.md".
        tables: A table's name, as in the comment before it -> its new content.
    """
    text = (GUIDE / page).read_text(encoding="utf-8")
    for name, content in tables.items():
        text = between(text, name, content)
    return text


def between(text: str, name: str, content: str) -> str:
    """Returns a page's text with a table replaced."""
    begin, end = f"<!-- The table of {name} is generated. -->", "<!-- Its end. -->"
    return re.sub(f"{begin}.*?{end}", lambda _: f"{begin}\n\n{content}\n\n{end}", text, flags=re.DOTALL)
