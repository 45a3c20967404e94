"""Writes Python 2's syntax as a person writes Python 3's, with every line in its place."""

from __future__ import annotations

import re
from typing import Any

from fissix.pgen2 import token

from tf1mem.codemod.python3.words import HELPERS
from tf1mem.era.python2.syntax import Edited, Editor, edited, first, last, leaves

# Markers in the text: blanks after _AFTER are removed, and blanks before _BEFORE.
_AFTER, _BEFORE = "\0", "\1"
_BLANKS = re.compile(f"[ \t]*{_BEFORE}|{_AFTER}[ \t{_AFTER}]*")


def written(text: str) -> Edited | None:
    """Returns Python 2's syntax written as Python 3's; None if the text isn't Python 2.

    Args:
        text: The source, in Python 2.
    """
    done = edited(text, _Writer)
    return None if done is None else done._replace(text=_BLANKS.sub("", done.text))


class _Writer(Editor):
    """Edits the leaves of a tree, so that the result reads as if a person had written it."""

    _NOTHING = _AFTER  # also removes the blanks after the removed leaf

    def _bare_print(self, leaf: Any) -> None:
        self._write(leaf, value="print()", is_sign=False)

    def _print(self, node: Any) -> None:
        word, *values = node.children
        behind = ""
        if values[0].type == token.RIGHTSHIFT:
            behind = f"file={str(values[1]).strip()}"
            for leaf in (part for value in values[:3] for part in leaves(value)):
                self._write(leaf, value=_AFTER)
            values = values[3:]
        elif len(values) == 1 and _is_one_in_brackets(values[0]):
            return  # already Python 3
        self._write(word, value="print(" + _AFTER)
        if values and values[-1].type == token.COMMA:
            behind = ", ".join(filter(None, (behind, 'end=" "')))
            self._write(values.pop(), value=_BEFORE)
        if behind and values:
            behind = ", " + behind
        self._write(last(node), behind=behind + ")")

    def _exec(self, node: Any) -> None:
        word, code, *scope_arguments = node.children
        if not scope_arguments and len(code.children) == 3 and code.children[0].type == token.LPAR:
            return
        self._write(word, value="exec(" + _AFTER)
        if scope_arguments:
            self._write(scope_arguments[0], value=_BEFORE + ",")
        self._write(last(node), behind=")")

    def _except(self, node: Any) -> None:
        super()._except(node)
        if len(node.children) == 4 and node.children[2].type == token.COMMA:
            self._write(node.children[2], value=" as " + _AFTER)

    def _raise(self, node: Any) -> None:
        if len(node.children) > 2 and node.children[2].type == token.COMMA:
            is_one = first(node.children[1]).type != token.LPAR  # `raise (E, F), x` raises E
            if is_one and len(node.children) == 4 and _is_text(node.children[3]):
                self._write(node.children[2], value=_BEFORE + "(" + _AFTER)
            else:
                self._write(first(node.children[1]), before=f"{HELPERS}.raised(")
            self._write(last(node), behind=")")

    def _atom(self, node: Any) -> None:
        if node.children[0].type == token.BACKQUOTE:
            is_tuple = any(leaf.type == token.COMMA for leaf in node.children[1].children)
            self._write(node.children[0], value="repr((" if is_tuple else "repr(")
            self._write(node.children[-1], value="))" if is_tuple else ")")

    def _place_name(self, node: Any) -> str:
        # Such as `b_c`, the name that takes the place of (b, c) in `def f(a, (b, c))`.
        name = "_".join(leaf.value for leaf in leaves(node) if leaf.type == token.NAME)
        while name in self._places or re.search(rf"\b{name}\b", self._text):
            name += "_"
        return name


def _is_one_in_brackets(value: Any) -> bool:
    """Returns True if `print (x)` means the same in Python 2 and 3."""
    if not value.children or first(value) is not value.children[0] or first(value).type != token.LPAR:
        return False
    inner = value.children[1:-1]
    return len(value.children) == 3 and not any(leaf.type == token.COMMA for leaf in inner[0].children)


def _is_text(value: Any) -> bool:
    """Returns True for a string, or a formatted one."""
    if value.type == token.STRING:
        return True
    parts = value.children
    return (
        bool(parts)
        and parts[0].type == token.STRING
        and (parts[1].type in (token.STRING, token.PERCENT) or str(parts[1]).startswith(".format"))
    )
