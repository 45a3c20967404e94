"""Whether a cell or a code block could swallow what comes after it."""

from __future__ import annotations

import re

_STRING_OR_COMMENT = re.compile(
    rb"""
    \"\"\" [^"\\]* (?: (?: \\. | "(?!"") ) [^"\\]* )* \"\"\"
  | ''' [^'\\]* (?: (?: \\. | '(?!'') ) [^'\\]* )* '''
  | " [^"\\\n]* (?: \\. [^"\\\n]* )* "
  | ' [^'\\\n]* (?: \\. [^'\\\n]* )* '
  | \# [^\n]*
    """,
    re.DOTALL | re.VERBOSE,
)


def is_unfinished(python: bytes) -> bool:
    """Whether Python leaves a string or a bracket open, or ends in a backslash.

    Such a cell doesn't run; in one module with others it takes the start of the next one along. It is a look at the
    text, not at the grammar: other broken code ends where it ends.

    Args:
        python: Python 2 or 3.
    """
    bare = _STRING_OR_COMMENT.sub(b"", python)
    if b'"' in bare or b"'" in bare or bare.rstrip().endswith(b"\\"):
        return True
    return any(bare.count(pair[:1]) != bare.count(pair[1:]) for pair in (b"()", b"[]", b"{}"))
