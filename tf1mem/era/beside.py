"""Gives a package's files Python 2's implicit relative imports: `import utils` may be the module beside the file.

Python 3 looks for such a module outside the package. If it finds none there, the module beside the file is imported.
"""

from __future__ import annotations

import ast
import os
import re
from typing import AbstractSet, Any, Iterator

from tf1mem.era.own_package import from_package, is_beside
from tf1mem.era.python2 import RUNTIME_NAME
from tf1mem.era.rewriting import import_sites, site_call
from tf1mem.era.scopes import tried_in
from tf1mem.era.statements import blocks, located

# The names of imported modules; and the import that turns Python 2's rule off.
_IMPORT = re.compile(rb"(?:^|[;:])[ \t]*(?:from[ \t]+(\w+)|import[ \t]+([\w., \t]+))", re.MULTILINE)
_ABSOLUTE = re.compile(
    rb"^from[ \t]+__future__[ \t]+import[ \t]*(?:\([^)]*|[^#\n]*(?:\\\n[^#\n]*)*)\babsolute_import\b", re.MULTILINE
)


def imported_from_beside(source: bytes, filename: str) -> AbstractSet[str]:
    """Returns the modules beside a file that it may import by bare name: a cheap test, which may return too many.

    Args:
        source: The file's bytes.
        filename: Path of the file.
    """
    if b"absolute_import" in source and _ABSOLUTE.search(source):
        return frozenset()
    folder, own_name = os.path.split(filename)
    names = {
        name.partition(b".")[0].strip().partition(b" ")[0].decode()
        for start, listed in _IMPORT.findall(source)
        for name in (start or listed).split(b",")
    }
    # `import random` in a file random.py doesn't mean the file itself.
    return frozenset(name for name in names if name and name + ".py" != own_name and is_beside(name, folder))


def find_beside(tree: ast.Module, names: AbstractSet[str]) -> bool:
    """Changes imports in place: where no other module has the name, they import the module beside the file.

    Args:
        tree: The file's syntax tree.
        names: Module names from `imported_from_beside`.

    Returns:
        True if anything was changed.
    """
    if any(getattr(alias, "asname", None) == RUNTIME_NAME for top in tree.body for alias in getattr(top, "names", ())):
        return False  # a file translated from Python 2 tries the modules beside it first
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
    """Yields the statements that replace an import, or the statement itself."""
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
    """Returns an import with a fallback for when no other module has the name."""
    is_beside = site_call("is_beside", statement, ast.Constant(module), ast.Name("__package__", ast.Load()))
    new: Any = located(statement, ast.If(is_beside, beside, [ast.Pass()]))
    new.orelse = [statement]
    return new  # type: ignore[no-any-return]


def _top(module: str) -> str:
    return module.partition(".")[0]
