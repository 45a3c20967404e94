"""Files of a program that are Python 2, compiled for Python 3: what Python 3 can't compile, and a translation can.

`syntax` edits the source within its lines, `meaning` the tree that comes of it; `given` is what such a file asks while
it runs, and `names` the builtins that it finds.
"""

from __future__ import annotations

import ast
import logging
import re
import warnings
from importlib.util import decode_source
from types import CodeType
from typing import TYPE_CHECKING, Any

from tf1mem.era import notes
from tf1mem.era.repairs import BEFORE
from tf1mem.machine.first_start import near

if TYPE_CHECKING:
    from tf1mem.era.python2.syntax import Edited

log = logging.getLogger("tf1mem")

# What a file is called in the report.
PYTHON_2 = "Python 2"

# What `given` is called in a file that was translated.
GIVEN = "__tf1mem_python2__"

# What Python calls a text that is executed.
TEXT = "<string>"

# What most files in Python 2 have, and none in Python 3.
_SIGNS = re.compile(rb"^[ \t]*(?:print[ \t]+[\w\"'>]|except[ \t]+[\w.]+[ \t]*,|raise[ \t]+[\w.]+[ \t]*,)", re.MULTILINE)
_SHEBANG = re.compile(rb"#!.*\bpython2")
SHEBANG_3 = re.compile(rb"(?:\xef\xbb\xbf)?#!.*\bpy(?:thon|py)3")

_FUTURE = re.compile(r"^[ \t]*from[ \t]+__future__[ \t]+import[ \t]*(?:\(([^)]*)\)|([^#;\n]*))", re.MULTILINE)

# What Python 3 compiles, and can't run.
_PRINT_TO = re.compile(rb"^[^#\n]*\bprint[ \t]*>>", re.MULTILINE)


# Builtins that a file asks for that is Python 2; others are words that files have for much else.
BUILTINS_ALONE = frozenset("basestring execfile raw_input reload unichr unicode xrange".split())
_WORDS = tuple(name.encode() for name in sorted(BUILTINS_ALONE))


def is_marked(source: bytes) -> bool:
    """Whether a file may be Python 2 though Python 3 compiles it: cheaply, and wrong on the safe side."""
    if SHEBANG_3.match(source):
        return False
    has_sign = says_python2(source) or (b">>" in source and _PRINT_TO.search(source))
    return bool(has_sign) or _asks_python2(source)


def says_python2(source: bytes) -> bool:
    """Returns True if a file's first line names Python 2 and Python 2 could compile the file."""
    if not _SHEBANG.match(source):
        return False
    from tf1mem.era.python2 import evidence

    return not evidence.is_python3_alone(source)


def _asks_python2(source: bytes) -> bool:
    """Whether a file that Python 3 compiles asks for what only Python 2 had."""
    if not any(re.search(rb"\b%s\b" % word, source) for word in _WORDS if word in source):
        return False
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            tree = parsed(source, TEXT)
    except (SyntaxError, ValueError, RecursionError):
        return False
    from tf1mem.era.python2 import evidence

    return evidence.is_python2(tree, source)


# The files that were said to be Python 2 where none can be translated.
_told: set[str] = set()


def _is_python2(source: bytes) -> bool:
    """Whether a file that can't be translated is Python 2, and not one that has Python 2 in its strings."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            tree = parsed(source, TEXT)
    except (SyntaxError, ValueError):
        return is_marked(source) or bool(_SIGNS.search(source))
    shifts = (node.left for node in ast.walk(tree) if isinstance(node, ast.BinOp) and isinstance(node.op, ast.RShift))
    if says_python2(source) or any(getattr(left, "id", None) == "print" for left in shifts):
        return True
    return _asks_python2(source)


def is_translated(code: CodeType) -> bool:
    """Whether a module's code is that of a file that was translated."""
    return GIVEN in code.co_names


def future_imports(text: str) -> frozenset[str]:
    """What a text imports from `__future__`."""
    return frozenset(re.findall(r"\w+", " ".join(a or b for a, b in _FUTURE.findall(text))))


def translated(source: bytes, filename: str, *, is_known: bool = False) -> ast.Module | None:
    """The tree of a file that is Python 2, with Python 2's meaning, and the lines of the file.

    Args:
        source: The file's bytes.
        filename: What tracebacks call the file.
        is_known: It is known to be Python 2, also if Python 3 compiles it.

    Returns:
        The tree; None if the file isn't Python 2, or can't be translated.
    """
    found = translation(source, filename, is_known=is_known)
    if found is None:
        return None
    tree, edited = found
    if filename != TEXT and not is_known:
        noted(filename, edited)
    return tree


def noted(filename: str, edited: Edited) -> None:
    """Notes for the report that a file is Python 2, and the line that says so."""
    did = "refuses" if edited.is_python2 else "reads otherwise"
    notes.note_file(PYTHON_2, filename, min(edited.changes, default=1), BEFORE, did)


def translation(
    source: bytes,
    filename: str,
    future: frozenset[str] = frozenset(),
    *,
    is_known: bool = False,
    is_guessed: bool = False,
) -> tuple[ast.Module, Edited] | None:
    """The same, and what was edited; nothing is noted.

    Args:
        source: The source's bytes.
        filename: What tracebacks call it.
        future: What holds of `__future__`, whatever the source imports.
        is_known: It is known to be Python 2, also if Python 3 compiles it.
        is_guessed: That it is known is itself a guess.
    """
    try:
        from tf1mem.era.python2 import syntax
    except ImportError:
        if filename not in _told and _is_python2(source):
            _told.add(filename)
            log.warning("%s is Python 2. For tf1mem to translate it: pip install tf1mem[python2]", near(filename))
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
            warnings.simplefilter("ignore")  # what Python 3 says of Python 2's ways
            try:
                tree = parsed(edited.text, filename)
            except TabError:
                edited = edited.without_tabs()
                tree = parsed(edited.text, filename)
            says_so = is_known or edited.is_python2 or says_python2(source)
            if not (says_so or _asks_python2(source)) or meaning.is_of_python3(tree):
                return None
            meaning.give(tree, edited, filename, is_guessed=is_guessed or not says_so)
            compile(tree, filename, "exec", dont_inherit=True)
    except (SyntaxError, ValueError):
        return None
    return tree, edited


def parsed(text: str | bytes, filename: str) -> ast.Module:
    """The tree of what Python 3 compiles."""
    tree: Any = compile(text, filename, "exec", ast.PyCF_ONLY_AST, dont_inherit=True)
    assert isinstance(tree, ast.Module)
    return tree
