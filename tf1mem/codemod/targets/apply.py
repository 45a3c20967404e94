"""The target apply: rewrites that pass a config through `tf1mem.apply`, and edits that the other targets share."""

from __future__ import annotations

from typing import Iterator

from tree_sitter import Node

from tf1mem.codemod.claims import Claims
from tf1mem.codemod.facts.consumers import calls, config_of, is_applied, is_method_of, is_of_tf1_alone, may_be_none
from tf1mem.codemod.facts.module import Facts
from tf1mem.codemod.findings import Rewrite, rewrite
from tf1mem.codemod.results import Edit
from tf1mem.codemod.source import syntax
from tf1mem.codemod.source.edits import insert, wrap
from tf1mem.codemod.source.paths import is_compat_v1
from tf1mem.names import tf1_names
from tf1mem.settings.takers import Taker

_IN_BOTH = "estimator.RunConfig"  # in TensorFlow 2 as long as there was an Estimator


def rewrites(facts: Facts, claims: Claims, *rows: Taker) -> Iterator[Rewrite]:
    """Yields rewrites that pass configs through `tf1mem.apply`, except for settled calls."""
    for taker in rows:
        for call in unsettled(facts, claims, taker):
            yield from applied(facts, call, config_of(facts, call, taker), taker.label)


def unsettled(facts: Facts, claims: Claims, taker: Taker, by_splats: bool = False) -> Iterator[Node]:
    """Yields the calls that take a config and that no claim settles.

    Args:
        facts: The module's facts.
        claims: The claims on the module.
        taker: The table row of the function or class that takes a config.
        by_splats: True to search also files without the keyword, for calls with `*several` or `**several`.
    """
    if taker.position is None and not by_splats and not facts.mentions(taker.keyword):
        return
    if not taker.of:
        candidates = calls(facts, *taker.names)
    elif claims.uses_shim or not any(map(facts.mentions, taker.names)):
        return  # Sessions from tf1mem.v1 apply their configs themselves
    else:
        candidates = (call for call in facts.calls(*taker.names) if is_method_of(facts, call, taker))
    yield from (call for call in candidates if not claims.settles(call))


def applied(facts: Facts, call: Node, config: Node | None, consumer: str) -> Iterator[Rewrite]:
    """Yields the rewrite that passes a consumer's config through `tf1mem.apply`; none if that isn't needed.

    Args:
        facts: The module's facts.
        call: The consumer's call.
        config: The expression for its config; None if it has none.
        consumer: The consumer's name in the message.
    """
    if config is None or is_applied(facts, config) or is_of_tf1_alone(facts, call):
        return
    message = f"the config of {consumer} goes through tf1mem.apply"
    yield rewrite(
        call, message, *to_compat_v1(facts, syntax.callee(call)), *wrapped(facts, config), imports_tf1mem=True
    )


def to_compat_v1(facts: Facts, function: Node) -> list[Edit]:
    """Returns the edit that inserts `.compat.v1` after TensorFlow's name, so that TensorFlow 2 has the consumer, too.

    Args:
        facts: The module's facts.
        function: The consumer's name, where it is called or mentioned.
    """
    name = facts.tf1_name(function) or ""
    if name == _IN_BOTH or not tf1_names.gone(name) or tf1_names.gone("compat.v1." + name):
        return []
    if all(map(is_compat_v1, facts.names.paths(function))):
        return []
    part = syntax.attribute(function)
    while part is not None and "tensorflow" not in facts.names.paths(part.object):
        part = syntax.attribute(part.object)
    return [] if part is None else [insert(part.object.end_byte, b".compat.v1")]


def wrapped(facts: Facts, config: Node, inner: bool = False) -> Iterator[Edit]:
    """Yields the edits that pass a config through `tf1mem.apply`; where it is None at run time, it stays None."""
    if config.type == "none":
        return
    if config.type == "conditional_expression" and may_be_none(facts, config):
        yield from wrapped(facts, config.named_children[0], inner=True)
        yield from wrapped(facts, config.named_children[2], inner=True)
    elif may_be_none(facts, config):
        before, after = (b"(", b")") if inner else (b"", b"")
        after = b") if " + facts.text(config) + b" is not None else None" + after
        yield from wrap(config, before + b"tf1mem.apply(", after)
    else:
        yield from wrap(config, b"tf1mem.apply(", b")")
