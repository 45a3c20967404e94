"""What TensorFlow 2.0's alpha had in `tf.config.gpu`, a fraction and growth, goes through one `tf1mem.apply`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Iterator

from tree_sitter import Node

from tf1mem.codemod.facts import gpu_memory
from tf1mem.codemod.facts.public_names import called, public_name_of
from tf1mem.codemod.facts.starts import first_start
from tf1mem.codemod.findings import Note, Rewrite, remark, rewrite
from tf1mem.codemod.results import Edit
from tf1mem.codemod.source.control_flow import function_of, may_both_run, statement_of
from tf1mem.codemod.source.edits import replace
from tf1mem.codemod.source.removal import without_statement
from tf1mem.codemod.source.syntax import arguments, call_of, callee, is_splat, is_statement, keyword
from tf1mem.codemod.tables.never_names import FRACTIONS, GROWTHS, never

if TYPE_CHECKING:
    from tf1mem.codemod.claims import Claims
    from tf1mem.codemod.facts.module import Facts


def of_alpha(facts: Facts, claims: Claims, nodes: list[Node]) -> Iterator[Rewrite | Note]:
    """The functions of the alpha: a fraction and growth, which one config holds.

    Args:
        facts: The module's facts.
        claims: What is settled.
        nodes: The names, where they are used.
    """
    for group in _together(nodes):
        calls = [call for call in map(call_of, group) if call is not None]
        edits = _one_config(facts, claims, calls) if len(calls) == len(group) else []
        if edits:
            first = min(calls, key=lambda call: call.start_byte)
            message = "{}; the settings go through tf1mem.apply".format(never(called(facts, first) or ""))
            yield rewrite(first, message, *edits, imports_tf1mem=True)
            continue
        for node in group:
            yield remark(
                node, never(public_name_of(facts, node) or ""),
                "Call tf1mem.apply(tf1mem.config(memory_fraction=…, allow_growth=…, soft_placement=True)), once, "
                "before the first op.",
            )  # fmt: skip


def _together(nodes: list[Node]) -> list[list[Node]]:
    """The nodes by which of them one run may come: those of other functions are in one group with all."""
    groups: list[list[Node]] = []
    for node in sorted(nodes, key=lambda node: node.start_byte):
        near = [group for group in groups if any(not _excludes(other, node) for other in group)]
        groups = [group for group in groups if group not in near]
        groups.append([*(other for group in near for other in group), node])
    return groups


def _excludes(first: Node, second: Node) -> bool:
    return function_of(first) == function_of(second) and not may_both_run(first, second)


def _one_config(facts: Facts, claims: Claims, calls: list[Node]) -> list[Edit]:
    """The edits that make one `tf1mem.apply` of these calls; none where that may mean something else."""
    statements = [statement_of(call) for call in calls]
    if (
        not calls or len({called(facts, call) in FRACTIONS for call in calls}) != len(calls)
        or len({(statement.parent.id if statement.parent else 0) for statement in statements}) != 1
        or not all(map(is_statement, calls)) or first_start(facts, claims, calls[-1]) is not None
        or gpu_memory.growth_calls(facts) or gpu_memory.limit_calls(facts)
        or facts.source.identifiers(b"ConfigProto") or facts.source.identifiers(b"tf1mem")
    ):  # fmt: skip
        return []
    soft = gpu_memory.soft_placement(facts, callee(calls[0]))
    given = [_setting(facts, call) for call in calls]
    if soft is None or None in given:
        return []
    in_order = sorted(zip(calls, given), key=lambda pair: pair[0].start_byte)
    said = b", ".join(setting for _, setting in in_order if setting is not None)
    first = in_order[0][0]
    made = [replace(first, b"tf1mem.apply(tf1mem.config(" + said + b", soft_placement=" + soft + b"))")]
    return made + [without_statement(facts.source, statement_of(call)) for call, _ in in_order[1:]]


def _setting(facts: Facts, call: Node) -> bytes | None:
    """What a call sets, as an argument of `tf1mem.config`; None where it can't be read off."""
    given = arguments(call)
    if len(given) > 1 or any(map(is_splat, given)):
        return None
    named = keyword(given[0]) if given else None
    value = named.value if named is not None else given[0] if given else None
    if called(facts, call) in GROWTHS:
        if value is None:
            return b"allow_growth=True"
        return None if value.type == "false" else b"allow_growth=" + facts.text(value)
    return None if value is None else b"memory_fraction=" + facts.text(value)
