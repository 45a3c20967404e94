"""Decides for a program whether it is Python 2: its main file decides for its own files that both Pythons compile."""

from __future__ import annotations

import warnings

from tf1mem.era import notes
from tf1mem.era.python2 import SHEBANG_3, future_imports, is_marked, parsed, says_python2, translation

# The main file of this process's program, if that is certainly Python 2; "" if it isn't.
main = ""


def is_certain(source: bytes, filename: str) -> bool:
    """Returns True if a main file is certainly Python 2: it says so, or Python 3 refuses it, and it can be translated.

    Args:
        source: The file's bytes.
        filename: What tracebacks call it.
    """
    if SHEBANG_3.match(source):
        return False
    says_so = says_python2(source)
    if not (says_so or is_marked(source)):
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                parsed(source, filename)
            return False
        except (SyntaxError, ValueError, RecursionError):
            pass
    found = translation(source, filename)
    return found is not None and (says_so or found[1].is_python2)


def is_part(source: bytes) -> bool:
    """Returns True if a file that Python 3 compiles is Python 2 in a program whose main file certainly is.

    It is, unless it is certainly Python 3.

    Args:
        source: The file's bytes.
    """
    if SHEBANG_3.match(source):
        return False
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            tree = parsed(source, "<unknown>")
    except (SyntaxError, ValueError, RecursionError):
        return False  # which says by itself what it is
    from tf1mem.era.python2.evidence import is_certainly_python3

    return not is_certainly_python3(tree, source, future_imports(source.decode("utf-8", "replace")))


def takes(source: bytes, filename: str) -> bool:
    """Returns True if a file of this process's program is Python 2 because its main file is; notes it for the report.

    Args:
        source: The file's bytes.
        filename: What tracebacks call it.
    """
    if not main or filename == main or not is_part(source):
        return False
    notes.note_part(filename, main)
    return True
