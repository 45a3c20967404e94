"""Source bytes in, a code object with rewritten imports out."""

from __future__ import annotations

import ast
import logging
import sys
from types import CodeType
from typing import AbstractSet, Any, Callable

from tf1mem.runner.rewriting import rewrite, rewrite_calls

log = logging.getLogger("tf1mem")

Roots = Callable[[], AbstractSet[str]]

_MENTIONS = (b"tensorflow", b"keras")
_CALLS = (b"import_module", b"__import__")


def compile_rewritten(source: bytes, filename: str, roots: Roots) -> CodeType | None:
    """Compiles a module with its imports rewritten.

    Args:
        source: The module's bytes, in whatever encoding they declare.
        filename: What tracebacks call the file.
        roots: Says which roots (keys of `names.ROOTS`) to rewrite. Asked only if the source mentions one.

    Returns:
        The code, or None if there is nothing to rewrite.

    Raises:
        SyntaxError: As Python raises it for the file.
    """
    if not any(name in source for name in _MENTIONS):  # cheap, and wrong only on the safe side
        return None
    wanted = roots()
    if not wanted:
        return None
    try:
        return _with_room(lambda: _compile(source, filename, wanted))
    except RecursionError:
        log.warning(
            "%s runs as it is: its expressions nest too deeply for its imports to be rewritten. "
            "Write `import tf1mem.v1 as tf` in it.",
            filename,
        )
        return None


def compile_plain(source: bytes, filename: str) -> CodeType:
    """Compiles a module as it is."""
    code: CodeType = compile(source, filename, "exec", dont_inherit=True)
    return code


def _compile(source: bytes, filename: str, roots: AbstractSet[str]) -> CodeType | None:
    tree: Any = compile(source, filename, "exec", ast.PyCF_ONLY_AST, dont_inherit=True)
    changed = rewrite(tree, roots)
    if any(name in source for name in _CALLS):
        changed |= rewrite_calls(tree, roots)
    if not changed:
        return None
    code: CodeType = compile(tree, filename, "exec", dont_inherit=True)
    return code


def _with_room(work: Callable[[], CodeType | None]) -> CodeType | None:
    # A tree that goes through Python objects may be nested less deeply than one that goes straight from source to
    # code: a sum of 1500 terms compiles, its tree does not. Python 3.12 knows no way round that.
    try:
        return work()
    except RecursionError:
        limit = sys.getrecursionlimit()
        sys.setrecursionlimit(4 * limit)
        try:
            return work()
        finally:
            sys.setrecursionlimit(limit)
