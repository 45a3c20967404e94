"""What a config is made of: the calls that make it and its messages, what is set on them, and where they go.

Every use is accounted for: one that can't be is why the config stays as it is.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Iterator, NamedTuple

from tree_sitter import Node

from tf1mem.codemod.source.control_flow import function_of
from tf1mem.codemod.source.names import Binding
from tf1mem.codemod.source.syntax import ancestors, enclosing, is_field
from tf1mem.codemod.targets.native.fields import Unsayable
from tf1mem.codemod.targets.native.values import UNKNOWN, Value, read

if TYPE_CHECKING:
    from tf1mem.codemod.facts.module import Facts

CONFIG = "ConfigProto"
# The messages of a ConfigProto that programs make by themselves -> the field that holds them.
MESSAGES = {
    "GPUOptions": "gpu_options",
    "GraphOptions": "graph_options",
    "OptimizerOptions": "graph_options.optimizer_options",
    "core.protobuf.rewriter_config_pb2.RewriterConfig": "graph_options.rewrite_options",
}
_CLASSES = {path: name for name, path in MESSAGES.items()}
_BLOCKS = ("block", "module")


class Setting(NamedTuple):
    """A field that is given a value.

    Attributes:
        path: The field, such as "gpu_options.allow_growth".
        value: What it is given.
        statement: The statement that does it; None for what the call that makes the message is given.
        use: The message, as it is named there; None as above.
    """

    path: str
    value: Value
    statement: Node | None
    use: Node | None = None


class Handed(NamedTuple):
    """A call that a message is handed to.

    Attributes:
        value: The expression that is the message.
        call: The call.
        name: The keyword; None for a positional argument.
        argument: The argument as a whole.
    """

    value: Node
    call: Node
    name: str | None
    argument: Node


@dataclass(eq=False)
class Piece:
    """A ConfigProto, or a message of one that is made by itself.

    Attributes:
        call: The call that makes it.
        kind: Its class: "ConfigProto" or a key of `MESSAGES`.
        statement: The statement that does nothing but make it; None where the call is an argument.
        settings: What is set on it.
        handed: Where it goes.
        aliases: Statements that only give it another name.
        holders: The bindings that hold it.
        attributes: The attributes that hold it, and the class they belong to.
        uses: The identifiers and attributes by which it is used.
        parts: The expressions that are messages of it, made elsewhere.
        why_not: Why it can't be followed.
    """

    call: Node
    kind: str
    statement: Node | None = None
    settings: list[Setting] = field(default_factory=list)
    handed: list[Handed] = field(default_factory=list)
    aliases: list[Node] = field(default_factory=list)
    holders: list[Binding] = field(default_factory=list)
    attributes: list[tuple[bytes, Node | None]] = field(default_factory=list)
    uses: list[Node] = field(default_factory=list)
    parts: list[Node] = field(default_factory=list)
    why_not: Unsayable | None = None


def make(facts: Facts, call: Node, kind: str) -> Piece:
    """The piece that a call makes.

    Args:
        facts: The module's facts.
        call: The call of a class.
        kind: The class.
    """
    piece = Piece(call, kind)
    try:
        _Following(facts, piece).run()
    except Unsayable as reason:
        piece.why_not = reason
    return piece


def simple_statement(node: Node) -> Node | None:
    """The statement that is nothing but this expression or assignment, in a block."""
    above = node.parent
    if above is None or above.type != "expression_statement" or above.named_child_count != 1:
        return None
    return above if above.parent is not None and above.parent.type in _BLOCKS else None


def overrides(rival: Binding, binding: Binding, use: Node) -> bool:
    """Whether a name has another value than the one of a binding wherever a use is reached, by another assignment.

    Args:
        rival: The other binding of the name.
        binding: The binding.
        use: The use.
    """
    statement = rival.statement.parent
    if rival.kind != "assignment" or rival.scope is not binding.scope or statement is None:
        return False
    if statement.type != "expression_statement" or statement.end_byte > use.start_byte:
        return False
    if function_of(rival.node) != function_of(use) or statement.parent not in list(ancestors(use)):
        return False
    if binding.node.start_byte < rival.node.start_byte:
        return True
    return _is_before(use, binding.node)


def _is_before(use: Node, made: Node) -> bool:
    """Whether a use is passed before a value is made further down; only a loop could bring it there."""
    if use.end_byte > made.start_byte or function_of(use) != function_of(made):
        return False
    loops = [above for above in ancestors(use) if above.type in ("for_statement", "while_statement")]
    return not any(loop in loops for loop in ancestors(made))


def are_alternatives(one: Node, other: Node) -> bool:
    """Whether two places are in different branches of one `if`: only one of them is passed."""
    branches = {above.id for above in ancestors(one) if above.type == "if_statement"}
    for above in ancestors(other):
        if above.id in branches:
            return _part(above, one) != _part(above, other)
    return False


def _part(above: Node, node: Node) -> Node:
    return next(child for child in above.children if child.start_byte <= node.start_byte < child.end_byte)


def separate(pieces: list[Piece]) -> None:
    """Takes from each piece the uses of an attribute that another one has, which was made for it in between."""
    for piece in pieces:
        rivals = [other for other in pieces if other is not piece and _attributes(other) & _attributes(piece)]
        gone = {use.id for use in piece.uses if any(_comes_between(piece, other, use) for other in rivals)}
        if gone:
            piece.uses = [use for use in piece.uses if use.id not in gone]
            piece.settings = [found for found in piece.settings if found.use is None or found.use.id not in gone]
            piece.handed = [found for found in piece.handed if found.value.id not in gone]


def _attributes(piece: Piece) -> set[tuple[bytes, int]]:
    return {(text, around.id if around is not None else 0) for text, around in piece.attributes}


def _comes_between(piece: Piece, other: Piece, use: Node) -> bool:
    """Whether another piece has taken a piece's place wherever a use is reached."""
    if use.type != "attribute" or piece.statement is None or other.statement is None:
        return False
    if any(function_of(made.call) != function_of(use) for made in (piece, other)):
        return False
    certain = other.call.end_byte < use.start_byte and other.statement.parent in list(ancestors(use))
    return certain and (piece.call.start_byte < other.call.start_byte or _is_before(use, piece.call))


class _Following:
    def __init__(self, facts: Facts, piece: Piece) -> None:
        self.facts, self.piece = facts, piece

    def run(self) -> None:
        call = self.piece.call
        self._read_keywords(call, MESSAGES.get(self.piece.kind, ""))
        node, above = call, call.parent
        while above is not None and above.type == "parenthesized_expression":
            node, above = above, above.parent
        if above is not None and above.type == "assignment" and is_field(above, "right", node):
            self.piece.statement = self._hold_all(above)
        else:
            self._see_whole(node)

    def _hold_all(self, assignment: Node) -> Node:
        """The variables that an assignment gives the value to; returns its statement."""
        while True:
            target = assignment.child_by_field_name("left")
            if target is not None and target.type == "identifier":
                self._hold(target)
            elif target is not None and target.type == "attribute":
                self._hold_attribute(target)
            else:
                raise Unsayable("it is unpacked, or stored where it can't be followed")
            above = assignment.parent
            if above is None or above.type != "assignment":
                break
            assignment = above
        statement = simple_statement(assignment)
        if statement is None:
            raise Unsayable("it is made in the middle of another statement")
        return statement

    def _hold(self, target: Node) -> None:
        for binding in self.facts.names.bindings(self.facts.text(target)):
            if binding.node == target:
                self.piece.holders.append(binding)
                rivals = [found for found in self.facts.names.bindings(self.facts.text(target)) if found != binding]
                for use in self.facts.names.uses(binding):
                    if any(overrides(rival, binding, use) for rival in rivals):
                        continue
                    if not _is_before(use, target) and not are_alternatives(use, target):
                        self._use(use)

    def _hold_attribute(self, target: Node) -> None:
        text = self.facts.text(target)
        leaf = target.child_by_field_name("attribute")
        if not text.startswith((b"self.", b"cls.")) or text.count(b".") != 1 or leaf is None:
            raise Unsayable("it is held by an attribute of something else")
        around = enclosing(target, "class_definition")
        self.piece.attributes.append((text, around))
        for node in self.facts.source.identifiers(self.facts.text(leaf)):
            attribute = node.parent
            if attribute is None or attribute.type != "attribute" or not is_field(attribute, "attribute", node):
                continue
            above = attribute.parent
            if above is not None and above.type == "assignment" and is_field(above, "left", attribute):
                continue
            if self.facts.text(attribute) != text:
                if None in self.facts.tf1_names(attribute) and not _is_called(attribute):
                    raise Unsayable("another object's attribute of that name may be the same config")
            elif enclosing(attribute, "class_definition") != around:
                raise Unsayable("another class has an attribute of that name")
            else:
                self._use(attribute)

    def _use(self, node: Node) -> None:
        """One expression that is the message."""
        self.piece.uses.append(node)
        names: list[str] = []
        whole = node
        above = node.parent
        while above is not None and above.type == "attribute" and is_field(above, "object", node):
            leaf = above.child_by_field_name("attribute")
            assert leaf is not None
            names.append(self.facts.text(leaf).decode("utf-8", "replace"))
            node, above = above, above.parent
        if names:
            self._see_field(whole, node, names)
        else:
            self._see_whole(node)

    def _see_field(self, whole: Node, node: Node, names: list[str]) -> None:
        prefix = MESSAGES.get(self.piece.kind, "")
        path = ".".join([prefix, *names] if prefix else names)
        above = node.parent
        if above is not None and above.type == "assignment" and is_field(above, "left", node):
            value, statement = above.child_by_field_name("right"), simple_statement(above)
            if value is None or value.type == "assignment" or statement is None:
                raise Unsayable(f"{path} is set in the middle of another statement")
            self.piece.settings.append(Setting(path, read(self.facts, value), statement, whole))
        elif above is not None and above.type == "subscript" and path == "device_count":
            self._see_count(whole, above)
        elif above is not None and above.type == "call" and is_field(above, "function", node):
            raise Unsayable(f"it is changed or read by {names[-1]}")
        else:
            raise Unsayable(f"{path} is read off it again")

    def _see_count(self, whole: Node, subscript: Node) -> None:
        above = subscript.parent
        key = subscript.child_by_field_name("subscript")
        value = above.child_by_field_name("right") if above is not None and above.type == "assignment" else None
        statement = simple_statement(above) if above is not None else None
        if above is None or value is None or key is None or statement is None or not is_field(above, "left", subscript):
            raise Unsayable("device_count is read off it again")
        text = "{{{}: {}}}".format(*(self.facts.text(node).decode("latin-1") for node in (key, value)))
        self.piece.settings.append(Setting("device_count", Value(text, UNKNOWN), statement, whole))

    def _see_whole(self, node: Node) -> None:
        above = node.parent
        if above is None:
            return
        if above.type == "keyword_argument" and is_field(above, "value", node):
            key = above.child_by_field_name("name")
            assert key is not None
            self._hand(node, above, self.facts.text(key).decode("utf-8", "replace"))
        elif above.type == "argument_list":
            self._hand(node, node, None)
        elif above.type == "assignment" and is_field(above, "right", node):
            self.piece.aliases.append(self._hold_all(above))
        elif above.type in ("return_statement", "lambda"):
            raise Unsayable(
                "a helper returns it, which other files may call",
                "Make the tf.config calls in the program's main file, before the first op.",
            )
        elif above.type in ("default_parameter", "typed_default_parameter"):
            raise Unsayable("it is a parameter's default, and callers may give another one")
        elif above.type == "expression_statement":
            return
        else:
            raise Unsayable("it is part of an expression")

    def _hand(self, value: Node, argument: Node, name: str | None) -> None:
        arguments = argument.parent
        call = arguments.parent if arguments is not None else None
        if call is None or call.type != "call":
            raise Unsayable("it is part of an expression")
        self.piece.handed.append(Handed(value, call, name, argument))

    def _read_keywords(self, call: Node, prefix: str) -> None:
        """What a call that makes a message is given."""
        arguments = call.child_by_field_name("arguments")
        for child in arguments.named_children if arguments is not None else ():
            if child.type == "comment":
                continue
            key, value = child.child_by_field_name("name"), child.child_by_field_name("value")
            if child.type == "dictionary_splat" and not prefix:
                self._read_dict(child)
                continue
            if child.type != "keyword_argument" or key is None or value is None:
                raise self._unknown(child)
            name = self.facts.text(key).decode("utf-8", "replace")
            path = f"{prefix}.{name}" if prefix else name
            if path not in _CLASSES:
                self.piece.settings.append(Setting(path, read(self.facts, value), None))
            elif value.type == "call" and is_made(self.facts, value, _CLASSES[path]):
                self._read_keywords(value, path)
            elif value.type in ("identifier", "attribute"):
                self.piece.parts.append(value)
            elif value.type != "none":
                raise Unsayable(f"{path} comes from elsewhere")

    def _unknown(self, argument: Node) -> Unsayable:
        given = self.facts.text(argument).decode("utf-8", "replace")
        return Unsayable(f"what `{given}` holds is known only when the program runs")

    def _read_dict(self, splat: Node) -> None:
        """`**options`, of a dict that is written out in a statement of its own and used for nothing else."""
        name = next((child for child in splat.named_children if child.type == "identifier"), None)
        visible = self.facts.names.visible(name) if name is not None else []
        if len(visible) != 1 or visible[0].kind != "assignment" or visible[0].value is None:
            raise self._unknown(splat)
        (binding,) = visible
        statement, value = simple_statement(binding.statement), visible[0].value
        if statement is None or len(self.facts.names.uses(binding)) != 1:
            raise self._unknown(splat)
        if function_of(binding.node) != function_of(splat):
            raise self._unknown(splat)
        function, inside = value.child_by_field_name("function"), value.child_by_field_name("arguments")
        if value.type == "dictionary":
            inside = value
        elif function is None or self.facts.text(function) != b"dict":
            raise self._unknown(splat)
        for item in inside.named_children if inside is not None else ():
            key = item.child_by_field_name("name" if item.type == "keyword_argument" else "key")
            given = item.child_by_field_name("value")
            if item.type not in ("keyword_argument", "pair") or key is None or given is None:
                raise self._unknown(splat)
            path = self.facts.text(key).strip(b"'\"").decode("utf-8", "replace")
            if path in _CLASSES or "." in path:
                raise self._unknown(splat)
            self.piece.settings.append(Setting(path, read(self.facts, given), None))
        self.piece.aliases.append(statement)


def is_made(facts: Facts, call: Node, kind: str) -> bool:
    """Whether a call makes a message of that class."""
    function = call.child_by_field_name("function")
    return function is not None and facts.tf1_name(function) == kind


def calls(facts: Facts) -> Iterator[tuple[Node, str]]:
    """The calls that make a ConfigProto or a message that can be one's, and their classes."""
    for kind in (CONFIG, *MESSAGES):
        leaf = kind.rpartition(".")[2]
        if facts.spelled(leaf):
            for call in facts.calls(leaf):
                if is_made(facts, call, kind) and not _is_inside(facts, call):
                    yield call, kind


def _is_inside(facts: Facts, call: Node) -> bool:
    """Whether a message is made where it is given to the call that makes the one around it, and read with that."""
    argument = call.parent
    arguments = argument.parent if argument is not None and argument.type == "keyword_argument" else None
    outer = arguments.parent if arguments is not None else None
    return (
        outer is not None and outer.type == "call" and any(is_made(facts, outer, kind) for kind in (CONFIG, *MESSAGES))
    )


def _is_called(node: Node) -> bool:
    above = node.parent
    return above is not None and above.type == "call" and is_field(above, "function", node)
