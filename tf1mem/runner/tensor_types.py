"""Makes `type(x)` of a graph's tensor be `tf.Tensor`, as on TensorFlow 1.

Since TensorFlow 2.13 it is a subclass, which no comparison with `tf.Tensor` and no look-up by it finds.
"""

from __future__ import annotations

import ast
from typing import Any

from tf1mem.machine.modules import loaded_module

_CLASS = "Tensor"


def may_name_tensors(source: bytes) -> bool:
    """Returns True if a file may name the class `tf.Tensor`: a cheap test, which errs on the safe side."""
    return _CLASS.encode() in source


def rewrite_types(tree: ast.Module) -> None:
    """Rewrites `type(x)` and `x.__class__` so that graph tensors have TensorFlow 1's class, in place.

    Args:
        tree: A module's syntax tree.
    """
    _OnTf1().visit(tree)


def as_on_tf1(kind: Any) -> Any:
    """Returns TensorFlow 1's class for the class of graph tensors; any other value unchanged.

    Args:
        kind: A result of `type(x)`, which may be the program's own function, or of `x.__class__`.
    """
    symbolic = getattr(loaded_module("python.framework.ops"), "SymbolicTensor", None)
    if symbolic is None or kind is not symbolic:
        return kind
    return next(base for base in kind.__mro__ if base.__name__ == _CLASS)


class _OnTf1(ast.NodeTransformer):
    """Puts calls of `as_on_tf1` around what may be the class of a graph tensor."""

    def visit_match_case(self, node: Any) -> Any:
        """Visits a case, but for its pattern, which can't have calls."""
        node.guard = node.guard and self.visit(node.guard)
        node.body = [self.visit(statement) for statement in node.body]
        return node

    def visit_Call(self, node: ast.Call) -> ast.AST:
        self.generic_visit(node)
        is_type = isinstance(node.func, ast.Name) and node.func.id == "type" and len(node.args) == 1
        return _as_on_tf1_call(node) if is_type and not node.keywords else node

    def visit_Attribute(self, node: ast.Attribute) -> ast.AST:
        self.generic_visit(node)
        is_read = isinstance(node.ctx, ast.Load) and node.attr == "__class__"
        return _as_on_tf1_call(node) if is_read else node


def _as_on_tf1_call(kind: ast.expr) -> Any:
    call: Any = ast.parse(f"__import__({__name__!r}, fromlist=['']).as_on_tf1()", mode="eval").body
    for node in ast.walk(call):
        ast.copy_location(node, kind)
    call.args.append(kind)
    return call
