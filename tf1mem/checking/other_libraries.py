"""Finds uses of names that other libraries removed: those that `tf1mem run` repairs, and those that it doesn't."""

from __future__ import annotations

import ast
import re
from typing import Iterator

from tree_sitter import Node

from tf1mem.checking import kinds
from tf1mem.checking.file_findings import FileFinding, Import
from tf1mem.checking.here import Here
from tf1mem.checking.libraries import DISTRIBUTIONS, DRAWS_OTHERS, GIVES_MORE, GONE, Gone
from tf1mem.checking.uses import attribute_reads, has_another_way, uses
from tf1mem.codemod.facts.module import Facts
from tf1mem.codemod.source import syntax
from tf1mem.codemod.source.names import UNKNOWN
from tf1mem.era import mentioned
from tf1mem.era.releases import OTHER_VALUES
from tf1mem.era.repairs import Repair, needed_repairs

# The module of tf1mem.era that repairs names of Python 2, which checking/python2.py reports instead.
_OF_PYTHON_2 = "before_python3"
# For each name of each row: its first word, the row, and the name. A file without the word can't use the name.
_GONE_BY_WORD = [(re.split(r"\W", name)[0].encode(), row, name) for row in GONE for name in row.names.split()]


def repaired(facts: Facts, imported: tuple[Import, ...], here: Here) -> Iterator[FileFinding]:
    """Yields the names that `tf1mem run` repairs, each once."""
    reported: set[str] = set()
    libraries = [library for library in mentioned(facts.source.text) if library != _OF_PYTHON_2]
    for repair in needed_repairs(facts.source.text, libraries):
        if repair.what in reported or not here.is_as_new(repair.since):
            continue
        place = next(_places(facts, imported, repair), None)
        if place is None:
            continue
        reported.add(repair.what)
        is_sure = not repair.is_method and repair.is_in_need is None
        yield FileFinding(
            kinds.REPAIRED if is_sure else kinds.MAY_BE_REPAIRED, repair.what,
            f"{repair.what}, which {repair.since} {repair.did}",
            "", *_where(facts, place),
        )  # fmt: skip


def removed_names(facts: Facts, imported: tuple[Import, ...], here: Here) -> Iterator[FileFinding]:
    """Yields the removed names that `tf1mem run` doesn't repair, each once."""
    text = facts.source.text
    for word, row, name in _GONE_BY_WORD:
        if word not in text or not here.is_as_new(row.since) or here.is_replaced(row.since.partition(" ")[0]):
            continue
        bare = word.decode()
        place = next(_uses_of_row(facts, imported, row, bare, name[len(bare) :]), None)
        if place is not None:
            dotted = f"{row.owner}.{name}".strip(".=")
            remedy = f"pip install '{row.pin}', or write its replacement: {row.instead}."
            gone_kind = kinds.GONE if row.is_sure else kinds.MAY_BE_GONE
            kind = kinds.OTHER_NUMBERS if row.did == DRAWS_OTHERS else gone_kind
            yield FileFinding(kind, dotted, f"{dotted} {row.did} {row.since}", remedy, *_where(facts, place))


def releases_with_other_values(facts: Facts, imported: tuple[Import, ...], here: Here) -> Iterator[FileFinding]:
    """Yields the imports of libraries whose installed release computes other values, each library once."""
    for module, row in OTHER_VALUES.items():
        statement = next((line for line in imported if line.name.partition(".")[0] == module), None)
        if statement is not None and here.is_as_new(row.since):
            version = here.version_of(module)
            message = f"{module} {version}: since {row.since} {row.changes}"
            yield FileFinding(
                kinds.OTHER_VALUES, module, message, f"pip install '{row.pin}'", *_where(facts, statement)
            )


def _uses_of_row(
    facts: Facts, imported: tuple[Import, ...], row: Gone, name: str, form: str
) -> Iterator[Node | Import]:
    """Yields the uses of one name of a row.

    Args:
        facts: The facts of the file.
        imported: The file's imports.
        row: The row.
        name: The name alone.
        form: The text that follows it in `Gone.names`, which limits the uses: "(argument=)", "[]", "=" or "".
    """
    library = row.since.partition(" ")[0]
    if form.startswith("("):
        return _calls_with(facts, f"{row.owner}.{name}", form[1:-2])
    if row.owner:
        return uses(facts, imported, row.owner, name)
    modules = {statement.name.partition(".")[0] for statement in imported}
    if not any(library in (module, DISTRIBUTIONS.get(module)) for module in modules):
        return iter(())
    return (
        node
        for node in attribute_reads(facts, name)
        if (row.did != GIVES_MORE or _is_assigned_whole(node))
        and (form != "[]" or _is_subscripted(node))
        and (form != "=" or _replaces_its_object(facts, node))
    )


def _calls_with(facts: Facts, dotted: str, argument: str) -> Iterator[Node]:
    """Yields the calls of a function or class that pass an argument."""
    return (call for call in _calls(facts, dotted) if facts.argument(call, argument) is not None)


def _calls(facts: Facts, dotted: str) -> Iterator[Node]:
    """Yields the calls of a function or class, by its dotted name, that have no other way."""
    for call in facts.calls(dotted.rpartition(".")[2]):
        if dotted in facts.names.paths(syntax.callee(call)) and not has_another_way(facts, call):
            yield call


def _is_subscripted(name: Node) -> bool:
    """Returns True if an item is read from a name's value: `graph.node[1]`."""
    return syntax.subscript_of(syntax.attribute_named(name) or name) is not None


def _is_assigned_whole(name: Node) -> bool:
    """Returns True if a method's result is assigned whole to one name."""
    call = syntax.call_of(syntax.attribute_named(name) or name)
    assignment = None if call is None else syntax.assignment_of(call)
    return assignment is not None and assignment.named_children[0].type in ("attribute", "identifier", "subscript")


def _replaces_its_object(facts: Facts, name: Node) -> bool:
    """Returns True if a method's result is assigned to the method's own object: `table = table.append(row)`."""
    named = syntax.attribute_named(name)
    method, call = named and syntax.attribute(named), named and syntax.call_of(named)
    assignment = call and syntax.assignment_of(call)
    if not method or not assignment:
        return False
    return facts.text(syntax.target(assignment)) == facts.text(method.object)


def _places(facts: Facts, imported: tuple[Import, ...], repair: Repair) -> Iterator[Node | Import]:
    """Yields the imports and the uses that may need a repair."""
    if repair.is_module:
        dotted = f"{repair.owner}.{repair.name}".lstrip(".")
        yield from (statement for statement in imported if statement.name == dotted)
    elif repair.is_method:
        for node in attribute_reads(facts, repair.name):
            if repair.is_in_need is None or _is_in_need(facts, node, repair):
                yield node
    elif repair.owner == "builtins":
        for node in facts.source.identifiers(repair.name.encode()):
            if facts.names.is_use(node) and facts.names.paths(node) == {UNKNOWN} and _is_in_need(facts, node, repair):
                yield node
    elif repair.is_in_need is None:
        yield from uses(facts, imported, repair.owner, repair.name)
    else:
        for call in _calls(facts, f"{repair.owner}.{repair.name}"):
            if _is_in_need(facts, syntax.callee(call), repair):
                yield call


def _is_in_need(facts: Facts, node: Node, repair: Repair) -> bool:
    """Returns True if a call, by its syntax, may need the repair."""
    call = syntax.call_of(syntax.attribute_named(node) or node)
    if call is None or repair.is_in_need is None:
        return False
    if not repair.is_for_statements and call.parent is not None and call.parent.type == "expression_statement":
        return False
    try:
        parsed = ast.parse(b"(" + facts.text(call) + b")", mode="eval").body
    except (SyntaxError, ValueError):
        return False
    return isinstance(parsed, ast.Call) and repair.is_in_need(parsed)


def _where(facts: Facts, place: Node | Import) -> tuple[int, int, int | None]:
    return place.place if isinstance(place, Import) else facts.extract.locate(place.start_byte)
