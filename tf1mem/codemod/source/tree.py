"""Python source as bytes and as tree-sitter's tree, and the mapping between them.

tree-sitter reads Python 2 and 3, mixed tabs and broken code, and its nodes have byte offsets. To search the bytes for a
word, and then look up the node at its offset, takes a fraction of the time of walking the tree.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from functools import cached_property
from itertools import accumulate, chain
from typing import Iterator

from tree_sitter import Node, Parser, Query, QueryCursor, Tree

from tf1mem.codemod.source.limits import TOO_DEEP, is_too_deep
from tf1mem.codemod.source.syntax import PYTHON, ancestors, body

_BROKEN = Query(PYTHON, "[(ERROR) (MISSING)] @broken")

# The bytes that may belong to a name: ASCII letters, digits and the underscore, and every byte above ASCII.
_WORD_BYTES = frozenset(byte for byte in range(256) if byte >= 128 or re.match(rb"\w", bytes([byte])))

# Each byte above ASCII becomes a letter of one byte, so that text that isn't UTF-8 keeps its offsets.
_ONE_BYTE_LETTERS = bytes(range(128)) + b"x" * 128


# The names after the word import, to the end of its line or bracket; and names beside a dot.
_IMPORTED = re.compile(rb"import\b(?:\s*\([^)]*|(?:[^\n\\]|\\\r?\n|\\.)*)")
_BESIDE_A_DOT = re.compile(rb"([\w\x80-\xff]+)\.|\.([\w\x80-\xff]+)")
_CASE = re.compile(rb"[\r\n][ \t\f]*case\b")
_LINE_END = re.compile(rb"\r\n|\n|\r")
_LONE_RETURN = re.compile(rb"\r(?!\n)")


def readable(text: bytes) -> bytes:
    """Returns bytes of equal length that tree-sitter reads as Python does: as UTF-8, with the same line ends."""
    if b"\r" in text:
        text = _LONE_RETURN.sub(b"\n", text)
    try:
        text.decode("utf-8")
    except UnicodeDecodeError:
        text = text.translate(_ONE_BYTE_LETTERS)
    return text


def occurrences(text: bytes, word: bytes) -> Iterator[int]:
    """Yields the offsets of a word where it is no part of a longer one: in code, in strings and in comments."""
    if not word:
        return  # tree-sitter inserts a name without text where the source lacks one
    find, size, last = text.find, len(word), len(text)
    start = find(word)  # many times faster than a pattern that also tests the characters around the word
    while start >= 0:
        end = start + size
        if (end == last or text[end] not in _WORD_BYTES) and (not start or text[start - 1] not in _WORD_BYTES):
            yield start
        start = find(word, end)


def parse(text: bytes, old: Tree | None = None) -> Tree:
    """Returns tree-sitter's tree of Python source, in any encoding that is a superset of ASCII.

    Args:
        text: The source.
        old: The tree of an earlier source, after `Tree.edit` for each change since: only changed parts are parsed. None
            to parse everything.
    """
    parser = Parser(PYTHON)
    return parser.parse(readable(text)) if old is None else parser.parse(readable(text), old)


def broken_places(tree: Tree) -> list[Node]:
    """Returns the nodes that tree-sitter couldn't parse, or had to add."""
    if not tree.root_node.has_error:
        return []
    return QueryCursor(_BROKEN).captures(tree.root_node).get("broken", [])


class Source:
    """One Python module.

    Args:
        text: The module's bytes. Offsets in them begin at 0.
    """

    def __init__(self, text: bytes) -> None:
        self.text = text
        self._nodes: dict[bytes, list[Node]] = {}

    @cached_property
    def tree(self) -> Tree:
        """The tree of tree-sitter.

        Raises:
            RecursionError: Brackets are nested more deeply than Python accepts.
        """
        if is_too_deep(self.text):
            raise RecursionError(TOO_DEEP)
        return parse(self.text)

    @cached_property
    def newline(self) -> bytes:
        """The line end that the module uses first."""
        match = _LINE_END.search(self.text)
        return match.group() if match is not None else b"\n"

    @cached_property
    def _line_starts(self) -> list[int]:
        """The offset at which each line starts; the first one after a byte order mark."""
        starts = [3 if self.text.startswith(b"\xef\xbb\xbf") else 0, *accumulate(map(len, self.text.splitlines(True)))]
        return starts if self.text.endswith((b"\n", b"\r")) else starts[:-1] or [0]

    @cached_property
    def _readable(self) -> bytes:
        return readable(self.text)

    def point(self, offset: int) -> tuple[int, int]:
        """Returns an offset's line and column as tree-sitter counts: from 0, in bytes, with line feeds as line ends."""
        text = self._readable
        return text.count(b"\n", 0, offset), offset - (text.rfind(b"\n", 0, offset) + 1)

    def line_start(self, offset: int) -> int:
        """Returns the offset at which the line of `offset` starts."""
        return self._line_starts[max(bisect_right(self._line_starts, offset) - 1, 0)]

    def line_end(self, offset: int) -> int:
        """Returns the offset just after the line of `offset`, line end included."""
        line = max(bisect_right(self._line_starts, offset), 1)
        return self._line_starts[line] if line < len(self._line_starts) else len(self.text)

    def indentation(self, offset: int) -> bytes:
        """Returns the white space at the start of the line of `offset`."""
        start = self.line_start(offset)
        match = re.compile(rb"[ \t\f]*").match(self.text, start)
        return match.group() if match else b""

    def text_of(self, node: Node) -> bytes:
        """Returns a node's bytes, in the source's encoding."""
        return self.text[node.start_byte : node.end_byte]

    def decoded(self, node: Node) -> str:
        """Returns a node's text, for names and for people; bytes that aren't UTF-8 are replaced."""
        return self.text_of(node).decode("utf-8", "replace")

    def string(self, node: Node) -> bytes | None:
        """Returns the content of a string literal, with escapes as written; None for anything else.

        An f-string with expressions, and strings side by side, are something else.
        """
        inside = [child for child in node.named_children if child.type not in ("string_start", "string_end")]
        if node.type != "string" or len(inside) > 1 or any(child.type != "string_content" for child in inside):
            return None
        return self.text_of(inside[0]) if inside else b""

    def key(self, node: Node) -> bytes | None:
        """Returns the key that a node spells: a string literal's content, or an identifier; None for anything else."""
        return self.text_of(node) if node.type == "identifier" else self.string(node)

    def node_at(self, start: int, end: int) -> Node | None:
        """Returns the smallest node that covers these bytes."""
        return self.tree.root_node.descendant_for_byte_range(start, end)

    def identifier_at(self, start: int, end: int) -> Node | None:
        """Returns the identifier of exactly these bytes; None in strings, comments and longer words."""
        node = self.node_at(start, end)
        if node is None or node.type != "identifier" or (node.start_byte, node.end_byte) != (start, end):
            return None
        return node

    @property
    def is_broken(self) -> bool:
        """True if anything in the module doesn't parse."""
        return self.tree.root_node.has_error

    def is_broken_at(self, offset: int) -> bool:
        """Returns True if the statement at an offset doesn't parse, so that its nodes may be wrong."""
        if not self.is_broken:
            return False
        node = self.node_at(offset, offset)
        if node is None:
            return False
        around = [node, *ancestors(node)]
        statement = next((above for above in around if above.type.endswith(("_statement", "_definition"))), None)
        broken = any(above.type == "ERROR" or above.is_missing for above in around)
        is_simple = statement is not None and body(statement) is None
        return broken or (is_simple and statement is not None and statement.has_error)

    def identifiers(self, word: bytes, on_lines_with: tuple[bytes, ...] = ()) -> list[Node]:
        """Returns every identifier of a name, in the order of the source: variables, attributes and keywords.

        Args:
            word: The name.
            on_lines_with: Only identifiers on lines with one of these words; all if empty.
        """
        if on_lines_with:
            return list(self._identifiers(word, on_lines_with))
        if word not in self._nodes:
            self._nodes[word] = list(self._identifiers(word, ()))
        return self._nodes[word]

    def candidates(self, word: bytes) -> list[Node]:
        """Returns the identifiers of a name that may bind it: not the names beside a dot, as in `name.a` and `a.name`.

        Most uses of an imported module are beside a dot, and this makes no nodes for them.
        """
        if word in self._nodes or self._dotted is None or word in self._dotted:
            return self.identifiers(word)
        text, size = self.text, len(word)
        nodes = []
        for start in occurrences(text, word):
            if text[start + size : start + size + 1] != b"." and text[start - 1 : start] != b".":
                node = self.identifier_at(start, start + size)
                if node is not None:
                    nodes.append(node)
        return nodes

    @cached_property
    def _dotted(self) -> frozenset[bytes] | None:
        """The names beside a dot that may bind: those in imports; None, if any may, for broken source and patterns."""
        if self.is_broken or (b"match" in self.text and _CASE.search(self.text) is not None):
            return None
        dotted = [tail for tail in _IMPORTED.findall(self.text) if b"." in tail]
        return frozenset(chain.from_iterable(_BESIDE_A_DOT.findall(b"\n".join(dotted))))

    def _is_on_a_line_with(self, offset: int, words: tuple[bytes, ...]) -> bool:
        start = self.line_start(offset)
        while self.text[max(start - 3, 0) : start].rstrip(b"\r\n").endswith(b"\\"):  # a continued line
            start = self.line_start(start - 2)
        line = self.text[start : self.line_end(offset)]
        return any(word in line for word in words)

    def _identifiers(self, word: bytes, on_lines_with: tuple[bytes, ...]) -> Iterator[Node]:
        for start in occurrences(self.text, word):
            if not on_lines_with or self._is_on_a_line_with(start, on_lines_with):
                node = self.identifier_at(start, start + len(word))
                if node is not None:
                    yield node
