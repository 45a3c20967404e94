"""Markdown that reads the same on the site and where the repository is shown."""

from __future__ import annotations

from typing import Iterable, Sequence

GENERATED = "<!-- Made by `python -m migration_guide.generating`: don't edit. -->"
# Keeps formatters off what is there to be shown as it is.
AS_IT_IS = "<!-- fmt: off -->"
# Stands before blocks of Python that aren't programs.
PART = "<!-- not run: a part of a program -->"


def table(head: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """A table; bars in cells are escaped.

    Args:
        head: The heads of the columns.
        rows: The cells of each row.
    """
    lines = [_row(head), "|" + "---|" * len(head), *map(_row, rows)]
    return "\n".join(lines)


def _row(cells: Sequence[str]) -> str:
    return "| {} |".format(" | ".join(cell.replace("|", "\\|") for cell in cells))


def code(text: str) -> str:
    """Text as code within a line; nothing for nothing."""
    return f"`{text}`" if text else ""


def block(source: str, language: str = "python") -> str:
    """A block of code. It is there to be read: tests don't run what is generated."""
    return "```{}\n{}\n```".format(language, source.rstrip("\n"))


def side_by_side(before: str, after: str, titles: tuple[str, str] = ("Before", "After")) -> str:
    """Two blocks of code beside each other where there is room for it, else below each other.

    Args:
        before: Python source.
        after: Python source.
        titles: What stands above each.
    """
    halves = "\n\n".join(
        f'<div markdown="1">\n\n**{title}**\n\n{PART}\n{block(source)}\n\n</div>'
        for title, source in zip(titles, (before, after))
    )
    return f'<div class="side-by-side" markdown="1">\n\n{halves}\n\n</div>'


def document(*parts: str) -> str:
    """The text of a page: its parts with a blank line between them."""
    return "\n\n".join(part.strip("\n") for part in (GENERATED + "\n" + AS_IT_IS, *parts) if part) + "\n"
