"""Writes what is generated, or says with --check what of it is not what it should be.

Usage: python -m migration_guide.generating [--check] [PAGE …], such as settings.md. If none is named: all pages and
pictures, and in every text the span of TensorFlow versions.
"""

from __future__ import annotations

import sys
from pathlib import Path

from migration_guide.generating import PAGES, made, spans

GUIDE = Path(__file__).resolve().parents[1]


def main(arguments: list[str]) -> int:
    """Writes or checks; 1 if a checked page is not fresh."""
    check = "--check" in arguments
    names = [argument for argument in arguments if argument != "--check"] or list(PAGES)
    if not set(names) <= set(PAGES):
        raise SystemExit(__doc__)
    wanted = {GUIDE / name: made(name) for name in names}
    if names == list(PAGES):
        wanted.update((path, spans.renewed(path.read_text(encoding="utf-8"))) for path in spans.texts())
    stale = 0
    for page, text in wanted.items():
        if page.exists() and page.read_text(encoding="utf-8") == text:
            continue
        name = page.relative_to(GUIDE if GUIDE in page.parents else spans.ROOT)
        if check:
            stale += 1
            print(f"{name} is not fresh: run python -m migration_guide.generating")
        else:
            page.write_text(text, encoding="utf-8")
            print(f"written: {name}")
    return int(bool(stale))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
