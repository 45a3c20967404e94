"""Each rule of the codemod declares its targets, and the module that applies the rules names none of them."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

CODEMOD = Path(__file__).resolve().parents[2] / "tf1mem" / "codemod"
RULES = sorted(path for path in (CODEMOD / "rules").glob("*.py") if path.name != "__init__.py")


@pytest.mark.parametrize("path", RULES, ids=lambda path: path.stem)
def test_a_rule_reads_neither_the_target_nor_the_plan(path):
    read = {
        node.attr
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name) and node.value.id == "claims"
    }
    assert not read & {"to", "planned"}


def test_the_module_that_applies_rules_names_none():
    modules = [
        node.module or ""
        for node in ast.walk(ast.parse((CODEMOD / "rewriting.py").read_text(encoding="utf-8")))
        if isinstance(node, ast.ImportFrom)
    ]
    assert "tf1mem.codemod.rules" in modules
    assert not [module for module in modules if module.startswith("tf1mem.codemod.rules.")]
