"""Python source as bytes and as tree-sitter's tree, and the way from one to the other.

tree-sitter reads Python 2 and 3, mixed tabs and broken code alike, and its nodes carry byte offsets. Looking for a word
in the bytes and then asking the tree what stands there costs a fraction of walking the tree.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from functools import cached_property
from itertools import accumulate
from typing import Iterator

from tree_sitter import Node, Parser, Query, QueryCursor, Tree

from tf1mem.codemod.source.limits import TOO_DEEP, is_too_deep
from tf1mem.codemod.source.syntax import PYTHON, ancestors, body

_BROKEN = Query(PYTHON, "[(ERROR) (MISSING)] @broken")

OF_WORDS = frozenset(bytes([byte]) for byte in range(256) if byte >= 128 or re.match(rb"\w", bytes([byte])))

# Every byte above ASCII becomes a letter of one byte: what isn't UTF-8 keeps its offsets that way.
_ONE_BYTE_LETTERS = bytes(range(128)) + b"x" * 128


_LINE_END = re.compile(rb"\r\n|\n|\r")
_LONE_RETURN = re.compile(rb"\r(?!\n)")


def readable(text: bytes) -> bytes:
    """Bytes of the same length that tree-sitter reads as Python does: UTF-8, and a line end where Python sees one."""
    if b"\r" in text:
        text = _LONE_RETURN.sub(b"\n", text)
    try:
        text.decode("utf-8")
    except UnicodeDecodeError:
        text = text.translate(_ONE_BYTE_LETTERS)
    return text


def parse(text: bytes, old: Tree | None = None) -> Tree:
    """tree-sitter's tree of Python source in any encoding that is a superset of ASCII.

    Args:
        text: The source.
        old: The tree of an earlier state, told of the edits since: only what they touch is parsed again.
    """
    parser = Parser(PYTHON)
    return parser.parse(readable(text)) if old is None else parser.parse(readable(text), old)


def broken_places(tree: Tree) -> list[Node]:
    """The nodes that tree-sitter couldn't make sense of, or had to add."""
    if not tree.root_node.has_error:
        return []
    return QueryCursor(_BROKEN).captures(tree.root_node).get("broken", [])


class Source:
    """One Python module.

    Args:
        text: Its bytes.
    """

    def __init__(self, text: bytes) -> None:
        self.text = text
        self._nodes: dict[bytes, list[Node]] = {}

    @cached_property
    def tree(self) -> Tree:
        """tree-sitter's tree.

        Raises:
            RecursionError: Brackets are nested more deeply than Python takes.
        """
        if is_too_deep(self.text):
            raise RecursionError(TOO_DEEP)
        return parse(self.text)

    @cached_property
    def newline(self) -> bytes:
        """The line end that the module uses first."""
        found = _LINE_END.search(self.text)
        return found.group() if found is not None else b"\n"

    @cached_property
    def _line_starts(self) -> list[int]:
        starts = [3 if self.text.startswith(b"\xef\xbb\xbf") else 0, *accumulate(map(len, self.text.splitlines(True)))]
        return starts if self.text.endswith((b"\n", b"\r")) else starts[:-1] or [0]

    @cached_property
    def _readable(self) -> bytes:
        return readable(self.text)

    def point(self, offset: int) -> tuple[int, int]:
        """The line and the column of an offset as tree-sitter counts them: from 0, in bytes, by line feeds only."""
        text = self._readable
        return text.count(b"\n", 0, offset), offset - (text.rfind(b"\n", 0, offset) + 1)

    def line_start(self, offset: int) -> int:
        """The offset at which the line that holds `offset` starts."""
        return self._line_starts[max(bisect_right(self._line_starts, offset) - 1, 0)]

    def line_end(self, offset: int) -> int:
        """The offset just behind the line that holds `offset`, line end included."""
        line = max(bisect_right(self._line_starts, offset), 1)
        return self._line_starts[line] if line < len(self._line_starts) else len(self.text)

    def indentation(self, offset: int) -> bytes:
        """The white space that the line of `offset` starts with."""
        start = self.line_start(offset)
        found = re.compile(rb"[ \t\f]*").match(self.text, start)
        return found.group() if found else b""

    def text_of(self, node: Node) -> bytes:
        """A node's own bytes, in the source's encoding."""
        return self.text[node.start_byte : node.end_byte]

    def decoded(self, node: Node) -> str:
        """A node's text, for names and for people; what isn't UTF-8 is replaced."""
        return self.text_of(node).decode("utf-8", "replace")

    def string(self, node: Node) -> bytes | None:
        """What a plain string literal holds; None for anything else."""
        inside = [child for child in node.named_children if child.type not in ("string_start", "string_end")]
        if node.type != "string" or len(inside) > 1 or any(child.type != "string_content" for child in inside):
            return None
        return self.text_of(inside[0]) if inside else b""

    def key(self, node: Node) -> bytes | None:
        """What a key says: a plain string what it holds, an identifier its name; None for anything else."""
        return self.text_of(node) if node.type == "identifier" else self.string(node)

    def node_at(self, start: int, end: int) -> Node | None:
        """The smallest node that covers these bytes."""
        return self.tree.root_node.descendant_for_byte_range(start, end)

    def identifier_at(self, start: int, end: int) -> Node | None:
        """The identifier that is just these bytes; None in strings, comments and inside longer words."""
        node = self.node_at(start, end)
        if node is None or node.type != "identifier" or (node.start_byte, node.end_byte) != (start, end):
            return None
        return node

    @property
    def is_broken(self) -> bool:
        """Whether anything in the module doesn't parse."""
        return self.tree.root_node.has_error

    def is_broken_at(self, offset: int) -> bool:
        """Whether the statement at an offset doesn't parse: what is seen in it may not be what it says."""
        if not self.is_broken:
            return False
        node = self.node_at(offset, offset)
        if node is None:
            return False
        chain = [node, *ancestors(node)]
        statement = next((found for found in chain if found.type.endswith(("_statement", "_definition"))), None)
        broken = any(found.type == "ERROR" or found.is_missing for found in chain)
        is_simple = statement is not None and body(statement) is None
        return broken or (is_simple and statement is not None and statement.has_error)

    def identifiers(self, word: bytes, on_lines_with: tuple[bytes, ...] = ()) -> list[Node]:
        """Every identifier of that name, in the order of the source: variables, attributes, keywords alike.

        Args:
            word: The name.
            on_lines_with: Only those on lines that have one of these, if any are given.
        """
        if on_lines_with:
            return list(self._identifiers(word, on_lines_with))
        if word not in self._nodes:
            self._nodes[word] = list(self._identifiers(word, ()))
        return self._nodes[word]

    def _is_on_a_line_with(self, offset: int, words: tuple[bytes, ...]) -> bool:
        start = self.line_start(offset)
        while self.text[max(start - 3, 0) : start].rstrip(b"\r\n").endswith(b"\\"):  # the line before goes on here
            start = self.line_start(start - 2)
        line = self.text[start : self.line_end(offset)]
        return any(word in line for word in words)

    def _identifiers(self, word: bytes, on_lines_with: tuple[bytes, ...]) -> Iterator[Node]:
        # bytes.find is many times faster than a pattern that has to look at what is around the word.
        text, length = self.text, len(word)
        start = text.find(word)
        while start >= 0:
            end = start + length
            is_word = text[start - 1 : start] not in OF_WORDS and text[end : end + 1] not in OF_WORDS
            if is_word and (not on_lines_with or self._is_on_a_line_with(start, on_lines_with)):
                node = self.identifier_at(start, end)
                if node is not None:
                    yield node
            start = text.find(word, end)
