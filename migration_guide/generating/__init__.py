"""What the guide has generated, pages and pictures, and the hooks of its site.

`python -m migration_guide.generating` writes it, with `--check` it says what is not fresh. Run it from the root of the
repository.
"""

from __future__ import annotations

from importlib import import_module

# The file, and the function that makes its text.
PAGES = {
    "settings.md": "settings.page",
    "recipes.md": "recipes.page",
    "rules.md": "rules.page",
    "pictures/house.svg": "house.house",
    "pictures/phases.svg": "house.phases",
    "doctor.md": "findings.page",
}


def made(name: str) -> str:
    """The text of a file as it should be.

    Args:
        name: One of `PAGES`.
    """
    module, _, function = PAGES[name].rpartition(".")
    text: str = getattr(import_module(f"{__name__}.{module}"), function)()
    return text
