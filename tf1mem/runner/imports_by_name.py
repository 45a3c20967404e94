"""Rewrites imports by a name in a string, such as `importlib.import_module("tensorflow")`, in the program's own files.

A string that is written in the call gets the new name here. Other names become known when the call runs, so they pass
through `own_name`.
"""

from __future__ import annotations

import ast
import importlib
import re
import sys
from contextlib import suppress
from types import ModuleType
from typing import AbstractSet, Any, Callable, Iterable, NamedTuple

from tf1mem.era.statements import located
from tf1mem.runner.module_names import ROOTS, new_name

_HERE = __name__
_IMPORT_MODULE = "import_module"
_BUILTIN = "__import__"


class _Argument(NamedTuple):
    """The argument of a function that is the name of a module, or of something in one.

    Attributes:
        position: The index among the positional arguments.
        keyword: The name of the keyword.
        is_written: True if only a string that is written in the call counts: the function's name is a common one.
    """

    position: int
    keyword: str
    is_written: bool = False


# Function -> the arguments that name a module. The functions are of importlib, pytest, pydoc, pkgutil, Werkzeug and
# Django, TensorFlow, unittest.mock, and pytest's monkeypatch.
_CALLS = {
    _IMPORT_MODULE: (_Argument(0, "name"), _Argument(1, "package")),
    "importorskip": (_Argument(0, "modname"),),
    "locate": (_Argument(0, "path"),),
    "resolve_name": (_Argument(0, "name"),),
    "import_string": (_Argument(0, "import_name"), _Argument(0, "dotted_path")),
    "LazyLoader": (_Argument(2, "name"),),
    "patch": (_Argument(0, "target", is_written=True),),
    "setattr": (_Argument(0, "target", is_written=True),),
    "delattr": (_Argument(0, "target", is_written=True),),
    "find_spec": (_Argument(0, "name", is_written=True),),
}
# These import only as methods: the builtin `setattr` gets no module's name.
_METHODS = frozenset(("setattr", "delattr"))
_MOCKS = ("mock", "unittest.mock")
_FOR_WRITTEN = re.compile(rb"\b(?:%s|%s|modules)\b" % ("|".join(_CALLS).encode(), _BUILTIN.encode()))
_FOR_OTHERS = re.compile(
    rb"\b(?:%s|%s)\b"
    % ("|".join(name for name in _CALLS if not _CALLS[name][0].is_written).encode(), _BUILTIN.encode())
)

_Roots = Callable[[], AbstractSet[str]]
_chosen_roots: list[_Roots] = []  # of this process, once it has a policy


def follow(roots: _Roots) -> None:
    """Makes the functions of this module choose the modules of a policy.

    Args:
        roots: Returns the roots (keys of `ROOTS`) that are rewritten in this process.
    """
    _chosen_roots[:] = [roots]


def may_import(source: bytes, *, mentions_root: bool) -> bool:
    """Returns True if a source may import by name: a cheap test, which errs on the safe side.

    Args:
        source: The module's bytes.
        mentions_root: True if the source mentions a root. Otherwise only names count that it gets from elsewhere.
    """
    return (_FOR_WRITTEN if mentions_root else _FOR_OTHERS).search(source) is not None


def rewrite_calls(tree: ast.AST, roots: AbstractSet[str]) -> bool:
    """Rewrites imports by name in a module's tree, in place.

    Args:
        tree: A module's syntax tree.
        roots: The roots (keys of `ROOTS`) to rewrite.

    Returns:
        True if anything was changed.
    """
    return _Rewriting(list(ast.walk(tree)), roots).run()


def own_name(name: Any) -> Any:
    """Returns the new name of a module, or of something in one; or the argument, if it isn't one that is rewritten.

    Args:
        name: An argument of an importer, such as "tensorflow.train" or "tensorflow:Session".
    """
    if not isinstance(name, str) or not _chosen_roots:
        return name
    module, colon, inner = name.partition(":")
    new = new_name(module, _chosen_roots[0]())
    return name if new is None else new + colon + inner


def own_key(name: str) -> str:
    """Returns the key of `sys.modules` for a module that the program looks up; the same if the program put it there.

    Args:
        name: The key in the program, such as "tensorflow".
    """
    module = sys.modules.get(name)
    if module is not None and getattr(getattr(module, "__spec__", None), "name", None) != name:
        return name
    new: str = own_name(name)
    return new if new in sys.modules else name


def import_module(name: str, package: str | None = None) -> ModuleType:
    """Imports a module as `importlib.import_module` does, where the program passes that function on.

    Args:
        name: The module's name.
        package: The package to which a relative name belongs.
    """
    return importlib.import_module(own_name(name), own_name(package))


def builtin_import(
    name: str, globals: Any = None, locals: Any = None, fromlist: Iterable[str] | None = (), level: int = 0
) -> Any:
    """Imports a module as `__import__` does, whose arguments it has.

    Args:
        name: The module's name.
        globals: The importing module's names, to which a relative import belongs.
        locals: Not used, as by `__import__`.
        fromlist: The names to import from the module; with any, the module itself is returned.
        level: The number of packages that a relative import goes up.

    Returns:
        The module if there is a `fromlist`, otherwise the package at the root of its name.

    Raises:
        ImportError: There is no such module. A name of `fromlist` may be missing, as "dummy" often is.
    """
    new = own_name(name)
    if level or new == name:
        return __import__(name, globals, locals, tuple(fromlist or ()), level)
    module = importlib.import_module(new)
    for leaf in fromlist or ():
        if not hasattr(module, leaf):
            with suppress(ModuleNotFoundError):
                importlib.import_module(f"{new}.{leaf}")
    return module if fromlist else importlib.import_module(ROOTS[name.partition(".")[0]])


class _Rewriting:
    """Rewrites the imports by name of one module.

    Args:
        nodes: All nodes of the module's tree, each after the node that it is a part of.
        roots: The roots (keys of `ROOTS`) to rewrite.
    """

    def __init__(self, nodes: list[ast.AST], roots: AbstractSet[str]) -> None:
        self._nodes = nodes
        self._roots = roots
        imported = [
            (node.module, alias.name, alias.asname or alias.name)
            for node in nodes
            if isinstance(node, ast.ImportFrom)
            for alias in node.names
        ]
        self._functions = {name: name for name in (*_CALLS, _BUILTIN)}
        self._functions.update((bound, name) for _, name, bound in imported if name in _CALLS)
        # Names of importlib.import_module in the module, and of mock.patch.
        self._import_module = {bound for *where, bound in imported if where == ["importlib", _IMPORT_MODULE]}
        self._import_module -= _bound_otherwise(nodes)
        self._patch = {bound for module, name, bound in imported if name == "patch" and module in _MOCKS}
        self._renamed = 0
        self._replacements: dict[int, ast.expr] = {}  # id of a node -> the node in its place

    def run(self) -> bool:
        """Rewrites the imports; returns True if anything was changed."""
        called = {id(node.func) for node in self._nodes if isinstance(node, ast.Call)}
        for node in self._nodes:
            if isinstance(node, ast.Call):
                self._rewrite_call(node)
            elif isinstance(node, ast.Subscript) and isinstance(node.ctx, ast.Load) and _is_sys_modules(node.value):
                # Before Python 3.9 an index has a node of its own.
                self._look_up(node.slice.value if type(node.slice).__name__ == "Index" else node.slice)  # type: ignore[attr-defined]
            elif isinstance(node, (ast.Name, ast.Attribute)) and id(node) not in called and self._is_passed(node):
                self._replacements[id(node)] = _ours(node, _IMPORT_MODULE)
        if self._replacements:
            self._replace()
        return bool(self._renamed or self._replacements)

    def _rewrite_call(self, call: ast.Call) -> None:
        if isinstance(call.func, ast.Attribute):
            called, owner = call.func.attr, call.func.value
            if called == "get" and call.args and _is_sys_modules(owner):
                self._look_up(call.args[0])
            if called == "multiple" and getattr(owner, "attr", getattr(owner, "id", "")) == "patch":
                called = "patch"
        else:
            called = self._functions.get(getattr(call.func, "id", ""), "")
            if called in _METHODS:
                return
        if called == _BUILTIN:
            self._rewrite_builtin(call)
        for argument in _CALLS.get(called, ()):
            node = _argument(call, argument)
            name = None if node is None else literal(node)
            if node is None or isinstance(node, ast.Starred):
                continue
            is_importer = not argument.is_written or self._is_patch(call.func)
            if name is None and is_importer:
                self._wrap(node, "own_name")
            elif name is not None and (called != "find_spec" or "." in name):
                self._rename(node)

    def _rewrite_builtin(self, call: ast.Call) -> None:
        """Rewrites a call of `__import__`."""
        if not call.args or isinstance(call.args[0], ast.Starred):
            return
        name = literal(call.args[0])
        if name is not None and new_name(name, self._roots) is None:
            return
        if name is None or len(call.args) > 1 or call.keywords:
            self._replacements[id(call.func)] = _ours(call.func, "builtin_import")
        else:
            # Plain __import__ returns the root; only with a fromlist does it return the last module of a dotted name.
            _set_literal(call.args[0], ROOTS[name.partition(".")[0]])
            some = ast.parse("['__name__']", mode="eval").body
            call.keywords.append(located(call, ast.keyword("fromlist", some)))
            self._renamed += 1

    def _look_up(self, key: ast.expr) -> None:
        """Rewrites a key of `sys.modules`, if it is written as a string."""
        name = literal(key)
        if name is not None and new_name(name, self._roots) is not None:
            self._wrap(key, "own_key")

    def _is_passed(self, node: ast.Name | ast.Attribute) -> bool:
        """Returns True if a name or attribute, which isn't called, is importlib.import_module."""
        if not isinstance(node.ctx, ast.Load):
            return False
        if isinstance(node, ast.Name):
            return node.id in self._import_module
        return node.attr == _IMPORT_MODULE and getattr(node.value, "id", "") == "importlib"

    def _is_patch(self, function: ast.expr) -> bool:
        """Returns True if a function that is called is surely mock.patch."""
        if isinstance(function, ast.Name):
            return function.id in self._patch
        owner = getattr(function, "value", None)
        return getattr(function, "attr", "") == "patch" and getattr(owner, "attr", getattr(owner, "id", "")) == "mock"

    def _rename(self, node: ast.AST) -> None:
        """Renames a module in a string."""
        name = literal(node)
        target = None if name is None else new_name(name, self._roots)
        if target is not None:
            _set_literal(node, target)
            self._renamed += 1

    def _wrap(self, node: ast.expr, function: str) -> None:
        """Passes an expression through a function of this module."""
        call = ast.copy_location(ast.Call(_ours(node, function), [node], []), node)
        self._replacements[id(node)] = call

    def _replace(self) -> None:
        for node in self._nodes:
            for field, value in ast.iter_fields(node):
                if isinstance(value, list):
                    value[:] = [self._replacements.get(id(part), part) for part in value]
                elif id(value) in self._replacements:
                    setattr(node, field, self._replacements[id(value)])


def _argument(call: ast.Call, argument: _Argument) -> ast.expr | None:
    if len(call.args) > argument.position:
        return call.args[argument.position]
    return next((keyword.value for keyword in call.keywords if keyword.arg == argument.keyword), None)


def _bound_otherwise(nodes: list[ast.AST]) -> set[str]:
    """Returns the names that a module binds by something else than `from … import`."""
    bound = {node.id for node in nodes if isinstance(node, ast.Name) and not isinstance(node.ctx, ast.Load)}
    bound |= {node.arg for node in nodes if isinstance(node, ast.arg)}
    bound |= {node.name for node in nodes if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef))}
    return bound | {
        alias.asname or alias.name for node in nodes if isinstance(node, ast.Import) for alias in node.names
    }


def _is_sys_modules(node: ast.AST) -> bool:
    return isinstance(node, ast.Attribute) and node.attr == "modules" and getattr(node.value, "id", "") == "sys"


def _ours(place: ast.AST, function: str) -> Any:
    """Returns the tree of an expression for a function of this module, in the place of a node."""
    text = f"{_BUILTIN}({_HERE!r}, fromlist=['']).{function}"
    return located(place, ast.parse(text, mode="eval").body)


def literal(node: ast.AST) -> str | None:
    """Returns the string that a node is; None if it is another expression."""
    value = getattr(node, _value_field(node), None)
    return value if isinstance(value, str) else None


def _set_literal(node: ast.AST, value: str) -> None:
    setattr(node, _value_field(node), value)


def _value_field(node: ast.AST) -> str:
    return "s" if type(node).__name__ == "Str" else "value"  # Python 3.7 has Str, later ones Constant
