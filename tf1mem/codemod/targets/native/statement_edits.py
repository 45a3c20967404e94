"""Replaces statements by lines of code, or puts lines before them, in the file's own style."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Iterator, Sequence

from tree_sitter import Node

from tf1mem.codemod.results import Edit
from tf1mem.codemod.source.edits import insert
from tf1mem.codemod.source.removal import leaves_empty_block
from tf1mem.codemod.source.syntax import BLOCKS, ancestors, comments
from tf1mem.codemod.source.tree import Source
from tf1mem.codemod.targets.native.field_values import InexpressibleError

if TYPE_CHECKING:
    from tf1mem.codemod.facts.module import Facts

# Nodes whose parts may be evaluated never, several times, or only after other parts of the same statement.
_NOT_ONCE = (
    "lambda", "conditional_expression", "boolean_operator", "elif_clause", "except_clause", "await",
    "assert_statement", "case_clause",
)  # fmt: skip
_STEP = re.compile(
    rb"(?m)^([ \t]*)(?:if|for|while|def|class|with|try|else|elif)\b[^\n]*:[ \t]*(?:#[^\n]*)?\r?\n\1([ \t]+)\S"
)
_NAMES_OF_GPUS = re.compile(rb"\A(?:physical_|each_|all_)?(gpus?)(?:_device(s?))?\Z")
_LAYOUT = re.compile(rb"[\s'\"]+|,(?=[)\]])")


def indent_step(facts: Facts) -> bytes:
    """Returns the indentation of a block in this file."""
    match = _STEP.search(facts.source.text)
    return match.group(2) if match is not None else b"    "


def evaluating_statement(node: Node) -> Node:
    """Returns the statement of a block that evaluates an expression once, before any other effect.

    Raises:
        InexpressibleError: There is none: in a lambda, a condition of `elif` or `while`, a parameter's default.
    """
    child = node
    for above in ancestors(node):
        if above.type in BLOCKS:
            if child.type in ("function_definition", "class_definition", "decorated_definition", "while_statement"):
                break
            if b":=" in (child.text or b"")[: node.start_byte - child.start_byte]:
                break
            return child
        if above.type == "with_clause" and above.named_children[0] != child:
            break  # it may need the items before it
        if above.type in _NOT_ONCE or above.type.endswith("_comprehension") or above.type == "generator_expression":
            break
        child = above
    raise InexpressibleError("tf.config calls can't be placed before it")


class Sites:
    """The statements that a construct changes.

    Args:
        facts: The module's facts.
    """

    def __init__(self, facts: Facts) -> None:
        self.facts = facts
        self._lines: dict[int, list[str]] = {}
        self._statements: dict[int, Node] = {}
        self._removed: set[int] = set()

    def insert_before(self, statement: Node, lines: Sequence[str]) -> None:
        """Inserts lines before a statement."""
        self._check(statement)
        self._lines[statement.start_byte].extend(lines)

    def remove(self, statement: Node) -> None:
        """Removes a statement."""
        self._check(statement)
        self._removed.add(statement.start_byte)

    def keep_comments(self, argument: Node) -> None:
        """Moves the comments of a removed argument above its statement."""
        kept = [self.facts.text(comment).decode("latin-1") for comment in comments(argument)]
        if kept:
            statement = evaluating_statement(argument)
            self._check(statement)
            self._lines[statement.start_byte][:0] = kept

    def removes(self, node: Node) -> bool:
        """Returns True if a node lies in a removed statement."""
        return any(
            place in self._removed and statement.start_byte <= node.start_byte < statement.end_byte
            for place, statement in self._statements.items()
        )

    @property
    def removed(self) -> list[Node]:
        """Returns the removed statements."""
        return [self._statements[place] for place in self._removed]

    def edits(self) -> Iterator[Edit]:
        """Yields the edits of all insertions and removals."""
        for place in sorted(self._statements):
            statement = self._statements[place]
            yield from self._replaced(statement) if place in self._removed else self._preceded(statement)

    def can_change(self, statement: Node) -> bool:
        """Returns True if a statement has its line to itself."""
        try:
            self._check(statement)
        except InexpressibleError:
            return False
        return True

    def _check(self, statement: Node) -> None:
        source, block, before = self.facts.source, statement.parent, self._before(statement).rstrip()
        behind = source.text[statement.end_byte : source.line_end(statement.end_byte)].strip()
        is_alone = block is not None and block.type == "block" and block.named_child_count == 1
        if (before and not (is_alone and before.endswith(b":"))) or (behind and not behind.startswith(b"#")):
            raise InexpressibleError("a statement of it shares its line with another", "Put it on a separate line.")
        self._statements[statement.start_byte] = statement
        self._lines.setdefault(statement.start_byte, [])

    def _before(self, statement: Node) -> bytes:
        """Returns the text before a statement in its line: white space, or the `if …:` of a one-line block."""
        source = self.facts.source
        return source.text[source.line_start(statement.start_byte) : statement.start_byte]

    def _preceded(self, statement: Node) -> Iterator[Edit]:
        """Yields the edit that inserts the lines before a statement that stays."""
        lines = self._lines[statement.start_byte]
        if not lines:
            return
        start, before, newline = statement.start_byte, self._before(statement), self.facts.source.newline
        indentation = self._indentation(statement)
        text = b"".join(line.encode("latin-1") + newline + indentation for line in lines)
        if before.strip():
            yield Edit(start - len(before) + len(before.rstrip()), start, newline + indentation + text)
        else:
            yield insert(start, text)

    def _indentation(self, statement: Node) -> bytes:
        indentation = self.facts.source.indentation(statement.start_byte)
        return indentation + indent_step(self.facts) if self._before(statement).strip() else indentation

    def _replaced(self, statement: Node) -> Iterator[Edit]:
        """Yields the edit that replaces a statement by its lines and comments, or removes it."""
        source = self.facts.source
        lines = [*map(self.facts.text, comments(statement))]  # comments stay, above the replacement
        lines += [line.encode("latin-1") for line in self._lines[statement.start_byte]]
        start, end = source.line_start(statement.start_byte), source.line_end(statement.end_byte)
        before, behind = self._before(statement), source.text[statement.end_byte : end]
        silent = [removed for removed in self.removed if not self._lines[removed.start_byte]]
        if statement in silent and leaves_empty_block(statement, silent):
            lines.append(b"pass")
        indentation = self._indentation(statement)
        joined = (source.newline + indentation).join(lines)
        if lines and before.strip() and lines != [b"pass"]:
            yield Edit(start + len(before.rstrip()), statement.end_byte, source.newline + indentation + joined)
        elif lines:
            yield Edit(statement.start_byte, statement.end_byte, joined)
        elif behind.strip():  # a comment, which stays
            yield Edit(statement.start_byte, end - len(behind.lstrip()), b"")
        elif end == len(source.text) and not source.text.endswith(b"\n"):
            yield Edit(start - len(source.newline) if start else start, end, b"")  # still without a final line end
        else:
            yield Edit(start, end, b"")


def is_preceded_by(statement: Node, lines: Sequence[str]) -> bool:
    """Returns True if these lines already stand before a statement in its block, in any layout.

    Args:
        statement: The statement that the lines are to precede.
        lines: The lines of code to look for.
    """
    block = statement.parent
    expected = _statements(Source("\n".join(lines).encode("latin-1")).tree.root_node)
    existing = [] if block is None else _statements(block, until=statement.start_byte)
    return any(existing[place : place + len(expected)] == expected for place in range(len(existing)))


def _statements(block: Node, until: int | None = None) -> list[bytes]:
    """Returns a block's statements without layout and comments, and without numbers after names for GPUs."""
    return [
        _LAYOUT.sub(b"", b"".join(_leaves(child)))
        for child in block.named_children
        if child.type != "comment" and (until is None or child.end_byte <= until)
    ]


def _leaves(node: Node) -> Iterator[bytes]:
    if node.type == "comment":
        return
    if not node.children or node.type == "string":
        text = node.text or b""
        yield _NAMES_OF_GPUS.sub(rb"\1\2", text) if node.type == "identifier" else text
    for child in node.children if node.type != "string" else ():
        if node.type != "parenthesized_expression" or child.type not in ("(", ")"):
            yield from _leaves(child)
