"""Sessions that are made for Keras's `set_session`, and used for nothing else: `set_session(tf.Session(config=c))`."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Iterator, NamedTuple

from tree_sitter import Node

from tf1mem.codemod.source.syntax import (
    argument_value,
    arguments,
    attribute,
    callee,
    import_items,
    imported_module,
    is_statement,
    keyword,
    root_of,
)
from tf1mem.codemod.tables import tf1_names
from tf1mem.settings import takers

if TYPE_CHECKING:
    from tf1mem.codemod.facts.module import Facts
    from tf1mem.codemod.source.names import Binding

SET_SESSION, GET_SESSION = "keras.backend.set_session", "keras.backend.get_session"
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
    return (call for call in facts.calls("set_session") if facts.tf1_name(callee(call)) == SET_SESSION)


def find(facts: Facts) -> Iterator[KerasSession]:
    """The calls of set_session whose Session exists only for that, not to take the place of one that is closed."""
    for call in set_session_calls(facts) if not _closes_a_session(facts) else ():
        listed, statement = arguments(call), call.parent
        if len(listed) != 1 or statement is None or statement.type != "expression_statement":
            continue
        given = argument_value(listed[0])
        if given.type == "identifier":
            found = _through_a_variable(facts, call, given, statement)
            if found is not None:
                yield found
        elif is_plain_session(facts, given):
            yield KerasSession(call, given, facts.argument(given, "config"), None)


def _closes_a_session(facts: Facts) -> bool:
    """Whether Keras's Session is closed: `K.get_session().close()`, in one line or two."""
    for call in facts.calls("close") if facts.spelled("get_session") else ():
        method = attribute(callee(call))
        held = method.object if method is not None else None
        values = [held] if held is None or held.type != "identifier" else [it.value for it in facts.names.visible(held)]
        for value in values:
            if value is not None and value.type == "call" and facts.tf1_name(callee(value)) == GET_SESSION:
                return True
    return False


def is_plain_session(facts: Facts, node: Node) -> bool:
    """Whether an expression makes a Session that has nothing but a config; the default graph is every Session's."""
    if node.type != "call" or facts.tf1_name(callee(node)) not in SESSIONS:
        return False
    pairs = [keyword(given) for given in arguments(node)]
    given = {facts.text(pair.name): pair.value for pair in pairs if pair is not None}
    graph = given.pop(b"graph", None)
    if graph is not None and (graph.type != "call" or facts.tf1_name(callee(graph)) != "get_default_graph"):
        return False
    return None not in pairs and given.keys() <= {b"config"}


def _through_a_variable(facts: Facts, call: Node, given: Node, statement: Node) -> KerasSession | None:
    """`sess = tf.Session(config=c)` and then `set_session(sess)`, side by side in one block, and no other use."""
    visible = facts.names.visible(given)
    if len(visible) != 1 or visible[0].kind != "assignment":
        return None
    (binding,) = visible
    value, made = binding.value, binding.statement.parent
    others = [found for found in facts.names.bindings(facts.text(given)) if found.scope is binding.scope]
    if (
        value is None or made is None or made.parent != statement.parent or not is_statement(binding.statement)
        or len(others) != 1 or value.parent != binding.statement
        or not is_plain_session(facts, value) or len(facts.names.uses(binding)) != 1
    ):  # fmt: skip
        return None
    return KerasSession(call, value, facts.argument(value, "config"), made)


def imports_not_needed(facts: Facts) -> list[tuple[Node, list[Node]]]:
    """The import statements of what is used by the calls of `find` only, and its items there.

    Newer Kerases have neither set_session nor, some of them, its module: left where they are, they would fail. What the
    Session was imported as goes with it.
    """
    if not facts.spelled("set_session"):
        return []
    replaced = [found for found in find(facts) if found.config is not None]
    gone = {root_of(callee(found.call)).start_byte for found in replaced}
    gone.update(callee(found.session).start_byte for found in replaced if callee(found.session).type == "identifier")
    return facts.imports.needless(partial(_may_go, facts), lambda use: use.start_byte in gone)


def _may_go(facts: Facts, binding: Binding) -> bool:
    statement = binding.statement
    if statement.type == "import_statement":
        return binding.item.type == "aliased_import"
    # Names of TensorFlow 2 and of TensorFlow 1 in one statement are parted, which takes the one that goes along.
    module, items = imported_module(statement), import_items(statement)
    plain = module is not None and facts.text(module) == b"tensorflow"
    return not plain or all(tf1_names.gone(facts.decoded(item.name)) for item in items)
