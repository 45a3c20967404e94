"""Finds calls that take a config, such as `tf.Session` and `tf.train.Server`, and the configs passed to them.

The codemod calls each of them a consumer.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Iterator

from tree_sitter import Node

from tf1mem.codemod.facts import keras_sessions
from tf1mem.codemod.source import syntax
from tf1mem.codemod.source.control_flow import function_of
from tf1mem.codemod.source.paths import is_compat_v1
from tf1mem.settings import takers
from tf1mem.settings.takers import Taker

if TYPE_CHECKING:
    from tf1mem.codemod.facts.module import Facts

APPLY = "tf1mem.apply"


def calls(facts: Facts, *names: str) -> Iterator[Node]:
    """Yields the calls of functions and classes with these names, in any spelling.

    Args:
        facts: The module's facts.
        names: TF1's names, such as "train.Server"; or full names of other packages, such as "tf_slim.learning.train".
    """
    leaves = {name.rpartition(".")[2] for name in names}
    if not any(map(facts.mentions, leaves)):
        return
    requested = frozenset(names)
    for call in facts.calls(*sorted(leaves)):
        resolved = facts.tf1_names(syntax.callee(call))
        if (resolved & requested and None not in resolved) or facts.names.paths(syntax.callee(call)) <= requested:
            yield call


def is_method_of(facts: Facts, call: Node, taker: Taker) -> bool:
    """Returns True if a call may call the taker's method.

    The object may be of any class that isn't known. Two kinds of methods have names that other classes use, too: their
    object must be known, a SessionManager by its creation, a test case by the class around the call.
    """
    function = syntax.attribute(syntax.callee(call))
    if function is None or None not in facts.tf1_names(syntax.callee(call)):
        return False
    if taker is takers.TEST_SESSION:
        return is_of_a_test_case(facts, call)
    return taker is not takers.SESSION_MANAGER or is_made_by(facts, function.object, taker.of)


def is_of_a_test_case(facts: Facts, call: Node) -> bool:
    """Returns True for a call on `self` in a class that is, or by its base's name may be, a TensorFlow TestCase."""
    function, around = syntax.attribute(syntax.callee(call)), syntax.enclosing(call, "class_definition")
    if function is None or around is None or facts.text(function.object) != b"self":
        return False
    bases = around.child_by_field_name("superclasses")
    if bases is None:
        return False
    if any(facts.tf1_name(base) in ("test.TestCase", "test.TensorFlowTestCase") for base in bases.named_children):
        return True
    # A test case derived from the program's own class: only TensorFlow's have `test_session` and `cached_session`.
    named_so = any(facts.text(base).endswith((b"TestCase", b"Test")) for base in bases.named_children)
    return named_so and facts.text(function.leaf) != b"session" and bool(facts.imports.bindings)


def is_made_by(facts: Facts, node: Node, *names: str) -> bool:
    """Returns True for a call of one of these names, or a variable or attribute that holds the result of such a call.

    Args:
        facts: The module's facts.
        node: An expression.
        names: TF1's names of classes or functions, such as "train.SessionManager".
    """
    if node.type == "call":
        return facts.tf1_name(syntax.callee(node)) in names
    if node.type == "identifier":
        values = [binding.value for binding in facts.names.visible(node)]
    else:
        values = [*map(syntax.assigned, facts.assignments_to(node))] if node.type == "attribute" else []
    creations = [value for value in values if value is not None and value.type == "call"]
    return any(
        is_made_by(facts, value, *names) for value in (creations if node.type == "identifier" else creations[:1])
    )


def config_of(facts: Facts, call: Node, taker: Taker) -> Node | None:
    """Returns the config passed to a consumer; None if there is none, or if it is `None`."""
    config = facts.argument(call, taker.keyword)
    if config is None and taker.position is not None:
        before = syntax.arguments(call)[: taker.position + 1]
        by_place = not any(syntax.is_splat(child) or syntax.keyword(child) for child in before)
        if by_place and len(before) > taker.position:
            config = before[taker.position]
    return None if config is None or config.type == "none" else config


def is_applied(facts: Facts, config: Node) -> bool:
    """Returns True if a config surely comes from `tf1mem.apply`."""
    if config.type == "conditional_expression" and len(config.named_children) == 3:
        values = [value for value in config.named_children[::2] if value.type != "none"]
        return bool(values) and all(is_applied(facts, value) for value in values)
    if config.type == "parenthesized_expression":
        return is_applied(facts, config.named_children[0])
    if config.type == "call":
        return facts.names.paths(syntax.callee(config)) == {APPLY}
    bound = [binding.value for binding in facts.names.visible(config)] if config.type == "identifier" else []
    return bool(bound) and all(
        value is not None and value.type == "call" and is_applied(facts, value) for value in bound
    )


def is_of_tf1_alone(facts: Facts, call: Node) -> bool:
    """Returns True if a call runs only on TensorFlow 1, in a program that also supports TensorFlow 2."""
    return facts.guarded(call) and not any(map(is_compat_v1, facts.names.paths(syntax.callee(call))))


def may_be_none(facts: Facts, config: Node) -> bool:
    """Returns True if the source shows that a config can be None. The rewritten code doesn't pass None to `apply`."""
    if config.type == "conditional_expression" and len(config.named_children) == 3:
        return any(value.type == "none" for value in config.named_children[::2])
    if config.type == "identifier":
        return any(
            binding.value is not None and binding.value.type == "none" for binding in facts.names.visible(config)
        )
    around = syntax.enclosing(config, "class_definition")
    assignments = facts.assignments_to(config) if config.type == "attribute" else ()
    values = [
        syntax.assigned(assignment)
        for assignment in assignments
        if syntax.enclosing(assignment, "class_definition") == around
    ]
    return any(
        value is not None and (value.type == "none" or (value.type == "identifier" and may_be_none(facts, value)))
        for value in values
    )


def why_unused(facts: Facts, creation: Node) -> tuple[str, str]:
    """Explains a config that has no effect, since its file passes it to no function.

    Args:
        facts: The module's facts.
        creation: The call that makes the config.

    Returns:
        The reason, as a clause, and the remedy, as a sentence without its full stop.
    """
    function = function_of(creation)
    name = syntax.name_of(function) if function is not None and function.type == "function_definition" else None
    if function is None:
        return "nothing in this file uses it", "Remove it, unless another file imports it"
    named = [] if name is None else facts.source.identifiers(facts.text(name))
    called = [syntax.call_of(syntax.attribute_named(node) or node) for node in named]
    if name is not None and any(call is not None and not syntax.is_statement(call) for call in called):
        return f"{facts.decoded(name)} makes it and returns nothing", "Return it there"
    return "nothing in this file uses it", "Remove it"


def is_only_for_its_options(facts: Facts, call: Node) -> bool:
    """Returns True if a Session is made only for its config: the call is a statement by itself."""
    config = facts.argument(call, "config")
    return (
        syntax.is_statement(call)
        and facts.tf1_name(syntax.callee(call)) == "Session"  # an InteractiveSession becomes the default one
        and config is not None
        and config.type != "none"
        and keras_sessions.is_plain_session(facts, call)
        and not is_applied(facts, config)
        and not may_be_none(facts, config)
    )
