"""Finds expressions that are never integers: their `/` is the same in Python 2 and 3.

These are floats, complex numbers, arrays and tensors of floats, and names that hold nothing else in the whole file.
"""

from __future__ import annotations

import ast
from collections import Counter
from typing import Any, Iterator

# Functions that always return floats, by module. Python 2's floor, ceil and round did.
_FUNCTIONS = {
    "math": frozenset(
        "acos acosh asin asinh atan atan2 atanh ceil copysign cos cosh degrees e erf erfc exp expm1 fabs floor fmod "
        "fsum gamma hypot ldexp lgamma log log10 log1p pi pow radians sin sinh sqrt tan tanh".split()
    ),
    "time": frozenset(("clock", "time")),
    "random": frozenset(
        "betavariate expovariate gammavariate gauss lognormvariate normalvariate paretovariate random triangular "
        "uniform vonmisesvariate weibullvariate".split()
    ),
    "numpy": frozenset(
        "arccos arcsin arctan arctan2 cos cosh deg2rad double e exp expm1 float float16 float32 float64 float_ "
        "hypot inf linspace log log10 log1p log2 logspace nan pi rad2deg sin sinh sqrt tan tanh".split()
    ),
    "numpy.random": frozenset(
        "exponential gamma laplace lognormal normal rand randn random random_sample standard_normal uniform".split()
    ),
    "tensorflow": frozenset(("to_double", "to_float")),
}
# The entries that are constants, and not functions.
_CONSTANTS = frozenset(("e", "inf", "nan", "pi"))
# Functions that return an array of type `dtype`, by default float -> the position of `dtype`.
_ARRAYS = {"empty": 1, "eye": 3, "identity": 1, "ones": 1, "zeros": 1}
# Functions that return type `dtype`, by default that of their argument -> the position of `dtype`.
_CASTS = {"numpy": {"array": 1, "asarray": 1, "full": 2}, "tensorflow": {"cast": 1}}
_FLOAT_TYPES = frozenset(
    "bfloat16 double f f2 f4 f8 float float16 float32 float64 float_ half np.float32 single".split()
)
# Operators whose result is never an integer if one operand never is.
_KEEPING_FLOATS = (ast.Add, ast.Div, ast.FloorDiv, ast.Mod, ast.Mult, ast.Pow, ast.Sub)


class Floats:
    """Decides for expressions whether they are never integers.

    Args:
        tree: The file's tree.
        bound: Number of bindings of each name in the file.
    """

    def __init__(self, tree: ast.Module, bound: Counter[str]) -> None:
        self._bound = bound
        nodes = list(ast.walk(tree))
        self._homes = self._import_paths(nodes)
        bindings: dict[str, list[ast.expr]] = {}
        for node in nodes:
            for name, value in _assigned(node):
                bindings.setdefault(name, []).append(value)
        names = {name for name, values in bindings.items() if len(values) == bound[name]}
        self._names: set[str] = set()
        while self._names != names:
            # A name needs a value that is a float whatever the name held before: `n += 1` alone says nothing about an
            # `n` that a star import binds.
            self._names = set()
            while True:
                more = {name for name in names - self._names if any(map(self.is_float, bindings[name]))}
                if not more:
                    break
                self._names |= more
            names = {name for name in self._names if all(map(self.is_float, bindings[name]))}

    def is_float(self, node: Any) -> bool:
        """Returns True if an expression is never an integer, nor an array of integers."""
        if isinstance(node, ast.Constant):
            return isinstance(node.value, (float, complex))
        if isinstance(node, ast.Name):
            return node.id in self._names or self._is_constant(node)
        if isinstance(node, ast.UnaryOp):
            return isinstance(node.op, (ast.UAdd, ast.USub)) and self.is_float(node.operand)
        if isinstance(node, ast.BinOp):
            return self._is_operation(node)
        if isinstance(node, ast.IfExp):
            return self.is_float(node.body) and self.is_float(node.orelse)
        if isinstance(node, ast.BoolOp):
            return all(map(self.is_float, node.values))
        if isinstance(node, ast.Attribute):
            return self._is_constant(node)
        return isinstance(node, ast.Call) and self._is_call(node)

    def _is_operation(self, node: ast.BinOp) -> bool:
        if isinstance(node.op, ast.Mod):  # `"%d" % 1.5` is a string
            return self.is_float(node.left)
        return isinstance(node.op, _KEEPING_FLOATS) and (self.is_float(node.left) or self.is_float(node.right))

    def _is_constant(self, node: ast.expr) -> bool:
        module, name = self._home(node)
        return name in _CONSTANTS and name in _FUNCTIONS.get(module, ())

    def _is_call(self, node: ast.Call) -> bool:
        """Returns True if a call surely returns a float: by its function, or by a dtype among its arguments."""
        called = node.func
        if isinstance(called, ast.Name) and called.id not in self._bound:
            if called.id in ("complex", "float", "round"):
                return True
            is_of_its_arguments = called.id in ("abs", "max", "min") and len(node.args) >= (called.id != "abs") + 1
            return is_of_its_arguments and not node.keywords and all(map(self.is_float, node.args))
        if isinstance(called, ast.Attribute) and called.attr == "astype":
            return bool(node.args) and self._is_float_type(node.args[0])
        module, name = self._home(called)
        if name in _FUNCTIONS.get(module, ()) and name not in _CONSTANTS:
            # These return the type that an argument names.
            types = [keyword.value for keyword in node.keywords if keyword.arg in ("dtype", "out")]
            return all(map(self._is_float_type, types))
        if module == "numpy" and name in _ARRAYS:
            types = _type(node, _ARRAYS[name])
            return all(map(self._is_float_type, types)) and not any(keyword.arg is None for keyword in node.keywords)
        position = _CASTS.get(module, {}).get(name)
        types = [] if position is None else _type(node, position)
        return bool(types) and all(map(self._is_float_type, types))

    def _is_float_type(self, node: ast.expr) -> bool:
        if isinstance(node, ast.Constant):
            return node.value in _FLOAT_TYPES
        if isinstance(node, ast.Name) and node.id == "float":
            return "float" not in self._bound
        module, name = self._home(node)
        return module in ("numpy", "tensorflow") and name in _FLOAT_TYPES

    def _home(self, node: ast.expr) -> tuple[str, str]:
        """Returns the module and the name for an expression such as `np.sqrt`, or an imported `sqrt`; "" for others."""
        parts: list[str] = []
        while isinstance(node, ast.Attribute):
            parts.insert(0, node.attr)
            node = node.value
        if not isinstance(node, ast.Name) or node.id not in self._homes:
            return "", ""
        module, _, name = ".".join([self._homes[node.id], *parts]).rpartition(".")
        return module, name

    def _import_paths(self, nodes: list[ast.AST]) -> dict[str, str]:
        """Returns the paths of names that only imports bind, all in the same way."""
        paths: dict[str, list[str]] = {}
        for node in nodes:
            for alias in node.names if isinstance(node, (ast.Import, ast.ImportFrom)) else ():
                name = alias.asname or alias.name.partition(".")[0]
                if isinstance(node, ast.ImportFrom):
                    whole = f"{'.' * node.level}{node.module or ''}.{alias.name}"
                else:
                    whole = alias.name if alias.asname else name
                paths.setdefault(name, []).append(whole)
        return {name: every[0] for name, every in paths.items()
                if len(set(every)) == 1 and len(every) == self._bound[name]}  # fmt: skip


def _assigned(node: ast.AST) -> Iterator[tuple[str, ast.expr]]:
    """Yields the names that a statement assigns to, each with its value."""
    if isinstance(node, ast.Assign):
        for target in node.targets:
            if isinstance(target, ast.Name):
                yield target.id, node.value
                continue
            pairs = zip(getattr(target, "elts", ()), getattr(node.value, "elts", ()))
            for element, value in pairs:  # different lengths raise an error in Python
                if isinstance(element, ast.Name):
                    yield element.id, value
    elif isinstance(node, ast.AugAssign) and isinstance(node.target, ast.Name):
        yield node.target.id, ast.BinOp(ast.Name(node.target.id, ast.Load()), node.op, node.value)


def _type(node: ast.Call, position: int) -> list[ast.expr]:
    """Returns the type that a call names, as a list of one; an empty list if it names none."""
    types = [keyword.value for keyword in node.keywords if keyword.arg == "dtype"]
    return types or node.args[position : position + 1]
