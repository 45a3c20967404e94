"""Targets of `a.b += c` and `a[i] += c`, for operators that are functions: each part of a target is computed once.

The statement becomes `Item(a, i).change(iadd, c)`: the old value is read before `c` is computed, as by Python itself.
"""

from __future__ import annotations

import ast
from typing import Any, Callable

from tf1mem.era import sites

# For indices of `Item`: the program may have another `slice`.
slice_ = slice


class Item:
    """The target `container[key]`, with the value that it has."""

    def __init__(self, container: Any, key: Any) -> None:
        self._container, self._key = container, key
        self._value = container[key]

    def change(self, operate: Callable[[Any, Any], Any], by: Any) -> None:
        """Sets the target to the operator's result for its value and `by`."""
        self._container[self._key] = sites.element(operate(self._value, by), self._container)


class Member:
    """The target `owner.name`, with the value that it has."""

    def __init__(self, owner: Any, name: str) -> None:
        self._owner, self._name = owner, name
        self._value = getattr(owner, name)

    def change(self, operate: Callable[[Any, Any], Any], by: Any) -> None:
        """Sets the target to the operator's result for its value and `by`."""
        setattr(self._owner, self._name, operate(self._value, by))


def changed(node: ast.AugAssign, operator: ast.expr, of: Callable[[str, ast.AST], ast.expr], inside: str) -> Any:
    """Returns the statement that replaces an assignment such as `a += b`, by an operator that is a function.

    Args:
        node: The assignment.
        operator: The function.
        of: Returns the expression for a name of this module: "Item", "Member" or "slice_"; takes its place, too.
        inside: The class around the assignment, by which Python changes names such as `__x`; "" if there is none.

    Returns:
        The statement; None if a part of the target can't be an argument.
    """
    target = node.target
    if isinstance(target, ast.Name):
        value = ast.copy_location(ast.Name(target.id, ast.Load()), target)
        result = ast.copy_location(ast.Call(operator, [value, node.value], []), node)
        return ast.copy_location(ast.Assign([target], result), node)
    if isinstance(target, ast.Attribute):
        is_private = inside and target.attr.startswith("__") and not target.attr.endswith("__")
        name = f"_{inside.lstrip('_')}{target.attr}" if is_private else target.attr
        parts = [target.value, ast.copy_location(ast.Constant(name), target)]
        opened = ast.copy_location(ast.Call(of("Member", target), parts, []), target)
    else:
        key = _as_argument(target.slice, target, of)
        if key is None:
            return None
        opened = ast.copy_location(ast.Call(of("Item", target), [target.value, key], []), target)
    method = ast.copy_location(ast.Attribute(opened, "change", ast.Load()), node)
    call = ast.copy_location(ast.Call(method, [operator, node.value], []), node)
    return ast.copy_location(ast.Expr(call), node)


def _as_argument(index: Any, place: ast.AST, of: Callable[[str, ast.AST], ast.expr]) -> Any:
    """Returns an index as an expression, with a call in place of `1:n`; None if it has a starred part.

    Args:
        index: The index; until Python 3.8, an `ast.Index` or `ast.ExtSlice`, too, which have no place in the text.
        place: The target, whose place in the text new nodes get.
        of: Returns the expression for a name of this module, with a place.
    """
    kind = type(index).__name__
    if kind == "Index":
        return _as_argument(index.value, place, of)
    if kind == "Slice":
        bounds = (index.lower, index.upper, index.step)
        none = ast.copy_location(ast.Constant(None), place)
        return ast.copy_location(ast.Call(of("slice_", place), [bound or none for bound in bounds], []), place)
    if kind in ("Tuple", "ExtSlice"):
        parts = [_as_argument(part, place, of) for part in (index.elts if kind == "Tuple" else index.dims)]
        return None if None in parts else ast.copy_location(ast.Tuple(parts, ast.Load()), place)
    return None if kind == "Starred" else index
