"""Runs a notebook's cells one after another as one program: by IPython if it is installed."""

from __future__ import annotations

import ast
import linecache
import logging
from functools import partial
from importlib.util import find_spec
from types import ModuleType
from typing import Any

from tf1mem.era.python2.notebook_cells import Cells, is_python2
from tf1mem.notebooks.magics import Placeholder, without_magics
from tf1mem.runner.policy import Policy
from tf1mem.runner.program_imports import redirect
from tf1mem.runner.programs import Program

log = logging.getLogger("tf1mem")


def run(program: Program, policy: Policy, main: ModuleType) -> None:
    """Runs a notebook.

    Args:
        program: The notebook.
        policy: Decides what to rewrite in its cells.
        main: The module in whose namespace the cells run.
    """
    sources = (without_magics(text.encode("utf-8", "replace")) for _, text in program.cells)
    python2 = Cells(policy.repairs and is_python2(program.filename, program.says_python, sources))
    if find_spec("IPython") is not None:
        from tf1mem.runner.shell import run_cells

        run_cells(program.cells, lambda number: _name(program, number), policy, main, python2)
        return
    for number, text in program.cells:
        name = _name(program, number)
        python = without_magics(text.encode("utf-8", "replace"), partial(_say_left_out, name))
        linecache.cache[name] = len(text), None, [line + "\n" for line in text.splitlines()], name
        parse = partial(compile, python, name, "exec", ast.PyCF_ONLY_AST, dont_inherit=True)
        tree: Any = python2.parsed(python.decode(), name, parse) if policy.repairs else parse()
        redirect(tree, python, policy.roots, policy.repairs)
        last = tree.body.pop() if tree.body and isinstance(tree.body[-1], ast.Expr) else None
        exec(compile(tree, name, "exec", dont_inherit=True), main.__dict__)
        if last is not None:  # a notebook displays the value of a cell's last expression
            exec(compile(ast.Interactive([last]), name, "single", dont_inherit=True), main.__dict__)


def _name(program: Program, number: int) -> str:
    """Returns the filename of a cell for tracebacks."""
    return f"{program.filename}:cell {number}"


def _say_left_out(name: str, cell: bytes, magic: Placeholder | None) -> None:
    if magic is None:
        log.warning("%s is skipped: it is for %s, and IPython isn't installed", name, _line(cell.lstrip(), 0))
    else:
        line = cell.count(b"\n", 0, magic.start) + 1
        log.warning("%s:%d: magic left out, since IPython isn't installed: %s", name, line, _line(cell, magic.start))


def _line(cell: bytes, at: int) -> str:
    start = cell.rfind(b"\n", 0, at) + 1
    return cell[start:].split(b"\n", 1)[0].decode().strip()
