"""What the guide has generated, pages and pictures, and the hooks of its site.

`python -m migration_guide.generating` writes it, with `--check` it says what is not fresh. Run it from the root of the
repository.
"""

from __future__ import annotations

from importlib import import_module

# The file and the function that makes its text; or the folder, and the function that makes its files' texts by name.
PAGES = {
    "settings.md": "settings.page",
    "settings/": "settings.pages",
    "recipes.md": "recipes.page",
    "rules.md": "rules.page",
    "rules/": "rules.pages",
    "pictures/house.svg": "house.house",
    "pictures/phases.svg": "house.phases",
    "doctor.md": "findings.page",
    "check.md": "findings.check_page",
    "old_programs.md": "era.page",
    "contrib.md": "upstream.page",
    "values.md": "kernels.page",
    "seeds.md": "seeds.page",
}


def made(name: str) -> dict[str, str]:
    """The texts as they should be, by the paths of their files in the guide.

    Args:
        name: One of `PAGES`.
    """
    module, _, function = PAGES[name].rpartition(".")
    found = getattr(import_module(f"{__name__}.{module}"), function)()
    return {name + file: text for file, text in found.items()} if name.endswith("/") else {name: found}
