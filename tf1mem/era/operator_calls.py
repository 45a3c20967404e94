"""Rewrites a file's syntax tree: operators call `tf1mem.era.operators`, which promote numbers as NumPy 1 did.

Operators whose operands, by the text, can't be NumPy's stay as they are: a loop over integers costs what it did. So do
comparisons in `assert` statements, which pytest explains; functions that numba compiles; and functions that Keras
stores in a model's file.
"""

from __future__ import annotations

import ast
import struct
from typing import Any, Callable, Iterator

from tf1mem.era import targets
from tf1mem.era.operators import NAME
from tf1mem.era.statements import located

# Operators -> their names in `operators`. Products of matrices have no scalars to promote.
_ARITHMETIC: dict[type, str] = {
    **{ast.Add: "add", ast.Sub: "sub", ast.Mult: "mul", ast.Div: "truediv", ast.FloorDiv: "floordiv", ast.Mod: "mod"},
    **{ast.Pow: "pow", ast.LShift: "lshift", ast.RShift: "rshift"},
    **{ast.BitAnd: "and_", ast.BitOr: "or_", ast.BitXor: "xor"},
}
_COMPARISONS: dict[type, str] = {
    **{ast.Eq: "eq", ast.NotEq: "ne", ast.Lt: "lt", ast.LtE: "le", ast.Gt: "gt", ast.GtE: "ge"}
}
# Builtins that compute with operators.
_FUNCTIONS = ("divmod", "pow", "sum")
# Functions and decorators of numba's that compile a function.
_COMPILING = ("cfunc", "guvectorize", "jit", "njit", "stencil", "vectorize")
# Nodes, and values of constants, without an operator in them.
_LEAVES = frozenset([ast.Name, ast.Constant, ast.Load, ast.Store, str, type(None), *_ARITHMETIC, *_COMPARISONS])
# Fields whose expressions aren't computed, or not by Python.
_NOT_COMPUTED = ("annotation", "returns", "pattern")


def promote(tree: ast.Module) -> bool:
    """Makes a module's operators calls, in place; returns True if anything was changed."""
    return _Promoting(tree).run()


class _Promoting:
    """Replaces the operators of one module.

    Args:
        tree: The module's syntax tree.
    """

    def __init__(self, tree: ast.Module) -> None:
        self._tree = tree
        self._nodes = list(ast.walk(tree))
        self._plain = _Plain(self._nodes)
        self._kept = set(_kept(self._nodes))
        self._asserted = set(_asserted(self._nodes))
        self._classes = dict(_classes(self._nodes))
        self._changed = False
        self._replacing: dict[type, Callable[[Any], list[Any]]] = {
            **{ast.BinOp: self._operation, ast.Compare: self._comparison},
            **{ast.AugAssign: self._assignment, ast.Call: self._function},
        }

    def run(self) -> bool:
        """Replaces them, from the outer to the inner ones: an expression of a thousand terms is as many nodes deep."""
        waiting: list[Any] = [self._tree]
        while waiting:
            node = waiting.pop()
            for field in node._fields:
                value = None if field in _NOT_COMPUTED else getattr(node, field, None)
                if isinstance(value, list):
                    items = [new for item in value for new in self._replaced(item)]
                    value[:] = items
                elif isinstance(value, ast.AST):
                    items = self._replaced(value)
                    setattr(node, field, items[0])
                else:
                    continue
                waiting += [item for item in items if type(item) not in _LEAVES and id(item) not in self._kept]
        return self._changed

    def _replaced(self, node: Any) -> list[Any]:
        """Returns the nodes that replace one node; that node if it stays."""
        replace = self._replacing.get(type(node))
        new = replace(node) if replace is not None and id(node) not in self._kept else []
        self._changed |= bool(new)
        return new or [node]

    def _operation(self, node: ast.BinOp) -> list[ast.expr]:
        if type(node.op) not in _ARITHMETIC or not self._plain.may_be_numpys(node.left, node.right):
            return []
        return [_call(_ARITHMETIC[type(node.op)], node, node.left, node.right)]

    def _comparison(self, node: ast.Compare) -> list[ast.expr]:
        operands = [node.left, *node.comparators]
        names = [_COMPARISONS.get(type(op)) for op in node.ops]
        if None in names or id(node) in self._asserted or not all(map(_has_no_effects, operands[1:-1])):
            return []
        pairs = list(zip(operands, operands[1:]))
        if not any(self._plain.may_be_numpys(*pair) and not any(map(_is_exact, pair)) for pair in pairs):
            return []
        calls: list[Any] = [_call(str(name), node, *pair) for name, pair in zip(names, pairs)]
        return calls if len(calls) == 1 else [ast.copy_location(ast.BoolOp(ast.And(), calls), node)]

    def _assignment(self, node: ast.AugAssign) -> list[ast.stmt]:
        if type(node.op) not in _ARITHMETIC or not self._plain.may_be_numpys(node.target, node.value):
            return []
        function = _operator("i" + _ARITHMETIC[type(node.op)].rstrip("_"), node)
        new = targets.changed(node, function, _operator, self._classes.get(id(node), ""))
        return [] if new is None else [new]

    def _function(self, node: Any) -> list[ast.expr]:
        """Returns a call of what the function's name stands for, if the name may be one of `_FUNCTIONS`."""
        if getattr(node.func, "id", "") not in _FUNCTIONS or (len(node.args) == 1 and self._counts(node.args[0])):
            return []
        function = _call("of", node.func, node.func)
        return [ast.copy_location(ast.Call(function, node.args, node.keywords), node)]

    def _counts(self, values: ast.expr) -> bool:
        """Returns True for Python's own numbers, as in `sum(1 for line in file)`."""
        elements = [values.elt] if isinstance(values, (ast.GeneratorExp, ast.ListComp)) else []
        return any(map(self._plain.is_number, elements))


def _call(name: str, place: ast.AST, *operands: ast.expr) -> ast.Call:
    return ast.copy_location(ast.Call(_operator(name, place), list(operands), []), place)


def _operator(name: str, place: ast.AST) -> ast.expr:
    function: ast.expr = located(place, ast.Attribute(ast.Name(NAME, ast.Load()), name, ast.Load()))
    return function


def _has_no_effects(node: ast.expr) -> bool:
    """Returns True for an expression that may be computed twice."""
    run_once = (ast.Await, ast.Call, ast.NamedExpr, ast.Yield, ast.YieldFrom)
    return not any(isinstance(part, run_once) for part in ast.walk(node))


def _is_exact(node: Any) -> bool:
    """Returns True for a constant that is the same number in all dtypes but those of 8 bits."""
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, (ast.UAdd, ast.USub)):
        node = node.operand
    if not isinstance(node, ast.Constant) or not isinstance(node.value, (int, float)):
        return False
    try:
        (half,) = struct.unpack("e", struct.pack("e", node.value))
    except (OverflowError, struct.error):
        return False
    return bool(half == node.value)


def _kept(nodes: list[Any]) -> Iterator[int]:
    """Yields the ids of functions that stay: numba compiles them, or Keras stores them in a model's file."""
    imports = (node for node in nodes if isinstance(node, (ast.Import, ast.ImportFrom)))
    names_of_modules = (
        str(name) for node in imports for name in (getattr(node, "module", ""), *(alias.name for alias in node.names))
    )
    has_numba = any(name.partition(".")[0] == "numba" for name in names_of_modules)
    names: set[str] = set()
    for node in nodes:
        if isinstance(node, ast.Call) and _name_of(node.func) in ("Lambda", *_COMPILING):
            for value in (*node.args, *(keyword.value for keyword in node.keywords)):
                names.add(_name_of(value))
                yield id(value)
    for node in nodes:
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
            compiled = has_numba or any(_name_of(decorator) in _COMPILING for decorator in node.decorator_list)
            if node.name in names or (compiled and node.decorator_list):
                yield id(node)
        elif isinstance(node, ast.Assign) and any(_name_of(target) in names for target in node.targets):
            yield id(node.value)


def _classes(nodes: list[Any]) -> Iterator[tuple[int, str]]:
    """Yields the id of each assignment such as `a += b` in a class, with the class's name; inner classes come last."""
    for node in nodes:
        if isinstance(node, ast.ClassDef):
            yield from ((id(inside), node.name) for inside in ast.walk(node) if isinstance(inside, ast.AugAssign))


def _asserted(nodes: list[Any]) -> Iterator[int]:
    """Yields the ids of comparisons in `assert` statements."""
    for node in nodes:
        if isinstance(node, ast.Assert):
            yield from (id(part) for part in ast.walk(node.test) if isinstance(part, ast.Compare))


def _name_of(function: Any) -> str:
    """Returns the last name of an expression: "jit" of `numba.jit(nopython=True)`; "" if it has none."""
    while isinstance(function, ast.Call):
        function = function.func
    return str(getattr(function, "attr", getattr(function, "id", "")))


# Builtins whose results are Python's own, and functions of module `time` that are so, too.
_PYTHONS = frozenset("bool float int len ord str repr".split())
_OF_TIME = frozenset("clock monotonic perf_counter time".split())
# Expressions that are no numbers.
_NO_NUMBERS = (
    *(ast.Dict, ast.DictComp, ast.GeneratorExp, ast.JoinedStr, ast.Lambda, ast.List, ast.ListComp, ast.Set),
    *(ast.SetComp, ast.Tuple),
)
# Stands for a value that the text doesn't show.
_UNKNOWN = ast.Slice()


class _Plain:
    """The names of a module that only ever hold Python's own numbers, by all assignments to them in the module.

    Args:
        nodes: The module's nodes.
    """

    def __init__(self, nodes: list[Any]) -> None:
        values: dict[str, list[ast.expr]] = {}
        for node in nodes:
            for name, value in _bound(node):
                values.setdefault(name, []).append(value)
        if "*" in values:
            values = {}  # any name may come from the other module, too
        self._bound = frozenset(values)
        # The answers of `_is_text` and `is_number` for operators.
        self._texts: dict[ast.BinOp, bool] = {}
        self._numbers: dict[ast.BinOp, bool] = {}
        self._names = set(values)
        before = len(self._names) + 1
        while len(self._names) < before:
            before = len(self._names)
            self._names = {name for name in self._names if all(map(self.is_number, values[name]))}
            self._numbers.clear()
        if not self._bound.isdisjoint(("enumerate", "range", "xrange")):
            self._names = set()

    def may_be_numpys(self, left: ast.expr, right: ast.expr) -> bool:
        """Returns True if one of an operator's operands may be NumPy's, and the other a number or an array."""
        if any(isinstance(operand, _NO_NUMBERS) or self._is_text(operand) for operand in (left, right)):
            return False
        return not (self.is_number(left) and self.is_number(right))

    def _is_text(self, node: Any) -> bool:
        if isinstance(node, ast.BinOp):
            return _of_chain(node, self._texts, self._is_text, lambda left, op: left or self._adds_text(op))
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
            return isinstance(node.func.value, ast.Constant)
        return isinstance(node, ast.Constant) and not isinstance(node.value, (bool, int, float, complex))

    def _adds_text(self, node: ast.BinOp) -> bool:
        return isinstance(node.op, ast.Add) and self._is_text(node.right)

    def is_number(self, node: Any) -> bool:
        """Returns True for an expression whose value is one of Python's numbers, or their text."""
        if isinstance(node, ast.BinOp):
            return _of_chain(node, self._numbers, self.is_number, lambda left, op: left and self.is_number(op.right))
        if isinstance(node, ast.Constant):
            return isinstance(node.value, (bool, int, float, complex))
        if isinstance(node, ast.Name):
            return node.id in self._names
        if isinstance(node, ast.UnaryOp):
            return self.is_number(node.operand)
        if isinstance(node, ast.IfExp):
            return self.is_number(node.body) and self.is_number(node.orelse)
        if isinstance(node, ast.Call):
            function = node.func
            if _name_of(function) == "builtin" and isinstance(function, ast.Call):
                return getattr(function.args[0], "value", "") in _PYTHONS  # as `tf1mem.era.rewriting` writes it
            if isinstance(function, ast.Name):
                return function.id in _PYTHONS and function.id not in self._bound
            return isinstance(function, ast.Attribute) and _is_of_time(function)
        return False


def _of_chain(
    node: Any,
    answers: dict[ast.BinOp, bool],
    of_leaf: Callable[[Any], bool],
    of_operator: Callable[[bool, ast.BinOp], bool],
) -> bool:
    """Returns the answer for an operator. A sum of a thousand terms is as many operators deep, so this is no recursion.

    Args:
        node: The operator.
        answers: The answers for operators so far, which get those for `node` and its left operands.
        of_leaf: Returns the answer for the leftmost operand.
        of_operator: Returns the answer for an operator, by that for its left operand.
    """
    chain: list[ast.BinOp] = []
    while isinstance(node, ast.BinOp) and node not in answers:
        chain.append(node)
        node = node.left
    answer = answers[node] if isinstance(node, ast.BinOp) else of_leaf(node)
    for operation in reversed(chain):
        answer = answers[operation] = of_operator(answer, operation)
    return answer


def _is_of_time(function: ast.Attribute) -> bool:
    return function.attr in _OF_TIME and isinstance(function.value, ast.Name) and function.value.id == "time"


def _bound(node: Any) -> Iterator[tuple[str, Any]]:
    """Yields the names that a node binds, each with an expression that is a number of Python's if the value is."""
    kind = type(node)
    if kind in (ast.Assign, ast.AnnAssign, ast.NamedExpr):
        for target in node.targets if kind is ast.Assign else [node.target]:
            yield from _paired(target, node.value or _UNKNOWN)
    elif kind is ast.AugAssign:
        yield from _paired(node.target, node.value)
    elif kind in (ast.For, ast.AsyncFor, ast.comprehension):
        counts = getattr(node.iter, "func", None)
        if isinstance(counts, ast.Name) and counts.id in ("range", "xrange"):
            yield from _paired(node.target, ast.Constant(0))
        elif isinstance(counts, ast.Name) and counts.id == "enumerate" and isinstance(node.target, ast.Tuple):
            yield from _paired(node.target, ast.Tuple([ast.Constant(0), *[_UNKNOWN] * (len(node.target.elts) - 1)]))
        else:
            yield from _paired(node.target, _UNKNOWN)
    elif kind in (ast.With, ast.AsyncWith):
        for item in node.items:
            if item.optional_vars is not None:
                yield from _paired(item.optional_vars, _UNKNOWN)
    elif kind is ast.alias:
        yield (node.asname or node.name.partition(".")[0], _UNKNOWN)  # "*" for a star import
    elif kind is not ast.keyword:
        for name in (getattr(node, "name", None), getattr(node, "arg", None), getattr(node, "rest", None)):
            if isinstance(name, str):
                yield name, _UNKNOWN  # a function, a class, an argument, an exception's name, a pattern's


def _paired(target: Any, value: Any) -> Iterator[tuple[str, Any]]:
    """Yields the names of a target with their values, as far as the text pairs them."""
    if isinstance(target, ast.Name):
        yield target.id, value
    elif isinstance(target, (ast.Tuple, ast.List)):
        values = getattr(value, "elts", [])
        is_paired = len(values) == len(target.elts)
        for place, part in enumerate(target.elts):
            yield from _paired(part, values[place] if is_paired else _UNKNOWN)
    elif isinstance(target, ast.Starred):
        yield from _paired(target.value, _UNKNOWN)
