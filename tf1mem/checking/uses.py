"""Finds the imports of a file, and its uses of names from other modules."""

from __future__ import annotations

import re
from typing import Iterator

from tree_sitter import Node, Query, QueryCursor

from tf1mem.checking.file_findings import Import
from tf1mem.codemod.facts.module import Facts
from tf1mem.codemod.source import syntax
from tf1mem.codemod.source.names import UNKNOWN
from tf1mem.codemod.source.paths import dotted_text
from tf1mem.codemod.source.tree import Source, occurrences

_IMPORT = b"import"
_IMPORTS = Query(syntax.PYTHON, "[(import_statement) (import_from_statement)] @import")
# Tests by which a program takes another branch on another Python or machine.
_PYTHON_TESTS = re.compile(rb"PY2|PY3|version_info|python_version|TYPE_CHECKING|sys\.platform|os\.name")
# Nodes whose parts may not run. `_IS_SCRIPT` matches the one condition that is true if the file is run as the script.
_BRANCHES = ("function_definition", "lambda", "if_statement", "try_statement", "conditional_expression")
_IS_SCRIPT = re.compile(rb"\(?\s*(__name__\s*==\s*['\"]__main__['\"]|['\"]__main__['\"]\s*==\s*__name__)\s*\)?")


def imports(facts: Facts) -> Iterator[Import]:
    """Yields the imports of a file, in the order of the source, without those for which `has_another_way` is true.

    A name is yielded again only if `is_sure` or `is_run_by_script` differs.
    """
    seen: set[tuple[str, bool, bool]] = set()
    installs = any("pip install" in magic.text for magic in facts.extract.magics)  # a notebook installs its imports
    for statement in _statements(facts.source):
        if has_another_way(facts, statement):
            continue
        module = syntax.imported_module(statement)
        above = "" if module is None else dotted_text(facts.text(module))
        names = [dotted_text(facts.text(item.name)) for item in syntax.import_items(statement)]
        is_straight = syntax.enclosing(statement, *_BRANCHES) is None
        is_sure, is_run_by_script = is_straight and not installs, is_straight or _is_run_by_script(facts, statement)
        for name in names or [""]:
            whole = above + name if above.endswith(".") else ".".join(filter(None, (above, name)))
            if whole and (whole, is_sure, is_run_by_script) not in seen:
                seen.add((whole, is_sure, is_run_by_script))
                yield Import(whole, is_sure, facts.extract.locate(statement.start_byte), is_run_by_script)


def _is_run_by_script(facts: Facts, statement: Node) -> bool:
    """Returns True if a statement is in no function, and in no branch other than `if __name__ == "__main__"`."""
    for above in syntax.ancestors(statement):
        if above.type in ("elif_clause", "else_clause"):
            return False
        if above.type in _BRANCHES:
            condition = syntax.condition(above) if above.type == "if_statement" else None
            if condition is None or not _IS_SCRIPT.fullmatch(facts.text(condition)):
                return False
    return True


def _statements(source: Source) -> list[Node]:
    """Returns the import statements of a file, in the order of the source."""
    if source.is_broken:  # tree-sitter may make an import statement without the keyword, which the search would miss
        nodes = QueryCursor(_IMPORTS).captures(source.tree.root_node).get("import", [])
        return sorted(nodes, key=lambda node: node.start_byte)
    keywords = (source.node_at(start, start + len(_IMPORT)) for start in occurrences(source.text, _IMPORT))
    statements = (node.parent for node in keywords if node is not None and node.type == "import")
    return [it for it in statements if it is not None and it.type in ("import_statement", "import_from_statement")]


def has_another_way(facts: Facts, node: Node) -> bool:
    """Returns True if a node is in a `try` with an `except`, or depends on a test of the Python or the machine."""
    for above in syntax.ancestors(node):
        if above.type in ("if_statement", "elif_clause", "conditional_expression"):
            branches = [above] if above.type == "conditional_expression" else [above, *above.named_children]
            conditions = branches if above.type == "conditional_expression" else map(syntax.condition, branches)
            if any(condition is not None and _PYTHON_TESTS.search(facts.text(condition)) for condition in conditions):
                return True
        if above.type == "try_statement" and any(clause.type == "except_clause" for clause in above.named_children):
            return True
    return False


def uses(facts: Facts, imported: tuple[Import, ...], owner: str, name: str) -> Iterator[Node | Import]:
    """Yields the places where a name of a module is imported (an Import), or read from the module (a node).

    Args:
        facts: The file's facts.
        imported: The file's imports.
        owner: The module that had the name: "numpy"; "" if the name is itself a top-level module.
        name: The name in that module: "bool".
    """
    dotted = f"{owner}.{name}".lstrip(".")
    yield from (statement for statement in imported if f"{statement.name}.".startswith(dotted + "."))
    for node in facts.source.identifiers(name.encode()):
        named = syntax.attribute_named(node)
        if named is not None and dotted in facts.names.paths(named) and not has_another_way(facts, node):
            yield node


def attribute_reads(facts: Facts, name: str) -> Iterator[Node]:
    """Yields the places where a name is read from an object whose origin the file doesn't show."""
    for node in facts.source.identifiers(name.encode()):
        named = syntax.attribute_named(node)
        if named is not None and UNKNOWN in facts.names.paths(named) and not has_another_way(facts, node):
            yield node
