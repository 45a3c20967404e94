"""The guide's generated pages, and the hooks of its site.

`python -m migration_guide.generating` writes the pages, with `--check` it says which are not fresh. Run it from the
root of the repository.
"""

from __future__ import annotations

from importlib import import_module

# The page, and the module whose `page()` makes its text.
PAGES = {"settings.md": "settings", "recipes.md": "recipes", "rules.md": "rules"}


def made(name: str) -> str:
    """The text of a page as it should be.

    Args:
        name: One of `PAGES`.
    """
    text: str = import_module(f"{__name__}.{PAGES[name]}").page()
    return text
