"""The places where a config is consumed, and how one goes through `tf1mem.apply` there."""

from __future__ import annotations

from typing import TYPE_CHECKING, Iterator

from tree_sitter import Node

from tf1mem.codemod.facts import keras_sessions
from tf1mem.codemod.findings import rewrite
from tf1mem.codemod.results import Edit
from tf1mem.codemod.source.edits import wrap
from tf1mem.codemod.source.paths import is_compat_v1
from tf1mem.codemod.source.syntax import arguments, callee, enclosing, is_field

if TYPE_CHECKING:
    from tf1mem.codemod.facts.module import Facts
    from tf1mem.codemod.findings import Rewrite

APPLY = "tf1mem.apply"
# The methods by which a test case of TensorFlow's makes a Session.
TEST_SESSIONS = ("test_session", "session", "cached_session")


def calls(facts: Facts, *names: str) -> Iterator[Node]:
    """The calls of what TensorFlow 1 has by one of these names, such as "train.Server", by whichever spelling."""
    leaves = {name.rpartition(".")[2] for name in names}
    if not any(facts.spelled(leaf) for leaf in leaves):
        return
    for call in facts.calls(*sorted(leaves)):
        found = facts.tf1_names(callee(call))
        if found & set(names) and None not in found and not _is_seen_to(facts, call, callee(call)):
            yield call


def methods(facts: Facts, *names: str) -> Iterator[Node]:
    """The calls of something's method by one of these names: not of what a module is asked for."""
    if not any(facts.spelled(name) for name in names) or facts.shim.is_there:
        return  # what comes from tf1mem.v1 makes Sessions that see to it
    for call in facts.calls(*names):
        function = callee(call)
        is_method = function.type == "attribute" and None in facts.tf1_names(function)
        if is_method and not _is_seen_to(facts, call, function):
            yield call


def _is_seen_to(facts: Facts, call: Node, function: Node) -> bool:
    """Whether a call needs no `tf1mem.apply`: it comes from tf1mem.v1, or becomes TensorFlow 2's calls."""
    return facts.shim.leads(function) if facts.to == "shim" else facts.native.takes(call)


def receiver(call: Node) -> Node | None:
    """What a method is called on."""
    return callee(call).child_by_field_name("object")


def is_of_a_test_case(facts: Facts, call: Node) -> bool:
    """Whether a call is of a method by which a test case of TensorFlow's makes a Session."""
    test, around = receiver(call), enclosing(call, "class_definition")
    if test is None or around is None or facts.text(test) != b"self":
        return False
    bases = around.child_by_field_name("superclasses")
    leaf = callee(call).child_by_field_name("attribute")
    if bases is None or leaf is None:
        return False
    if any(facts.tf1_name(base) in ("test.TestCase", "test.TensorFlowTestCase") for base in bases.named_children):
        return True
    # A test case of the program's own, derived from TensorFlow's: no other has these two.
    named_so = any(facts.text(base).endswith((b"TestCase", b"Test")) for base in bases.named_children)
    return named_so and facts.text(leaf) != b"session" and bool(facts.shim.bindings)


def is_made_by(facts: Facts, node: Node, *names: str) -> bool:
    """Whether an expression is a call of one of these names, or a variable or attribute that holds its value."""
    if node.type == "call":
        return facts.tf1_name(callee(node)) in names
    if node.type == "identifier":
        return any(
            binding.value is not None and binding.value.type == "call" and is_made_by(facts, binding.value, *names)
            for binding in facts.names.visible(node)
        )
    leaf = node.child_by_field_name("attribute") if node.type == "attribute" else None
    for other in facts.source.identifiers(facts.text(leaf)) if leaf is not None else ():
        target = other.parent
        above = target.parent if target is not None else None
        if target is None or above is None or above.type != "assignment" or not is_field(above, "left", target):
            continue
        value = above.child_by_field_name("right")
        if facts.text(target) == facts.text(node) and value is not None and value.type == "call":
            return is_made_by(facts, value, *names)
    return False


def config_of(facts: Facts, call: Node, keyword: str, place: int | None = None) -> Node | None:
    """The config that a call is given; None where it is given none.

    Args:
        facts: The module's facts.
        call: The call.
        keyword: The argument's name.
        place: Its place among positional arguments, from 0.
    """
    config = facts.argument(call, keyword)
    if config is None and place is not None:
        given = arguments(call)
        if len(given) > place and not any(
            child.type in ("keyword_argument", "list_splat", "dictionary_splat") for child in given[: place + 1]
        ):
            config = given[place]
    return None if config is None or config.type == "none" else config


def applied(facts: Facts, call: Node, config: Node | None, what: str) -> Iterator[Rewrite]:
    """A consumer's config on its way through `tf1mem.apply`; nothing where it goes there already, or has no need to."""
    if config is None or is_applied(facts, config) or is_of_tf1_alone(facts, call):
        return
    message = f"the config of {what} goes through tf1mem.apply"
    yield rewrite(call, message, *_wrapped(facts, config), imports_tf1mem=True)


def _wrapped(facts: Facts, config: Node, inner: bool = False) -> Iterator[Edit]:
    """The edits that have a config go through `tf1mem.apply`, but for a None."""
    if config.type == "none":
        return
    if config.type == "conditional_expression" and may_be_none(facts, config):
        yield from _wrapped(facts, config.named_children[0], inner=True)
        yield from _wrapped(facts, config.named_children[2], inner=True)
    elif may_be_none(facts, config):
        before, after = (b"(", b")") if inner else (b"", b"")
        after = b") if " + facts.text(config) + b" is not None else None" + after
        yield from wrap(config, before + b"tf1mem.apply(", after)
    else:
        yield from wrap(config, b"tf1mem.apply(", b")")


def is_applied(facts: Facts, config: Node) -> bool:
    """Whether a config comes from `tf1mem.apply` for sure."""
    if config.type == "conditional_expression" and len(config.named_children) == 3:
        values = [value for value in (config.named_children[0], config.named_children[2]) if value.type != "none"]
        return bool(values) and all(is_applied(facts, value) for value in values)
    if config.type == "parenthesized_expression":
        return is_applied(facts, config.named_children[0])
    if config.type == "call":
        return facts.names.paths(callee(config)) == {APPLY}
    if config.type == "identifier":
        visible = facts.names.visible(config)
        return bool(visible) and all(
            found.value is not None and found.value.type == "call" and is_applied(facts, found.value)
            for found in visible
        )
    return False


def is_of_tf1_alone(facts: Facts, call: Node) -> bool:
    """Whether a call is TensorFlow 1's side of a program that has a side for TensorFlow 2, too."""
    if not facts.guarded(call):
        return False
    return not any(is_compat_v1(path) for path in facts.names.paths(callee(call)))


def may_be_none(facts: Facts, config: Node) -> bool:
    """Whether a config is seen to be None in some case: no config, which `tf1mem.apply` takes as one."""
    if config.type == "conditional_expression" and len(config.named_children) == 3:
        return "none" in (config.named_children[0].type, config.named_children[2].type)
    if config.type == "identifier":
        return any(found.value is not None and found.value.type == "none" for found in facts.names.visible(config))
    if config.type != "attribute":
        return False
    leaf = config.child_by_field_name("attribute")
    around = enclosing(config, "class_definition")
    for node in facts.source.identifiers(facts.text(leaf)) if leaf is not None else ():
        target = node.parent
        above = target.parent if target is not None else None
        if target is None or above is None or above.type != "assignment" or not is_field(above, "left", target):
            continue
        if facts.text(target) != facts.text(config) or enclosing(target, "class_definition") != around:
            continue
        value = above.child_by_field_name("right")
        if value is not None and (value.type == "none" or (value.type == "identifier" and may_be_none(facts, value))):
            return True
    return False


def is_only_for_its_options(facts: Facts, call: Node) -> bool:
    """Whether a Session is made, for a config, and thrown away: a statement by itself."""
    statement = call.parent
    if statement is None or statement.type != "expression_statement" or statement.named_child_count != 1:
        return False
    # An InteractiveSession stays, as the default one.
    is_session = facts.tf1_name(callee(call)) == "Session"
    config = config_of(facts, call, "config")
    return (
        is_session
        and config is not None
        and keras_sessions.is_plain_session(facts, call)
        and not is_applied(facts, config)
        and not may_be_none(facts, config)
    )
