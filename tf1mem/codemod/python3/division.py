"""Translates `a / b` and `a /= b`, which rounded the quotient of integers down in Python 2."""

from __future__ import annotations

import ast
import re
from typing import Any

from tf1mem.codemod.python3.texts import CLOSING, PLACE, STATEMENT, Unwritable
from tf1mem.codemod.python3.translator import Translator


class Division(Translator):
    """Translates divisions."""

    def visit_BinOp(self, node: ast.BinOp) -> None:
        """Translates `a / b`."""
        if self._divides(node.op) and not (self._is_float(node.left) or self._is_float(node.right)):
            sign = self._sign(node.left, node.right, "/")
            if _is_integer(node.left) and _is_integer(node.right):
                self._text.write(sign, PLACE, "//", "integers are divided", sign + 1)
            else:
                self._text.wrap(node, self._helper("divided("), ")", "/ divides integers as in Python 2")
                before = len(self._text.text[:sign].rstrip(" "))
                self._text.write(before, PLACE, ",", "/ divides integers as in Python 2", sign + 1)
        self.generic_visit(node)

    def visit_AugAssign(self, node: ast.AugAssign) -> None:
        """Translates `a /= b`."""
        self.generic_visit(node)
        if not self._divides(node.op) or self._is_float(node.value) or self._is_float(node.target):
            return
        change = "/= divides integers as in Python 2"
        target: Any = node.target
        sign = self._sign(target, node.value, "/=")
        if any(isinstance(part, ast.Call) for part in ast.walk(target)):
            if not isinstance(target, ast.Subscript) or isinstance(target.slice, (ast.Slice, ast.Tuple)):
                raise Unwritable("/= on a target with a call")
            bracket = self._sign(target.value, target.slice, "[")
            self._text.write(self._text.start(node), STATEMENT, self._helper("divided_item("), change)
            self._text.write(bracket, PLACE, ", ", change, bracket + 1)
            end = self._text.end(target)
            self._text.write(end - 1, PLACE, "", change, end)
            before = len(self._text.text[:sign].rstrip(" "))
            self._text.write(max(before, end), PLACE, ",", change, sign + 2)
        else:
            shown = self._text.rendered(self._text.start(target), self._text.end(target))
            self._text.write(sign, PLACE, f"= {self._helper('divided_in_place(')}{shown},", change, sign + 2)
        self._text.write(self._text.end(node), CLOSING, ")", change)

    def _is_float(self, node: ast.expr) -> bool:
        return self._floats.is_float(node)

    def _divides(self, op: ast.operator) -> bool:
        return isinstance(op, ast.Div) and "division" not in self._edited.future

    def _sign(self, left: Any, right: Any, sign: str) -> int:
        """Returns the offset of a sign between two nodes; signs in comments don't count."""
        start, end = self._text.end(left), self._text.start(right)
        between = re.sub(r"#[^\n]*", lambda comment: " " * len(comment[0]), self._text.text[start:end])
        return start + between.index(sign)


def _is_integer(node: ast.expr) -> bool:
    if isinstance(node, ast.Constant):
        return type(node.value) is int
    if isinstance(node, ast.UnaryOp):
        return _is_integer(node.operand)
    if isinstance(node, ast.BinOp) and isinstance(
        node.op, (ast.Add, ast.Sub, ast.Mult, ast.Mod, ast.FloorDiv, ast.Div)
    ):
        return _is_integer(node.left) and _is_integer(node.right)
    return isinstance(node, ast.Call) and getattr(node.func, "id", "") in ("len", "ord")
