"""Generates pages and pictures of the guide; also has the hooks of its site.

`python -m migration_guide.generating` writes them, with `--check` it lists those that are out of date. Run it from the
root of the repository.
"""

from __future__ import annotations

from importlib import import_module

# The file -> the function that returns its text; or the folder -> the function that returns its files' texts by name.
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
    "gpus.md": "gpus.page",
    "old_programs.md": "era.page",
    "contrib.md": "upstream.page",
    "contrib_reasons.md": "upstream.reasons_page",
    "programs.md": "upstream.programs_page",
    "values.md": "kernels.page",
    "estimate.md": "figures.page",
    "seeds.md": "seeds.page",
    "json.md": "outputs.json_page",
    "exit_codes.md": "outputs.exits_page",
    "run.md": "options.page",
    "benchmarks.md": "steps.page",
    "environment_variables.md": "variables.page",
}


def texts_of(name: str) -> dict[str, str]:
    """Returns the generated texts, by the paths of their files in the guide.

    Args:
        name: A key of `PAGES`.
    """
    module, _, function = PAGES[name].rpartition(".")
    texts = getattr(import_module(f"{__name__}.{module}"), function)()
    return {name + file: text for file, text in texts.items()} if name.endswith("/") else {name: texts}
