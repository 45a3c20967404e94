"""Decides which consumers of a config, such as a Session, follow tf.config on TensorFlow 2 when they have no config.

Measured with TensorFlow 2.4 and 2.21 on simulated GPUs: Session, the monitored Sessions and their creators, and a
Supervisor's Sessions then take the eager context's config. So does a Session of a cluster. InteractiveSession makes
its own config, in which GPUs grow and nothing else is set (tensorflow/python/client/session.py). Estimators, Servers,
test Sessions and list_local_devices have their own defaults, too, and keep their ConfigProto.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Collection, Iterator, NamedTuple

from tree_sitter import Node

from tf1mem.codemod.facts import consumers, keras_sessions
from tf1mem.codemod.facts.flow import Argument
from tf1mem.codemod.source.syntax import arguments, assignment_of, attribute, callee, is_splat, target
from tf1mem.codemod.targets.native.config_sources import simple_statement
from tf1mem.codemod.targets.native.field_values import InexpressibleError
from tf1mem.settings import takers
from tf1mem.settings.takers import ON_ITS_OWN, TAKERS, UNDER_TF_CONFIG, Taker

if TYPE_CHECKING:
    from tf1mem.codemod.facts.module import Facts

_BY_NAME = {name: taker for taker in TAKERS if not taker.of for name in taker.names}
_BY_METHOD = {name: taker for taker in TAKERS if taker.of for name in taker.names}
# Consumers whose config gets a remark if it comes from another file.
_WITH_A_REMARK = (
    *(taker for taker in TAKERS if not taker.of and taker.config == UNDER_TF_CONFIG),
    takers.RUN_CONFIG, takers.CONTRIB_RUN_CONFIG,
)  # fmt: skip
_CONTRIB = "Use its replacement (tf.estimator.RunConfig, tf_slim, ...), and run this again."


class Consumer(NamedTuple):
    """A call that loses its config, or keeps it.

    Attributes:
        call: The call.
        argument: The argument that is the config.
        interactive: True for an InteractiveSession.
        for_keras: True if it is made only for Keras's set_session.
        statements: Statements that are removed whole, since they only serve the settings.
        keeps: True if it takes nothing else than a ConfigProto, and so keeps it.
    """

    call: Node
    argument: Node
    interactive: bool = False
    for_keras: bool = False
    statements: tuple[Node, ...] = ()
    keeps: bool = False


def consumer_of(facts: Facts, handed: Argument) -> Consumer:
    """Returns the consumer to which a config is passed.

    Raises:
        InexpressibleError: It is no known consumer, or one that tf.config doesn't reach.
    """
    call, function = handed.call, callee(handed.call)
    text = facts.decoded(function)
    name, leaf = facts.tf1_name(function), text.rpartition(".")[2]
    taker = _taker(facts, call)
    is_config = taker is not None and (
        handed.name == taker.keyword or (handed.name is None and taker.position == 0 and not taker.of)
    )
    if taker is not None and is_config and taker.config == ON_ITS_OWN:
        return Consumer(call, handed.node, keeps=True)
    if taker is takers.SUPERVISOR and is_config:
        _check_arguments(call)
        return Consumer(call, handed.node)
    if taker is None or taker.of or taker.config != UNDER_TF_CONFIG or (handed.name is None and not is_config):
        if name is not None and name.startswith("contrib."):
            raise InexpressibleError(f"it is passed to `{text}`, which TensorFlow 2 lacks", _CONTRIB)
        if text.startswith("tf1mem."):
            raise InexpressibleError(f"it goes through {text} already", "Nothing; or remove tf1mem by hand.")
        raise InexpressibleError(f"it is passed to `{text}`, which may use it for more than a Session")
    if not is_config:
        raise InexpressibleError(f"it is passed to `{text}` as {handed.name}")
    _check_arguments(call)
    if function.type == "identifier" and any(path.count(".") == 1 for path in facts.names.paths(function)):
        raise InexpressibleError(
            f"{leaf} is imported by name from a module that lacks it in TensorFlow 2",
            f"Import tensorflow as tf, write tf.{leaf}, and run this again.",
        )
    for entry in keras_sessions.find(facts):
        if entry.session == call:
            whole = [entry.call.parent, entry.creation]
            statements = tuple(node for node in whole if node is not None)
            return Consumer(call, handed.node, for_keras=True, statements=statements)
    options = _only_for_its_options(facts, call)
    statements = () if options is None else (options,)
    return Consumer(call, handed.node, interactive=taker is takers.INTERACTIVE_SESSION, statements=statements)


def _taker(facts: Facts, call: Node) -> Taker | None:
    """Returns the table's row for a call; None if that is uncertain."""
    name, method = facts.tf1_name(callee(call)), attribute(callee(call))
    if name is not None:
        return _BY_NAME.get(name)
    taker = _BY_METHOD.get(facts.decoded(method.leaf)) if method is not None else None
    return taker if taker is not takers.TEST_SESSION or consumers.is_of_a_test_case(facts, call) else None


def _check_arguments(call: Node) -> None:
    if any(map(is_splat, arguments(call))):
        raise InexpressibleError("the Session is given arguments that are known only when the program runs")


def _only_for_its_options(facts: Facts, call: Node) -> Node | None:
    """Returns the statement of a Session that no variable holds, or only an unread local one; None if there is none."""
    if not keras_sessions.is_plain_session(facts, call) or facts.tf1_name(callee(call)) != "Session":
        return None
    assignment = assignment_of(call)
    if assignment is None:
        return simple_statement(call)
    held = target(assignment)
    for binding in facts.names.bindings(facts.text(held)) if held.type == "identifier" else ():
        if binding.node == held and binding.scope.kind == "function" and not facts.names.uses(binding):
            return simple_statement(assignment)
    return None


def of_other_configs(facts: Facts, own_ids: Collection[int]) -> Iterator[Node]:
    """Yields the calls that take a config from outside the module.

    Args:
        facts: The module's facts.
        own_ids: Ids of the calls whose config is made in the module.
    """
    for taker in _WITH_A_REMARK:
        for call in consumers.calls(facts, *taker.names):
            config = facts.argument(call, taker.keyword)
            is_foreign = config is not None and config.type != "none" and not consumers.is_applied(facts, config)
            if is_foreign and call.id not in own_ids and not facts.guarded(call):
                yield call
