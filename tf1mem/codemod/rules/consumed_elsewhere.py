"""A config for a Session of another module goes through `tf1mem.apply`; other uses elsewhere get a remark.

A keyword `session_config` is for a Session, and a function called Session makes a Session of its `config`. The file
doesn't show what other imported functions do with a config, so target apply makes a remark.
"""

from __future__ import annotations

from typing import Iterator

from tree_sitter import Node

from tf1mem.codemod.claims import ClaimKind, Claims
from tf1mem.codemod.facts.flow import Argument, Flow, follow
from tf1mem.codemod.facts.module import Facts
from tf1mem.codemod.findings import Finding, remark
from tf1mem.codemod.rules import HEAD, Example, Rule
from tf1mem.codemod.source.names import UNKNOWN
from tf1mem.codemod.source.paths import tf1_name
from tf1mem.codemod.source.syntax import ancestors, callee, name_of
from tf1mem.codemod.targets import apply

# Packages whose functions take a config as an argument without using it for a Session.
_HARMLESS = ("google.protobuf", "copy", "logging", "pprint", "json", "tf1mem", "tf_slim")
_SESSIONS = ("Session", "InteractiveSession", "MonitoredTrainingSession", "SingularMonitoredSession")
_DICT = "a dict of keyword arguments"

rule = Rule(
    "TFM223",
    shown_for="apply",
    examples=(
        Example(HEAD + "def run(config):\n    pass\nrun(tf.compat.v1.ConfigProto())\n"),
        Example("import copy\n" + HEAD + "a = copy.deepcopy(tf.compat.v1.ConfigProto())\nuse(a)\n"),
        Example(
            "import own\nimport tf1mem\n"
            + HEAD
            + "tf.Session(config=tf1mem.apply(own.other(tf.compat.v1.ConfigProto()))).run(x)\n"
        ),
        Example(
            "import own\n" + HEAD + "own.run(config=tf.compat.v1.ConfigProto())\n", remarks=("TFM223",), to="apply"
        ),
        Example(
            HEAD + "options = dict(config=tf.compat.v1.ConfigProto())\nf(**options)\n", remarks=("TFM223",), to="apply"
        ),
        Example(
            HEAD + "options = {'config': tf.compat.v1.ConfigProto()}\nf(**options)\n", remarks=("TFM223",), to="apply"
        ),
        Example(
            "from own import RunConfig\n" + HEAD + "RunConfig(session_config=tf.compat.v1.ConfigProto())\n",
            "from own import RunConfig\nimport tf1mem\n"
            + HEAD
            + "RunConfig(session_config=tf1mem.apply(tf.compat.v1.ConfigProto()))\n",
            to="apply",
        ),
        Example(
            "from own import compat\n" + HEAD + "config = tf.compat.v1.ConfigProto()\n"
            "sess = compat.v1.Session(graph=graph, config=config)\n",
            "from own import compat\nimport tf1mem\n" + HEAD + "config = tf.compat.v1.ConfigProto()\n"
            "sess = compat.v1.Session(graph=graph, config=tf1mem.apply(config))\n",
        ),
    ),
)


@rule.of("shim", "native")
def made_elsewhere(facts: Facts, claims: Claims) -> Iterator[Finding]:
    """Yields a rewrite for each Session of another module that gets a config made here."""
    for name, argument in _passed_on(facts, claims):
        if _is_for_a_session(facts, argument):
            yield from apply.applied(facts, argument.call, argument.value, name)


@rule.of("apply")
def consumed_elsewhere(facts: Facts, claims: Claims) -> Iterator[Finding]:
    """Yields findings for each imported call, and each dict of keywords, that gets a config made here."""
    for name, argument in _passed_on(facts, claims):
        if _is_for_a_session(facts, argument) or _is_session_config(argument, name):
            yield from apply.applied(facts, argument.call, argument.value, name)
        else:
            yield remark(
                argument.value, f"the config is passed to {name}, which isn't in this file",
                "Pass it through tf1mem.apply there, or write tf1mem.apply(…) around it here.",
            )  # fmt: skip
    for creation, flow in _made_here(facts, claims):
        if any(_is_keyword(facts, leaf) and not claims.has(ClaimKind.CALL, leaf) for leaf in flow.exits):
            yield remark(
                creation, "the config is among keyword arguments in a dict",
                "Write tf1mem.apply(…) around it there, if a Session is made with these.",
            )  # fmt: skip


@rule.claims(ClaimKind.CALL)
def sessions_elsewhere(facts: Facts, claims: Claims) -> Iterator[tuple[int, int]]:
    """Yields the spans of calls that make another module's Sessions from configs made here."""
    for _, flow in _made_here(facts, claims):
        for argument in flow.arguments:
            if _is_for_a_session(facts, argument) and _elsewhere(facts, argument):
                yield argument.call.start_byte, argument.call.end_byte


def _passed_on(facts: Facts, claims: Claims) -> Iterator[tuple[str, Argument]]:
    """Yields the arguments that are configs made here, with the name of another module's function that takes them."""
    wrapped: set[int] = set()
    for _, flow in _made_here(facts, claims):
        for argument in flow.arguments:
            name = _elsewhere(facts, argument)
            is_settled = claims.has(ClaimKind.CALL, argument.value) or _goes_on(argument.call)
            if name and argument.value.start_byte not in wrapped and not is_settled:
                wrapped.add(argument.value.start_byte)
                yield name, argument


def _made_here(facts: Facts, claims: Claims) -> Iterator[tuple[Node, Flow]]:
    for creation in facts.calls("ConfigProto"):
        names = facts.tf1_names(callee(creation))
        if names == {"ConfigProto"} and not claims.has(ClaimKind.CALL, creation):
            yield creation, follow(facts, creation)


def _is_for_a_session(facts: Facts, argument: Argument) -> bool:
    """Returns True if a call, by its name, makes a Session of the config."""
    leaf = facts.text(callee(argument.call)).rpartition(b".")[2].decode("utf-8", "replace")
    return argument.name == "config" and leaf in _SESSIONS


def _is_session_config(argument: Argument, name: str) -> bool:
    return argument.name == "session_config" and name != _DICT


def _elsewhere(facts: Facts, argument: Argument) -> str:
    function = callee(argument.call)
    if facts.text(function) == b"dict" and argument.name in ("config", "session_config"):
        return _DICT
    paths = facts.names.paths(function)
    if UNKNOWN in paths or any(tf1_name(path) is not None or path.startswith(_HARMLESS) for path in paths):
        return ""
    return facts.decoded(function)


def _goes_on(call: Node) -> bool:
    """Returns True if the call's result is a Session's config again."""
    for above in ancestors(call):
        if above.type not in ("call", "argument_list", "keyword_argument", "parenthesized_expression"):
            return False
        name = name_of(above) if above.type == "keyword_argument" else None
        if name is not None and name.text in (b"config", b"session_config"):
            return True
    return False


def _is_keyword(facts: Facts, leaf: Node) -> bool:
    pair = leaf.parent
    key = pair.child_by_field_name("key") if pair is not None and pair.type == "pair" else None
    return key is not None and facts.text(key).strip(b"'\"") in (b"config", b"session_config")
