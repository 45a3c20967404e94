"""Writes Python 2's syntax as Python 3's, by edits within lines, so that every line keeps its number.

fissix, the maintained fork of lib2to3, parses; its fixers are not used, since they move lines. Where Python 3 has no
syntax for a target, as in `def f(a, (b, c))`, a name takes its place, and `meaning` unpacks it in the tree.
"""

from __future__ import annotations

import re
from typing import Any, Dict, Iterator, NamedTuple, Set

from fissix import pygram, pytree
from fissix.pgen2 import driver, parse, token, tokenize

from tf1mem.era.python2 import RUNTIME_NAME, future_imports

_KINDS = pygram.python_symbols
_OCTAL = re.compile(r"0([0-7]+)[lL]?")
_STRING = re.compile(r"""([a-zA-Z]*)(['"])""")
# An escape in a string; group 1 if only unicode strings know it.
_NO_ESCAPE = re.compile(r"\\(?:([uUN])|.)", re.DOTALL)


class Edited(NamedTuple):
    """A source that Python 3 can parse.

    Attributes:
        text: The edited source.
        changes: Numbers of the edited lines.
        places: Placeholder names in the text, with the targets of Python 2 that they replace.
        future: Names that the file imports from `__future__`.
        in_strings: Numbers of the lines that begin inside a string.
        is_python2: True if it has syntax that no Python 3 accepts.
    """

    text: str
    changes: Set[int]
    places: Dict[str, str]
    future: Set[str]
    in_strings: Set[int]
    is_python2: bool

    def without_tabs(self) -> Edited:
        """Returns a copy with indentation by Python 2's rule, where a tab goes to the next multiple of 8."""
        lines = self.text.split("\n")
        changes = set(self.changes)
        for number, line in enumerate(lines, 1):
            code = line.lstrip(" \t")
            indent = line[: len(line) - len(code)]
            if "\t" in indent and number not in self.in_strings:
                lines[number - 1] = indent.expandtabs() + code
                changes.add(number)
        return self._replace(text="\n".join(lines), changes=changes, is_python2=True)


def edited(text: str, editor: type[Editor] | None = None, *, future: frozenset[str] = frozenset()) -> Edited | None:
    """Returns a text with Python 2's syntax written as Python 3's; None if Python 2 doesn't parse it.

    Args:
        text: The source, with the line ends that Python reads.
        editor: Class that edits; default: `Editor`.
        future: Features of `__future__` that are on, besides the source's own imports.
    """
    text = text if text.endswith("\n") else text + "\n"
    holds = {*future, *future_imports(text)}
    grammar = pygram.python_grammar_no_print_statement if "print_function" in holds else pygram.python_grammar
    try:
        tree = driver.Driver(grammar, convert=pytree.convert).parse_string(text)
    except (parse.ParseError, tokenize.TokenError, IndentationError):
        return None
    return (editor or Editor)(text, holds).edit(tree)


class Editor:
    """Edits the leaves of a tree so that the text can be compiled.

    Args:
        text: The source, in Python 2.
        future: Names that it imports from `__future__`.
    """

    _NOTHING = ""  # the text of a leaf that is removed, since a placeholder name stands for its target

    def __init__(self, text: str, future: set[str]) -> None:
        self._text = text
        self._future = future
        self._places: dict[str, str] = {}
        # By the position of a leaf: the leaf, and the texts before, in place of and after it.
        self._leaves: dict[tuple[int, int], list[Any]] = {}
        self._in_strings: set[int] = set()
        self._is_python2 = False

    def edit(self, tree: Any) -> Edited:
        """Returns the edited text of a tree."""
        waiting = [tree]
        while waiting:
            node = waiting.pop()
            if not node.children:
                self._leaf(node)
            elif self._node(node):
                waiting.extend(reversed(node.children))
        starts = [0]
        for row in self._text.split("\n"):
            starts.append(starts[-1] + len(row) + 1)
        parts, position = [], 0
        for (line, column), (leaf, before, value, behind) in sorted(self._leaves.items()):
            start = starts[line - 1] + column
            parts += [self._text[position:start], before, value, behind]
            position = start + len(leaf.value)
        text = "".join([*parts, self._text[position:]])
        changes = {line for line, _ in self._leaves}
        return Edited(text, changes, self._places, self._future, self._in_strings, self._is_python2)

    def _write(
        self, leaf: Any, before: str = "", value: str | None = None, behind: str = "", *, is_sign: bool = True
    ) -> None:
        self._is_python2 |= is_sign
        entry = self._leaves.setdefault((leaf.lineno, leaf.column), [leaf, "", leaf.value, ""])
        entry[1] += before
        entry[2] = entry[2] if value is None else value
        entry[3] = behind + entry[3]

    def _around(self, node: Any, before: str, behind: str) -> None:
        self._write(first(node), before=before)
        self._write(last(node), behind=behind)

    def _leaf(self, leaf: Any) -> None:
        """Edits a literal or an operator that Python 3 writes differently."""
        value = leaf.value
        if leaf.type == token.NUMBER:
            octal = _OCTAL.fullmatch(value)
            if octal and value != "0" and value.strip("0lL"):
                self._write(leaf, value="0o" + octal[1])
            elif value[-1] in "lL":
                self._write(leaf, value="0" if octal else value[:-1])
        elif leaf.type == token.STRING:
            self._string(leaf)
        elif leaf.type == token.NOTEQUAL and value == "<>":
            self._write(leaf, value="!=")
        elif value == "print" and "print_function" not in self._future and leaf.parent.type != _KINDS.print_stmt:
            self._bare_print(leaf)

    def _bare_print(self, leaf: Any) -> None:
        self._write(leaf, value=f"{RUNTIME_NAME}.shown()", is_sign=False)

    def _string(self, leaf: Any) -> None:
        value = leaf.value
        lines = value.count("\n")
        self._in_strings.update(range(leaf.lineno + 1, leaf.lineno + lines + 1))
        match = _STRING.match(value)
        assert match is not None
        prefix, body = match[1], value[match.end(1) :]
        kind = prefix.lower()
        if kind == "ur":
            self._write(leaf, value="r" + body)
        elif not kind and "unicode_literals" not in self._future:
            # In a string that isn't unicode, \u is two characters.
            kept = _NO_ESCAPE.sub(lambda escape: "\\" + escape[0] if escape[1] else escape[0], body)
            if kept != body:
                self._write(leaf, value=kept, is_sign=False)

    def _node(self, node: Any) -> bool:
        """Edits a node; returns True if the leaves below it still need a visit."""
        edit = _EDITS.get(node.type)
        return edit is None or getattr(self, edit)(node) is not False

    def _print(self, node: Any) -> None:
        word, *values = node.children
        function = "shown"
        is_sign = first(values[0]).type != token.LPAR  # print (a), b is Python 3, too
        if values[0].type == token.RIGHTSHIFT:
            function = "shown_to"
            self._write(values[0], value="")
        self._write(word, value=f"{RUNTIME_NAME}.{function}(", is_sign=is_sign)
        if values[-1].type == token.COMMA:
            self._write(values[-1], value=", newline=False)", is_sign=is_sign)
        else:
            self._write(last(node), behind=")", is_sign=is_sign)

    def _exec(self, node: Any) -> None:
        word, code, *scope_arguments = node.children
        if not scope_arguments and code.type == _KINDS.atom and code.children[0].type == token.LPAR:
            return  # exec (code, globals)
        self._write(word, value="exec(")
        if scope_arguments:
            self._write(scope_arguments[0], value=",")
        self._write(last(node), behind=")")

    def _except(self, node: Any) -> None:
        if len(node.children) == 4 and node.children[2].type == token.COMMA:
            self._write(node.children[2], value=" as ")
            target = node.children[3]
            if target.type != token.NAME:
                self._place(target)

    def _raise(self, node: Any) -> None:
        if len(node.children) > 2 and node.children[2].type == token.COMMA:
            self._write(first(node.children[1]), before=f"{RUNTIME_NAME}.raised(")
            self._write(last(node), behind=")")

    def _atom(self, node: Any) -> None:
        if node.children[0].type == token.BACKQUOTE:
            self._write(node.children[0], value="repr((")
            self._write(node.children[-1], value="))")

    def _for(self, node: Any) -> None:
        over = node.children[[str(child).strip() for child in node.children].index("in") + 1]
        if over.type == _KINDS.testlist_safe:
            self._around(over, "(", ")")

    def _parameter(self, node: Any) -> bool:
        left, inner, right = node.children
        if inner.type in (_KINDS.tfplist, _KINDS.vfplist):
            self._place(node)
            return False
        self._write(left, value="")
        self._write(right, value="")
        return True

    def _place_name(self, node: Any) -> str:
        return f"__tf1mem_place_{len(self._places)}__"

    def _place(self, node: Any) -> None:
        """Puts a placeholder name where Python 3 accepts no targets."""
        name = self._place_name(node)
        self._places[name] = str(node).strip()
        leading, *others = leaves(node)
        self._write(leading, value=name)
        for leaf in others:
            self._write(leaf, value=self._NOTHING)


# Node type of fissix's grammar -> the method that edits such nodes.
_EDITS: Dict[int, str] = {
    _KINDS.print_stmt: "_print",
    _KINDS.exec_stmt: "_exec",
    _KINDS.except_clause: "_except",
    _KINDS.raise_stmt: "_raise",
    _KINDS.atom: "_atom",
    _KINDS.comp_for: "_for",
    _KINDS.tfpdef: "_parameter",
    _KINDS.vfpdef: "_parameter",
}


def leaves(node: Any) -> Iterator[Any]:
    """Yields a node's leaves, in the order of the text."""
    if not node.children:
        yield node
    for child in node.children:
        yield from leaves(child)


def first(node: Any) -> Any:
    """Returns the leaf that a node begins with."""
    return next(leaves(node))


def last(node: Any) -> Any:
    """Returns the leaf that a node ends with."""
    while node.children:
        node = node.children[-1]
    return node
