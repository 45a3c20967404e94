"""Writes the generated pages of the guide; with --check it lists those that are out of date.

Usage: python -m migration_guide.generating [--check] [PAGE …], such as settings.md. Without a PAGE it writes all pages
and pictures, and updates the span of TensorFlow versions in every text.
"""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Iterator

from migration_guide.generating import PAGES, spans, texts_of

GUIDE = Path(__file__).resolve().parents[1]


def main(arguments: list[str]) -> int:
    """Writes or checks the pages; returns 1 if a checked page is out of date."""
    check = "--check" in arguments
    names = [argument for argument in arguments if argument != "--check"] or list(PAGES)
    if not set(names) <= set(PAGES):
        raise SystemExit(__doc__)
    stale = 0
    for page, text in _new_texts(names):
        if page.exists() and page.read_text(encoding="utf-8") == text:
            continue
        name = page.relative_to(GUIDE if GUIDE in page.parents else spans.ROOT)
        if check:
            stale += 1
            print(f"{name} is out of date: run python -m migration_guide.generating")
        else:
            page.parent.mkdir(exist_ok=True)
            page.write_text(text, encoding="utf-8")
            print(f"written: {name}")
    return int(bool(stale))


def _new_texts(names: list[str]) -> Iterator[tuple[Path, str]]:
    """Yields files and their new texts. Files with spans come first, since some pages are generated from them."""
    if names == list(PAGES):
        yield from ((path, spans.renewed(path.read_text(encoding="utf-8"))) for path in spans.texts())
    yield from ((GUIDE / file, text) for name in names for file, text in texts_of(name).items())


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
