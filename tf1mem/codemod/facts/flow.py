"""Following a value through a file: from where it is made through variables, attributes, helpers and parameters.

Made for configs (`tf.ConfigProto`, `tf.GPUOptions`): what is set on them, and where they go.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, NamedTuple

from tree_sitter import Node

from tf1mem.codemod.source.names import Binding
from tf1mem.codemod.source.syntax import enclosing, is_field, without_comments

if TYPE_CHECKING:
    from tf1mem.codemod.facts.module import Facts

# Methods of a proto that change it in a way that can't be read off the source.
_CHANGING = frozenset(
    "CopyFrom MergeFrom ParseFromString MergeFromString Clear ClearField SetInParent"
    " add append extend update remove insert pop".split()
)
_TRANSPARENT = ("parenthesized_expression", "conditional_expression", "boolean_operator", "await")


class FieldSet(NamedTuple):
    """A field that is given a value.

    Attributes:
        path: The field's names, such as ("gpu_options", "allow_growth").
        value: What it is given; None where the source doesn't say it: CopyFrom, setattr, `+=`.
        node: The statement, or the keyword argument.
    """

    path: tuple[str, ...]
    value: Node | None
    node: Node


class Argument(NamedTuple):
    """A place where the value is handed to a call.

    Attributes:
        value: The expression that is the value.
        call: The call.
        name: The keyword; None for a positional argument.
    """

    value: Node
    call: Node
    name: str | None


@dataclass
class Followed:
    """Where one value goes in its file.

    Attributes:
        made: The expression that makes it.
        bindings: The variables that hold it.
        sets: What is set on it after it is made, in the order of the source.
        arguments: The calls that it is handed to, in the order of the source.
        reads: Where something is only read off it.
        leaves: Where it leaves what can be followed: returned from a helper that nobody calls here, stored in a
            list or a dict, held by an attribute of something else.
    """

    made: Node
    bindings: list[Binding] = field(default_factory=list)
    sets: list[FieldSet] = field(default_factory=list)
    arguments: list[Argument] = field(default_factory=list)
    reads: list[Node] = field(default_factory=list)
    leaves: list[Node] = field(default_factory=list)


def follow(facts: Facts, made: Node) -> Followed:
    """Follows a value.

    Args:
        facts: The module's facts.
        made: The expression that makes it: a call of ConfigProto, for example.
    """
    return _Following(facts, made).run()


def keywords(facts: Facts, call: Node) -> tuple[list[FieldSet], list[Node]]:
    """The fields that a constructor's keyword arguments set, and the arguments that can't be read off (`**options`)."""
    arguments = call.child_by_field_name("arguments")
    sets, unread = [], []
    for child in arguments.named_children if arguments is not None else ():
        key = child.child_by_field_name("name") if child.type == "keyword_argument" else None
        if key is not None:
            path = (facts.text(key).decode("utf-8", "replace"),)
            sets.append(FieldSet(path, child.child_by_field_name("value"), child))
        elif child.type != "comment":
            unread.append(child)
    return sets, unread


class _Following:
    def __init__(self, facts: Facts, made: Node) -> None:
        self.facts = facts
        self.found = Followed(made)
        self.seen: set[tuple[int, int, tuple[str, ...]]] = set()
        self.queue: list[tuple[Node, tuple[str, ...]]] = [(made, ())]

    def run(self) -> Followed:
        while self.queue:
            node, path = self.queue.pop()
            key = (node.start_byte, node.end_byte, path)
            if key not in self.seen:
                self.seen.add(key)
                self._see(node, path)
        self.found.sets.sort(key=lambda made: made.node.start_byte)
        self.found.arguments.sort(key=lambda argument: argument.call.start_byte)
        return self.found

    def _see(self, node: Node, path: tuple[str, ...]) -> None:
        """One expression that is the value, or the field of it that `path` names."""
        parent = node.parent
        while parent is not None and parent.type in _TRANSPARENT:
            if parent.type == "conditional_expression" and parent.named_children[1] == node:
                self.found.reads.append(node)
                return
            node, parent = parent, parent.parent
        if parent is None:
            return
        if parent.type == "attribute" and is_field(parent, "object", node):
            leaf = parent.child_by_field_name("attribute")
            assert leaf is not None
            self._see_attribute(parent, path, self.facts.text(leaf).decode("utf-8", "replace"))
        elif parent.type in ("assignment", "named_expression"):
            self._see_assignment(parent, node, path)
        elif parent.type in ("default_parameter", "typed_default_parameter") and is_field(parent, "value", node):
            name = parent.child_by_field_name("name")
            if name is not None:
                self._hold(name, path)
        elif parent.type == "return_statement" and not path:
            self._see_return(parent)
        elif parent.type in ("argument_list", "keyword_argument"):
            self._see_argument(parent, node, path)
        elif parent.type == "augmented_assignment" and is_field(parent, "left", node):
            self.found.sets.append(FieldSet(path, None, parent))
        elif parent.type == "lambda" and not path:
            self._see_lambda(parent)
        elif parent.type == "expression_statement":
            pass
        elif parent.type in ("pair", "list", "tuple", "expression_list", "dictionary", "yield", "subscript"):
            (self.found.leaves if not path else self.found.reads).append(node)
        else:
            self.found.reads.append(node)

    def _see_attribute(self, node: Node, path: tuple[str, ...], leaf: str) -> None:
        parent = node.parent
        if parent is not None and parent.type == "call" and is_field(parent, "function", node):
            if leaf in _CHANGING:
                self.found.sets.append(FieldSet(path, None, parent))
            else:
                self.found.reads.append(node)
            return
        if parent is not None and parent.type == "assignment" and is_field(parent, "left", node):
            value = parent.child_by_field_name("right")
            while value is not None and value.type == "assignment":
                value = value.child_by_field_name("right")
            self.found.sets.append(FieldSet((*path, leaf), value, parent))
            return
        self.queue.append((node, (*path, leaf)))

    def _see_assignment(self, assignment: Node, node: Node, path: tuple[str, ...]) -> None:
        if is_field(assignment, "left", node) or is_field(assignment, "name", node):
            return
        while assignment.type in ("assignment", "named_expression"):
            target = assignment.child_by_field_name("left") or assignment.child_by_field_name("name")
            if target is not None and target.type == "identifier":
                self._hold(target, path)
            elif target is not None and target.type == "attribute":
                self._hold_attribute(target, path)
            else:
                self.found.leaves.append(node)
            above = assignment.parent
            if above is None or above.type != "assignment":
                return
            assignment = above

    def _hold(self, target: Node, path: tuple[str, ...]) -> None:
        """A variable that holds the value from here on."""
        for binding in self.facts.names.bindings(self.facts.text(target)):
            if binding.node == target:
                if not path:
                    self.found.bindings.append(binding)
                self.queue += [(use, path) for use in self.facts.names.uses(binding)]

    def _hold_attribute(self, target: Node, path: tuple[str, ...]) -> None:
        """An attribute that holds it: `self.config`, for the class; another object's, for what is spelled the same."""
        text = self.facts.text(target)
        leaf = target.child_by_field_name("attribute")
        assert leaf is not None
        around = enclosing(target, "class_definition")
        for node in self.facts.source.identifiers(self.facts.text(leaf)):
            attribute = node.parent
            if attribute is None or attribute.type != "attribute" or attribute == target:
                continue
            if self.facts.text(attribute) != text:
                continue
            if text.startswith((b"self.", b"cls.")) and enclosing(attribute, "class_definition") != around:
                continue
            above = attribute.parent
            if above is not None and above.type == "assignment" and is_field(above, "left", attribute):
                continue
            self.queue.append((attribute, path))
        if not text.startswith((b"self.", b"cls.")):
            self.found.leaves.append(target)

    def _see_return(self, statement: Node) -> None:
        function = enclosing(statement, "function_definition", "lambda")
        name = function.child_by_field_name("name") if function is not None else None
        if name is None or function is None:
            self.found.leaves.append(statement)
            return
        called = self._calls_of(name)
        self.queue += [(call, ()) for call in called]
        if not called:
            self.found.leaves.append(statement)

    def _see_lambda(self, function: Node) -> None:
        assignment = function.parent
        target = assignment.child_by_field_name("left") if assignment is not None else None
        if assignment is not None and assignment.type == "assignment" and target is not None:
            self.queue += [(call, ()) for call in self._calls_of(target)]
        else:
            self.found.leaves.append(function)

    def _calls_of(self, name: Node) -> list[Node]:
        found = []
        for node in self.facts.source.identifiers(self.facts.text(name)):
            callee = node
            above = node.parent
            if above is not None and above.type == "attribute" and is_field(above, "attribute", node):
                callee = above
            call = callee.parent
            if call is not None and call.type == "call" and is_field(call, "function", callee):
                found.append(call)
        return found

    def _see_argument(self, parent: Node, node: Node, path: tuple[str, ...]) -> None:
        name = None
        if parent.type == "keyword_argument":
            key = parent.child_by_field_name("name")
            name = self.facts.text(key).decode("utf-8", "replace") if key is not None else None
            assert parent.parent is not None
            parent = parent.parent
        call = parent.parent
        if call is None or call.type != "call":
            self.found.leaves.append(node)
            return
        function = call.child_by_field_name("function")
        if function is not None and self.facts.text(function) == b"setattr":
            self.found.sets.append(FieldSet(path, None, call))
        elif path:
            self.found.reads.append(node)
        else:
            self.found.arguments.append(Argument(node, call, name))
            self._enter(call, node, name)

    def _enter(self, call: Node, value: Node, name: str | None) -> None:
        """Follows the value into a function of this file."""
        function = call.child_by_field_name("function")
        if function is None or function.type != "identifier":
            return
        for binding in self.facts.names.visible(function):
            if binding.statement.type != "function_definition":
                continue
            parameters = binding.statement.child_by_field_name("parameters")
            arguments = call.child_by_field_name("arguments")
            if parameters is None or arguments is None:
                continue
            if name is None:
                given = without_comments(arguments)
                place = given.index(value) if value in given else -1
                named = without_comments(parameters)
                found = named[place : place + 1] if place >= 0 else []
            else:
                found = [child for child in parameters.named_children if self._parameter(child) == name]
            for child in found:
                target = child.child_by_field_name("name") or child
                if target.type == "identifier":
                    self._hold(target, ())

    def _parameter(self, node: Node) -> str:
        target = node.child_by_field_name("name") or node
        return self.facts.text(target).decode("utf-8", "replace")
