"""Decides whether a file is a program by itself, or one that programs import and that can't decide for them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Iterator

from tree_sitter import Node

from tf1mem.codemod.source.syntax import callee, leaf_of, root_of

if TYPE_CHECKING:
    from tf1mem.codemod.facts.module import Facts

_DEFINITIONS = ("function_definition", "class_definition", "decorated_definition")


def is_main(facts: Facts) -> bool:
    """Returns True if a file is a program by itself.

    Notebooks and examples in documents are programs. Any other file is a program if it names `__main__`, or if its own
    statements call something that it defines, or a `run`, and keep no result: `train()`, `print(f(x))`, `tf.app.run()`.

    Args:
        facts: The module's facts.
    """
    if facts.extract.kind != "python" or facts.mentions("__main__"):
        return True
    return any(_starts_what_is_defined(facts, call) for call in _calls_of_statements(facts.source.tree.root_node))


def _calls_of_statements(node: Node) -> Iterator[Node]:
    """Yields the calls in a module's own statements that are only an expression."""
    for child in node.named_children:
        if child.type == "expression_statement":
            yield from _calls(child) if child.named_children[0].type == "call" else ()
        elif child.type not in _DEFINITIONS:
            yield from _calls_of_statements(child)


def _calls(node: Node) -> Iterator[Node]:
    if node.type == "call":
        yield node
    for child in node.named_children:
        yield from _calls(child)


def _starts_what_is_defined(facts: Facts, call: Node) -> bool:
    function = callee(call)
    if function.type == "identifier":
        return any(binding.statement.type in _DEFINITIONS for binding in facts.names.visible(function))
    return root_of(function).type == "identifier" and facts.text(leaf_of(function)) == b"run"
