"""One file, read by itself: what it imports, and what is found in it."""

from __future__ import annotations

from typing import Iterable

from tf1mem.checking import gpu_settings, other_libraries, python2, tensorflow_names
from tf1mem.checking.asked import imports
from tf1mem.checking.found import ACTS, NAMES_MAIN, Found, Import, Read
from tf1mem.checking.here import Here
from tf1mem.codemod.facts.module import Facts
from tf1mem.codemod.files import extract
from tf1mem.codemod.source.limits import TOO_DEEP, TookTooLong, time_limit
from tf1mem.codemod.source.tree import Source
from tf1mem.codemod.trees.write import read_file
from tf1mem.errors import SourceFileError
from tf1mem.notebooks.reading import NotANotebook

_ACTING = ("for_statement", "while_statement", "with_statement", "print_statement")


def read(path: str, kind: str, here: Here) -> Read:
    """Reads a file.

    Args:
        path: As it is named to a person.
        kind: "python" or "notebook".
        here: What it is held against.
    """
    try:
        source = read_file(path)
        if b"\0" not in source:
            with time_limit(len(source)):
                return read_source(path, source, kind, here)
        problem = "is binary, not Python source"
    except (SourceFileError, NotANotebook) as error:
        problem = error.wrong
    except (MemoryError, RecursionError):
        problem = TOO_DEEP
    except TookTooLong as error:
        problem = str(error)
    return Read(path, NAMES_MAIN if kind == "notebook" else "", problem=problem)


def read_source(path: str, source: bytes, kind: str, here: Here) -> Read:
    """Reads a file's bytes; see `read`."""
    whole = extract(source, kind)
    facts = Facts(Source(whole.python), whole)
    imported = tuple(imports(facts))
    found = tuple(sorted(_found(facts, imported, here), key=_order))
    return Read(path, _is_program(facts), imported, found, moves_path=facts.spelled("sys.path"))


def _found(facts: Facts, imported: tuple[Import, ...], here: Here) -> Iterable[Found]:
    yield from python2.syntax(facts, here)
    yield from python2.names(facts)
    yield from tensorflow_names.lacking(facts, here)
    yield from tensorflow_names.ops(facts)
    yield from other_libraries.gone(facts, imported, here)
    yield from other_libraries.repaired(facts, imported, here)
    yield from gpu_settings.settings(facts)


def _is_program(facts: Facts) -> str:
    """What says that a file is a program by itself; see `Read`."""
    if facts.extract.kind != "python" or facts.spelled("__main__"):
        return NAMES_MAIN
    for statement in facts.source.tree.root_node.named_children:
        is_call = statement.type == "expression_statement" and statement.named_children[0].type == "call"
        if is_call or statement.type in _ACTING:
            return ACTS
    return ""


def _order(found: Found) -> tuple[int, int, int, str, str]:
    return found.cell or 0, found.line, found.column, found.kind.code, found.what
