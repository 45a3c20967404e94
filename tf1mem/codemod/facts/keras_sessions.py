"""Sessions that are made for Keras's `set_session`, and used for nothing else: `set_session(tf.Session(config=c))`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Iterator, NamedTuple

from tree_sitter import Node

from tf1mem.codemod.source.syntax import arguments, callee, enclosing, root_of
from tf1mem.settings import takers

if TYPE_CHECKING:
    from tf1mem.codemod.facts.module import Facts

SET_SESSION = "keras.backend.set_session"
SESSIONS = (*takers.SESSION.names, *takers.INTERACTIVE_SESSION.names)


class KerasSession(NamedTuple):
    """A Session that Keras is given.

    Attributes:
        call: The call of set_session.
        session: The call that makes the Session.
        config: Its config; None where it has none.
        made: The statement that makes the Session, where that is another than the call's; None elsewhere.
    """

    call: Node
    session: Node
    config: Node | None
    made: Node | None


def set_session_calls(facts: Facts) -> Iterator[Node]:
    """The calls of Keras's own set_session: not of a method that a program calls so."""
    for call in facts.calls("set_session"):
        function = call.child_by_field_name("function")
        if function is not None and facts.tf1_name(function) == SET_SESSION:
            yield call


def find(facts: Facts) -> Iterator[KerasSession]:
    """The calls of set_session whose Session exists only for that."""
    for call in set_session_calls(facts):
        given = _only_argument(call)
        statement = call.parent
        if given is None or statement is None or statement.type != "expression_statement":
            continue
        if given.type == "identifier":
            found = _through_a_variable(facts, call, given, statement)
            if found is not None:
                yield found
        elif is_plain_session(facts, given):
            yield KerasSession(call, given, facts.argument(given, "config"), None)


def is_plain_session(facts: Facts, node: Node) -> bool:
    """Whether an expression makes a Session that has nothing but a config; the default graph is every Session's."""
    if node.type != "call":
        return False
    function = node.child_by_field_name("function")
    if function is None or facts.tf1_name(function) not in SESSIONS:
        return False
    given = arguments(node)
    graph = facts.argument(node, "graph")
    if graph is not None:
        if graph.type != "call" or facts.tf1_name(callee(graph)) != "get_default_graph":
            return False
        given = [child for child in given if child.child_by_field_name("value") != graph]
    return all(child.type == "keyword_argument" for child in given) and (
        not given or (len(given) == 1 and facts.argument(node, "config") is not None)
    )


def _only_argument(call: Node) -> Node | None:
    given = arguments(call)
    if len(given) != 1:
        return None
    return given[0].child_by_field_name("value") if given[0].type == "keyword_argument" else given[0]


def _through_a_variable(facts: Facts, call: Node, given: Node, statement: Node) -> KerasSession | None:
    """`sess = tf.Session(config=c)` and then `set_session(sess)`, side by side in one block, and no other use."""
    visible = facts.names.visible(given)
    if len(visible) != 1 or visible[0].kind != "assignment":
        return None
    (binding,) = visible
    value = binding.value
    made = enclosing(binding.node, "expression_statement")
    name = facts.text(given)
    others = [found for found in facts.names.bindings(name) if found.scope is binding.scope]
    if (
        value is None or made is None or made.parent != statement.parent or made.named_child_count != 1
        or len(others) != 1 or binding.statement.parent != made
        or binding.statement.child_by_field_name("right") != value
        or not is_plain_session(facts, value) or len(facts.names.uses(binding)) != 1
    ):  # fmt: skip
        return None
    return KerasSession(call, value, facts.argument(value, "config"), made)


def imports_not_needed(facts: Facts) -> dict[int, Node]:
    """The statements that import nothing but what leads to set_session, and are used by the calls of `find` only.

    Newer Kerases have neither the name nor, some of them, the module: left where they are, they would fail.

    Returns:
        The statement's offset -> the statement.
    """
    if not facts.spelled("set_session"):
        return {}
    replaced = {root_of(callee(found.call)).start_byte for found in find(facts) if found.config is not None}
    needless = {}
    for binding in facts.imports.bindings:
        items = binding.statement.children_by_field_name("name")
        if len(items) != 1 or (binding.statement.type == "import_statement" and items[0].type != "aliased_import"):
            continue
        uses = facts.names.uses(binding)
        if uses and all(node.start_byte in replaced for node in uses):
            needless[binding.statement.start_byte] = binding.statement
    return needless
