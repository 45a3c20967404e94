"""Reads the imports between the files of tf1mem/ from their source."""

from __future__ import annotations

import ast
from functools import lru_cache
from pathlib import Path
from typing import Iterator

ROOT = Path(__file__).resolve().parents[2]


def modules() -> dict[str, Path]:
    """Returns the path of every module of tf1mem, by its dotted name."""
    by_name = {}
    for path in sorted((ROOT / "tf1mem").rglob("*.py")):
        parts = path.relative_to(ROOT).with_suffix("").parts
        by_name[".".join(parts[:-1] if parts[-1] == "__init__" else parts)] = path
    return by_name


@lru_cache(maxsize=None)
def graph() -> dict[str, set[str]]:
    """Returns, for every module, the modules of tf1mem that it imports, also in functions and for type checking.

    A package that contains the importing module is left out, since Python has imported it already.
    """
    paths = modules()
    imported = {}
    for module, path in paths.items():
        package = module if path.name == "__init__.py" else module.rpartition(".")[0]
        nodes = ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        names = (name for node in nodes for name in _imported(node, package))
        imported[module] = {name for name in names if name in paths and not f"{module}.".startswith(name + ".")}
    return imported


def _imported(node: ast.AST, package: str) -> Iterator[str]:
    """Yields the names of modules that a statement may import; those of functions and classes among them."""
    if isinstance(node, ast.Import):
        yield from (alias.name for alias in node.names)
    elif isinstance(node, ast.ImportFrom):
        above = package.split(".")[: len(package.split(".")) - node.level + 1] if node.level else []
        base = ".".join([*above, *([node.module] if node.module else [])])
        yield base
        yield from (f"{base}.{alias.name}" for alias in node.names)


def circles(edges: dict[str, set[str]]) -> list[list[str]]:
    """Returns the circular imports: lists of modules that all import one another, directly or indirectly."""
    reached: dict[str, set[str]] = {}
    for start in edges:
        seen: set[str] = set()
        ahead = [start]
        while ahead:
            for module in edges[ahead.pop()] - seen:
                seen.add(module)
                ahead.append(module)
        reached[start] = seen
    together = {frozenset(b for b in reached[a] if a in reached[b]) for a in edges}
    return sorted(sorted(circle) for circle in together if circle)
