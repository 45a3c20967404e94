"""Reads one file by itself, and returns its imports and findings."""

from __future__ import annotations

from types import MappingProxyType
from typing import Iterable, Mapping

from tf1mem.checking import gpu_settings, other_libraries, python2, tensorflow_names
from tf1mem.checking.file_findings import ACTS, NAMES_MAIN, FileFinding, FileSummary, Import
from tf1mem.checking.here import Here
from tf1mem.checking.remembered import restored
from tf1mem.checking.tests import is_test
from tf1mem.checking.uses import imports
from tf1mem.codemod.facts.module import Facts
from tf1mem.codemod.files import extract
from tf1mem.codemod.source.limits import TOO_DEEP, TookTooLong, time_limit
from tf1mem.codemod.trees.cache import Row, digest_of
from tf1mem.codemod.trees.write import read_file
from tf1mem.errors import SourceFileError
from tf1mem.notebooks.reading import NotANotebook

_ACTING = ("for_statement", "while_statement", "with_statement", "print_statement")


def read(path: str, kind: str, here: Here, known: Mapping[str, Row] = MappingProxyType({})) -> FileSummary:
    """Returns the summary of a file.

    Args:
        path: The file's path, as shown to people.
        kind: "python" or "notebook".
        here: The Python and packages to compare with.
        known: The summaries of earlier checks, by digest.
    """
    try:
        source = read_file(path)
        digest = digest_of(source, kind).hex()
        if digest in known:
            return restored(known[digest], path)
        if b"\0" not in source:
            with time_limit(len(source)):
                return read_source(path, source, kind, here)._replace(digest=digest)
        problem = "is binary, not Python source"
    except (SourceFileError, NotANotebook) as error:
        problem = error.wrong
    except (MemoryError, RecursionError):
        problem = TOO_DEEP
    except TookTooLong as error:
        problem = str(error)
    return FileSummary(path, NAMES_MAIN if kind == "notebook" else "", problem=problem)


def read_source(path: str, source: bytes, kind: str, here: Here) -> FileSummary:
    """Returns the summary of a file's bytes; see `read`."""
    whole = extract(source, kind)
    facts = Facts(whole)
    imported = tuple(imports(facts))
    findings = tuple(sorted(_findings(facts, imported, here), key=_order))
    moves_path = facts.mentions("sys.path")
    return FileSummary(
        path, _why_program(facts), imported, findings, moves_path=moves_path, is_test=is_test(facts, imported)
    )


def _findings(facts: Facts, imported: tuple[Import, ...], here: Here) -> Iterable[FileFinding]:
    yield from python2.syntax(facts, here)
    yield from python2.names(facts)
    yield from tensorflow_names.lacking(facts, here)
    yield from tensorflow_names.ops(facts)
    yield from other_libraries.removed_names(facts, imported, here)
    yield from other_libraries.releases_with_other_values(facts, imported, here)
    yield from other_libraries.repaired(facts, imported, here)
    yield from gpu_settings.settings(facts)


def _why_program(facts: Facts) -> str:
    """Returns the reason why a file is a program by itself; see `FileSummary.why_program`."""
    if facts.extract.kind != "python" or facts.mentions("__main__"):
        return NAMES_MAIN
    for statement in facts.source.tree.root_node.named_children:
        is_call = statement.type == "expression_statement" and statement.named_children[0].type == "call"
        if is_call or statement.type in _ACTING:
            return ACTS
    return ""


def _order(finding: FileFinding) -> tuple[int, int, int, str, str]:
    return finding.cell or 0, finding.line, finding.column, finding.kind.code, finding.what
