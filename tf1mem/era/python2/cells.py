"""A notebook's cells that are Python 2: they share their names, and what one of them imports from `__future__`."""

from __future__ import annotations

import ast
import builtins
import logging
from importlib.util import find_spec
from typing import Any, Callable, Iterable

from tf1mem.era.python2 import future_imports, noted, parsed, translation
from tf1mem.era.rewriting import Builtins, located
from tf1mem.machine.first_start import near

log = logging.getLogger("tf1mem")

# What `names` is called in a cell that was translated.
_NAMES = "__tf1mem_builtins__"


def is_python2(notebook: str, says: int | None, cells: Iterable[bytes]) -> bool:
    """Whether all of a notebook is Python 2: no cell is Python 3's alone, and it says so itself, or a cell of it does.

    Where only a cell says so, no other may even speak of Python 3.

    Args:
        notebook: What it is called.
        says: The Python that it says to be for, 2 or 3; None where it says none, or both.
        cells: Its cells, without magics.
    """
    if says == 3:
        return False
    if find_spec("fissix") is None:
        if says == 2:
            log.warning("%s is Python 2. For tf1mem to translate it: pip install tf1mem[python2]", near(notebook))
        return False
    from tf1mem.era.python2.evidence import speaks_of_python3
    from tf1mem.era.python2.meaning import is_of_python3

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
    """The cells of a notebook, as they come.

    Python 2's builtins are asked for in each cell, and not given to the names: other cells may be Python 3.

    Args:
        is_whole: Whether all of them are Python 2; else those are that Python 3 doesn't compile.
        hint: What to tell about the others when the first of those comes, if anything.
    """

    def __init__(self, is_whole: bool = False, hint: str = "") -> None:
        self.is_whole = is_whole
        self._hint = hint
        self._future: frozenset[str] = frozenset()
        self._is_noted = False

    def parsed(self, text: str, filename: str, parse: Callable[[], Any]) -> Any:
        """The tree of a cell, with the meaning that it has.

        Args:
            text: Its source, without magics.
            filename: What tracebacks call it.
            parse: Parses it as Python 3.

        Raises:
            SyntaxError: As `parse` raises it.
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
        found = translation(text.encode("utf-8", "replace"), filename, self._future, is_known=self.is_whole)
        if found is None:
            return None
        tree, edited = found
        from tf1mem.era.python2.meaning import first_place
        from tf1mem.era.python2.names import BUILTINS

        other = {name for name, value in BUILTINS.items() if vars(builtins).get(name) is not value}
        Builtins(other, (), _asked).visit(tree)
        first = ast.parse(f"from tf1mem.era.python2 import names as {_NAMES}").body[0]
        tree.body.insert(first_place(tree), located(tree.body[0], first))
        if not self._is_noted:
            self._is_noted = True
            noted(filename, edited)
            if self._hint and not self.is_whole:
                log.warning("%s is Python 2, and taken as such. %s", near(filename), self._hint)
        return tree


def _asked(name: ast.Name) -> ast.expr:
    """What a cell has under a name, or Python 2's builtin."""
    text = f"{_NAMES}.builtin({name.id!r}, lambda: {name.id})"
    call: ast.expr = located(name, ast.parse(text, mode="eval").body)
    return call
