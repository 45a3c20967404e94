"""A file's own package: the modules beside the file, and how to import them."""

from __future__ import annotations

import ast
import os


def is_beside(module: str, folder: str) -> bool:
    """Returns True if a folder has a module, or the top package that contains it.

    Args:
        module: The dotted name of the module.
        folder: The folder's path.
    """
    path = os.path.join(folder, module.partition(".")[0])
    return os.path.isfile(path + ".py") or os.path.isfile(os.path.join(path, "__init__.py"))


def from_package(alias: ast.alias) -> list[ast.stmt]:
    """Returns relative imports that load a module of the file's own package, and bind the same name as `import …`.

    Args:
        alias: The module and its name in the `import` statement: "a.b", or "a.b as c".
    """
    top = alias.name.partition(".")[0]
    owner, _, leaf = alias.name.rpartition(".")
    beside: list[ast.stmt] = []
    # `import a.b` loads a.b and binds a: `from .a import b as __tf1mem_loaded__`, then `from . import a`.
    if alias.asname or leaf != alias.name:
        beside.append(ast.ImportFrom(owner or None, [ast.alias(leaf, alias.asname or "__tf1mem_loaded__")], 1))
    if not alias.asname:
        beside.append(ast.ImportFrom(None, [ast.alias(top, None)], 1))
    return beside
