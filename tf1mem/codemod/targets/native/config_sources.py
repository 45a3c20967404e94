"""Reads a config from the source: the calls that make it and its messages (GPUOptions), its settings, and its uses.

Every use is classified. A use that can't be classified leaves the config as it is.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Iterator, NamedTuple

from tree_sitter import Node

from tf1mem.codemod.facts.flow import Argument, Sink, Use, ValueHolder, follow_strictly, is_passed_before
from tf1mem.codemod.source import syntax
from tf1mem.codemod.source.control_flow import function_of
from tf1mem.codemod.source.names import Binding
from tf1mem.codemod.targets.native.field_values import UNKNOWN, InexpressibleError, Value, read

if TYPE_CHECKING:
    from tf1mem.codemod.facts.module import Facts

CONFIG = "ConfigProto"
# The remedy where only the program as a whole can decide.
IN_MAIN = "Make the tf.config calls in the program's main file, before the first op."
# Messages of a ConfigProto that programs make separately -> the field that holds them.
MESSAGES = {
    "GPUOptions": "gpu_options",
    "GraphOptions": "graph_options",
    "OptimizerOptions": "graph_options.optimizer_options",
    "core.protobuf.rewriter_config_pb2.RewriterConfig": "graph_options.rewrite_options",
}
_CLASSES = {path: name for name, path in MESSAGES.items()}


class Setting(NamedTuple):
    """A field with its value.

    Attributes:
        path: The field, such as "gpu_options.allow_growth".
        value: The value that the field gets.
        statement: The statement that sets it; None for a keyword of the message's call.
        use: The expression for the message in that statement; None for a keyword of the message's call.
    """

    path: str
    value: Value
    statement: Node | None
    use: Node | None = None


@dataclass(eq=False)
class Proto:
    """A ConfigProto, or a separately made message of one.

    Attributes:
        call: The call that makes it.
        kind: The class: "ConfigProto" or a key of `MESSAGES`.
        statement: The statement that makes it and does nothing else; None if the call is an argument.
        settings: The fields set on it, by keywords of the call or later.
        handed: The arguments by which it is passed on.
        aliases: Statements that give it another name and do nothing else.
        holders: The bindings that hold it.
        attributes: The attributes that hold it, with the class they belong to.
        uses: The identifiers and attributes by which it is used.
        parts: Expressions for its messages that are made elsewhere.
        why_not: The reason why it can't be followed; None if it can.
    """

    call: Node
    kind: str
    statement: Node | None = None
    settings: list[Setting] = field(default_factory=list)
    handed: list[Argument] = field(default_factory=list)
    aliases: list[Node] = field(default_factory=list)
    holders: list[Binding] = field(default_factory=list)
    attributes: list[tuple[bytes, Node | None]] = field(default_factory=list)
    uses: list[Node] = field(default_factory=list)
    parts: list[Node] = field(default_factory=list)
    why_not: InexpressibleError | None = None


def make(facts: Facts, call: Node, kind: str) -> Proto:
    """Returns the message that a call makes.

    Args:
        facts: The module's facts.
        call: The call of a message class.
        kind: The class: "ConfigProto" or a key of `MESSAGES`.
    """
    proto = Proto(call, kind)
    try:
        _Reading(facts, proto).run()
    except InexpressibleError as reason:
        proto.why_not = reason
    return proto


def simple_statement(node: Node) -> Node | None:
    """Returns the statement that consists only of this expression or assignment; None if it is part of another one."""
    above = node.parent if syntax.is_statement(node) else None
    return above if above is not None and above.parent is not None and above.parent.type in syntax.BLOCKS else None


def drop_replaced_uses(protos: list[Proto]) -> None:
    """Removes from each message the uses of an attribute after another message has replaced it there."""
    for proto in protos:
        rivals = [other for other in protos if other is not proto and _attributes(other) & _attributes(proto)]
        replaced_uses = {use.id for use in proto.uses if any(_comes_between(proto, other, use) for other in rivals)}
        if replaced_uses:
            proto.uses = [use for use in proto.uses if use.id not in replaced_uses]
            proto.settings = [
                setting for setting in proto.settings if setting.use is None or setting.use.id not in replaced_uses
            ]
            proto.handed = [argument for argument in proto.handed if argument.value.id not in replaced_uses]


def _attributes(proto: Proto) -> set[tuple[bytes, int]]:
    return {(text, around.id if around is not None else 0) for text, around in proto.attributes}


def _comes_between(proto: Proto, other: Proto, use: Node) -> bool:
    """Returns True if another message has replaced this one wherever a use is reached."""
    if use.type != "attribute" or proto.statement is None or other.statement is None:
        return False
    if any(function_of(message.call) != function_of(use) for message in (proto, other)):
        return False
    certain = other.call.end_byte < use.start_byte and other.statement.parent in list(syntax.ancestors(use))
    return certain and (proto.call.start_byte < other.call.start_byte or is_passed_before(use, proto.call))


class _Reading:
    """Reads a message's settings and uses into a Proto; raises an InexpressibleError at a use that it can't express."""

    def __init__(self, facts: Facts, proto: Proto) -> None:
        self.facts, self.proto = facts, proto

    def run(self) -> None:
        call = self.proto.call
        self._read_keywords(call, MESSAGES.get(self.proto.kind, ""))
        root = follow_strictly(self.facts, call).root
        if root is not None and root.sink is Sink.HELD and not root.path and root.at.type == "assignment":
            self.proto.statement = self._record_holders(root)
        elif root is not None:
            self._record_whole(root)

    def _record_holders(self, use: Use) -> Node:
        """Records the targets to which the message is assigned; returns the assignment's statement."""
        last = use.at
        for holder in use.holders:
            if holder.target.type == "attribute":
                self._record_attribute(holder)
            elif holder.target.type != "identifier":
                raise InexpressibleError("it is unpacked, or stored where it can't be followed")
            if holder.binding is not None:
                self.proto.holders.append(holder.binding)
            for below in holder.uses:
                self._read_use(below)
            last = holder.target
        statement = simple_statement(last.parent) if last.parent is not None else None
        if statement is None:
            raise InexpressibleError("it is made in the middle of another statement")
        return statement

    def _record_attribute(self, holder: ValueHolder) -> None:
        text = self.facts.text(holder.target)
        if not text.startswith((b"self.", b"cls.")) or text.count(b".") != 1:
            raise InexpressibleError("it is held by an attribute of something else")
        self.proto.attributes.append((text, syntax.enclosing(holder.target, "class_definition")))

    def _read_use(self, use: Use) -> None:
        if use.sink is Sink.FOREIGN:
            is_same = any(self.facts.text(use.node) == text for text, _ in self.proto.attributes)
            raise InexpressibleError(
                "another class has an attribute of this name"
                if is_same
                else "another object's attribute of that name may be the same config"
            )
        self.proto.uses.append(use.value)
        if use.path:
            self._record_field(use)
        else:
            self._record_whole(use)

    def _record_field(self, use: Use) -> None:
        """Records a field that is set; raises the reason if its use can't be expressed."""
        prefix = MESSAGES.get(self.proto.kind, "")
        path = ".".join([prefix, *use.path] if prefix else use.path)
        if use.sink is Sink.SET:
            value, statement = use.at.child_by_field_name("right"), simple_statement(use.at)
            if value is None or value.type == "assignment" or statement is None:
                raise InexpressibleError(f"{path} is set in the middle of another statement")
            self.proto.settings.append(Setting(path, read(self.facts, value), statement, use.value))
        elif use.sink is Sink.SUBSCRIPT and path == "device_count":
            self._record_count(use)
        elif use.sink is Sink.CALLED:
            raise InexpressibleError(f"it is changed or read by {use.path[-1]}")
        else:
            raise InexpressibleError(f"{path} is read from it again")

    def _record_count(self, use: Use) -> None:
        assignment, keys = syntax.assignment_to(use.at), syntax.indices(use.at)
        value = assignment.child_by_field_name("right") if assignment is not None else None
        statement = simple_statement(assignment) if assignment is not None else None
        if value is None or not keys or statement is None:
            raise InexpressibleError("device_count is read from it again")
        text = "{{{}: {}}}".format(*(self.facts.text(node).decode("latin-1") for node in (keys[0], value)))
        self.proto.settings.append(Setting("device_count", Value(text, UNKNOWN, node=value), statement, use.value))

    def _record_whole(self, use: Use) -> None:
        """Records a use of the whole message; raises the reason if it can't be expressed."""
        if use.sink is Sink.ARGUMENT:
            self.proto.handed.append(Argument(use.node, use.at, use.name))
        elif use.sink is Sink.HELD and use.at.type == "assignment":
            self.proto.aliases.append(self._record_holders(use))
        elif use.sink is Sink.RETURNED:
            raise InexpressibleError("a helper returns it, which other files may call", IN_MAIN)
        elif use.sink is Sink.DEFAULT:
            raise InexpressibleError("it is a parameter's default, and callers may give another one")
        elif use.sink is not Sink.DROPPED:
            raise InexpressibleError("it is part of an expression")

    def _read_keywords(self, call: Node, prefix: str) -> None:
        """Records the settings that a call passes to a message."""
        for child in syntax.arguments(call):
            pair = syntax.keyword(child)
            if child.type == "dictionary_splat" and not prefix:
                self._read_dict(child)
                continue
            if pair is None:
                raise self._unknown(child)
            name, value = self.facts.decoded(pair.name), pair.value
            path = f"{prefix}.{name}" if prefix else name
            if path not in _CLASSES:
                self.proto.settings.append(Setting(path, read(self.facts, value), None))
            elif value.type == "call" and makes_message(self.facts, value, _CLASSES[path]):
                self._read_keywords(value, path)
            elif value.type in ("identifier", "attribute"):
                self.proto.parts.append(value)
            elif value.type != "none":
                raise InexpressibleError(f"{path} comes from elsewhere")

    def _unknown(self, argument: Node) -> InexpressibleError:
        text = self.facts.decoded(argument)
        return InexpressibleError(f"the content of `{text}` is known only when the program runs")

    def _read_dict(self, splat: Node) -> None:
        """Records `**options`, from a dict display that is its own statement and has no other use."""
        name = next((child for child in splat.named_children if child.type == "identifier"), None)
        visible = self.facts.names.visible(name) if name is not None else []
        if len(visible) != 1 or visible[0].kind != "assignment" or visible[0].value is None:
            raise self._unknown(splat)
        (binding,) = visible
        statement, value = simple_statement(binding.statement), visible[0].value
        is_call = value.type == "call" and self.facts.text(syntax.callee(value)) == b"dict"
        items = value.named_children[-1].named_children if is_call else value.named_children
        entries = [pair for pair in map(syntax.keyword, items) if pair is not None] if is_call else syntax.pairs(value)
        if (
            statement is None or len(self.facts.names.uses(binding)) != 1 or len(entries) != len(items)
            or function_of(binding.node) != function_of(splat) or not (is_call or value.type == "dictionary")
        ):  # fmt: skip
            raise self._unknown(splat)
        for pair in entries:
            path = self.facts.text(pair.name).strip(b"'\"").decode("utf-8", "replace")
            if path in _CLASSES or "." in path:
                raise self._unknown(splat)
            self.proto.settings.append(Setting(path, read(self.facts, pair.value), None))
        self.proto.aliases.append(statement)


def makes_message(facts: Facts, call: Node, kind: str) -> bool:
    """Returns True if a call makes a message of that class."""
    return facts.tf1_name(syntax.callee(call)) == kind


def calls(facts: Facts) -> Iterator[tuple[Node, str]]:
    """Yields the calls that make a ConfigProto, or a message that can belong to one, with their classes."""
    for kind in (CONFIG, *MESSAGES):
        leaf = kind.rpartition(".")[2]
        if facts.mentions(leaf):
            for call in facts.calls(leaf):
                if makes_message(facts, call, kind) and not _is_inside(facts, call):
                    yield call, kind


def _is_inside(facts: Facts, call: Node) -> bool:
    """Returns True if a message is made inside the call of the message around it, and is read with that one."""
    argument = call.parent
    passed = argument.parent if argument is not None and argument.type == "keyword_argument" else None
    outer = passed.parent if passed is not None else None
    return (
        outer is not None
        and outer.type == "call"
        and any(makes_message(facts, outer, kind) for kind in (CONFIG, *MESSAGES))
    )
