"""The places where a config is consumed, and how one goes through `tf1mem.apply` there."""

from __future__ import annotations

from typing import TYPE_CHECKING, Iterator

from tree_sitter import Node

from tf1mem.codemod.facts import keras_sessions
from tf1mem.codemod.facts.module import wrap
from tf1mem.codemod.results import Edit
from tf1mem.codemod.source.paths import is_compat_v1
from tf1mem.codemod.source.syntax import arguments, callee, enclosing, is_field

if TYPE_CHECKING:
    from tf1mem.codemod.facts.module import Module, Rewritten

APPLY = "tf1mem.apply"
# The methods by which a test case of TensorFlow's makes a Session.
TEST_SESSIONS = ("test_session", "session", "cached_session")


def calls(module: Module, *names: str) -> Iterator[Node]:
    """The calls of what TensorFlow 1 has by one of these names, such as "train.Server", by whichever spelling."""
    leaves = {name.rpartition(".")[2] for name in names}
    if not any(module.spelled(leaf) for leaf in leaves):
        return
    for call in module.calls(*sorted(leaves)):
        found = module.tf1_names(callee(call))
        if found & set(names) and None not in found and not _is_seen_to(module, call, callee(call)):
            yield call


def methods(module: Module, *names: str) -> Iterator[Node]:
    """The calls of something's method by one of these names: not of what a module is asked for."""
    if not any(module.spelled(name) for name in names) or module.shim.is_there:
        return  # what comes from tf1mem.v1 makes Sessions that see to it
    for call in module.calls(*names):
        function = callee(call)
        is_method = function.type == "attribute" and None in module.tf1_names(function)
        if is_method and not _is_seen_to(module, call, function):
            yield call


def _is_seen_to(module: Module, call: Node, function: Node) -> bool:
    """Whether a call needs no `tf1mem.apply`: it comes from tf1mem.v1, or becomes TensorFlow 2's calls."""
    return module.shim.leads(function) if module.to == "shim" else module.native.takes(call)


def receiver(call: Node) -> Node | None:
    """What a method is called on."""
    return callee(call).child_by_field_name("object")


def is_of_a_test_case(module: Module, call: Node) -> bool:
    """Whether a call is of a method by which a test case of TensorFlow's makes a Session."""
    test, around = receiver(call), enclosing(call, "class_definition")
    if test is None or around is None or module.text(test) != b"self":
        return False
    bases = around.child_by_field_name("superclasses")
    leaf = callee(call).child_by_field_name("attribute")
    if bases is None or leaf is None:
        return False
    if any(module.tf1_name(base) in ("test.TestCase", "test.TensorFlowTestCase") for base in bases.named_children):
        return True
    # A test case of the program's own, derived from TensorFlow's: no other has these two.
    named_so = any(module.text(base).endswith((b"TestCase", b"Test")) for base in bases.named_children)
    return named_so and module.text(leaf) != b"session" and bool(module.shim.bindings)


def is_made_by(module: Module, node: Node, *names: str) -> bool:
    """Whether an expression is a call of one of these names, or a variable or attribute that holds its value."""
    if node.type == "call":
        return module.tf1_name(callee(node)) in names
    if node.type == "identifier":
        return any(
            binding.value is not None and binding.value.type == "call" and is_made_by(module, binding.value, *names)
            for binding in module.names.visible(node)
        )
    leaf = node.child_by_field_name("attribute") if node.type == "attribute" else None
    for other in module.source.identifiers(module.text(leaf)) if leaf is not None else ():
        target = other.parent
        above = target.parent if target is not None else None
        if target is None or above is None or above.type != "assignment" or not is_field(above, "left", target):
            continue
        value = above.child_by_field_name("right")
        if module.text(target) == module.text(node) and value is not None and value.type == "call":
            return is_made_by(module, value, *names)
    return False


def config_of(module: Module, call: Node, keyword: str, place: int | None = None) -> Node | None:
    """The config that a call is given; None where it is given none.

    Args:
        module: The module.
        call: The call.
        keyword: The argument's name.
        place: Its place among positional arguments, from 0.
    """
    config = module.argument(call, keyword)
    if config is None and place is not None:
        given = arguments(call)
        if len(given) > place and not any(
            child.type in ("keyword_argument", "list_splat", "dictionary_splat") for child in given[: place + 1]
        ):
            config = given[place]
    return None if config is None or config.type == "none" else config


def applied(module: Module, call: Node, config: Node | None, what: str) -> Iterator[Rewritten]:
    """A consumer's config on its way through `tf1mem.apply`; nothing where it goes there already, or has no need to."""
    if config is None or is_applied(module, config) or is_of_tf1_alone(module, call):
        return
    message = f"the config of {what} goes through tf1mem.apply"
    yield module.rewrite(call, message, *_wrapped(module, config), imports_tf1mem=True)


def _wrapped(module: Module, config: Node, inner: bool = False) -> Iterator[Edit]:
    """The edits that have a config go through `tf1mem.apply`, but for a None."""
    if config.type == "none":
        return
    if config.type == "conditional_expression" and may_be_none(module, config):
        yield from _wrapped(module, config.named_children[0], inner=True)
        yield from _wrapped(module, config.named_children[2], inner=True)
    elif may_be_none(module, config):
        before, after = (b"(", b")") if inner else (b"", b"")
        after = b") if " + module.text(config) + b" is not None else None" + after
        yield from wrap(config, before + b"tf1mem.apply(", after)
    else:
        yield from wrap(config, b"tf1mem.apply(", b")")


def is_applied(module: Module, config: Node) -> bool:
    """Whether a config comes from `tf1mem.apply` for sure."""
    if config.type == "conditional_expression" and len(config.named_children) == 3:
        values = [value for value in (config.named_children[0], config.named_children[2]) if value.type != "none"]
        return bool(values) and all(is_applied(module, value) for value in values)
    if config.type == "parenthesized_expression":
        return is_applied(module, config.named_children[0])
    if config.type == "call":
        return module.names.paths(callee(config)) == {APPLY}
    if config.type == "identifier":
        visible = module.names.visible(config)
        return bool(visible) and all(
            found.value is not None and found.value.type == "call" and is_applied(module, found.value)
            for found in visible
        )
    return False


def is_of_tf1_alone(module: Module, call: Node) -> bool:
    """Whether a call is TensorFlow 1's side of a program that has a side for TensorFlow 2, too."""
    if not module.guarded(call):
        return False
    return not any(is_compat_v1(path) for path in module.names.paths(callee(call)))


def may_be_none(module: Module, config: Node) -> bool:
    """Whether a config is seen to be None in some case: no config, which `tf1mem.apply` takes as one."""
    if config.type == "conditional_expression" and len(config.named_children) == 3:
        return "none" in (config.named_children[0].type, config.named_children[2].type)
    if config.type == "identifier":
        return any(found.value is not None and found.value.type == "none" for found in module.names.visible(config))
    if config.type != "attribute":
        return False
    leaf = config.child_by_field_name("attribute")
    around = enclosing(config, "class_definition")
    for node in module.source.identifiers(module.text(leaf)) if leaf is not None else ():
        target = node.parent
        above = target.parent if target is not None else None
        if target is None or above is None or above.type != "assignment" or not is_field(above, "left", target):
            continue
        if module.text(target) != module.text(config) or enclosing(target, "class_definition") != around:
            continue
        value = above.child_by_field_name("right")
        if value is not None and (value.type == "none" or (value.type == "identifier" and may_be_none(module, value))):
            return True
    return False


def is_only_for_its_options(module: Module, call: Node) -> bool:
    """Whether a Session is made, for a config, and thrown away: a statement by itself."""
    statement = call.parent
    if statement is None or statement.type != "expression_statement" or statement.named_child_count != 1:
        return False
    # An InteractiveSession stays, as the default one.
    is_session = module.tf1_name(callee(call)) == "Session"
    config = config_of(module, call, "config")
    return (
        is_session
        and config is not None
        and keras_sessions.is_plain_session(module, call)
        and not is_applied(module, config)
        and not may_be_none(module, config)
    )
