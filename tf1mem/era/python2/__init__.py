"""Translates files written in Python 2 into syntax trees that Python 3 compiles, with Python 2's meaning.

`syntax` edits the source within its lines, and `meaning` edits the resulting tree; a translated file calls
`runtime_functions` at run time, and reads its builtins from `names`.
"""

from __future__ import annotations

import ast
import logging
import re
import warnings
from importlib.util import decode_source
from types import CodeType
from typing import TYPE_CHECKING, Any

from tf1mem.era import repair_notes
from tf1mem.era.repairs import PYTHON_3
from tf1mem.machine.first_start import near

if TYPE_CHECKING:
    from tf1mem.era.python2.syntax import Edited

log = logging.getLogger("tf1mem")

# The kind of a file in Python 2, as the report names it.
PYTHON_2 = "Python 2"

# The name by which a translated file calls the module `runtime_functions`.
RUNTIME_NAME = "__tf1mem_python2__"

# Python's filename for code in a string, such as that of `exec`.
STRING_FILENAME = "<string>"

# Statements that most files in Python 2 have, and none in Python 3.
_SIGNS = re.compile(rb"^[ \t]*(?:print[ \t]+[\w\"'>]|except[ \t]+[\w.]+[ \t]*,|raise[ \t]+[\w.]+[ \t]*,)", re.MULTILINE)
_SHEBANG = re.compile(rb"#!.*\bpython2")
SHEBANG_3 = re.compile(rb"(?:\xef\xbb\xbf)?#!.*\bpy(?:thon|py)3")

_FUTURE = re.compile(r"^[ \t]*from[ \t]+__future__[ \t]+import[ \t]*(?:\(([^)]*)\)|([^#;\n]*))", re.MULTILINE)

# Python 3 compiles this, but can't run it.
_PRINT_TO = re.compile(rb"^[^#\n]*\bprint[ \t]*>>", re.MULTILINE)


# Builtins whose use marks a file as Python 2; other names of Python 2 are common words.
BUILTINS_ALONE = frozenset("basestring execfile raw_input reload unichr unicode xrange".split())
_WORDS = tuple(name.encode() for name in sorted(BUILTINS_ALONE))


def is_marked(source: bytes) -> bool:
    """Returns True if a file may be Python 2 though Python 3 compiles it: a cheap test, which errs on the safe side."""
    if SHEBANG_3.match(source):
        return False
    has_sign = says_python2(source) or (b">>" in source and _PRINT_TO.search(source))
    return bool(has_sign) or _uses_python2(source)


def says_python2(source: bytes) -> bool:
    """Returns True if a file's first line names Python 2 and Python 2 could compile the file."""
    if not _SHEBANG.match(source):
        return False
    from tf1mem.era.python2 import python2_evidence

    return not python2_evidence.is_python3_alone(source)


def _uses_python2(source: bytes) -> bool:
    """Returns True if a file that Python 3 compiles uses names that only Python 2 had."""
    if not any(re.search(rb"\b%s\b" % word, source) for word in _WORDS if word in source):
        return False
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            tree = parsed(source, STRING_FILENAME)
    except (SyntaxError, ValueError, RecursionError):
        return False
    from tf1mem.era.python2 import python2_evidence

    return python2_evidence.is_python2(tree, source)


# Files already reported as Python 2 in an installation that can't translate.
_reported: set[str] = set()


def _is_python2(source: bytes) -> bool:
    """Returns True if a file that can't be translated is Python 2; Python 2 inside its strings doesn't count."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            tree = parsed(source, STRING_FILENAME)
    except (SyntaxError, ValueError):
        return is_marked(source) or bool(_SIGNS.search(source))
    shifts = (node.left for node in ast.walk(tree) if isinstance(node, ast.BinOp) and isinstance(node.op, ast.RShift))
    if says_python2(source) or any(getattr(left, "id", None) == "print" for left in shifts):
        return True
    return _uses_python2(source)


def is_translated(code: CodeType) -> bool:
    """Returns True for the code of a translated module."""
    return RUNTIME_NAME in code.co_names


def future_imports(text: str) -> frozenset[str]:
    """Returns the names that a text imports from `__future__`."""
    return frozenset(re.findall(r"\w+", " ".join(a or b for a, b in _FUTURE.findall(text))))


def translated(source: bytes, filename: str, *, is_known: bool = False) -> ast.Module | None:
    """Returns the tree of a file in Python 2, with Python 2's meaning and the file's own lines.

    Args:
        source: The file's bytes.
        filename: The name that tracebacks show.
        is_known: True if the file is known to be Python 2, even if Python 3 compiles it.

    Returns:
        The tree; None if the file isn't Python 2, or can't be translated.
    """
    translated_file = translation(source, filename, is_known=is_known)
    if translated_file is None:
        return None
    tree, edited = translated_file
    if filename != STRING_FILENAME and not is_known:
        noted(filename, edited)
    return tree


def noted(filename: str, edited: Edited) -> None:
    """Records for the report that a file is Python 2, and the line that shows it."""
    did = "refuses" if edited.is_python2 else "reads differently"
    repair_notes.note_file(PYTHON_2, filename, min(edited.changes, default=1), PYTHON_3, did)


def translation(
    source: bytes,
    filename: str,
    future: frozenset[str] = frozenset(),
    *,
    is_known: bool = False,
    is_guessed: bool = False,
) -> tuple[ast.Module, Edited] | None:
    """Returns the tree of a source in Python 2, and its edits; nothing is recorded for the report.

    Args:
        source: The source's bytes.
        filename: The name that tracebacks show.
        future: Features of `__future__` that are on, besides the source's own imports.
        is_known: True if the source is known to be Python 2, even if Python 3 compiles it.
        is_guessed: True if that is only guessed, from the builtins that the file uses.
    """
    try:
        from tf1mem.era.python2 import syntax
    except ImportError:
        if filename not in _reported and _is_python2(source):
            _reported.add(filename)
            log.warning("%s is Python 2. For tf1mem to translate it: pip install tf1mem[cli]", near(filename))
        return None
    from tf1mem.era.python2 import meaning

    try:
        text = decode_source(source)
    except (UnicodeDecodeError, SyntaxError):
        return None
    edited = syntax.edited(text, future=future)
    if edited is None:
        return None
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # Python 3's warnings about Python 2's habits
            try:
                tree = parsed(edited.text, filename)
            except TabError:
                edited = edited.without_tabs()
                tree = parsed(edited.text, filename)
            says_so = is_known or edited.is_python2 or says_python2(source)
            if not (says_so or _uses_python2(source)) or meaning.is_of_python3(tree):
                return None
            meaning.give_meaning(tree, edited, filename, is_guessed=is_guessed or not says_so)
            compile(tree, filename, "exec", dont_inherit=True)
    except (SyntaxError, ValueError):
        return None
    return tree, edited


def parsed(text: str | bytes, filename: str) -> ast.Module:
    """Returns the tree of a source that Python 3 compiles."""
    tree: Any = compile(text, filename, "exec", ast.PyCF_ONLY_AST, dont_inherit=True)
    assert isinstance(tree, ast.Module)
    return tree
