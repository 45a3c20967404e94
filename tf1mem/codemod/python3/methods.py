"""Translates methods that Python 3 lacks, as `d.has_key(k)`, or that return something else there, as `d.keys()`."""

from __future__ import annotations

import ast

from tf1mem.codemod.python3.known import LAZY
from tf1mem.codemod.python3.texts import CLOSING, OPENING, PLACE
from tf1mem.codemod.python3.translator import Translator, is_looped_over
from tf1mem.era.python2.meaning import VIEWS
from tf1mem.era.scopes import bound_in


class Methods(Translator):
    """Translates calls of methods."""

    def visit_Call(self, node: ast.Call) -> None:
        """Translates a call of a method that Python 3 lacks, or that returns something else there."""
        function = node.func
        if isinstance(function, ast.Attribute):
            if function.attr == "has_key" and len(node.args) == 1:
                self._has_key(node, function)
                return
            self._method(node, function)
        self.generic_visit(node)

    def _has_key(self, node: ast.Call, function: ast.Attribute) -> None:
        """Writes `d.has_key(k)` as `k in d` if `d` is surely a dict, else by a helper that looks at its type."""
        if not self._known.is_dict(function.value):
            self._with_itself(node, function, "has_key", "has_key is in, unless the object has a has_key")
            self.generic_visit(node)
            return
        pieces, waiting = len(self._text.pieces), len(self._unless_python2)
        self.generic_visit(node)
        key, start, end = node.args[0], self._text.start(node), self._text.end(node)
        is_simple = isinstance(key, (ast.Attribute, ast.BinOp, ast.Call, ast.Constant, ast.Name, ast.Subscript))
        if not is_simple or "\n" in self._text.text[start:end] or len(self._unless_python2) > waiting:
            self._name_method(function, "__contains__")
            return
        shown = self._text.rendered(self._text.start(key), self._text.end(key))
        owner = self._text.rendered(start, self._dot(function))
        del self._text.pieces[pieces:]
        around = (ast.Assign, ast.BoolOp, ast.Call, ast.If, ast.Return, ast.While)
        replacement = f"{shown} in {owner}"
        self._put(
            node, replacement if isinstance(self._parents[id(node)], around) else f"({replacement})", "has_key is in"
        )

    def _method(self, node: ast.Call, function: ast.Attribute) -> None:
        """Writes the call of a method that Python 3 removed, or changed, on an object of unknown type."""
        name = function.attr
        has_no_arguments = not (node.args or node.keywords)
        if name in VIEWS and has_no_arguments:
            parent = self._parents.get(id(node))
            is_lists = not isinstance(parent, ast.Attribute) or hasattr(list, parent.attr)
            if is_lists and not self._is_taken(node):
                self._listed(node, function)
        elif name in LAZY and has_no_arguments and name not in self._bound:
            self._name_method(function, LAZY[name])
            if name.startswith("iter") and not (self._is_taken(node) or is_looped_over(node, self._parents)):
                change = f"{name} is {LAZY[name]}"
                if "iter" in self._bound:
                    self._text.write(self._text.end(node), CLOSING, ".__iter__()", change)
                else:
                    self._text.wrap(node, "iter(", ")", change)
        elif name == "next" and has_no_arguments and not self._is_module(function.value):
            is_plain = self._known.is_iterator(function.value) and "next" not in self._bound_outside_classes()
            before = "next(" if is_plain else self._helper("next(")
            self._text.write(self._text.start(node), OPENING, before, "next is called")
            self._text.write(self._dot(function), PLACE, ")", "next is called", self._text.end(node))
        elif name == "sort" and (node.args or any(keyword.arg == "cmp" for keyword in node.keywords)):
            self._with_itself(node, function, "sort", "sort takes a comparison function")
        elif name == "decode" and not self._is_module(function.value):
            self._with_itself(node, function, "decoded", "text is already decoded")

    def _listed(self, node: ast.Call, function: ast.Attribute) -> None:
        is_plain = self._known.is_dict(function.value) and "list" not in self._bound
        before = "list(" if is_plain else self._helper("listed(")
        self._text.wrap(node, before, ")", f"{function.attr} returns a list")

    def _name_method(self, function: ast.Attribute, new: str) -> None:
        end = self._text.end(function)
        self._text.write(end - len(function.attr), PLACE, new, f"{function.attr} is {new}", end)

    def _with_itself(self, node: ast.Call, function: ast.Attribute, helper: str, change: str) -> None:
        """Writes `owner.method(a)` as `helper(owner, a)`."""
        dot, end = self._dot(function), self._text.end(function)
        bracket = end + self._text.text[end:].index("(")
        self._text.write(self._text.start(node), OPENING, self._helper(helper + "("), change)
        self._text.write(dot, PLACE, ", " if node.args or node.keywords else "", change, bracket + 1)

    def _dot(self, function: ast.Attribute) -> int:
        end = self._text.end(function) - len(function.attr)
        return self._text.text.rindex(".", 0, end)

    def _is_module(self, node: ast.expr) -> bool:
        return isinstance(node, ast.Name) and self._module(node.id) != ""

    def _bound_outside_classes(self) -> set[str]:
        return {name for scope, _ in self._scopes if not isinstance(scope, ast.ClassDef)
                for name in bound_in(scope, set())}  # fmt: skip
