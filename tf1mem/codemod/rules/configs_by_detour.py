"""A config that reaches its Session in a dict of keyword arguments, or by `partial`, goes through `tf1mem.apply`.

It is wrapped where the file puts it in the dict: `kw["config"] = …`, `dict(config=…)`, `kw.update(config=…)`. Where the
file doesn't show the config, there is a remark: for keywords that callers pass, and for a Session's class that is
passed to another function.
"""

from __future__ import annotations

from typing import Iterator

from tree_sitter import Node

from tf1mem.codemod.claims import ClaimKind, Claims
from tf1mem.codemod.facts import consumers, detours
from tf1mem.codemod.facts.module import Facts
from tf1mem.codemod.findings import Finding, remark, rewrite
from tf1mem.codemod.results import Edit
from tf1mem.codemod.rules import BOTH, HEAD, Example, Rule
from tf1mem.codemod.source.syntax import (
    ancestors,
    arguments,
    assigned,
    attribute_named,
    attribute_of,
    call_of,
    callee,
    enclosing,
    leaf_of,
    target,
)
from tf1mem.codemod.targets import apply
from tf1mem.settings.takers import TAKERS, Taker

_PARTIAL = frozenset(["functools.partial", "functools.partialmethod"])
# Functions that look at a class and don't call it.
_LOOKED_AT = (b"isinstance", b"issubclass", b"type", b"hasattr", b"print")
_BY_HAND = "If there is a config, write tf1mem.apply(…) around it where it is made."
_CONFIG = "config = tf.compat.v1.ConfigProto()\n"
_MADE = "sess = tf.compat.v1.Session(**kw)\n"

rule = Rule(
    "TFM224",
    to=("apply", "native"),
    shown_for="apply",
    examples=(
        Example(HEAD + "kw = {'graph': graph}\n" + _MADE),
        Example(HEAD + "print(isinstance(sess, tf.Session), tf.Session.run)\n"),
        Example(HEAD + "def make(**kw):\n    return tf.compat.v1.Session(**kw)\n", remarks=("TFM224",)),
        Example(HEAD + "def make(*args):\n    return tf.compat.v1.Session(*args)\n", remarks=("TFM224",)),
        Example(HEAD + "make(tf.compat.v1.Session, config=config)\n", remarks=("TFM224",)),
        Example(HEAD + "class S(tf.compat.v1.Session):\n    config = 1\n", remarks=("TFM224",)),
        Example(
            HEAD + "kinds = {'a': tf.compat.v1.Session}\nsess = kinds['a'](config=config)\n", remarks=("TFM224",)
        ),
        Example(
            HEAD + "sess = (tf.compat.v1.Session if a else tf.compat.v1.InteractiveSession)(config=config)\n",
            remarks=("TFM224",),
        ),
        Example(
            HEAD + "def make(**kw):\n    if 'config' not in kw:\n        kw['config'] = conf()\n"
            "    return tf.InteractiveSession(**kw)\n",
            BOTH + "def make(**kw):\n    if 'config' not in kw:\n        kw['config'] = tf1mem.apply(conf())\n"
            "    return tf.compat.v1.InteractiveSession(**kw)\n",
            remarks=("TFM224",),
        ),
        Example(
            HEAD + _CONFIG + "kw = {'config': config}\n" + _MADE,
            BOTH + _CONFIG + "kw = {'config': tf1mem.apply(config)}\n" + _MADE,
        ),
        Example(
            HEAD + _CONFIG + "kw = dict(config=config)\n" + _MADE,
            BOTH + _CONFIG + "kw = dict(config=tf1mem.apply(config))\n" + _MADE,
        ),
        Example(
            HEAD + _CONFIG + "kw = {}\nkw.update(config=config)\n" + _MADE,
            BOTH + _CONFIG + "kw = {}\nkw.update(config=tf1mem.apply(config))\n" + _MADE,
        ),
        Example(
            HEAD + _CONFIG + "self.kw = {}\nself.kw.setdefault('config', config)\n" + _MADE.replace("kw", "self.kw"),
            BOTH + _CONFIG + "self.kw = {}\nself.kw.setdefault('config', tf1mem.apply(config))\n"
            + _MADE.replace("kw", "self.kw"),
        ),
        Example(
            HEAD + _CONFIG + "run = tf.estimator.RunConfig(**{'session_config': config})\n",
            BOTH + _CONFIG + "run = tf.estimator.RunConfig(**{'session_config': tf1mem.apply(config)})\n",
        ),
        Example(
            "import functools\n" + HEAD + "make = functools.partial(tf.Session, config=config)\n",
            "import functools\n"
            + BOTH
            + "make = functools.partial(tf.compat.v1.Session, config=tf1mem.apply(config))\n",
        ),
    ),
)  # fmt: skip


@rule
def configs_by_detour(facts: Facts, claims: Claims) -> Iterator[Finding]:
    """Yields findings for each consumer's call with splats, and each place where a consumer is passed on."""
    handled: set[int] = set()
    for taker, call, values_of_splats in _calls_with_splats(facts, claims):
        yield from _applied(
            facts, callee(call), [value for each in values_of_splats for value in each.values], taker, handled
        )
        if any(each.is_open for each in values_of_splats) and not taker.of:
            what = facts.shown(detours.splats(call)[0])
            message = f"`{what}` may contain a config for {taker.label}, which isn't visible here"
            yield remark(call, message, _BY_HAND)
    # In a file without "config" or "Config", nothing that is passed on gets a config.
    for taker in (taker for taker in TAKERS if not taker.of and facts.mentions("onfig")):
        yield from _handed_on(facts, claims, taker, handled)


@rule.claims(ClaimKind.CALL)
def configs_in_dicts(facts: Facts, claims: Claims) -> Iterator[tuple[int, int]]:
    """Yields the spans of configs in dicts that go through `tf1mem.apply`."""
    for _, _, values_of_splats in _calls_with_splats(facts, claims):
        yield from ((value.start_byte, value.end_byte) for each in values_of_splats for value in each.values)


def _calls_with_splats(facts: Facts, claims: Claims) -> Iterator[tuple[Taker, Node, list[detours.KeywordValues]]]:
    for taker in TAKERS:
        for call in apply.unsettled(facts, claims, taker, by_splats=True):
            splats = detours.splats(call)
            if not splats or consumers.config_of(facts, call, taker) is not None:
                continue
            if not consumers.is_of_tf1_alone(facts, call):
                yield taker, call, [detours.keyword_values(facts, splat, taker.keyword) for splat in splats]


def _applied(facts: Facts, function: Node, values: list[Node], taker: Taker, handled: set[int]) -> Iterator[Finding]:
    """Yields the rewrite that applies configs where they are stored; `handled` gets their offsets."""
    edits: list[Edit] = []
    for value in values:
        if value.start_byte not in handled and value.type != "none" and not consumers.is_applied(facts, value):
            handled.add(value.start_byte)
            edits += apply.wrapped(facts, value)
    if edits:
        # Beside a ConfigProto, another rule changes the names of Sessions.
        by_others = taker.names[0] in ("Session", "InteractiveSession") and facts.mentions("ConfigProto")
        renamed = [] if by_others else apply.to_compat_v1(facts, function)
        yield rewrite(
            function, f"the config of {taker.label} goes through tf1mem.apply", *renamed, *edits, imports_tf1mem=True
        )


def _handed_on(facts: Facts, claims: Claims, taker: Taker, handled: set[int]) -> Iterator[Finding]:
    """Yields findings for the places where a consumer is named and not called."""
    for node in (node for name in taker.names for node in _named(facts, name)):
        if (
            claims.comes_from_shim(node)
            or claims.covers(node)
            or facts.guarded(node)
            or not _is_given_away(facts, node)
        ):
            continue
        call = enclosing(node, "call")
        if call is not None and facts.names.paths(callee(call)) <= _PARTIAL and arguments(call)[0] == node:
            value = facts.argument(call, taker.keyword)
            yield from _applied(facts, node, [] if value is None else [value], taker, handled)
            if value is not None:
                continue
        message = f"{facts.shown(node)} is passed on: a config that it gets there isn't visible here"
        yield remark(node, message, _BY_HAND)


def _named(facts: Facts, name: str) -> Iterator[Node]:
    """Yields the expressions for a name: the name itself, an import's alias, a getattr."""
    leaf = name.rpartition(".")[2]
    if not facts.mentions(leaf):
        return
    nodes = [attribute_named(identifier) or identifier for identifier in facts.source.identifiers(leaf.encode())]
    for binding in facts.imports.bindings:
        if facts.text(binding.node) != leaf.encode() and (binding.path or "").endswith("." + leaf):
            nodes += facts.names.uses(binding)
    for node in nodes:
        is_read = node.type != "identifier" or facts.names.is_use(node)
        if is_read and facts.tf1_name(node) == name and attribute_of(node) is None:
            yield node
    for call in facts.calls("getattr"):
        listed = arguments(call)
        if len(listed) == 2 and facts.text(listed[1]).strip(b"'\"") == leaf.encode():
            home = facts.tf1_name(listed[0])
            if home is not None and f"{home}.{leaf}".lstrip(".") == name:
                yield call


def _is_given_away(facts: Facts, node: Node) -> bool:
    """Returns True if the file passes on or stores what an expression names, so that it may be called elsewhere."""
    if call_of(node) is not None:
        return node.type == "call"  # getattr(tf, "Session")(config=config)
    child = node
    for above in ancestors(node):
        if above.type in ("parenthesized_expression", "conditional_expression", "boolean_operator"):
            child = above
            continue
        if above.type in ("type", "comparison_operator", "except_clause", "expression_statement", "decorator"):
            return False
        if above.type == "assignment":
            return assigned(above) == child and (child != node or not _is_followed(facts, target(above)))
        call = enclosing(node, "call")
        inside = above.type in ("argument_list", "tuple") and call is not None
        return not (inside and call is not None and facts.text(leaf_of(callee(call))) in _LOOKED_AT)
    return False


def _is_followed(facts: Facts, held: Node) -> bool:
    """Returns True if a variable that holds a class is only called by its name: `S = tf.Session`."""
    if held.type != "identifier":
        return False
    bindings = [binding for binding in facts.names.bindings(facts.text(held)) if binding.node == held]
    return all(
        binding.scope.kind != "class" and all(call_of(use) is not None for use in facts.names.uses(binding))
        for binding in bindings
    )
