"""Translates builtins that Python 3 lacks, or has under another name, or that return something else there."""

from __future__ import annotations

import ast
from typing import Callable

from tf1mem.codemod.python3.texts import Unwritable
from tf1mem.codemod.python3.translator import NAMES, Translator, is_looped_over
from tf1mem.codemod.python3.words import MOVED_BUILTINS, RENAMED_BUILTINS


class NameTranslator(Translator):
    """Translates uses of builtins."""

    def visit_Name(self, node: ast.Name) -> None:
        """Translates a builtin, if the program has no binding of its name."""
        name = node.id
        if not isinstance(node.ctx, ast.Load) or name not in NAMES or self._is_own(name):
            return
        if name == "print" and "print_function" in self._edited.future:
            return
        call = self._call_of(node)
        if name in RENAMED_BUILTINS:
            new = RENAMED_BUILTINS[name]
            if new in self._bound:
                self._python2_builtins.add(name)
            else:
                self._unless_python2.append((new, lambda: self._put(node, new, f"{name} is {new}"), name))
        elif name == "unicode" and call is None:
            if "str" in self._bound:
                raise Unwritable("unicode, where the program defines str")
            self._put(node, "str", "unicode is str")
        elif name in ("map", "zip", "range") and call is not None and (name != "map" or _is_plain_map(call)):
            if not self._is_taken(call) and not (name == "range" and is_looped_over(call, self._parents)):
                change = f"{name} returns a list"
                if "list" in self._bound:
                    self._python2_builtins.add(name)
                else:
                    self._unless_python2.append((name, lambda: self._text.wrap(call, "list(", ")", change), ""))
        elif name in MOVED_BUILTINS:
            self._imported.setdefault(MOVED_BUILTINS[name], set()).add(name)
        elif call is None or _NEEDS.get(name, _always)(call):
            self._python2_builtins.add(name)


def _always(call: ast.Call) -> bool:
    return True


def _opens_text(call: ast.Call) -> bool:
    modes = [*call.args[1:2], *(keyword.value for keyword in call.keywords if keyword.arg == "mode")]
    return not (modes and isinstance(modes[0], ast.Constant) and "b" in str(modes[0].value))


def _has_cmp(call: ast.Call) -> bool:
    return len(call.args) > 1 or any(keyword.arg in ("cmp", None) for keyword in call.keywords)


def _prints_differently(call: ast.Call) -> bool:
    is_open = any(keyword.arg == "end" for keyword in call.keywords)
    return is_open or not all(map(_is_shown_alike, call.args))


# Builtin -> function that returns True if Python 3's own would do something else in a call.
_NEEDS: dict[str, Callable[[ast.Call], bool]] = {
    "open": _opens_text,
    "sorted": _has_cmp,
    "print": _prints_differently,
}


def _is_shown_alike(node: ast.expr) -> bool:
    """Returns True if Python 3 prints an expression as Python 2 did: text without a final line end, a number."""
    if isinstance(node, ast.Constant):
        return not isinstance(node.value, bytes) and not str(node.value)[-1:].isspace()
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Mod):
        return isinstance(node.left, ast.Constant) and _is_shown_alike(node.left)
    name = getattr(getattr(node, "func", None), "id", "")
    return name in ("len", "repr", "int", "isinstance", "type", "bool")


def _is_plain_map(call: ast.Call) -> bool:
    function = call.args[0] if len(call.args) == 2 and not call.keywords else None
    return (
        function is not None
        and not any(isinstance(argument, ast.Starred) for argument in call.args)
        and not (isinstance(function, ast.Constant))
    )
