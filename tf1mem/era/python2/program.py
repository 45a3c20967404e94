"""Decides whether a program is Python 2: its main file decides for the files that both Pythons compile."""

from __future__ import annotations

import warnings

from tf1mem.era import repair_notes
from tf1mem.era.python2 import SHEBANG_3, future_imports, is_marked, parsed, says_python2, translation

# The main file of this process's program if it is certainly Python 2; else "".
main = ""


def is_certain(source: bytes, filename: str) -> bool:
    """Returns True if a main file is certainly Python 2: its first line or syntax shows it, and it can be translated.

    Args:
        source: The file's bytes.
        filename: The name that tracebacks show.
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
    translated_file = translation(source, filename)
    return translated_file is not None and (says_so or translated_file[1].is_python2)


def is_part(source: bytes) -> bool:
    """Returns True if a file that both Pythons compile counts as Python 2 in a program whose main file is Python 2.

    All do, except those that are certainly Python 3.

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
        return False  # a file that Python 3 doesn't compile decides for itself
    from tf1mem.era.python2.python2_evidence import is_certainly_python3

    return not is_certainly_python3(tree, source, future_imports(source.decode("utf-8", "replace")))


def takes(source: bytes, filename: str) -> bool:
    """Returns True if a file of this process's program is Python 2 because its main file is; records it for the report.

    Args:
        source: The file's bytes.
        filename: The name that tracebacks show.
    """
    if not main or filename == main or not is_part(source):
        return False
    repair_notes.note_part(filename, main)
    return True
