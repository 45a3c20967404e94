"""Finds the statements in source that change TensorFlow or Keras: assignments to objects imported from them."""

from __future__ import annotations

import ast
from typing import Iterator

LIBRARIES = ("tensorflow", "tensorflow_core", "tensorflow_estimator", "keras", "tf_keras")
# Functions of tf1mem that return a module of TensorFlow or Keras, or an object in one.
_LOADERS = {"loaded_module", "context_module", "import_or_none", "import_module", "lookup"}
# Names of arguments by which tf1mem's functions take a module, class or object of TensorFlow or Keras.
_ARGUMENTS = {"tf", "keras", "tensorflow", "module", "owner"}
_FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda)
# Methods that change their object.
_CHANGING = {"append", "clear", "extend", "insert", "pop", "popitem", "register", "remove", "setdefault", "update"}


def changes(source: str, libraries: tuple[str, ...] = LIBRARIES) -> Iterator[tuple[int, str]]:
    """Yields the line and the text of each statement that changes a module, class or object of the libraries.

    Objects that the code makes itself (`graph = tf.Graph()`) are its own to change.

    Args:
        source: A module's source.
        libraries: Top-level packages.
    """
    yield from _changes(ast.parse(source), set(), libraries)


def _changes(scope: ast.AST, outer: set[str], libraries: tuple[str, ...]) -> Iterator[tuple[int, str]]:
    theirs = _bound(scope, outer, libraries)
    for node in _own_nodes(scope):
        for target in _changed(node):
            if _is_theirs(target, theirs):
                yield node.lineno, ast.unparse(node)  # type: ignore[attr-defined]
        for child in ast.iter_child_nodes(node):
            if isinstance(child, _FUNCTIONS):
                yield from _changes(child, theirs, libraries)
    for child in ast.iter_child_nodes(scope):
        if isinstance(child, _FUNCTIONS):
            yield from _changes(child, theirs, libraries)


def _own_nodes(scope: ast.AST) -> list[ast.AST]:
    """Returns the nodes of a scope without those of functions inside."""
    nodes, waiting = [], [scope]
    while waiting:
        own = [child for child in ast.iter_child_nodes(waiting.pop()) if not isinstance(child, _FUNCTIONS)]
        nodes += own
        waiting += own
    return nodes


def _bound(scope: ast.AST, outer: set[str], libraries: tuple[str, ...]) -> set[str]:
    """Returns the names that are bound to the libraries' modules and to what is in them, in a scope and around it."""
    names = set(outer)
    if isinstance(scope, _FUNCTIONS):
        arguments = {each.arg for each in [*scope.args.posonlyargs, *scope.args.args, *scope.args.kwonlyargs]}
        names = (names - arguments) | arguments & _ARGUMENTS
    nodes = _own_nodes(scope)
    for node in nodes:
        if isinstance(node, ast.Import):
            names |= {
                (alias.asname or alias.name.split(".")[0])
                for alias in node.names
                if alias.name.split(".")[0] in libraries
            }
        elif isinstance(node, ast.ImportFrom) and node.module and node.module.split(".")[0] in libraries:
            names |= {alias.asname or alias.name for alias in node.names}
    binding = [node for node in nodes if isinstance(node, (ast.Assign, ast.AnnAssign, ast.For))]
    before = None
    while before != len(names):
        before = len(names)
        for node in binding:
            if isinstance(node, (ast.Assign, ast.AnnAssign)) and node.value is not None:
                targets = node.targets if isinstance(node, ast.Assign) else [node.target]
                if _is_theirs(node.value, names):
                    names |= {target.id for target in targets if isinstance(target, ast.Name)}
            elif isinstance(node, ast.For) and isinstance(node.target, ast.Name) and _is_theirs(node.iter, names):
                names.add(node.target.id)
    return names


def _is_theirs(node: ast.AST, names: set[str]) -> bool:
    """Returns True if an expression is a module of the libraries, or an attribute or item of one."""
    if isinstance(node, ast.Name):
        return node.id in names
    if isinstance(node, (ast.Attribute, ast.Subscript, ast.Starred)):
        return _is_theirs(node.value, names)
    if isinstance(node, (ast.Tuple, ast.List)):
        return any(_is_theirs(element, names) for element in node.elts)
    if isinstance(node, ast.Call):
        function = node.func
        name = function.id if isinstance(function, ast.Name) else getattr(function, "attr", "")
        if name in _LOADERS:
            # import_module("tf1mem.cli.run") loads no module of the libraries.
            text = node.args[0].value if node.args and isinstance(node.args[0], ast.Constant) else ""
            return name != "import_module" or str(text).split(".")[0] in LIBRARIES
        if name in ("getattr", "attrgetter", "vars") and node.args:
            return _is_theirs(node.args[0], names)
        return name == "context" and isinstance(function, ast.Attribute) and _is_theirs(function.value, names)
    return False


def _changed(node: ast.AST) -> Iterator[ast.AST]:
    """Yields the expressions whose attributes or items a statement sets, deletes or changes by a method."""
    targets: list[ast.AST] = []
    if isinstance(node, (ast.Assign, ast.Delete)):
        targets = list(node.targets)
    elif isinstance(node, (ast.AugAssign, ast.AnnAssign)):
        targets = [node.target]
    elif isinstance(node, ast.Call):
        function = node.func
        if isinstance(function, ast.Name) and function.id in ("setattr", "delattr"):
            yield node.args[0]
        elif isinstance(function, ast.Attribute) and function.attr in _CHANGING:
            yield function.value
    for target in targets:
        if isinstance(target, (ast.Attribute, ast.Subscript)):
            yield target.value
