"""A program's imports of TensorFlow, rewritten in its syntax tree.

Pure: a tree goes in and is changed in place. Every node keeps its line and column, so that tracebacks,
`inspect` and debuggers show the file as its author wrote it.
"""

from __future__ import annotations

import ast
from typing import AbstractSet, Any, Iterable, Iterator

from tf1mem.runner.names import HOME, new_name

# The fields of a statement that hold statements, or the handlers and cases that hold them.
_BLOCKS = ("body", "orelse", "finalbody", "handlers", "cases")


def rewrite(tree: ast.Module, roots: AbstractSet[str]) -> bool:
    """Points the imports of `tree` at tf1mem.v1, in place.

    Args:
        tree: A module's syntax tree.
        roots: The roots (keys of `names.ROOTS`) to rewrite.

    Returns:
        Whether anything was changed.
    """
    changed = False
    for block in _blocks(tree):
        for position in range(len(block) - 1, -1, -1):
            statement = block[position]
            if isinstance(statement, ast.Import):
                names = [new for alias in statement.names for new in _import(alias, roots)]
                changed |= names != statement.names
                statement.names = names
            elif isinstance(statement, ast.ImportFrom) and not statement.level:
                replacement = _import_from(statement, roots)
                changed |= replacement != [statement]
                block[position : position + 1] = replacement
    return changed


def rewrite_calls(tree: ast.Module, roots: AbstractSet[str]) -> bool:
    """Does the same for `importlib.import_module("tensorflow")` and `__import__("tensorflow")`.

    Args:
        tree: A module's syntax tree.
        roots: The roots (keys of `names.ROOTS`) to rewrite.

    Returns:
        Whether anything was changed.
    """
    changed = False
    for node in ast.walk(tree):
        if isinstance(node, ast.Call) and node.args:
            called = getattr(node.func, "id", getattr(node.func, "attr", None))
            if called == "import_module":
                changed |= _rename_literal(node.args[0], roots)
            elif called == "__import__":
                changed |= _builtin_import(node, roots)
    return changed


def _blocks(tree: ast.Module) -> Iterator[list[Any]]:
    waiting: list[ast.AST] = [tree]
    while waiting:
        node = waiting.pop()
        for field in _BLOCKS:
            block = getattr(node, field, None)
            if block:
                waiting.extend(block)
                yield block


def _import(alias: ast.alias, roots: AbstractSet[str]) -> Iterable[ast.alias]:
    target = new_name(alias.name, roots)
    if target is None:
        return [alias]
    if alias.asname:
        return [_at(alias, ast.alias(target, alias.asname))]
    # `import tensorflow.x.y` binds the root's name and makes sure that x.y is there. Binding that name twice
    # does both and leaves no other name behind.
    root = alias.name.partition(".")[0]
    home = new_name(root, roots)
    assert home is not None
    submodule = [] if target == home else [_at(alias, ast.alias(target, root))]
    return [*submodule, _at(alias, ast.alias(home, root))]


def _import_from(statement: ast.ImportFrom, roots: AbstractSet[str]) -> list[ast.stmt]:
    assert statement.module is not None
    # `from tensorflow.compat import v1, v2, as_str`: three names that lead to three different places.
    groups: list[ast.ImportFrom] = []
    for alias in statement.names:
        module: str | None = new_name(statement.module, roots)
        if module == HOME + ".compat":
            whole = new_name(statement.module + "." + alias.name, roots)
            if whole is None:
                module = statement.module
            elif whole == HOME:
                module = HOME.rpartition(".")[0]  # from tf1mem import v1
        if module is None:
            return [statement]
        if groups and groups[-1].module == module:
            groups[-1].names.append(alias)
        else:
            groups.append(_at(statement, ast.ImportFrom(module, [alias], 0)))
    unchanged = [group.module for group in groups] == [statement.module]
    return [statement] if unchanged else list(groups)


def _builtin_import(call: ast.Call, roots: AbstractSet[str]) -> bool:
    plain = len(call.args) == 1 and not call.keywords
    if plain:
        # Returns the root. With a fromlist, and only then, __import__ returns the last module of a dotted name.
        name = _literal(call.args[0])
        if name is None or new_name(name, roots) is None:
            return False
        _set_literal(call.args[0], name.partition(".")[0])
        element = ast.parse("['__name__']", mode="eval").body
        for node in ast.walk(element):
            ast.copy_location(node, call)
        call.keywords.append(_at(call, ast.keyword("fromlist", element)))
    return _rename_literal(call.args[0], roots)


def _rename_literal(node: ast.AST, roots: AbstractSet[str]) -> bool:
    name = _literal(node)
    target = None if name is None else new_name(name, roots)
    if target is None:
        return False
    _set_literal(node, target)
    return True


def _literal(node: ast.AST) -> str | None:
    value = getattr(node, _value_field(node), None)
    return value if isinstance(value, str) else None


def _set_literal(node: ast.AST, value: str) -> None:
    setattr(node, _value_field(node), value)


def _value_field(node: ast.AST) -> str:
    return "s" if type(node).__name__ == "Str" else "value"  # Python 3.7 has Str, later ones Constant


def _at(old: ast.AST, new: Any) -> Any:
    return ast.copy_location(new, old)
