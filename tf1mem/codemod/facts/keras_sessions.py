"""Finds Sessions made only for Keras's `set_session`: `set_session(tf.Session(config=c))`."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Iterable, Iterator, NamedTuple

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
from tf1mem.names import tf1_names
from tf1mem.settings import takers

if TYPE_CHECKING:
    from tf1mem.codemod.facts.module import Facts
    from tf1mem.codemod.source.names import Binding

SET_SESSION, GET_SESSION = "keras.backend.set_session", "keras.backend.get_session"
SESSIONS = (*takers.SESSION.names, *takers.INTERACTIVE_SESSION.names)


class KerasSession(NamedTuple):
    """A Session that is passed to Keras.

    Attributes:
        call: The call of set_session.
        session: The call that makes the Session.
        config: The Session's config; None if it has none.
        creation: The statement that makes the Session, if it is a separate statement; else None.
    """

    call: Node
    session: Node
    config: Node | None
    creation: Node | None


def set_session_calls(facts: Facts) -> Iterator[Node]:
    """Returns the calls of Keras's own set_session, without methods of that name."""
    return (call for call in facts.calls("set_session") if facts.tf1_name(callee(call)) == SET_SESSION)


def find(facts: Facts) -> Iterator[KerasSession]:
    """Yields the calls of set_session whose Session has no other use, and doesn't replace a closed Session."""
    for call in set_session_calls(facts) if not _closes_a_session(facts) else ():
        listed, statement = arguments(call), call.parent
        if len(listed) != 1 or statement is None or statement.type != "expression_statement":
            continue
        session = argument_value(listed[0])
        if session.type == "identifier":
            entry = _through_a_variable(facts, call, session, statement)
            if entry is not None:
                yield entry
        elif is_plain_session(facts, session):
            yield KerasSession(call, session, facts.argument(session, "config"), None)


def _closes_a_session(facts: Facts) -> bool:
    """Returns True if Keras's Session is closed: `K.get_session().close()`, in one line or two."""
    for call in facts.calls("close") if facts.mentions("get_session") else ():
        method = attribute(callee(call))
        held = method.object if method is not None else None
        values = [held] if held is None or held.type != "identifier" else [it.value for it in facts.names.visible(held)]
        for value in values:
            if value is not None and value.type == "call" and facts.tf1_name(callee(value)) == GET_SESSION:
                return True
    return False


def is_plain_session(facts: Facts, node: Node) -> bool:
    """Returns True if an expression makes a Session with nothing but a config; the default graph is allowed."""
    if node.type != "call" or facts.tf1_name(callee(node)) not in SESSIONS:
        return False
    pairs = [keyword(argument) for argument in arguments(node)]
    by_name = {facts.text(pair.name): pair.value for pair in pairs if pair is not None}
    graph = by_name.pop(b"graph", None)
    if graph is not None and (graph.type != "call" or facts.tf1_name(callee(graph)) != "get_default_graph"):
        return False
    return None not in pairs and by_name.keys() <= {b"config"}


def _through_a_variable(facts: Facts, call: Node, variable: Node, statement: Node) -> KerasSession | None:
    """Returns the entry for `sess = tf.Session(config=c)` and `set_session(sess)` in one block, without other uses."""
    visible = facts.names.visible(variable)
    if len(visible) != 1 or visible[0].kind != "assignment":
        return None
    (binding,) = visible
    value, creation = binding.value, binding.statement.parent
    others = [other for other in facts.names.bindings(facts.text(variable)) if other.scope is binding.scope]
    if (
        value is None or creation is None or creation.parent != statement.parent or not is_statement(binding.statement)
        or len(others) != 1 or value.parent != binding.statement
        or not is_plain_session(facts, value) or len(facts.names.uses(binding)) != 1
    ):  # fmt: skip
        return None
    return KerasSession(call, value, facts.argument(value, "config"), creation)


def imports_not_needed(facts: Facts, entries: Iterable[KerasSession] | None = None) -> list[tuple[Node, list[Node]]]:
    """Returns import statements of names that only some calls of set_session use, with the items to remove.

    Newer versions of Keras lack set_session, and some also its module: such an import would fail. The import of the
    Session's class goes, too.

    Args:
        facts: The module's facts.
        entries: The calls; all those of `find` by default.
    """
    if not facts.mentions("set_session"):
        return []
    replaced = [entry for entry in (find(facts) if entries is None else entries) if entry.config is not None]
    replaced_roots = {root_of(callee(entry.call)).start_byte for entry in replaced}
    replaced_roots.update(
        callee(entry.session).start_byte for entry in replaced if callee(entry.session).type == "identifier"
    )
    return facts.imports.needless(partial(_may_go, facts), lambda use: use.start_byte in replaced_roots)


def _may_go(facts: Facts, binding: Binding) -> bool:
    statement = binding.statement
    if statement.type == "import_statement":
        return binding.item.type == "aliased_import"
    # If one statement imports names of TensorFlow 1 and 2, another rule splits it, and that also moves this name.
    module, items = imported_module(statement), import_items(statement)
    plain = module is not None and facts.text(module) == b"tensorflow"
    return not plain or all(tf1_names.gone(facts.decoded(item.name)) for item in items)
