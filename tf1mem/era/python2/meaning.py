"""Edits a file's syntax tree so that Python 3 runs it as Python 2 did: `/` divides integers as integers, for example.

Every node keeps its line. Nodes on edited lines have no columns, so that tracebacks don't point at text that isn't in
the file.
"""

from __future__ import annotations

import ast
import os
from collections import Counter
from typing import TYPE_CHECKING, Any, Iterable, Iterator

from tf1mem.era import targets
from tf1mem.era.own_package import from_package, is_beside
from tf1mem.era.python2 import RUNTIME_NAME
from tf1mem.era.scopes import SCOPES, bound_in
from tf1mem.era.statements import blocks

if TYPE_CHECKING:
    from tf1mem.era.python2.syntax import Edited

# Methods of dicts that return lists in Python 2.
VIEWS = ("items", "keys", "values")

# Methods that Python 3 calls by another name, or not at all.
METHODS = frozenset("next __nonzero__ __div__ __idiv__ __rdiv__ __unicode__ __cmp__ __eq__".split())

# Syntax that only Python 3 has; a file that also uses Python 2's is neither.
_OF_PYTHON_3 = tuple(
    getattr(ast, name)
    for name in (
        "AnnAssign AsyncFunctionDef JoinedStr Match MatMult NamedExpr Nonlocal TryStar TypeAlias TypeVar YieldFrom"
    ).split()
    if hasattr(ast, name)
)
# Builtins that iterate over their argument.
_GO_THROUGH = frozenset("enumerate filter frozenset iter list map reversed set sorted tuple zip".split())
# Features that Python 2.7 has in `__future__`: it refuses files that import other features from there.
_FUTURE_OF_PYTHON_2 = frozenset(
    "absolute_import division generators nested_scopes print_function unicode_literals with_statement".split()
)
# Fields of a node that hold a name.
NAMED = ("id", "attr", "arg", "name", "asname")


def is_of_python3(tree: ast.Module) -> bool:
    """Returns True if a file has syntax that only Python 3 compiles."""
    starred = {id(argument) for node in ast.walk(tree) if isinstance(node, ast.Call) for argument in node.args[-1:]}
    return any(_is_of_python3(node, starred) for node in ast.walk(tree))


def _is_of_python3(node: Any, starred: set[int]) -> bool:
    """Returns True if only Python 3 accepts a node; Python 2 accepted a star only for a call's last argument."""
    if isinstance(node, _OF_PYTHON_3) or (isinstance(node, ast.Starred) and id(node) not in starred):
        return True
    if any(not str(getattr(node, name, "")).isascii() for name in NAMED):
        return True
    if isinstance(node, ast.ImportFrom):
        is_future = node.module == "__future__" and not node.level
        return is_future and not _FUTURE_OF_PYTHON_2.issuperset(alias.name for alias in node.names)
    if isinstance(node, ast.arguments):
        return bool(node.kwonlyargs or getattr(node, "posonlyargs", ()))
    if isinstance(node, ast.Call):
        return any(keyword.arg is None for keyword in node.keywords[:-1])  # Python 2 has ** only for the last argument
    if isinstance(node, ast.FunctionDef):
        return bool(node.returns) or _returns_and_yields(node)
    if isinstance(node, ast.Expr):
        return getattr(node.value, "value", None) is ...  # the statement `...`
    return bool(
        (isinstance(node, ast.arg) and node.annotation)
        or (isinstance(node, ast.Raise) and node.cause)
        or (isinstance(node, ast.ClassDef) and node.keywords)
        or (isinstance(node, ast.Dict) and None in node.keys)
    )


def _returns_and_yields(function: ast.FunctionDef) -> bool:
    """Returns True if a generator returns a value."""
    nodes = list(_body_nodes(function))
    returns = any(isinstance(node, ast.Return) and node.value for node in nodes)
    return returns and any(isinstance(node, ast.Yield) for node in nodes)


def _body_nodes(function: ast.FunctionDef) -> Iterator[ast.AST]:
    """Yields the nodes of a function's body, without nested functions and classes."""
    waiting: list[ast.AST] = list(function.body)
    while waiting:
        node = waiting.pop()
        yield node
        if not isinstance(node, (ast.FunctionDef, ast.ClassDef, ast.Lambda, ast.GeneratorExp)):
            waiting.extend(ast.iter_child_nodes(node))


def give_meaning(tree: ast.Module, edited: Edited, filename: str, *, is_guessed: bool = False) -> None:
    """Changes a tree in place, so that Python 3 runs it as Python 2 would.

    Args:
        tree: The tree of the edited text.
        edited: The edits made to the text.
        filename: Path of the file; modules beside it are found by their bare names.
        is_guessed: True if the file itself doesn't show that it is Python 2.
    """
    node: Any
    for node in ast.walk(tree):
        if getattr(node, "lineno", 0) in edited.changes or getattr(node, "end_lineno", 0) in edited.changes:
            node.col_offset = node.end_col_offset = -1
    _Meaning(edited, dict(_uses_of_errors(tree, edited))).visit(tree)
    if "absolute_import" not in edited.future:
        folder = os.path.dirname(filename)
        for block in blocks(tree):
            for position in range(len(block) - 1, -1, -1):
                block[position : position + 1] = _relative(block[position], folder)
    first = first_place(tree)
    module = "runtime_functions_if_guessed" if is_guessed else "runtime_functions"
    new = ast.ImportFrom(__package__, [ast.alias(module, RUNTIME_NAME)], 0)
    tree.body.insert(first, _at(tree.body[min(first, len(tree.body) - 1)] if tree.body else None, new))


def reads_items(node: ast.Name, parent: Any) -> bool:
    """Returns True if the items of a name's value are read, as in `error[0]` or `number, text = error`."""
    if isinstance(parent, ast.Subscript):
        return parent.value is node and isinstance(parent.ctx, ast.Load)
    if isinstance(parent, ast.Assign):
        return parent.value is node and any(isinstance(target, (ast.List, ast.Tuple)) for target in parent.targets)
    if isinstance(parent, (ast.For, ast.comprehension)):
        return parent.iter is node
    if isinstance(parent, ast.Compare):
        last = isinstance(parent.ops[-1], (ast.In, ast.NotIn)) and parent.comparators[-1] is node
        return last and len(parent.ops) == 1
    if isinstance(parent, ast.Call):
        return getattr(parent.func, "id", "") in _GO_THROUGH and node in parent.args
    return isinstance(parent, ast.Starred)


def _uses_of_errors(tree: ast.Module, edited: Edited) -> Iterator[tuple[int, str]]:
    """Yields uses of a caught error that Python 3's errors don't support: a node's id, and a function's name."""
    nodes = list(ast.walk(tree))
    handlers = [node for node in nodes if isinstance(node, ast.ExceptHandler) and node.name]
    caught = Counter(str(handler.name) for handler in handlers if handler.name not in edited.places)
    if not caught:
        return
    for handler in handlers:
        if handler.name in caught:
            yield from _uses_in(ast.walk(handler), {str(handler.name)})
    scopes = [node for node in nodes if isinstance(node, (ast.Module, *SCOPES))]
    bound = Counter(name for scope in scopes for name in bound_in(scope, set()))
    # In Python 2 the name outlives the handler.
    yield from _uses_in(nodes, {name for name, number in caught.items() if bound[name] == number})


def _uses_in(nodes: Iterable[ast.AST], names: set[str]) -> Iterator[tuple[int, str]]:
    for parent in nodes:
        for node in ast.iter_child_nodes(parent):
            if not isinstance(node, ast.Name) or node.id not in names or not isinstance(node.ctx, ast.Load):
                continue
            if isinstance(parent, ast.Attribute) and parent.attr == "message" and isinstance(parent.ctx, ast.Load):
                yield id(parent), "message"
            elif reads_items(node, parent):
                yield id(node), "parts"


class _Meaning(ast.NodeTransformer):
    """Changes a tree's nodes so that Python 3 runs them with Python 2's meaning."""

    def __init__(self, edited: Edited, of_errors: dict[int, str]) -> None:
        self._edited = edited
        self._of_errors = of_errors
        self._divides = "division" not in edited.future
        self._class = ""  # the class around a node

    def visit_Module(self, node: ast.Module) -> ast.AST:
        self.generic_visit(node)
        for statement in declared_global(node):
            statement.names = ["__tf1mem_global__"]
        return node

    def visit_BinOp(self, node: ast.BinOp) -> ast.AST:
        self.generic_visit(node)
        if self._divides and isinstance(node.op, ast.Div) and not (is_float(node.left) or is_float(node.right)):
            return _call("divided", node, node.left, node.right)
        return node

    def visit_AugAssign(self, node: ast.AugAssign) -> Any:
        self.generic_visit(node)
        if not (self._divides and isinstance(node.op, ast.Div)) or is_float(node.value):
            return node
        new = targets.changed(node, _runtime_function("divided_in_place", node), _runtime_function, self._class)
        return node if new is None else new

    def visit_Attribute(self, node: ast.Attribute) -> ast.AST:
        if id(node) in self._of_errors:
            return _call("message", node, node.value)
        self.generic_visit(node)
        return node

    def visit_Name(self, node: ast.Name) -> ast.AST:
        if id(node) in self._of_errors:
            return _call("parts", node, node)
        if node.id == "unicode" and isinstance(node.ctx, ast.Load):
            return _call("type_", node, node)
        return node

    def visit_Call(self, node: ast.Call) -> ast.AST:
        called = node.func
        self.generic_visit(node)
        if isinstance(called, ast.Name):
            node.func = called
        function = node.func
        if isinstance(function, ast.Attribute):
            if function.attr in VIEWS and not (node.args or node.keywords):
                return _call("listed", node, node)
            if function.attr == "sort" and (node.args or any(keyword.arg == "cmp" for keyword in node.keywords)):
                node.func = _runtime_function("sort", node)
                node.args.insert(0, function.value)
        return node

    def visit_ExceptHandler(self, node: ast.ExceptHandler) -> ast.AST:
        self.generic_visit(node)
        if node.name:
            # Python 3 deletes the name when the handler ends.
            target: Any = target_of(self._edited.places.get(node.name, node.name))
            node.name = "__tf1mem_caught__"
            caught: ast.expr = ast.Name(node.name, ast.Load())
            if isinstance(target, (ast.Tuple, ast.List)):
                caught = ast.Attribute(caught, "args", ast.Load())  # an error's items in Python 2
            node.body.insert(0, _at(node, ast.Assign([target], caught)))
        return node

    def visit_FunctionDef(self, node: ast.FunctionDef) -> ast.AST:
        self.generic_visit(node)
        declared = declared_global(node)
        names = sorted({name for statement in declared for name in statement.names})
        new: list[ast.stmt] = [_at(declared[0], ast.Global(names))] if names else []
        for statement in declared:
            statement.names = ["__tf1mem_global__"]  # Python 3 wants the declaration before the names are used
        for arg in node.args.args:
            if arg.arg in self._edited.places:
                target: Any = target_of(self._edited.places[arg.arg])
                new.append(_at(node, ast.Assign([target], ast.Name(arg.arg, ast.Load()))))
        first = int(ast.get_docstring(node) is not None)
        if is_generator(node):
            node.body[first:] = [_ended_by_stop_iteration(node.body[first:])]
        node.body[first:first] = new
        return node

    def visit_Lambda(self, node: ast.Lambda) -> ast.AST:
        self.generic_visit(node)
        for arg in node.args.args:
            if arg.arg in self._edited.places:
                _unpack(node, arg.arg, target_of(self._edited.places[arg.arg]))
        return node

    def visit_ClassDef(self, node: ast.ClassDef) -> ast.AST:
        around, self._class = self._class, node.name
        self.generic_visit(node)
        self._class = around
        names = {statement.name for statement in node.body if isinstance(statement, ast.FunctionDef)}
        for statement in node.body:
            targets = [part.id for part in getattr(statement, "targets", ()) if isinstance(part, ast.Name)]
            names.update(targets)
            if targets == ["__metaclass__"] and isinstance(statement, ast.Assign):
                node.keywords.append(ast.copy_location(ast.keyword("metaclass", statement.value), statement))
                statement.value = _at(statement, ast.Constant(None))
        if names & METHODS:
            node.decorator_list.append(_runtime_function("class_", node))
        return node


def declared_global(scope: Any) -> list[ast.Global]:
    """Returns the global statements of a scope, without nested functions and classes."""
    statements, waiting = [], list(scope.body)
    while waiting:
        node = waiting.pop()
        if isinstance(node, ast.Global):
            statements.append(node)
        elif not isinstance(node, (ast.FunctionDef, ast.ClassDef, ast.expr)):
            waiting.extend(ast.iter_child_nodes(node))
    return statements


def is_generator(function: ast.FunctionDef) -> bool:
    """Returns True for a generator, unless `contextmanager` decorates it: errors of the `with` body pass through."""
    if any(
        "contextmanager" in (getattr(decorator, "id", ""), getattr(decorator, "attr", ""))
        for decorator in function.decorator_list
    ):
        return False
    return any(isinstance(node, ast.Yield) for node in _body_nodes(function))


def _ended_by_stop_iteration(body: list[ast.stmt]) -> ast.stmt:
    """Returns the body of a generator, wrapped so that any StopIteration ends it, whatever its origin."""
    handler = ast.ExceptHandler(ast.Name("StopIteration", ast.Load()), None, [ast.Return(None)])
    new: Any = _at(body[0], ast.Try([ast.Pass()], [handler], [], []))
    new.body = body
    return new  # type: ignore[no-any-return]


def _unpack(node: ast.Lambda, name: str, target: Any) -> None:
    """Gives a lambda's body the parts of an argument, for `lambda (a, b): …`."""
    args: Any = ast.parse("lambda: 0", mode="eval").body
    inner: list[tuple[str, Any]] = []
    for number, part in enumerate(target.elts):
        arg = part.id if isinstance(part, ast.Name) else f"{name}{number}"
        args.args.args.append(ast.arg(arg, None))
        if not isinstance(part, ast.Name):
            inner.append((arg, part))
    args.body = _at(node, ast.Constant(None))
    _at(node, args)
    args.body = node.body
    for arg, part in inner:
        _unpack(args, arg, part)
    node.body = _at_new(node, ast.Call(args, [ast.Starred(ast.Name(name, ast.Load()), ast.Load())], []))


def _relative(statement: Any, folder: str) -> Iterable[ast.stmt]:
    """Returns an import with Python 2's meaning inside a package: the module beside the file, if there is one."""
    if isinstance(statement, ast.Import):
        if not any(is_beside(alias.name, folder) for alias in statement.names):
            return [statement]
        return [new for alias in statement.names for new in _import(alias, statement, folder)]
    if isinstance(statement, ast.ImportFrom) and not statement.level and is_beside(str(statement.module), folder):
        return [_if_in_package(statement, [ast.ImportFrom(statement.module, statement.names, 1)], statement)]
    return [statement]


def _import(alias: ast.alias, statement: ast.stmt, folder: str) -> Iterator[ast.stmt]:
    plain = ast.copy_location(ast.Import([alias]), statement)
    yield _if_in_package(statement, from_package(alias), plain) if is_beside(alias.name, folder) else plain


def _if_in_package(place: ast.AST, beside: list[ast.stmt], plain: ast.stmt) -> ast.stmt:
    new: ast.stmt = _at(place, ast.If(ast.Name("__package__", ast.Load()), beside, [ast.Pass()]))
    new.orelse = [plain]  # type: ignore[attr-defined]
    return new


def first_place(tree: ast.Module) -> int:
    """Returns the index at which a module's first import may stand."""
    return next(
        (number for number, statement in enumerate(tree.body) if not comes_first(statement, number)), len(tree.body)
    )


def comes_first(statement: ast.stmt, number: int) -> bool:
    """Returns True if a module's statement at an index has to stay in front of imports."""
    is_text = number == 0 and isinstance(statement, ast.Expr) and not hasattr(statement.value, "func")
    return is_text or (isinstance(statement, ast.ImportFrom) and statement.module == "__future__")


def is_float(node: ast.expr) -> bool:
    """Returns True for a literal float."""
    return isinstance(getattr(node, "value", getattr(node, "n", None)), float)


def target_of(text: str) -> ast.expr:
    """Returns the tree of an assignment target, such as "a, (b, c)"."""
    statement: Any = ast.parse(f"({text}\n) = 0").body[0]
    target: ast.expr = statement.targets[0]
    return target


def _runtime_function(name: str, place: ast.AST) -> ast.Attribute:
    new: ast.Attribute = _at(place, ast.Attribute(ast.Name(RUNTIME_NAME, ast.Load()), name, ast.Load()))
    return new


def _call(name: str, place: ast.AST, *arguments: ast.expr) -> ast.Call:
    return ast.copy_location(ast.Call(_runtime_function(name, place), list(arguments), []), place)


def _at(place: Any, new: Any) -> Any:
    """Gives all nodes of a new tree the place of another node (line 1 in an empty module); returns the tree."""
    node: Any
    for node in ast.walk(new):
        if place is None:
            node.lineno = node.end_lineno = 1
            node.col_offset = node.end_col_offset = 0
        else:
            ast.copy_location(node, place)
    return new


def _at_new(place: ast.AST, new: ast.Call) -> ast.Call:
    """Gives a call and its arguments the place of a node; the called function has its places already."""
    for argument in new.args:
        _at(place, argument)
    return ast.copy_location(new, place)
