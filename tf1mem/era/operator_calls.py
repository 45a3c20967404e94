"""Rewrites a file's syntax tree: operators call `tf1mem.era.operators`, which promote numbers as NumPy 1 did.

Operators whose operands, by the text, can't be NumPy's stay as they are: a loop over integers costs what it did. So do
comparisons in `assert` statements, which pytest explains; functions that numba compiles; and functions that Keras
stores in a model's file.
"""

from __future__ import annotations

import ast
import struct
from typing import Any, Callable, Iterator

from tf1mem.era.rewriting import import_as, located
from tf1mem.era.targets import HoistedCalls, to_read

# The name of `operators` in a rewritten file.
_OPERATORS = "__tf1mem_operators__"
# Operators -> their names in `operators`. Products of matrices have no scalars to promote.
_ARITHMETIC: dict[type, str] = {
    **{ast.Add: "add", ast.Sub: "sub", ast.Mult: "mul", ast.Div: "truediv", ast.FloorDiv: "floordiv", ast.Mod: "mod"},
    **{ast.Pow: "pow", ast.LShift: "lshift", ast.RShift: "rshift"},
    **{ast.BitAnd: "and_", ast.BitOr: "or_", ast.BitXor: "xor"},
}
_COMPARISONS: dict[type, str] = {
    **{ast.Eq: "eq", ast.NotEq: "ne", ast.Lt: "lt", ast.LtE: "le", ast.Gt: "gt", ast.GtE: "ge"}
}
# Builtins that compute with operators; `operators` has them under the same names.
_FUNCTIONS = ("divmod", "pow", "sum")
_LEAVES = frozenset([ast.Name, ast.Constant, ast.Load, ast.Store, str, type(None), *_ARITHMETIC, *_COMPARISONS])
# Expressions, besides calls, that may not be computed twice.
_RUN_ONCE = (ast.Await, ast.NamedExpr, ast.Yield, ast.YieldFrom)
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
        self._has_stars = any(isinstance(node, ast.alias) and node.name == "*" for node in self._nodes)
        self._hoisted = 0  # calls moved out of the targets of assignments
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
        if self._changed:
            import_as(self._tree, "tf1mem.era.operators", _OPERATORS)
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
        if any(
            isinstance(part, (ast.Await, ast.NamedExpr, ast.Yield, ast.YieldFrom)) for part in ast.walk(node.target)
        ):
            return []
        calls = HoistedCalls(self._hoisted)
        target: Any = calls.visit(node.target)
        self._hoisted += len(calls.assignments)
        name = "i" + _ARITHMETIC[type(node.op)].rstrip("_")
        value = _call(name, node, to_read(target), node.value)
        return [*calls.assignments, ast.copy_location(ast.Assign([target], value), node)]

    def _function(self, node: Any) -> list[ast.expr]:
        """Returns a call with the promoting function of the same name; [] if the module binds the name."""
        name = getattr(node.func, "id", "")
        # `pow` has a third argument, a modulus.
        if name not in _FUNCTIONS or self._has_stars or self._plain.binds(name) or len(node.args) > 2:
            return []
        function = _operator(name, node.func)
        return [ast.copy_location(ast.Call(function, node.args, node.keywords), node)]


def _call(name: str, place: ast.AST, *operands: ast.expr) -> ast.Call:
    return ast.copy_location(ast.Call(_operator(name, place), list(operands), []), place)


def _operator(name: str, place: ast.AST) -> ast.expr:
    function: ast.expr = located(place, ast.Attribute(ast.Name(_OPERATORS, ast.Load()), name, ast.Load()))
    return function


def _has_no_effects(node: ast.expr) -> bool:
    """Returns True for an expression that may be computed twice."""
    return not any(isinstance(part, (ast.Call, *_RUN_ONCE)) for part in ast.walk(node))


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
    """Yields the ids of functions that stay as they are."""
    has_numba = any(
        str(name).partition(".")[0] == "numba"
        for node in nodes
        if isinstance(node, (ast.Import, ast.ImportFrom))
        for name in [getattr(node, "module", None), *(alias.name for alias in node.names)]
    )
    stored = [
        node.args[0] for node in nodes if isinstance(node, ast.Call) and node.args and _name_of(node.func) == "Lambda"
    ]
    names = {node.id for node in stored if isinstance(node, ast.Name)}
    yield from (id(node) for node in stored if isinstance(node, ast.Lambda))
    for node in nodes:
        if isinstance(node, ast.FunctionDef) and (node.name in names or (has_numba and node.decorator_list)):
            yield id(node)


def _asserted(nodes: list[Any]) -> Iterator[int]:
    """Yields the ids of comparisons in `assert` statements."""
    for node in nodes:
        if isinstance(node, ast.Assert):
            yield from (id(part) for part in ast.walk(node.test) if isinstance(part, ast.Compare))


def _name_of(function: Any) -> str:
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
        self._bound = frozenset(values)
        # The answers of `_is_text` and `_is_number` for operators.
        self._texts: dict[ast.BinOp, bool] = {}
        self._numbers: dict[ast.BinOp, bool] = {}
        self._names = set(values)
        before = len(self._names) + 1
        while len(self._names) < before:
            before = len(self._names)
            self._names = {name for name in self._names if all(map(self._is_number, values[name]))}
            self._numbers.clear()

    def may_be_numpys(self, left: ast.expr, right: ast.expr) -> bool:
        """Returns True if one of an operator's operands may be NumPy's, and the other a number or an array."""
        if any(isinstance(operand, _NO_NUMBERS) or self._is_text(operand) for operand in (left, right)):
            return False
        return not (self._is_number(left) and self._is_number(right))

    def binds(self, name: str) -> bool:
        """Returns True if the module binds a name."""
        return name in self._bound

    def _is_text(self, node: Any) -> bool:
        if isinstance(node, ast.BinOp):
            return _of_chain(node, self._texts, self._is_text, lambda left, op: left or self._adds_text(op))
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
            return isinstance(node.func.value, ast.Constant)
        return isinstance(node, ast.Constant) and not isinstance(node.value, (bool, int, float, complex))

    def _adds_text(self, node: ast.BinOp) -> bool:
        return isinstance(node.op, ast.Add) and self._is_text(node.right)

    def _is_number(self, node: Any) -> bool:
        """Returns True for an expression whose value is one of Python's numbers, or their text."""
        if isinstance(node, ast.BinOp):
            return _of_chain(node, self._numbers, self._is_number, lambda left, op: left and self._is_number(op.right))
        if isinstance(node, ast.Constant):
            return isinstance(node.value, (bool, int, float, complex))
        if isinstance(node, ast.Name):
            return node.id in self._names
        if isinstance(node, ast.UnaryOp):
            return self._is_number(node.operand)
        if isinstance(node, ast.IfExp):
            return self._is_number(node.body) and self._is_number(node.orelse)
        if isinstance(node, ast.Call):
            function = node.func
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
        yield (node.asname or node.name.partition(".")[0], _UNKNOWN)
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
