"""Finds Python 2's syntax and names in a file, and syntax that this Python can't read."""

from __future__ import annotations

import ast
import re
import sys
import warnings
from typing import Iterator

from tf1mem.checking import kinds
from tf1mem.checking.file_findings import FileFinding, Import
from tf1mem.checking.here import Here
from tf1mem.checking.uses import has_another_way
from tf1mem.codemod.facts.module import Facts
from tf1mem.codemod.rules.python2_source import looks_like_python2
from tf1mem.doctor.finding import Kind
from tf1mem.era.python2 import STRING_FILENAME, future_imports, translation

# Builtins that Python 3 lacks, methods that its dicts lack, and modules that it lacks or has renamed. Names that are
# common in other code, such as `apply`, are left out.
_BUILTINS = "basestring cmp execfile file long raw_input reduce reload unichr unicode xrange".split()
_METHODS = "has_key iteritems iterkeys itervalues viewitems viewkeys viewvalues".split()
MODULES = frozenset(
    "BaseHTTPServer ConfigParser Cookie HTMLParser Queue SimpleHTTPServer SocketServer StringIO Tkinter __builtin__ "
    "cPickle cStringIO commands cookielib copy_reg exceptions httplib md5 sets tkMessageBox urllib2 urlparse "
    "xmlrpclib".split()
)
# Messages with which Python 3 refuses Python 2's syntax.
_MESSAGES = re.compile(r"parenthes.*'(?:print|exec)'|leading zeros|multiple exception types|tabs and spaces|TabError")


def syntax(facts: Facts, here: Here) -> Iterator[FileFinding]:
    """Yields findings about the syntax of the file or of a notebook's cells.

    At most one of them says that the source is Python 2. The first cell that is neither Python 3 nor Python 2 ends the
    search.

    Args:
        facts: The file's facts.
        here: The Python and packages to compare with.
    """
    text = facts.extract.python
    is_file = facts.extract.kind == "python"
    spans = ((0, len(text)),) if is_file else sorted(facts.extract.cells)
    future: frozenset[str] = frozenset()
    is_reported = False
    for start, end in spans:
        future |= future_imports(text[start:end].decode("utf-8", "replace"))
        error = _error(text[start:end])
        if error is None:
            continue
        line = getattr(error, "lineno", None) or 1
        lines = text[start:end].splitlines(keepends=True)
        offset = start + sum(map(len, lines[: line - 1]))
        message = error.msg if isinstance(error, SyntaxError) else str(error)
        evidence_at = looks_like_python2(text[start:end])
        is_likely_python2 = (
            evidence_at is not None or isinstance(error, TabError) or _MESSAGES.search(message) is not None
        )
        kind = _kind(text[start:end], future, here, is_likely_python2)
        if kind is not None:
            place = facts.extract.locate(offset if evidence_at is None else start + evidence_at)
            if not is_reported:
                message = f"the {'file' if is_file else 'cell'} is Python 2"
                yield FileFinding(kind, "syntax", message, kind.remedy, *place)
            is_reported = True
        else:
            message = "Python {}.{} can't read it: {}".format(*sys.version_info[:2], message)
            yield FileFinding(
                kinds.SYNTAX, "syntax", message, kinds.SYNTAX.remedy, *facts.extract.locate(min(offset, len(text)))
            )
            return
    # A notebook's metadata may say Python 2 even if no cell shows it.
    if spans and not is_reported and here.has_module("fissix") and facts.extract.is_python2:
        place = facts.extract.locate(spans[0][0])
        yield FileFinding(kinds.PYTHON2, "syntax", "the notebook is Python 2", kinds.PYTHON2.remedy, *place)


def names(facts: Facts) -> Iterator[FileFinding]:
    """Yields a finding for each builtin and method that only Python 2 has, at its first use.

    Names that the file binds itself don't count, nor those with a fallback.
    """
    for name in _BUILTINS:
        for node in facts.source.identifiers(name.encode()):
            if (
                facts.names.is_use(node)
                and not facts.names.bindings(name.encode())
                and not has_another_way(facts, node)
            ):
                yield _name(facts, name, node.start_byte)
                break
    for name in _METHODS:
        for node in facts.source.identifiers(name.encode()):
            above = node.parent
            is_read = above is not None and above.type == "attribute" and b"six." not in facts.text(above)
            if is_read and not has_another_way(facts, node):
                yield _name(facts, name, node.start_byte)
                break


def module(statement: Import) -> FileFinding | None:
    """Returns a finding for an import of a module that only Python 2 has; None for other modules."""
    top = statement.name.partition(".")[0]
    if top not in MODULES:
        return None
    return FileFinding(kinds.PYTHON2, top, f"{top} exists only in Python 2", kinds.PYTHON2.remedy, *statement.place)


def _kind(source: bytes, future: frozenset[str], here: Here, is_likely_python2: bool) -> Kind | None:
    """Returns the kind for Python 2 source that this Python can't read; None for other source.

    Args:
        source: Source that this Python can't read.
        future: The features that it, or an earlier cell, imports from `__future__`.
        here: The Python and packages to compare with.
        is_likely_python2: True if the source or Python's message suggests Python 2. It decides without fissix; with
            fissix, a successful translation does.
    """
    if here.has_module("fissix"):
        return kinds.PYTHON2 if translation(source, STRING_FILENAME, future) is not None else None
    return kinds.PYTHON2_UNTRANSLATED if is_likely_python2 else None


def _name(facts: Facts, name: str, offset: int) -> FileFinding:
    return FileFinding(
        kinds.PYTHON2, name, f"{name} exists only in Python 2", kinds.PYTHON2.remedy, *facts.extract.locate(offset)
    )


def _error(text: bytes) -> Exception | None:
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            compile(text, "file", "exec", ast.PyCF_ALLOW_TOP_LEVEL_AWAIT, dont_inherit=True)
    except (SyntaxError, ValueError, RecursionError, MemoryError) as error:
        return error
    return None
