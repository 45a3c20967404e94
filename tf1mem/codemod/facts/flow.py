"""Follows a value through its module: from its creation through variables, attributes, helpers and parameters.

It serves configs (`tf.ConfigProto`, `tf.GPUOptions`): the settings on them, and the calls that take them. There is one
model, a tree of uses, and two functions that make it. `follow` visits all uses that the value may reach, also through
functions of the module; `follow_strictly` visits only uses that it surely reaches.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import Enum
from functools import cached_property
from typing import TYPE_CHECKING, Iterator, NamedTuple

from tree_sitter import Node

from tf1mem.codemod.source import syntax
from tf1mem.codemod.source.control_flow import function_of
from tf1mem.codemod.source.names import Binding

if TYPE_CHECKING:
    from tf1mem.codemod.facts.module import Facts

# Methods of a proto that change it in ways that the source doesn't show.
_CHANGING = frozenset(
    "CopyFrom MergeFrom ParseFromString MergeFromString Clear ClearField SetInParent"
    " add append extend update remove insert pop".split()
)
# Expressions whose value may be a part of them; and nodes that put a part into something else.
_TRANSPARENT = ("parenthesized_expression", "conditional_expression", "boolean_operator", "await")
_STORES = ("pair", "list", "tuple", "expression_list", "dictionary", "yield", "subscript")
# The starts of attributes that hold the value within their class alone.
_OF_ITS_CLASS = (b"self.", b"cls.")


class Sink(Enum):
    """The effect of a use on the value, or on a field of it."""

    SET = "gives the field a value"
    CHANGED = "changes it by an operator"
    CALLED = "calls a method of it"
    ARGUMENT = "hands it to a call"
    HELD = "gives it to a variable or an attribute"
    DEFAULT = "makes it a parameter's default"
    RETURNED = "returns it"
    STORED = "puts it into a list, a dict or the like"
    SUBSCRIPT = "takes an item of it"
    DROPPED = "does nothing with it"
    READ = "reads it"
    FOREIGN = "may be of another object, or another class, that has an attribute of that name"


@dataclass(eq=False)
class Use:
    """One use of a value.

    Attributes:
        value: The expression that is the value: a call, a variable, an attribute that holds it.
        path: The fields read from it, such as ("gpu_options", "allow_growth"); the last part is the method's name if
            one is called.
        node: The whole expression: with the fields, and with parentheses, `x if y else z` and the like around it.
        sink: The effect of the use, such as `Sink.SET`.
        at: The node with that effect: the assignment, the call, the statement.
        name: Keyword of an argument; None elsewhere, and for a positional argument.
        holders: New holders of the value: variables, attributes, and parameters of functions that get it.
        results: The calls of the module's function that returns it; empty if there are none.
    """

    value: Node
    path: tuple[str, ...]
    node: Node
    sink: Sink
    at: Node
    name: str | None = None
    holders: list[ValueHolder] = field(default_factory=list)
    results: list[Use] = field(default_factory=list)


class ValueHolder(NamedTuple):
    """A holder of a value: its target, its binding (None for attributes and targets that aren't followed), its uses."""

    target: Node
    binding: Binding | None
    uses: list[Use]


class FieldSet(NamedTuple):
    """A field with the value that it gets.

    Attributes:
        path: The field's names, such as ("gpu_options", "allow_growth").
        value: The value; None if the source doesn't show it: CopyFrom, setattr, `+=`.
        node: The statement, or the keyword argument.
    """

    path: tuple[str, ...]
    value: Node | None
    node: Node


class Argument(NamedTuple):
    """A place where the value is passed to a call.

    Attributes:
        value: The expression that is the value.
        call: The call.
        name: The keyword; None for a positional argument.
    """

    value: Node
    call: Node
    name: str | None

    @property
    def node(self) -> Node:
        """The whole argument."""
        above = self.value.parent
        return above if self.name is not None and above is not None else self.value


class Flow:
    """The flow of one value in its module.

    Args:
        root: The use of the expression itself; None if no expression or statement uses it.
    """

    def __init__(self, facts: Facts, root: Use | None) -> None:
        self._facts, self.root = facts, root

    @cached_property
    def uses(self) -> list[Use]:
        """All uses, depth first: each before those of its holders."""
        return [] if self.root is None else list(_use_and_later_uses(self.root))

    @cached_property
    def bindings(self) -> list[Binding]:
        """The variables that hold the value itself."""
        holders = [holder for use in self.uses if not use.path for holder in use.holders]
        return [holder.binding for holder in holders if holder.binding is not None]

    @cached_property
    def sets(self) -> list[FieldSet]:
        """The fields set on it after its creation, in the order of the source."""
        sets = []
        for use in self.uses:
            if use.sink is Sink.SET:
                sets.append(FieldSet(use.path, syntax.assigned(use.at), use.at))
            elif use.sink is Sink.CHANGED or (use.sink is Sink.ARGUMENT and self._sets_an_attribute(use)):
                sets.append(FieldSet(use.path, None, use.at))
            elif use.sink is Sink.CALLED and use.path[-1] in _CHANGING:
                sets.append(FieldSet(use.path[:-1], None, use.at))
        return sorted(sets, key=lambda field_set: field_set.node.start_byte)

    @cached_property
    def arguments(self) -> list[Argument]:
        """The calls that it is passed to, in the order of the source."""
        arguments = [
            Argument(use.node, use.at, use.name)
            for use in self.uses
            if use.sink is Sink.ARGUMENT and not use.path and not self._sets_an_attribute(use)
        ]
        return sorted(arguments, key=lambda argument: argument.call.start_byte)

    @cached_property
    def methods(self) -> list[Node]:
        """The called methods that only read it, such as SerializeToString."""
        return [
            use.node
            for use in self.uses
            if (use.sink is Sink.CALLED and use.path[-1] not in _CHANGING)
            or (use.sink is Sink.READ and use.at.type == "call")
        ]

    @cached_property
    def exits(self) -> list[Node]:
        """The places where it leaves the code that can be followed.

        It leaves when a helper returns it, which other files may call; when an attribute holds it, which they may read;
        and when a list or a dict stores it.
        """
        exits = []
        for use in self.uses:
            if use.sink is Sink.STORED or (use.sink is Sink.SUBSCRIPT and not use.path):
                exits.append(use.node)
            elif use.sink is Sink.RETURNED:
                exits.append(use.at)
            elif use.sink is Sink.HELD:
                exits += [holder.target for holder in use.holders if holder.target.type != "identifier"]
        return exits

    def _sets_an_attribute(self, use: Use) -> bool:
        return self._facts.text(syntax.callee(use.at)) == b"setattr"


def follow(facts: Facts, creation: Node) -> Flow:
    """Follows a value to all places that it may reach.

    Args:
        facts: The module's facts.
        creation: The expression that creates it: a call of ConfigProto, for example.
    """
    key = (creation.start_byte, creation.end_byte)
    if key not in facts.flows:
        facts.flows[key] = Flow(facts, _Walk(facts, strict=False).use(creation, ()))
    flow: Flow = facts.flows[key]
    return flow


def follow_strictly(facts: Facts, creation: Node) -> Flow:
    """Follows a value by names alone, to uses that it surely reaches; neither into functions nor out of them.

    Args:
        facts: The module's facts.
        creation: The expression that creates it.
    """
    return Flow(facts, _Walk(facts, strict=True).use(creation, ()))


def keywords(facts: Facts, call: Node) -> Iterator[FieldSet]:
    """Yields the fields that a constructor's keyword arguments set."""
    for argument in syntax.arguments(call):
        pair = syntax.keyword(argument)
        if pair is not None:
            yield FieldSet((facts.decoded(pair.name),), pair.value, argument)


# --- reachability -----------------------------------------------------------------------------------------------------


def kills(rival: Binding, binding: Binding, use: Node) -> bool:
    """Returns True if another assignment has replaced a binding's value wherever a use is reached.

    Args:
        rival: The other binding of the name.
        binding: The binding whose value may be replaced.
        use: An identifier that reads the name.
    """
    statement = rival.statement.parent
    if rival.kind != "assignment" or rival.scope is not binding.scope or statement is None:
        return False
    if statement.type != "expression_statement" or statement.end_byte > use.start_byte:
        return False
    if function_of(rival.node) != function_of(use) or statement.parent not in list(syntax.ancestors(use)):
        return False
    return binding.node.start_byte < rival.node.start_byte or is_passed_before(use, binding.node)


def is_passed_before(use: Node, creation: Node) -> bool:
    """Returns True if a use runs before a value is created further down; only a loop could bring the value there."""
    if use.end_byte > creation.start_byte or function_of(use) != function_of(creation):
        return False
    loops = [above for above in syntax.ancestors(use) if above.type in ("for_statement", "while_statement")]
    return not any(loop in loops for loop in syntax.ancestors(creation))


def are_alternatives(first: Node, second: Node, branches: tuple[str, ...] = ("if_statement",)) -> bool:
    """Returns True if two places are in different branches of one statement, so that only one of them runs.

    Args:
        first: A node.
        second: Another node.
        branches: The types of branching statements.
    """
    around = {above.id for above in syntax.ancestors(first) if above.type in branches}
    common = next((above for above in syntax.ancestors(second) if above.id in around), None)
    return common is not None and _part(common, first) != _part(common, second)


def _part(above: Node, node: Node) -> Node:
    return next(child for child in above.children if child.start_byte <= node.start_byte < child.end_byte)


# --- the walk ---------------------------------------------------------------------------------------------------------


def _use_and_later_uses(use: Use) -> Iterator[Use]:
    yield use
    for below in (*(held for holder in use.holders for held in holder.uses), *use.results):
        yield from _use_and_later_uses(below)


class _Walk:
    """A walk from use to use that visits each once.

    Args:
        facts: The module's facts.
        strict: True to visit only uses that the value surely reaches.
    """

    def __init__(self, facts: Facts, *, strict: bool) -> None:
        self.facts, self.strict = facts, strict
        self._seen: set[tuple[int, int, tuple[str, ...]]] = set()

    def use(self, value: Node, path: tuple[str, ...]) -> Use | None:
        """Returns the use of an expression that is the value or its field `path`; None if it was visited before."""
        key = (value.start_byte, value.end_byte, path)
        if key in self._seen:
            return None
        self._seen.add(key)
        node, above = self._around(value, is_creation=not path and value.type == "call")
        while above is not None:
            part = syntax.attribute_of(node)
            if part is None:
                return self._completed(Use(value, path, node, Sink.READ, above))
            path = (*path, self.facts.decoded(syntax.leaf_of(part)))
            call, assignment = syntax.call_of(part), syntax.assignment_to(part)
            if call is not None:
                return Use(value, path, part, Sink.CALLED, call)
            if assignment is not None:
                return Use(value, path, part, Sink.SET, assignment)
            node, above = self._around(part)
        return None

    def _around(self, node: Node, is_creation: bool = False) -> tuple[Node, Node | None]:
        """Returns the outermost transparent expression around a node, and the node around that.

        Args:
            node: An expression that is the value, or a field of it.
            is_creation: True if it is the call that creates the value.
        """
        transparent = _TRANSPARENT if not self.strict else _TRANSPARENT[:1] if is_creation else ()
        above = node.parent
        while above is not None and above.type in transparent:
            if above.type == "conditional_expression" and above.named_children[1] == node:
                break  # it is only the condition
            node, above = above, above.parent
        return node, above

    def _completed(self, use: Use) -> Use:
        """Completes a use, which is `Sink.READ` until then, with its effect, its holders and its results."""
        node, above = use.node, use.at
        if above.type in ("assignment", "named_expression"):
            if syntax.target(above) != node:
                use.sink = Sink.HELD
                use.holders = [self._holder(target, use.path) for target in self._targets(above)]
        elif above.type in ("default_parameter", "typed_default_parameter") and syntax.is_field(above, "value", node):
            use.sink, name = Sink.DEFAULT, syntax.name_of(above)
            use.holders = [self._holder(name, use.path)] if name is not None else []
        elif above.type in ("return_statement", "lambda") and not use.path:
            use.sink = Sink.RETURNED
            use.results = [] if self.strict else self._results(above)
        elif above.type in ("argument_list", "keyword_argument"):
            self._complete_argument(use)
        elif above.type == "augmented_assignment" and syntax.is_field(above, "left", node):
            use.sink = Sink.CHANGED
        elif above.type == "expression_statement":
            use.sink = Sink.DROPPED
        elif syntax.subscript_of(node) is not None:
            use.sink = Sink.SUBSCRIPT
        elif above.type in _STORES and not use.path:
            use.sink = Sink.STORED
        return use

    def _targets(self, assignment: Node) -> Iterator[Node]:
        yield syntax.target(assignment)
        while assignment.parent is not None and assignment.parent.type == "assignment":
            assignment = assignment.parent
            yield syntax.target(assignment)

    def _holder(self, held: Node, path: tuple[str, ...]) -> ValueHolder:
        """Returns the holder of the value from here on, with its uses."""
        if held.type == "attribute":
            return ValueHolder(held, None, self._uses_of_attribute(held, path))
        for binding in self.facts.names.bindings(self.facts.text(held)) if held.type == "identifier" else ():
            if binding.node == held:
                return ValueHolder(held, binding, self._uses(self._reached(binding), path))
        return ValueHolder(held, None, [])

    def _reached(self, binding: Binding) -> Iterator[Node]:
        rivals = [other for other in self.facts.names.bindings(self.facts.text(binding.node)) if other != binding]
        for use in self.facts.names.uses(binding):
            surely_missed = self.strict and (
                any(kills(rival, binding, use) for rival in rivals)
                or is_passed_before(use, binding.node)
                or are_alternatives(use, binding.node)
            )
            if not surely_missed:
                yield use

    def _uses(self, nodes: Iterator[Node] | list[Node], path: tuple[str, ...]) -> list[Use]:
        return [use for use in (self.use(node, path) for node in nodes) if use is not None]

    def _uses_of_attribute(self, held: Node, path: tuple[str, ...]) -> list[Use]:
        """Returns the uses of an attribute: for `self.config` within the class, else of equally spelled attributes."""
        text, around = self.facts.text(held), syntax.enclosing(held, "class_definition")
        uses = []
        for node in self.facts.source.identifiers(self.facts.text(syntax.leaf_of(held))):
            other = syntax.attribute_named(node)
            if other is None or syntax.assignment_to(other) is not None:
                continue
            is_same = self.facts.text(other) == text
            of_another_class = text.startswith(_OF_ITS_CLASS) and syntax.enclosing(other, "class_definition") != around
            if is_same and not of_another_class:
                uses += self._uses([other], path)
            elif self.strict and (is_same or (syntax.call_of(other) is None and None in self.facts.tf1_names(other))):
                uses.append(Use(other, path, other, Sink.FOREIGN, other))
        return uses

    def _results(self, above: Node) -> list[Use]:
        """Returns the calls of the function that returns the value."""
        if above.type == "return_statement":
            function = syntax.enclosing(above, "function_definition", "lambda")
            name = syntax.name_of(function) if function is not None else None
        else:
            assignment = above.parent
            name = syntax.target(assignment) if assignment is not None and assignment.type == "assignment" else None
        if name is None:
            return []
        named = self.facts.source.identifiers(self.facts.text(name))
        calls = (syntax.call_of(syntax.attribute_named(node) or node) for node in named)
        return self._uses([call for call in calls if call is not None], ())

    def _complete_argument(self, use: Use) -> None:
        """Completes the use of a value that is passed to a call, with the parameters that hold it there."""
        listed = use.at
        if listed.type == "keyword_argument":
            key = syntax.name_of(listed)
            use.name = self.facts.decoded(key) if key is not None else None
            assert listed.parent is not None
            listed = listed.parent
        if listed.parent is None or listed.parent.type != "call":
            use.sink = Sink.STORED
            return
        use.sink, use.at = Sink.ARGUMENT, listed.parent
        if not self.strict and not use.path:
            use.holders = [self._holder(parameter, ()) for parameter in self._parameters(use)]

    def _parameters(self, use: Use) -> Iterator[Node]:
        """Yields the parameter of a function in this module that takes an argument."""
        function = syntax.callee(use.at)
        for binding in self.facts.names.visible(function) if function.type == "identifier" else ():
            if binding.statement.type != "function_definition":
                continue
            passed, named = syntax.arguments(use.at), syntax.without_comments(syntax.parameters(binding.statement))
            place = passed.index(use.node) if use.node in passed else len(named)
            for child in named if use.name is not None else named[place : place + 1]:
                parameter = syntax.name_of(child) or child
                if parameter.type == "identifier" and use.name in (None, self.facts.decoded(parameter)):
                    yield parameter
