"""Makes `type(x) is tf.Tensor` true for a graph's tensors, as on TensorFlow 1.

Since TensorFlow 2.13 their type is a subclass.
"""

from __future__ import annotations

import ast
from typing import Any

from tf1mem.machine.modules import loaded_module

_CLASS = "Tensor"


def may_compare(source: bytes) -> bool:
    """Returns True if a file may compare something with `tf.Tensor`: a cheap test, which errs on the safe side."""
    return _CLASS.encode() in source


def rewrite_comparisons(tree: ast.Module) -> None:
    """Rewrites comparisons with `tf.Tensor` so that graph tensors have that class, in place.

    Args:
        tree: A module's syntax tree.
    """
    for node in ast.walk(tree):
        if isinstance(node, ast.Compare):
            sides = [node.left, *node.comparators]
            if any(map(_names_the_class, sides)):
                node.left, *node.comparators = map(_as_on_tf1_call, sides)


def as_on_tf1(kind: Any) -> Any:
    """Returns TensorFlow 1's class for the class of graph tensors; any other value unchanged.

    Args:
        kind: An operand of the comparison: `type(x)`, or the program's `Tensor`.
    """
    symbolic = getattr(loaded_module("python.framework.ops"), "SymbolicTensor", None)
    if symbolic is None or kind is not symbolic:
        return kind
    return next(base for base in kind.__mro__ if base.__name__ == _CLASS)


def _names_the_class(side: Any) -> bool:
    if isinstance(side, (ast.List, ast.Set, ast.Tuple)):
        return any(map(_names_the_class, side.elts))
    return getattr(side, "attr", getattr(side, "id", "")) == _CLASS


def _as_on_tf1_call(side: Any) -> Any:
    """Returns an operand of a comparison, wrapped in a call of `as_on_tf1`; a list's elements one by one."""
    if isinstance(side, ast.Constant):
        return side
    if isinstance(side, (ast.List, ast.Set, ast.Tuple)):
        side.elts = list(map(_as_on_tf1_call, side.elts))
        return side
    call: Any = ast.parse(f"__import__({__name__!r}, fromlist=['']).as_on_tf1()", mode="eval").body
    for node in ast.walk(call):
        ast.copy_location(node, side)
    call.args.append(side)
    return call
