"""Modules that a file of a package imports by their names alone, as Python 2 found them: from beside the file.

Python 3 looks for them outside of the package. Where it finds none, those beside the file are meant.
"""

from __future__ import annotations

import ast
import os
import re
from typing import AbstractSet, Any, Iterator

from tf1mem.era.packages import from_package, is_beside
from tf1mem.era.python2 import GIVEN
from tf1mem.era.rewriting import import_sites, located, site_call
from tf1mem.era.scopes import tried_in
from tf1mem.era.statements import blocks

_IMPORT = re.compile(rb"(?:^|[;:])[ \t]*(?:from[ \t]+(\w+)|import[ \t]+([\w., \t]+))", re.MULTILINE)
_ABSOLUTE = re.compile(
    rb"^from[ \t]+__future__[ \t]+import[ \t]*(?:\([^)]*|[^#\n]*(?:\\\n[^#\n]*)*)\babsolute_import\b", re.MULTILINE
)


def imported_from_beside(source: bytes, filename: str) -> AbstractSet[str]:
    """The modules beside a file of a package that it may import by their names alone: cheaply, and too many at worst.

    Args:
        source: The file's bytes.
        filename: Where it lies.
    """
    if b"absolute_import" in source and _ABSOLUTE.search(source):
        return frozenset()
    folder, own = os.path.split(filename)
    names = {
        name.partition(b".")[0].strip().partition(b" ")[0].decode()
        for start, listed in _IMPORT.findall(source)
        for name in (start or listed).split(b",")
    }
    # A file that is called as what it imports doesn't mean itself.
    return frozenset(name for name in names if name and name + ".py" != own and is_beside(name, folder))


def find_beside(tree: ast.Module, names: AbstractSet[str]) -> bool:
    """Has imports find what is beside a file, where nothing else has the name.

    Args:
        tree: The file's syntax tree.
        names: What `imported_from_beside` found.

    Returns:
        Whether anything was changed.
    """
    if any(getattr(one, "asname", None) == GIVEN for top in tree.body for one in getattr(top, "names", ())):
        return False  # a file in Python 2 finds them first
    changed = False
    tried = set(tried_in(tree))
    for block in blocks(tree):
        for position in range(len(block) - 1, -1, -1):
            if id(block[position]) not in tried:
                new = list(_statements(block[position], names))
                changed |= new != [block[position]]
                block[position : position + 1] = new
    if changed:
        import_sites(tree)
    return changed


def _statements(statement: Any, names: AbstractSet[str]) -> Iterator[ast.stmt]:
    if isinstance(statement, ast.Import) and any(_top(alias.name) in names for alias in statement.names):
        for alias in statement.names:
            plain = ast.copy_location(ast.Import([alias]), statement)
            yield _or_beside(plain, alias.name, from_package(alias)) if _top(alias.name) in names else plain
    elif isinstance(statement, ast.ImportFrom) and not statement.level and _top(str(statement.module)) in names:
        relative: list[ast.stmt] = [ast.ImportFrom(statement.module, statement.names, 1)]
        yield _or_beside(statement, str(statement.module), relative)
    else:
        yield statement


def _or_beside(statement: ast.stmt, module: str, beside: list[ast.stmt]) -> ast.stmt:
    """An import, and what is done where nothing else has the module's name."""
    is_beside = site_call("is_beside", statement, ast.Constant(module), ast.Name("__package__", ast.Load()))
    new: Any = located(statement, ast.If(is_beside, beside, [ast.Pass()]))
    new.orelse = [statement]
    return new  # type: ignore[no-any-return]


def _top(module: str) -> str:
    return module.partition(".")[0]
