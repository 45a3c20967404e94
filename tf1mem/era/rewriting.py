"""Rewrites a file's syntax tree: places that may need a repair call `tf1mem.era.sites`.

Trees are changed in place, and every node keeps its line and column. Two uses are left alone: a name read by `getattr`,
and a name imported by `from numpy import *`.
"""

from __future__ import annotations

import ast
import re
from copy import copy
from functools import partial
from itertools import chain
from typing import Any, Callable, Container, Iterable, Iterator, NamedTuple, Sequence

from tf1mem.era import sites
from tf1mem.era.python2 import RUNTIME_NAME
from tf1mem.era.repairs import ELEMENT, FORMAT, LOADED, PREAMBLE, PYTHON_3, Moved, Repair, lost
from tf1mem.era.scopes import SCOPES, bound_in, tried_in
from tf1mem.era.statements import blocks, located

# The name of `sites` in a rewritten file.
_SITES = "__tf1mem_era__"


def repair(tree: ast.Module, repairs: Iterable[Repair]) -> bool:
    """Rewrites the places of a module that may need a repair, in place.

    Args:
        tree: The module's syntax tree.
        repairs: The repairs that it may need.

    Returns:
        True if anything was changed.
    """
    by_name: dict[str, list[Repair]] = {}
    has_builtins = any(
        getattr(alias, "asname", None) == RUNTIME_NAME for top in tree.body for alias in getattr(top, "names", ())
    )
    for repair in repairs:
        if repair.owner and not (has_builtins and repair.owner == "builtins"):
            by_name.setdefault(repair.name, []).append(repair)
    tried = _Tried(tree)
    places = list(_Names(tree, by_name, tried).places())
    gone = {
        repair.name for repair in chain(*by_name.values()) if repair.owner == "builtins" and repair.is_in_need is None
    }
    if places or gone:
        tried.find()  # on the tree before it is changed
    for place, operand in places:
        _wrap(place, operand)
    changed = bool(places)
    if gone:
        builtins = Builtins(gone, tried, _builtin_call)
        builtins.visit(tree)
        changed |= builtins.changed
    for block in blocks(tree):
        for position in range(len(block) - 1, -1, -1):
            replacement = _imports(block[position], tried)
            if replacement is not None:
                block[position : position + 1] = replacement
                changed = True
    if changed:
        import_sites(tree)
    return changed


class _Setting(NamedTuple):
    """A value for matplotlib's LaTeX preamble, which older programs write as a list of lines.

    Attributes:
        put: Puts another expression in the value's place in the tree.
        value: The value in the program.
    """

    put: Callable[[ast.expr], None]
    value: ast.expr


class _ClassCall(NamedTuple):
    """A call of a class that the file has imported from its module, and that stays bound to the name.

    Attributes:
        call: The call.
        module: The module.
        name: The class's name there.
    """

    call: ast.Call
    module: str
    name: str


class _Tried:
    """The nodes of `tried_in`, searched for on first use, since most files have no repair that depends on them.

    Args:
        tree: The module's syntax tree.
    """

    def __init__(self, tree: ast.Module) -> None:
        self._tree = tree
        self._ids: set[int] | None = None

    def find(self) -> set[int]:
        """Returns the ids of the nodes."""
        if self._ids is None:
            self._ids = set(tried_in(self._tree))
        return self._ids

    def __contains__(self, node: object) -> bool:
        return id(node) in self.find()


class Builtins(ast.NodeTransformer):
    """Replaces builtins wherever a module reads them, unless an enclosing scope binds the name.

    Args:
        names: Names of the builtins.
        tried: Nodes that are left alone: the program itself handles their failure.
        replace: Function of a name that returns the expression in its place.
    """

    def __init__(self, names: set[str], tried: Container[ast.AST], replace: Callable[[ast.Name], ast.expr]) -> None:
        self._names = names
        self._tried = tried
        self._replace = replace
        self._scopes: list[tuple[ast.AST, set[str]]] = []
        self.changed = False

    def visit(self, node: ast.AST) -> Any:
        """Visits a node; names that an enclosing scope binds are the program's."""
        if not isinstance(node, (ast.Module, *SCOPES)):
            return super().visit(node)
        self._scopes.append((node, set(bound_in(node, self._names))))
        new = super().visit(node)
        self._scopes.pop()
        return new

    def visit_Name(self, node: ast.Name) -> ast.AST:
        """Replaces one name."""
        if node.id not in self._names or type(node.ctx) is not ast.Load or node in self._tried:
            return node
        inner = self._scopes[-1][0]
        for scope, bound in self._scopes:
            if node.id in bound and (scope is inner or not isinstance(scope, ast.ClassDef)):
                return node
        self.changed = True
        return self._replace(node)


class _Names:
    """The places of a module that may need a repair, and the names that it binds.

    Args:
        tree: The module's syntax tree.
        repairs: Repairs, by name.
        tried: The nodes in the module's `try` bodies.
    """

    def __init__(self, tree: ast.Module, repairs: dict[str, list[Repair]], tried: _Tried) -> None:
        self._repairs = repairs
        self._tried = tried
        self._attributes: list[ast.Attribute] = []
        self._formats: list[ast.BinOp] = []
        self._elements: list[Any] = []
        self._settings: list[_Setting] = []
        self._calls: dict[int, ast.Call] = {}  # by the id of the called expression
        self._classes: dict[str, tuple[str, str]] = {}  # the file's name of a class -> its module and its name there
        self._statements: set[int] = set()  # the ids of expressions that are statements, so that no result is used
        self._imported: set[str] = set()
        self._modules: dict[str, str] = {}  # name in the file -> the imported module or member
        self._bound: set[str] = set()
        self._tree = tree
        self._indices: set[int] | None = None  # the ids of values that are used as an index, from first use on
        for node in ast.walk(tree):
            self._look_at(node)

    def _look_at(self, node: Any) -> None:
        """Records a node that may need a repair, and the names that it binds."""
        kind = type(node)
        if PREAMBLE in self._repairs:
            self._settings += _preambles(node)
        if kind is ast.Attribute:
            if node.attr in self._repairs and type(node.ctx) is ast.Load:
                self._attributes.append(node)
        elif kind is ast.Call:
            self._calls[id(node.func)] = node
        elif kind is ast.Expr:
            self._statements.add(id(node.value))
        elif kind is ast.BinOp:
            if FORMAT in self._repairs and type(node.op) is ast.Mod and _has_numbers(node.left):
                self._formats.append(node)
        elif kind in (ast.Assign, ast.AugAssign):
            if ELEMENT in self._repairs:
                self._look_at_elements(node, node.targets if kind is ast.Assign else [node.target])
        elif kind is ast.Name:
            if type(node.ctx) is not ast.Load:
                self._bound.add(node.id)
        elif kind is ast.arg:
            self._bound.add(node.arg)
        elif kind is ast.ImportFrom:
            if node.module and not node.level:
                self._classes.update(
                    (alias.asname or alias.name, (node.module, alias.name))
                    for alias in node.names
                    if _is_changed_class(LOADED.get((node.module, alias.name)))
                )
        elif kind is ast.alias:
            self._imported.add(node.asname or node.name.partition(".")[0])
            self._modules[node.asname or node.name] = node.name
        elif kind in (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef):
            self._bound.add(node.name)

    def _look_at_elements(self, assignment: Any, targets: Sequence[Any]) -> None:
        """Records the places of an assignment that set one element, as in `x[i] = value`, to what may be an array.

        The assignment is recorded, whose value is wrapped, if it has no other target and reading `x` has no effects;
        otherwise the target, in which `x` is wrapped.
        """
        for target in targets:
            several = getattr(target, "elts", ())
            for element in several or [target]:
                may_be_array = bool(several) or not isinstance(assignment.value, _NO_ARRAYS)
                if may_be_array and isinstance(element, ast.Subscript) and _is_of_one(element.slice):
                    is_simple = len(targets) == 1 and not several and _is_name(element.value)
                    self._elements.append(assignment if is_simple else element)

    def places(self) -> Iterator[tuple[Any, ast.expr]]:
        """Yields each place that may need a repair, with the operand to wrap: attributes, calls, formats, elements."""
        for node in self._attributes:
            if any(self._may_need(node, repair) for repair in self._repairs[node.attr]):
                yield node, node.value
        for call in self._calls.values():
            function = call.func
            if type(function) is ast.Name and function.id not in self._imported | self._bound:
                for repair in self._repairs.get(function.id, ()):
                    if repair.owner == "builtins" and repair.is_in_need is not None and repair.is_in_need(call):
                        yield call, function
            elif type(function) is ast.Name and function.id in self._classes.keys() - self._bound:
                module, name = self._classes[function.id]
                need = LOADED[module, name].is_in_need
                if need is not None and need(call):
                    yield _ClassCall(call, module, name), function
        for format_ in self._formats:
            yield format_, format_.right
        for element in self._elements:
            yield element, element.value
        for setting in self._settings:
            yield setting, setting.value

    def _may_need(self, node: ast.Attribute, repair: Repair) -> bool:
        """Returns True if reading an attribute may need a repair."""
        if repair.since == PYTHON_3 and node in self._tried:
            return False
        if repair.is_method and repair.is_in_need is None:
            return True
        if repair.is_in_need is not None:
            call = self._calls.get(id(node))
            if call is None or not repair.is_in_need(call):
                return False
            if not repair.is_for_indices and self._is_index(call):
                return False
            if not repair.is_for_statements and id(call) in self._statements:
                return False
        if repair.is_method:
            return True
        owner = self._modules.get(getattr(node.value, "id", ""))
        if owner != repair.owner and (owner, repair.name) in LOADED:
            return False  # another library's name
        return self._may_be_module(node.value)

    def _is_index(self, call: ast.Call) -> bool:
        """Returns True if a call's result is an index, by itself or by a name that is one anywhere in the module."""
        if self._indices is None:
            self._indices = set(_indices(list(ast.walk(self._tree))))
        return id(call) in self._indices

    def _may_be_module(self, node: ast.expr) -> bool:
        while isinstance(node, ast.Attribute):
            node = node.value
        # A name without a binding here came by a star import.
        return isinstance(node, ast.Name) and (node.id in self._imported or node.id not in self._bound)


def _indices(nodes: list[Any]) -> Iterator[int]:
    """Yields the ids of values that are an index, by themselves or by a name."""
    indices = [node.slice for node in nodes if type(node) is ast.Subscript]
    names = {index.id for index in indices if type(index) is ast.Name}
    yield from map(id, indices)
    for node in nodes:
        if type(node) is ast.Assign and any(getattr(target, "id", None) in names for target in node.targets):
            yield id(node.value)


# Conversions of % that need a number; %s and %r take anything.
_NUMBER = re.compile(r"%(?:\([^)]*\))?[-#0 +]*[\d*]*(?:\.[\d*]*)?[hlL]?[deEfFgGiu]")


def _has_numbers(text: ast.expr) -> bool:
    return isinstance(text, ast.Constant) and isinstance(text.value, str) and _NUMBER.search(text.value) is not None


# Expressions whose value is no array.
_NO_ARRAYS = tuple(
    getattr(ast, name)
    for name in "Compare Constant Dict DictComp JoinedStr Lambda List ListComp Set SetComp Tuple".split()
)


def _is_name(node: ast.expr) -> bool:
    """Returns True for a name, or attributes of one: reading it twice costs little and has no effects."""
    while isinstance(node, ast.Attribute):
        node = node.value
    return isinstance(node, ast.Name)


def _is_of_one(index: Any) -> bool:
    """Returns True if an index may select one element: no slice, no list, no `...`, and no text, the key of a dict."""
    index = index.value if type(index).__name__ == "Index" else index
    if isinstance(index, ast.Tuple):
        return all(map(_is_of_one, index.elts))
    if isinstance(index, ast.Constant):
        return isinstance(index.value, int)
    return type(index).__name__ not in ("ExtSlice", "List", "Slice", "Str", "JoinedStr")


# Names of matplotlib's preambles: keys of rcParams, and arguments of `rc`.
_PREAMBLES = ("text.latex.preamble", "latex.preamble", "pgf.preamble", "preamble")


def _preambles(node: Any) -> Iterator[_Setting]:
    """Yields the preambles that a node sets: entries of a dict, `rcParams["preamble"] = …`, `rc("pgf", preamble=…)`."""
    if isinstance(node, ast.Dict):
        for index, key in enumerate(node.keys):
            if _is_preamble(key):
                yield _Setting(partial(node.values.__setitem__, index), node.values[index])
    elif isinstance(node, ast.Assign) and len(node.targets) == 1 and isinstance(node.targets[0], ast.Subscript):
        if _is_preamble(node.targets[0].slice):
            yield _Setting(partial(setattr, node, "value"), node.value)
    elif isinstance(node, ast.Call) and getattr(node.func, "attr", getattr(node.func, "id", "")) == "rc":
        for keyword in node.keywords:
            if keyword.arg in _PREAMBLES:
                yield _Setting(partial(setattr, keyword, "value"), keyword.value)


def _is_preamble(key: Any) -> bool:
    key = key.value if type(key).__name__ == "Index" else key
    # Python 3.7 has another node for a text.
    return (key.value if isinstance(key, ast.Constant) else getattr(key, "s", None)) in _PREAMBLES


def _wrap(place: Any, operand: ast.expr) -> None:
    """Wraps the operand of a place, in the tree, in a call of `tf1mem.era.sites`."""
    if isinstance(place, _Setting):
        place.put(site_call("preamble", operand, operand))
    elif isinstance(place, _ClassCall):
        place.call.func = site_call("member", operand, ast.Constant(place.module), ast.Constant(place.name))
    elif isinstance(place, ast.Attribute):
        place.value = site_call("owner", operand, operand, ast.Constant(place.attr))
    elif isinstance(place, ast.BinOp):
        place.right = site_call("formatted", operand, copy(place.left), operand)
    elif isinstance(place, ast.Subscript):
        place.value = site_call("stored", operand, operand)
    elif isinstance(place, (ast.Assign, ast.AugAssign)):
        target: Any = place.target if isinstance(place, ast.AugAssign) else place.targets[0]
        place.value = site_call("element", operand, operand, _read(target.value))
    else:
        assert isinstance(operand, ast.Name)
        place.func = _builtin_call(operand)


def _read(node: Any) -> ast.expr:
    """Returns a copy of a name, or of attributes of one, that reads it."""
    new = copy(node)
    new.ctx = ast.Load()
    if isinstance(new, ast.Attribute):
        new.value = _read(new.value)
    return new  # type: ignore[no-any-return]


def _builtin_call(name: ast.Name) -> ast.Call:
    """Returns a call that looks a builtin up at run time; a name that the program has bound by then comes first."""
    return site_call(
        "builtin", name, ast.Constant(name.id), located(name, ast.parse(f"lambda: {name.id}", mode="eval").body)
    )


def _lost(module: str, statement: ast.stmt, tried: _Tried) -> Repair | None:
    """Returns the repair of a removed module that a statement imports; None if there is none, or if it is tried."""
    repair = lost(module)
    return repair if _is_gone(repair, statement, tried) else None


def _imports(statement: Any, tried: _Tried) -> list[ast.stmt] | None:
    """Returns the replacement of an import statement; None if it stays."""
    if isinstance(statement, ast.Import):
        replaced = [
            _import(alias, statement) if _lost(alias.name, statement, tried) else [] for alias in statement.names
        ]
        if not any(replaced):
            return None
        return [
            imported
            for alias, new in zip(statement.names, replaced)
            for imported in new or [ast.copy_location(ast.Import([alias]), statement)]
        ]
    if isinstance(statement, ast.ImportFrom) and not statement.level and statement.module:
        home, module = statement.module, _lost(statement.module, statement, tried)
        if statement.names[0].name == "*":
            return None if module is None or not isinstance(module.home, Moved) else [_star(statement, module.home)]
        removed = [
            alias for alias in statement.names if module or _is_gone(LOADED.get((home, alias.name)), statement, tried)
        ]
        if removed:
            remaining = [alias for alias in statement.names if alias not in removed]
            imports: list[ast.stmt] = (
                [ast.copy_location(ast.ImportFrom(home, remaining, 0), statement)] if remaining else []
            )
            values = (site_call("member", statement, ast.Constant(home), ast.Constant(alias.name)) for alias in removed)
            return imports + [
                _bind(alias.asname or alias.name, value, statement) for alias, value in zip(removed, values)
            ]
    return None


def _is_gone(repair: Repair | None, statement: ast.stmt, tried: _Tried) -> bool:
    """Returns True if an import has to bind the repair's object: a class that is still there keeps its name."""
    is_tried = repair is not None and repair.since == PYTHON_3 and statement in tried
    return repair is not None and not is_tried and not _is_changed_class(repair)


def _is_changed_class(repair: Repair | None) -> bool:
    """Returns True for a class some of whose calls need the repair: programs derive from it, and test for it."""
    return repair is not None and repair.is_in_need is not None and not repair.is_method and repair.name[0].isupper()


def _star(statement: ast.ImportFrom, home: Moved) -> ast.stmt:
    """Returns a star import that falls back to the module's new name."""
    new = ast.ImportFrom(home.today, statement.names, 0)
    handler = ast.ExceptHandler(ast.Name("ModuleNotFoundError", ast.Load()), None, [new])
    moved: Any = located(statement, ast.Try([ast.Pass()], [handler], [], []))
    moved.body = [statement]
    return moved  # type: ignore[no-any-return]


def _import(alias: ast.alias, statement: ast.stmt) -> list[ast.stmt]:
    """Returns the statements that replace the import of a lost module."""
    value = site_call("module", statement, ast.Constant(alias.name))
    top = alias.name.partition(".")[0]
    if alias.asname or top == alias.name:
        return [_bind(alias.asname or top, value, statement)]
    # `import a.b` binds a, and loads a.b.
    first: Any = ast.Import([ast.alias(top, None)])
    if lost(top) is not None:
        first = _bind(top, site_call("module", statement, ast.Constant(top)), statement)
    return [located(statement, first), ast.copy_location(ast.Expr(value), statement)]


def import_sites(tree: ast.Module) -> None:
    """Inserts the import of `tf1mem.era.sites` after the docstring and the `__future__` imports, unless it is there."""
    if any(getattr(alias, "asname", None) == _SITES for top in tree.body for alias in getattr(top, "names", ())):
        return
    position = 0
    for statement in tree.body:
        is_text = isinstance(statement, ast.Expr) and not hasattr(statement.value, "func") and position == 0
        if not is_text and not (isinstance(statement, ast.ImportFrom) and statement.module == "__future__"):
            break
        position += 1
    package, _, name = sites.__name__.rpartition(".")
    new = ast.ImportFrom(package, [ast.alias(name, _SITES)], 0)
    tree.body.insert(position, located(tree.body[min(position, len(tree.body) - 1)], new))


def _bind(name: str, value: ast.expr, place: ast.AST) -> ast.stmt:
    return ast.copy_location(ast.Assign([located(place, ast.Name(name, ast.Store()))], value), place)


def site_call(function: str, place: ast.AST, *arguments: ast.expr) -> ast.Call:
    """Returns a call of a function of `tf1mem.era.sites`, with the line and column of a node."""
    located_arguments = [
        argument if hasattr(argument, "lineno") else located(place, argument) for argument in arguments
    ]
    return ast.copy_location(ast.Call(_site(function, place), located_arguments, []), place)


def _site(name: str, place: ast.AST) -> ast.Attribute:
    new: ast.Attribute = located(place, ast.Attribute(ast.Name(_SITES, ast.Load()), name, ast.Load()))
    return new
