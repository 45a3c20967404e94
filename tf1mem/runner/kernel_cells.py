"""Rewrites cells that IPython runs, in a kernel or for `tf1mem run`, like a program's own files."""

from __future__ import annotations

import ast
import sys
from collections import deque
from types import CodeType
from typing import Any

from tf1mem.era.python2.notebook_cells import Cells
from tf1mem.runner.policy import Policy
from tf1mem.runner.program_imports import compile_rewritten, redirect
from tf1mem.runner.ready import for_any_names

# Modules of IPython that compile the script of `%run script.py`, by version.
_FILES = ("IPython.core.interactiveshell", "IPython.utils.py3compat")


def follow(policy: Policy, shell: Any, cells: Cells) -> None:
    """Makes an IPython shell rewrite its cells, and the scripts that they `%run`.

    Args:
        policy: Decides what to rewrite.
        shell: The shell (`IPython.core.interactiveshell.InteractiveShell`).
        cells: Decides which cells are Python 2.
    """
    parse = shell.compile.ast_parse

    def parsed(source: str, filename: str = "<unknown>", symbol: str = "exec") -> Any:
        def as_python_3() -> Any:
            return parse(source, filename, symbol)

        is_cell = policy.repairs and symbol == "exec"
        return cells.parsed(source, filename, as_python_3) if is_cell else as_python_3()

    shell.compile.ast_parse = parsed
    rewriter = _Rewriter(policy)
    shell.input_transformers_post.append(rewriter.note)
    shell.ast_transformers.append(rewriter)
    shell.register_magic_function(_tensorflow_version, "line", "tensorflow_version")

    def compiled(source: Any, filename: str, mode: str, *arguments: Any, **options: Any) -> Any:
        code: CodeType | None = None
        if isinstance(source, bytes) and mode == "exec" and not (arguments or options):
            code = compile_rewritten(source, str(filename), policy.roots, policy.repairs)
        if code is not None:
            return for_any_names(code, str(filename))
        return compile(source, filename, mode, *arguments, **options)

    for name in _FILES:
        if name in sys.modules:
            vars(sys.modules[name])["compile"] = compiled


class _Rewriter:
    """An entry of IPython's `ast_transformers`.

    Transformers receive a tree without its source, but the rewriting scans the source for the edits that it needs. So
    the last few sources are kept: extra ones do no harm.
    """

    def __init__(self, policy: Policy) -> None:
        self._policy = policy
        self._sources: deque[bytes] = deque(maxlen=16)

    def note(self, lines: list[str]) -> list[str]:
        """Records a cell's source before it is parsed: an entry of IPython's `input_transformers_post`."""
        self._sources.append("".join(lines).encode("utf-8", "replace"))
        return lines

    def visit(self, tree: ast.AST) -> ast.AST:
        """Rewrites a tree in place."""
        if isinstance(tree, ast.Module):
            redirect(tree, b"\n".join(self._sources), self._policy.roots, self._policy.repairs)
        return tree


def _tensorflow_version(line: str) -> None:
    """Prints that Colab's magic has no effect."""
    from tf1mem.machine.tensorflow import installed_version

    here = f"tf1mem gives TensorFlow 1's API on TensorFlow {installed_version()}"
    print(f"%tensorflow_version {line.strip()} has no effect: {here}")
