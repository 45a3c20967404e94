"""What a file asks of other modules: what it imports, and where it uses a name of one."""

from __future__ import annotations

import re
from typing import Iterator

from tree_sitter import Node, Query, QueryCursor

from tf1mem.checking.found import Import
from tf1mem.codemod.facts.module import Facts
from tf1mem.codemod.source import syntax
from tf1mem.codemod.source.names import UNKNOWN
from tf1mem.codemod.source.paths import dotted_text

_IMPORTS = Query(syntax.PYTHON, "[(import_statement) (import_from_statement)] @import")
# What a test asks that has another way for another Python, or another machine.
_ASKS_PYTHON = re.compile(rb"PY2|PY3|version_info|python_version|TYPE_CHECKING|sys\.platform|os\.name")
_BRANCHES = ("function_definition", "lambda", "if_statement", "try_statement", "conditional_expression")


def imports(facts: Facts) -> Iterator[Import]:
    """What a file imports, each name once, in the order of the source; what is tried with another way is left out."""
    seen: set[tuple[str, bool]] = set()
    installs = any("pip install" in magic.text for magic in facts.extract.magics)  # a notebook brings what it imports
    nodes = QueryCursor(_IMPORTS).captures(facts.source.tree.root_node).get("import", [])
    for statement in sorted(nodes, key=lambda node: node.start_byte):
        if has_another_way(facts, statement):
            continue
        module = syntax.imported_module(statement)
        above = "" if module is None else dotted_text(facts.text(module))
        names = [dotted_text(facts.text(item.name)) for item in syntax.import_items(statement)]
        is_sure = not installs and syntax.enclosing(statement, *_BRANCHES) is None
        for name in names or [""]:
            whole = above + name if above.endswith(".") else ".".join(filter(None, (above, name)))
            if whole and (whole, is_sure) not in seen:
                seen.add((whole, is_sure))
                yield Import(whole, is_sure, facts.extract.locate(statement.start_byte))


def has_another_way(facts: Facts, node: Node) -> bool:
    """Whether a node is tried, or runs on some Pythons or machines only."""
    for above in syntax.ancestors(node):
        if above.type in ("if_statement", "elif_clause", "conditional_expression"):
            asked = [above] if above.type == "conditional_expression" else [above, *above.named_children]
            conditions = asked if above.type == "conditional_expression" else map(syntax.condition, asked)
            if any(one is not None and _ASKS_PYTHON.search(facts.text(one)) for one in conditions):
                return True
        if above.type == "try_statement" and any(clause.type == "except_clause" for clause in above.named_children):
            return True
    return False


def uses(facts: Facts, found: tuple[Import, ...], owner: str, name: str) -> Iterator[Node | Import]:
    """Where a name of a module is imported, or asked for by the module.

    Args:
        facts: The file's facts.
        found: What it imports.
        owner: The module that had the name: "numpy"; "" for a module that stood alone.
        name: The name.
    """
    dotted = f"{owner}.{name}".lstrip(".")
    yield from (one for one in found if f"{one.name}.".startswith(dotted + "."))
    for node in facts.source.identifiers(name.encode()):
        named = syntax.attribute_named(node)
        if named is not None and dotted in facts.names.paths(named) and not has_another_way(facts, node):
            yield node


def asked_of_instances(facts: Facts, name: str) -> Iterator[Node]:
    """Where something is asked for a name that is no module's, as far as is known."""
    for node in facts.source.identifiers(name.encode()):
        named = syntax.attribute_named(node)
        if named is not None and UNKNOWN in facts.names.paths(named) and not has_another_way(facts, node):
            yield node
