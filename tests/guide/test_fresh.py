"""The generated pages are up to date: generating them again changes nothing."""

from __future__ import annotations

import re
import subprocess
import sys

import pytest

from migration_guide import generating
from migration_guide.generating import recipes
from tf1mem.codemod.rules import registry
from tf1mem.settings import fields

from .site import GUIDE, ROOT


@pytest.mark.parametrize("name", generating.PAGES)
def test_a_generated_page_is_fresh(name):
    files = generating.texts_of(name)
    for file, text in files.items():
        assert (GUIDE / file).read_text(encoding="utf-8") == text, "run python -m migration_guide.generating"
    if name.endswith("/"):
        assert {path.relative_to(GUIDE).as_posix() for path in (GUIDE / name).iterdir()} == set(files), (
            f"delete the files of {name} that aren't generated"
        )


def test_check_says_which_page_is_not_fresh(tmp_path):
    """Runs the check on a copy of the guide whose settings.md is out of date."""
    program = (
        "import sys; from pathlib import Path; from migration_guide.generating import __main__ as it;"
        "it.GUIDE = Path(sys.argv[1]); sys.exit(it.main(sys.argv[2:]))"
    )
    (tmp_path / "settings.md").write_text("old", encoding="utf-8")
    results = []
    for arguments in (["--check", "settings.md"], ["settings.md"], ["--check", "settings.md"]):
        command = [sys.executable, "-c", program, str(tmp_path), *arguments]
        results.append(subprocess.run(command, cwd=str(ROOT), capture_output=True, encoding="utf-8", check=False))
    assert [each.returncode for each in results] == [1, 0, 0]
    assert "settings.md is out of date" in results[0].stdout


def test_every_field_is_on_the_page_of_settings():
    text = "".join(path.read_text(encoding="utf-8") for path in (GUIDE / "settings").iterdir())
    for row in fields.FIELDS.values():
        if not row.path.startswith("pluggable_device_options."):  # one row of the page has all of these
            assert re.search(rf"(`|# ){re.escape(row.name)}\b", text) or f"{row.name}`" in text, row.path
            assert row.meaning.lower() in text.lower(), row.path


def test_every_rule_has_its_section():
    text = "".join(path.read_text(encoding="utf-8") for path in (GUIDE / "rules").iterdir())
    for rule in registry():
        assert f"\n## {rule.code} {rule.name}\n" in text
        assert rule.versions in text


def test_every_script_has_its_recipe():
    text = (GUIDE / "recipes.md").read_text(encoding="utf-8")
    scripts = {path.relative_to(recipes.EXAMPLES).as_posix() for path in recipes.EXAMPLES.glob("tf[12]/*.py")}
    assert {script.name for script in recipes.scripts()} == scripts
    for script in recipes.scripts():
        assert f"\n### {script.title}\n" in text
        section = text.split(f"\n### {script.title}\n")[1].split("\n### ")[0]
        assert f"(../examples/{script.name})" in section
        assert section.count("```python") >= 2, script.name
