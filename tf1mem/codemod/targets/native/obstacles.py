"""Finds obstacles to replacing a config's settings by tf.config calls, at the places where the config gets them."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING, Iterable, Sequence

from tree_sitter import Node

from tf1mem.codemod.facts.flow import Argument, are_alternatives
from tf1mem.codemod.facts.repeats import HARMLESS, conditions, is_in_a_loop, is_settled, runs_once
from tf1mem.codemod.source.control_flow import function_of
from tf1mem.codemod.source.syntax import BLOCKS, ancestors, callee, enclosing, name_of, without_comments
from tf1mem.codemod.targets.native.config_sources import CONFIG, Proto, Setting
from tf1mem.codemod.targets.native.field_values import InexpressibleError, Value
from tf1mem.codemod.targets.native.field_writers import ONCE
from tf1mem.settings.field_names import COUNT, FRACTION, GROWTH, SOFT, VISIBLE
from tf1mem.settings.takers import TEST_SESSION

if TYPE_CHECKING:
    from tf1mem.codemod.facts.module import Facts


def check_scope(facts: Facts, proto: Proto) -> None:
    """Raises an error if a config gets a setting outside the function that makes it.

    Raises:
        InexpressibleError: Another function sets a setting.
    """
    at = facts.names.scopes.at
    for setting in proto.settings:
        if setting.statement is not None and at(setting.statement) is not at(proto.call):
            raise InexpressibleError(f"{setting.path} is set in another function than the one that makes it")


def changing(facts: Facts, proto: Proto) -> str | None:
    """Returns a reason why tf.config may refuse a setting when the code runs again with another value; None if none.

    Args:
        facts: The module's facts.
        proto: The config, or a message of it.
    """
    for setting in proto.settings:
        place = setting.statement or proto.call
        if setting.path in ONCE and not setting.value.is_default and not _is_the_same(facts, setting, place):
            again = "turn of a loop" if is_in_a_loop(place) else "call of the function that it is in"
            return f"{setting.path} may change with each {again}, and is read once"
    return None


def _is_the_same(facts: Facts, setting: Setting, place: Node) -> bool:
    """Returns True if a setting has one value for the process, or is set once."""
    expressions = [*conditions(place), *([] if setting.value.node is None else [setting.value.node])]
    return all(is_settled(facts, node) for node in expressions) or runs_once(facts, place)


def is_taken(facts: Facts, creation: Node, consumers: Sequence[Node]) -> bool:
    """Returns True if every run that makes a config also reaches a call that takes the config, at once or later.

    Args:
        facts: The module's facts.
        creation: The call that makes the config.
        consumers: The calls that take it. A consumer in a method counts as reached, since the object holds the config.
    """
    function = function_of(creation)
    if function is not None and any(function_of(call) != function for call in consumers):
        return True
    calls = [*consumers]
    for call in calls:  # also calls of the functions that contain these
        inside = function_of(call)
        name = name_of(inside) if inside is not None and inside != function else None
        named = [] if name is None else facts.calls(facts.decoded(name))
        calls += [caller for caller in named if caller not in calls]
    child = creation
    for above in ancestors(creation):
        if above in consumers:
            return True
        if above.type in BLOCKS:
            behind = (later for later in above.named_children if later.end_byte > child.start_byte)
            if any(_comes_by(later, calls) for later in behind):
                return True
        if above == function:
            break
        child = above
    return False


def _comes_by(node: Node, calls: Sequence[Node]) -> bool:
    """Returns True if executing a node surely reaches one of some calls, not only in one branch."""
    if not any(node.start_byte <= call.start_byte < node.end_byte for call in calls):
        return False
    if node in calls:
        return True
    if node.type in ("function_definition", "class_definition", "lambda", "except_clause", "case_clause"):
        return False
    if node.type == "if_statement":
        tested, *arms = without_comments(node)
        has_all = arms[-1].type == "else_clause"
        return _comes_by(tested, calls) or (has_all and all(_comes_by(arm, calls) for arm in arms))
    return any(_comes_by(child, calls) for child in node.named_children)


def check_taken_back(protos: Sequence[Proto]) -> None:
    """Raises an error if a setting returns to its default: tf.config would keep the first value.

    Raises:
        InexpressibleError: A setting is taken back.
    """
    settings = [(setting, setting.statement or proto.call) for proto in protos for setting in proto.settings]
    for setting, place in settings:
        for later, later_place in settings:
            if (
                later.path == setting.path != SOFT
                and later.value.is_default
                and not setting.value.is_default
                and place.start_byte < later_place.start_byte
                and not are_alternatives(place, later_place)
            ):
                raise InexpressibleError(f"{setting.path} is set, and reset later")


def check_order(facts: Facts, protos: Sequence[Proto], consumers: Sequence[Node]) -> None:
    """Raises an error if a config is changed after its Session, or made twice in a row.

    Args:
        facts: The module's facts.
        protos: The configs and their messages.
        consumers: The calls that take them.

    Raises:
        InexpressibleError: A config is changed too late, or made again unused.
    """
    events: list[tuple[int, str, Node]] = [(call.start_byte, "used", call) for call in consumers]
    for proto in protos:
        start = proto.call.start_byte
        events.append((start, "made" if proto.kind == CONFIG and proto.statement is not None else "", proto.call))
        events += [
            (setting.statement.start_byte, "set", setting.statement)
            for setting in proto.settings
            if setting.statement is not None
        ]
    at = facts.names.scopes.at
    last: dict[int, tuple[str, Node]] = {}
    for _, kind, node in sorted(events, key=lambda event: event[0]):
        scope = id(at(node))
        before, earlier = last.get(scope, ("", node))
        if kind == "set" and before == "used" and not are_alternatives(earlier, node):
            raise InexpressibleError(
                "it is changed after a Session was made with it",
                "Set it before the first Session, or remove it: in one process the first settings count.",
            )
        if (
            kind == "made"
            and before in ("made", "set")
            and enclosing(earlier, *BLOCKS) == enclosing(node, *BLOCKS)
            and _replaces(facts, protos, earlier, node)
        ):
            raise InexpressibleError("it is made again before it is used")
        if kind:
            last[scope] = (kind, node)


def _replaces(facts: Facts, protos: Sequence[Proto], earlier: Node, node: Node) -> bool:
    """Returns True if a config replaces an earlier one under the same name."""
    names = [
        {facts.text(binding.node) for binding in proto.holders} | {text for text, _ in proto.attributes}
        for proto in protos
        if proto.kind == CONFIG and (proto.call == node or proto.call.end_byte <= earlier.end_byte)
    ]
    return len(names) > 1 and bool(names[-1] & set().union(*names[:-1]))


def check_conflicts(settings: Iterable[tuple[str, Value]]) -> None:
    """Raises an error if a config combines settings that tf.config can't combine.

    Args:
        settings: The fields of a config, with their values.

    Raises:
        InexpressibleError: Two settings exclude each other.
    """
    effective = [(path, value) for path, value in settings if not value.is_default]
    paths = {path for path, _ in effective}
    if {GROWTH, FRACTION} <= paths:
        raise InexpressibleError(
            "tf.config drops the growth where it sets a limit (growth with a cap)",
            "Keep tf1mem.apply for it, which keeps both; or remove one of them.",
        )
    counts = [value for path, value in effective if path == COUNT]
    if VISIBLE in paths and any("GPU" in value.text for value in counts):
        raise InexpressibleError("visible_device_list and device_count both choose GPUs")
    many = any("CPU" in value.text and value.constant != {"CPU": 1} for value in counts)
    if many and paths & {GROWTH, FRACTION}:
        raise InexpressibleError("with several CPUs tf.config drops the settings of the GPUs' memory")


def check_writable_beside(facts: Facts, handed: Argument, lasting: Sequence[Setting]) -> None:
    """Raises an error if a config stays, and one of its settings can't become a tf.config call as well.

    Args:
        facts: The module's facts.
        handed: The argument by which the config is passed on.
        lasting: The config's settings that last for the process.

    Raises:
        InexpressibleError: A setting would come too late, or its value would be computed twice.
    """
    leaf = facts.text(callee(handed.call)).rpartition(b".")[2].decode("utf-8", "replace")
    if lasting and leaf in TEST_SESSION.names:
        raise InexpressibleError(
            f"{lasting[0].path} is fixed once for a process, and other tests may have run before this one",
            "Make the tf.config calls when the tests' module is loaded, and remove it here.",
        )
    for setting in lasting:
        if not _may_be_read_twice(setting.value):
            raise InexpressibleError(f"the value of {setting.path} would be computed twice", "Put it into a variable.")


def _may_be_read_twice(value: Value) -> bool:
    """Returns True if evaluating an expression again gives the same value and has no effect."""
    try:
        tree = ast.parse(value.text.strip(), mode="eval")
    except (SyntaxError, ValueError):
        return False
    for node in ast.walk(tree):
        if isinstance(node, ast.Call):
            names = ast.unparse(node.func).split(".")
            if not {names[-1], ".".join(names[-2:])} & HARMLESS:
                return False
        elif isinstance(node, (ast.NamedExpr, ast.Yield, ast.YieldFrom, ast.Await)):
            return False
    return True
