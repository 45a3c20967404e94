"""`type(x) is tf.Tensor` in a program: true of a graph's tensors, as it was on TensorFlow 1.

From 2.13 on they are of a class below it.
"""

from __future__ import annotations

import ast
from typing import Any

from tf1mem.machine.modules import loaded_module

_CLASS = "Tensor"


def may_compare(source: bytes) -> bool:
    """Whether a file may compare something with it: cheaply, and wrong on the safe side."""
    return _CLASS.encode() in source


def rewrite_comparisons(tree: ast.Module) -> None:
    """Has what a program compares with `tf.Tensor` be the class that it was, in place.

    Args:
        tree: A module's syntax tree.
    """
    for node in ast.walk(tree):
        if isinstance(node, ast.Compare):
            sides = [node.left, *node.comparators]
            if any(map(_names_the_class, sides)):
                node.left, *node.comparators = map(_asked, sides)


def as_on_tf1(kind: Any) -> Any:
    """The class of a graph's tensors as TensorFlow 1 has it; anything else is given back.

    Args:
        kind: What is compared: `type(x)`, or what a program has under the name `Tensor`.
    """
    symbolic = getattr(loaded_module("python.framework.ops"), "SymbolicTensor", None)
    if symbolic is None or kind is not symbolic:
        return kind
    return next(one for one in kind.__mro__ if one.__name__ == _CLASS)


def _names_the_class(side: Any) -> bool:
    if isinstance(side, (ast.List, ast.Set, ast.Tuple)):
        return any(map(_names_the_class, side.elts))
    return getattr(side, "attr", getattr(side, "id", "")) == _CLASS


def _asked(side: Any) -> Any:
    if isinstance(side, ast.Constant):
        return side
    if isinstance(side, (ast.List, ast.Set, ast.Tuple)):
        side.elts = list(map(_asked, side.elts))
        return side
    call: Any = ast.parse(f"__import__({__name__!r}, fromlist=['']).as_on_tf1()", mode="eval").body
    for node in ast.walk(call):
        ast.copy_location(node, side)
    call.args.append(side)
    return call
