"""Writes the generated pages, or says with --check which of them are not what they should be.

Usage: python -m migration_guide.generating [--check] [PAGE …], such as settings.md; all pages if none is named.
"""

from __future__ import annotations

import sys
from pathlib import Path

from migration_guide.generating import PAGES, made

GUIDE = Path(__file__).resolve().parents[1]


def main(arguments: list[str]) -> int:
    """Writes or checks; 1 if a checked page is not fresh."""
    check = "--check" in arguments
    names = [argument for argument in arguments if argument != "--check"] or list(PAGES)
    if not set(names) <= set(PAGES):
        raise SystemExit(__doc__)
    stale = 0
    for name in names:
        page, text = GUIDE / name, made(name)
        if page.exists() and page.read_text(encoding="utf-8") == text:
            continue
        if check:
            stale += 1
            print(f"{name} is not fresh: run python -m migration_guide.generating")
        else:
            page.write_text(text, encoding="utf-8")
            print(f"written: {name}")
    return int(bool(stale))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
