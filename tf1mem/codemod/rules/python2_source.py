"""A rewritten file is still Python 2, and needs Python 3 next.

From 2.2 on, TensorFlow runs only on Python 3. `tf1mem codemod --python3` translates the file, and reports under this
code the lines that it can't translate.
"""

from __future__ import annotations

import ast
import re
import warnings
from typing import Iterator

from tree_sitter import Query, QueryCursor

from tf1mem.codemod.facts.module import Facts
from tf1mem.codemod.findings import Note, Rewrite
from tf1mem.codemod.rules import Example, Rule
from tf1mem.codemod.source.syntax import PYTHON

CODE = "TFM003"

rule = Rule(
    CODE,
    of_changed=True,
    examples=(
        Example("print 'no TensorFlow here'\n"),
        Example(
            "import tensorflow as tf\n\nsess = tf.Session()\nprint 'ready'\n",
            "import tf1mem.v1 as tf\n\nsess = tf.Session()\nprint 'ready'\n",
            to="shim",
            remarks=(CODE,),
        ),
    ),
)

# A first test; tree-sitter parses Python 2's statements, and takes `print (x)` for one. Each pattern begins with a
# plain word, which is found many times faster than the start of any line.
_PATTERNS = (
    re.compile(rb"print(?:[ \t]+[^\s(=]|[ \t]*>>)"),
    re.compile(rb"exec[ \t]+['\"]"),
    re.compile(rb"except[ \t]+[\w.()]+[ \t]*,"),
    re.compile(rb"raise[ \t]+\w+[ \t]*,"),
)
_STATEMENTS = Query(
    PYTHON, "[(print_statement) (exec_statement)] @statement (except_clause) @except (raise_statement) @raise"
)


@rule
def python2(facts: Facts) -> Iterator[Note]:
    """Yields a remark for the first statement that only Python 2 accepts, if Python 3 refuses the file."""
    first = looks_like_python2(facts.source.text)
    if first is None or _is_python3(facts.source.text):
        return
    captured = QueryCursor(_STATEMENTS).captures(facts.source.tree.root_node)
    starts = [node.start_byte for nodes in captured.values() for node in nodes if node.start_byte >= first]
    if starts:
        yield Note(
            min(starts), "the file is Python 2",
            "Its settings are rewritten; translate it to Python 3 next: tf1mem codemod --python3.",
        )  # fmt: skip


@rule.plainly
def plain_file(source: bytes) -> list[Rewrite] | None:
    """Returns no rewrites; None if the file may be Python 2."""
    return [] if looks_like_python2(source) is None else None


def looks_like_python2(text: bytes) -> int | None:
    """Returns the offset of the first line that looks like Python 2, such as `print x`; None if none does."""
    starts = [match.start() for pattern in _PATTERNS for match in pattern.finditer(text)]
    at_a_line = [start for start in starts if not text[text.rfind(b"\n", 0, start) + 1 : start].strip()]
    return min(at_a_line, default=None)


def _is_python3(text: bytes) -> bool:
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            ast.parse(text)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return False
    return True
