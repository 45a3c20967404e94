"""Finds the statements that surely run before a place: earlier ones in its block, and in the blocks around it.

A function's body runs after the module's statements before the function. Statements in other functions, in branches, in
loop bodies and in `try` may or may not run, and don't count.
"""

from __future__ import annotations

from typing import Iterator

from tree_sitter import Node

from tf1mem.codemod.source.syntax import BLOCKS, ancestors, body, condition, enclosing, loop

_LATER_OR_NEVER = frozenset(
    "function_definition class_definition decorated_definition lambda try_statement assert_statement "
    "list_comprehension set_comprehension dictionary_comprehension generator_expression".split()
)
_JUMPS = ("return_statement", "raise_statement", "continue_statement", "break_statement")
_ARMS = ("if_statement", "elif_clause", "else_clause", "except_clause")
_BRANCHES = ("if_statement", "try_statement", "match_statement", "conditional_expression")


def before(node: Node) -> Iterator[Node]:
    """Yields the nodes that are surely evaluated before a node, in the order of the source, outer ones first.

    Args:
        node: A node inside a statement.
    """
    parts: list[list[Node]] = []
    child = node
    for above in ancestors(node):
        if above.type in BLOCKS:
            parts.append([earlier for earlier in above.named_children if earlier.end_byte <= child.start_byte])
        elif above.type in ("if_statement", "while_statement", "elif_clause"):
            tested = condition(above)
            if tested is not None and tested.end_byte <= child.start_byte:
                parts.append([tested])
        elif above.type == "for_statement" and body(above) == child:
            parts.append([loop(above).iterable])
        elif above.type == "with_statement" and body(above) == child:
            parts.append([part for part in above.named_children if part.type == "with_clause"])
        child = above
    for part in reversed(parts):
        for statement in part:
            yield from _evaluated(statement)


def _evaluated(statement: Node) -> Iterator[Node]:
    waiting = [statement]
    while waiting:
        node = waiting.pop()
        if node.type in _LATER_OR_NEVER:
            continue
        yield node
        waiting += reversed(_sure_parts(node))


def _sure_parts(node: Node) -> list[Node]:
    """Returns the parts of a node that are evaluated whenever the node is evaluated, in order."""
    kind = node.type
    if kind in ("if_statement", "while_statement"):
        return [tested for tested in [condition(node)] if tested is not None]
    if kind == "for_statement":
        return [loop(node).iterable]
    if kind == "conditional_expression":
        return node.named_children[1:2]
    if kind == "boolean_operator":
        return node.named_children[:1]
    if kind == "match_statement":
        return [child for child in node.named_children if child.type != "block"]
    return node.named_children


def function_of(node: Node) -> Node | None:
    """Returns the function in which a node is evaluated; None at module level and in a class body."""
    return enclosing(node, "function_definition", "lambda")


def statement_of(node: Node) -> Node:
    """Returns the statement that a node belongs to: a child of a block or of the module."""
    child = node
    for above in ancestors(node):
        if above.type in BLOCKS:
            break
        child = above
    return child


def may_both_run(first: Node, second: Node) -> bool:
    """Returns True if one run of a function, or of the module, may execute both of two nodes.

    Args:
        first: The node that stands first.
        second: The other node.
    """
    if function_of(first) != function_of(second):
        return False
    parts = {above.id for above in ancestors(second)}
    for above in ancestors(first):
        if above.id in parts:
            return above.type not in _BRANCHES
        if above.type == "block" and above.parent is not None and above.parent.type in _ARMS and _ends_in_a_jump(above):
            return False
    return False


def _ends_in_a_jump(block: Node) -> bool:
    last = next((child for child in reversed(block.named_children) if child.type != "comment"), None)
    return last is not None and last.type in _JUMPS
