"""Translates a notebook's cells in Python 2, which share their names and their imports from `__future__`."""

from __future__ import annotations

import ast
import builtins
import logging
from importlib.util import find_spec
from typing import Any, Callable, Iterable

from tf1mem.era.python2 import future_imports, noted, parsed, translation
from tf1mem.era.rewriting import Builtins
from tf1mem.era.statements import located
from tf1mem.machine.first_start import near

log = logging.getLogger("tf1mem")

# The name of `names` in a translated cell.
_NAMES = "__tf1mem_builtins__"


def is_python2(notebook: str, says: int | None, cells: Iterable[bytes]) -> bool:
    """Returns True if all of a notebook is Python 2: its metadata or a cell says so, and no cell is Python 3 alone.

    If only a cell says so, any sign of Python 3 in another cell is enough for False.

    Args:
        notebook: The notebook's path, for messages.
        says: Python version of its metadata, 2 or 3; None if it names neither, or both.
        cells: The cells' sources, without magics.
    """
    if says == 3:
        return False
    if find_spec("fissix") is None:
        if says == 2:
            log.warning("%s is Python 2. For tf1mem to translate it: pip install tf1mem[cli]", near(notebook))
        return False
    from tf1mem.era.python2.meaning import is_of_python3
    from tf1mem.era.python2.python2_evidence import speaks_of_python3

    is_so = says == 2
    future: frozenset[str] = frozenset()
    for cell in cells:
        future |= future_imports(cell.decode("utf-8", "replace"))
        try:
            tree = parsed(cell, notebook)
        except (SyntaxError, ValueError):
            is_so |= translation(cell, notebook) is not None
        else:
            if is_of_python3(tree) or (says is None and speaks_of_python3(tree, cell, future)):
                return False
    return is_so


class Cells:
    """The cells of a notebook, in the order in which they run.

    Each cell looks Python 2's builtins up itself; the shared names don't get them, since other cells may be Python 3.

    Args:
        is_whole: True if every cell is Python 2; False if only the cells that Python 3 doesn't compile are.
        hint: Text of the warning about the other cells, logged with the first cell in Python 2; "" for none.
    """

    def __init__(self, is_whole: bool = False, hint: str = "") -> None:
        self.is_whole = is_whole
        self._hint = hint
        self._future: frozenset[str] = frozenset()
        self._is_noted = False

    def parsed(self, text: str, filename: str, parse: Callable[[], Any]) -> Any:
        """Returns the tree of a cell, with Python 2's meaning where it is Python 2.

        Args:
            text: The cell's source, without magics.
            filename: The name that tracebacks show.
            parse: Parses the cell as Python 3.

        Raises:
            SyntaxError: The error of `parse`.
        """
        tree = self._translated(text, filename) if self.is_whole else None
        if tree is None:
            try:
                tree = parse()
            except SyntaxError:
                tree = None if self.is_whole else self._translated(text, filename)
                if tree is None:
                    raise
        self._future |= future_imports(text)
        return tree

    def _translated(self, text: str, filename: str) -> ast.Module | None:
        """Returns the tree of a cell in Python 2, with Python 2's builtins; None if it can't be translated."""
        translated_cell = translation(text.encode("utf-8", "replace"), filename, self._future, is_known=self.is_whole)
        if translated_cell is None:
            return None
        tree, edited = translated_cell
        from tf1mem.era.python2.meaning import first_place
        from tf1mem.era.python2.names import BUILTINS

        other = {name for name, value in BUILTINS.items() if vars(builtins).get(name) is not value}
        Builtins(other, (), _lookup).visit(tree)
        first = ast.parse(f"from tf1mem.era.python2 import names as {_NAMES}").body[0]
        tree.body.insert(first_place(tree), located(tree.body[0], first))
        if not self._is_noted:
            self._is_noted = True
            noted(filename, edited)
            if self._hint and not self.is_whole:
                log.warning("%s is Python 2, and is treated as such. %s", near(filename), self._hint)
        return tree


def _lookup(name: ast.Name) -> ast.expr:
    """Returns a lookup of a cell's own name, with Python 2's builtin as the fallback."""
    text = f"{_NAMES}.builtin({name.id!r}, lambda: {name.id})"
    call: ast.expr = located(name, ast.parse(text, mode="eval").body)
    return call
