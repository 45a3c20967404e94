"""Where a value goes in its module: from where it is made through variables, attributes, helpers and parameters.

Made for configs (`tf.ConfigProto`, `tf.GPUOptions`): what is set on them, and which calls they are handed to. There is
one model, a tree of uses, and two ways to reach them: all that the value may come to, through functions of the module,
too; or only what it comes to for certain, each use to be accounted for.
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

# Methods of a proto that change it in a way that can't be read off the source.
_CHANGING = frozenset(
    "CopyFrom MergeFrom ParseFromString MergeFromString Clear ClearField SetInParent"
    " add append extend update remove insert pop".split()
)
_TRANSPARENT = ("parenthesized_expression", "conditional_expression", "boolean_operator", "await")
_STORES = ("pair", "list", "tuple", "expression_list", "dictionary", "yield", "subscript")
_OF_ITS_CLASS = (b"self.", b"cls.")


class Sink(Enum):
    """What a use does with the value, or with a field of it."""

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
        path: The fields that are asked of it, such as ("gpu_options", "allow_growth"); a method's name, where one is
            called, is the last.
        node: The expression as a whole, the fields and what only stands around it included.
        sink: What is done with it.
        at: The node that does it: the assignment, the call, the statement.
        name: The keyword of an argument; None elsewhere, and for an argument by its position.
        holders: What holds it from here on: variables, attributes, and parameters of functions that it is handed to.
        results: The calls of the module's own function that returns it; empty where there are none.
    """

    value: Node
    path: tuple[str, ...]
    node: Node
    sink: Sink
    at: Node
    name: str | None = None
    holders: list[Holder] = field(default_factory=list)
    results: list[Use] = field(default_factory=list)


class Holder(NamedTuple):
    """What holds a value: its target, a variable's binding (None for an attribute, or what can't be followed), uses."""

    target: Node
    binding: Binding | None
    uses: list[Use]


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

    @property
    def node(self) -> Node:
        """The argument as a whole."""
        above = self.value.parent
        return above if self.name is not None and above is not None else self.value


class Flow:
    """Where one value goes in its module.

    Args:
        root: The use that is made of it there; None where it is in no other expression or statement.
    """

    def __init__(self, facts: Facts, root: Use | None) -> None:
        self._facts, self.root = facts, root

    @cached_property
    def uses(self) -> list[Use]:
        """All uses, depth first: each before those of what holds it from there on."""
        return [] if self.root is None else list(_all(self.root))

    @cached_property
    def bindings(self) -> list[Binding]:
        """The variables that hold the value itself."""
        holders = [holder for use in self.uses if not use.path for holder in use.holders]
        return [holder.binding for holder in holders if holder.binding is not None]

    @cached_property
    def sets(self) -> list[FieldSet]:
        """What is set on it after it is made, in the order of the source."""
        found = []
        for use in self.uses:
            if use.sink is Sink.SET:
                found.append(FieldSet(use.path, syntax.assigned(use.at), use.at))
            elif use.sink is Sink.CHANGED or (use.sink is Sink.ARGUMENT and self._sets_an_attribute(use)):
                found.append(FieldSet(use.path, None, use.at))
            elif use.sink is Sink.CALLED and use.path[-1] in _CHANGING:
                found.append(FieldSet(use.path[:-1], None, use.at))
        return sorted(found, key=lambda made: made.node.start_byte)

    @cached_property
    def arguments(self) -> list[Argument]:
        """The calls that it is handed to, in the order of the source."""
        found = [
            Argument(use.node, use.at, use.name)
            for use in self.uses
            if use.sink is Sink.ARGUMENT and not use.path and not self._sets_an_attribute(use)
        ]
        return sorted(found, key=lambda argument: argument.call.start_byte)

    @cached_property
    def methods(self) -> list[Node]:
        """Its methods that are called and only read it: SerializeToString, for example."""
        return [
            use.node
            for use in self.uses
            if (use.sink is Sink.CALLED and use.path[-1] not in _CHANGING)
            or (use.sink is Sink.READ and use.at.type == "call")
        ]

    @cached_property
    def leaves(self) -> list[Node]:
        """Where it leaves what can be followed.

        Returned from a helper, which other files may call; held by an attribute, which they may read; stored in a list
        or a dict.
        """
        found = []
        for use in self.uses:
            if use.sink is Sink.STORED or (use.sink is Sink.SUBSCRIPT and not use.path):
                found.append(use.node)
            elif use.sink is Sink.RETURNED:
                found.append(use.at)
            elif use.sink is Sink.HELD:
                found += [holder.target for holder in use.holders if holder.target.type != "identifier"]
        return found

    def _sets_an_attribute(self, use: Use) -> bool:
        return self._facts.text(syntax.callee(use.at)) == b"setattr"


def follow(facts: Facts, made: Node) -> Flow:
    """Follows a value wherever it may come to.

    Args:
        facts: The module's facts.
        made: The expression that makes it: a call of ConfigProto, for example.
    """
    key = (made.start_byte, made.end_byte)
    if key not in facts.flows:
        facts.flows[key] = Flow(facts, _Walk(facts, strict=False).use(made, ()))
    return facts.flows[key]


def follow_strictly(facts: Facts, made: Node) -> Flow:
    """Follows a value by names alone, to uses that it reaches for certain; not into functions, nor out of them.

    Args:
        facts: The module's facts.
        made: The expression that makes it.
    """
    return Flow(facts, _Walk(facts, strict=True).use(made, ()))


def keywords(facts: Facts, call: Node) -> Iterator[FieldSet]:
    """The fields that a constructor's keyword arguments set."""
    for argument in syntax.arguments(call):
        pair = syntax.keyword(argument)
        if pair is not None:
            yield FieldSet((facts.decoded(pair.name),), pair.value, argument)


# --- what reaches what ------------------------------------------------------------------------------------------------


def kills(rival: Binding, binding: Binding, use: Node) -> bool:
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
    if function_of(rival.node) != function_of(use) or statement.parent not in list(syntax.ancestors(use)):
        return False
    return binding.node.start_byte < rival.node.start_byte or is_passed_before(use, binding.node)


def is_passed_before(use: Node, made: Node) -> bool:
    """Whether a use is passed before a value is made further down; only a loop could bring it there."""
    if use.end_byte > made.start_byte or function_of(use) != function_of(made):
        return False
    loops = [above for above in syntax.ancestors(use) if above.type in ("for_statement", "while_statement")]
    return not any(loop in loops for loop in syntax.ancestors(made))


def are_alternatives(one: Node, other: Node, branches: tuple[str, ...] = ("if_statement",)) -> bool:
    """Whether two places are in different branches of one statement, so that only one of them is passed.

    Args:
        one: A node.
        other: Another one.
        branches: The types of the statements that branch.
    """
    around = {above.id for above in syntax.ancestors(one) if above.type in branches}
    common = next((above for above in syntax.ancestors(other) if above.id in around), None)
    return common is not None and _part(common, one) != _part(common, other)


def _part(above: Node, node: Node) -> Node:
    return next(child for child in above.children if child.start_byte <= node.start_byte < child.end_byte)


# --- the walk ---------------------------------------------------------------------------------------------------------


def _all(use: Use) -> Iterator[Use]:
    yield use
    for below in (*(found for holder in use.holders for found in holder.uses), *use.results):
        yield from _all(below)


class _Walk:
    """From use to use, to each once.

    Args:
        facts: The module's facts.
        strict: Whether only to what is certain.
    """

    def __init__(self, facts: Facts, *, strict: bool) -> None:
        self.facts, self.strict = facts, strict
        self._seen: set[tuple[int, int, tuple[str, ...]]] = set()

    def use(self, value: Node, path: tuple[str, ...]) -> Use | None:
        """The use of an expression that is the value, or the field of it that `path` names; None if it is known."""
        key = (value.start_byte, value.end_byte, path)
        if key in self._seen:
            return None
        self._seen.add(key)
        node, above = self._around(value, is_made=not path and value.type == "call")
        while above is not None:
            asked = syntax.attribute_of(node)
            if asked is None:
                return self._used(Use(value, path, node, Sink.READ, above))
            path = (*path, self.facts.decoded(syntax.leaf_of(asked)))
            call, assignment = syntax.call_of(asked), syntax.assignment_to(asked)
            if call is not None:
                return Use(value, path, asked, Sink.CALLED, call)
            if assignment is not None:
                return Use(value, path, asked, Sink.SET, assignment)
            node, above = self._around(asked)
        return None

    def _around(self, node: Node, is_made: bool = False) -> tuple[Node, Node | None]:
        """What stands for an expression in the one around it, and that one."""
        transparent = _TRANSPARENT if not self.strict else _TRANSPARENT[:1] if is_made else ()
        above = node.parent
        while above is not None and above.type in transparent:
            if above.type == "conditional_expression" and above.named_children[1] == node:
                break  # it is only asked for
            node, above = above, above.parent
        return node, above

    def _used(self, use: Use) -> Use:
        """Sees what is done with a value."""
        node, above = use.node, use.at
        if above.type in ("assignment", "named_expression"):
            if syntax.target(above) != node:
                use.sink = Sink.HELD
                use.holders = [self._held(found, use.path) for found in self._targets(above)]
        elif above.type in ("default_parameter", "typed_default_parameter") and syntax.is_field(above, "value", node):
            use.sink, name = Sink.DEFAULT, syntax.name_of(above)
            use.holders = [self._held(name, use.path)] if name is not None else []
        elif above.type in ("return_statement", "lambda") and not use.path:
            use.sink = Sink.RETURNED
            use.results = [] if self.strict else self._results(above)
        elif above.type in ("argument_list", "keyword_argument"):
            self._see_argument(use)
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

    def _held(self, held: Node, path: tuple[str, ...]) -> Holder:
        """What holds the value from here on, and the uses of that."""
        if held.type == "attribute":
            return Holder(held, None, self._uses_of_attribute(held, path))
        for binding in self.facts.names.bindings(self.facts.text(held)) if held.type == "identifier" else ():
            if binding.node == held:
                return Holder(held, binding, self._uses(self._reached(binding), path))
        return Holder(held, None, [])

    def _reached(self, binding: Binding) -> Iterator[Node]:
        rivals = [found for found in self.facts.names.bindings(self.facts.text(binding.node)) if found != binding]
        for use in self.facts.names.uses(binding):
            certain = self.strict and (
                any(kills(rival, binding, use) for rival in rivals)
                or is_passed_before(use, binding.node)
                or are_alternatives(use, binding.node)
            )
            if not certain:
                yield use

    def _uses(self, nodes: Iterator[Node] | list[Node], path: tuple[str, ...]) -> list[Use]:
        return [use for use in (self.use(node, path) for node in nodes) if use is not None]

    def _uses_of_attribute(self, held: Node, path: tuple[str, ...]) -> list[Use]:
        """Of `self.config`, those of the class; of another object's attribute, those that are spelled the same."""
        text, around = self.facts.text(held), syntax.enclosing(held, "class_definition")
        found = []
        for node in self.facts.source.identifiers(self.facts.text(syntax.leaf_of(held))):
            other = syntax.attribute_named(node)
            if other is None or syntax.assignment_to(other) is not None:
                continue
            is_same = self.facts.text(other) == text
            of_another_class = text.startswith(_OF_ITS_CLASS) and syntax.enclosing(other, "class_definition") != around
            if is_same and not of_another_class:
                found += self._uses([other], path)
            elif self.strict and (is_same or (syntax.call_of(other) is None and None in self.facts.tf1_names(other))):
                found.append(Use(other, path, other, Sink.FOREIGN, other))
        return found

    def _results(self, above: Node) -> list[Use]:
        """The calls of the function that returns the value."""
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

    def _see_argument(self, use: Use) -> None:
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
            use.holders = [self._held(found, ()) for found in self._parameters(use)]

    def _parameters(self, use: Use) -> Iterator[Node]:
        """The parameter of a function of this module that takes an argument."""
        function = syntax.callee(use.at)
        for binding in self.facts.names.visible(function) if function.type == "identifier" else ():
            if binding.statement.type != "function_definition":
                continue
            given, named = syntax.arguments(use.at), syntax.without_comments(syntax.parameters(binding.statement))
            place = given.index(use.node) if use.node in given else len(named)
            for child in named if use.name is not None else named[place : place + 1]:
                found = syntax.name_of(child) or child
                if found.type == "identifier" and use.name in (None, self.facts.decoded(found)):
                    yield found
