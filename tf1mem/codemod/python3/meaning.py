"""Writes Python 2's meaning into a text that Python 3 can parse.

Where Python 3 has a plain form, it is written: `len(x) // 2`, `list(d.keys())`. Elsewhere the text calls
`tf1mem.era.python2.kept`.
"""

from __future__ import annotations

import ast
from textwrap import fill

from tf1mem.codemod.python3.definitions import Definitions
from tf1mem.codemod.python3.division import Division
from tf1mem.codemod.python3.exceptions import Errors
from tf1mem.codemod.python3.methods import Methods
from tf1mem.codemod.python3.moved_modules import Modules
from tf1mem.codemod.python3.names import NameTranslator
from tf1mem.codemod.python3.texts import IMPORT, Unwritable
from tf1mem.codemod.python3.translator import first_line
from tf1mem.codemod.python3.words import HELPERS, HOME
from tf1mem.era.python2.meaning import comes_first

_WIDTH = 79  # of the lines that are added, in columns


class Meaning(Definitions, Division, Errors, Methods, Modules, NameTranslator):
    """Writes the meaning of a tree in Python 2 into its text."""

    def write(self) -> None:
        """Writes all translations."""
        self.visit(self._tree)
        self.write_errors()
        for node in ast.walk(self._tree):
            if isinstance(node, (ast.Import, ast.ImportFrom)) and not self._is_protected(node):
                self._attempt(node, self._import if isinstance(node, ast.Import) else self._import_from)
        for name, write, old in self._unless_python2:
            if name not in self._python2_builtins:
                write()
            elif old:
                self._python2_builtins.add(old)
        self._write_imports()

    def _write_imports(self) -> None:
        """Writes the imports that the translated names need, after the statements that have to be first."""
        lines = [f"from {module} import {', '.join(sorted(names))}" for module, names in self._imported.items()]
        if self._python2_builtins:
            names = ", ".join(sorted(self._python2_builtins))
            if len(names) > _WIDTH - len(HOME):
                names = "(\n" + fill(names, _WIDTH, initial_indent="    ", subsequent_indent="    ") + ",\n)"
            lines.append(f"from {HOME} import {names}")
        if self._helps:
            lines.append(f"from {HOME.rpartition('.')[0]} import {HOME.rpartition('.')[2]} as {HELPERS}")
        if self._helps and HELPERS in self._bound:
            raise Unwritable(f"{HELPERS} is a name in the file, and is needed for Python 2's functions")
        if not lines:
            return
        body = self._tree.body
        after = [number for number, statement in enumerate(body) if comes_first(statement, number)]
        last = body[len(after) - 1] if after and after[-1] == len(after) - 1 else None
        following = body[len(after)] if len(body) > len(after) else None
        change = "names keep their meaning"
        if following is None or (last is not None and following.lineno == last.end_lineno):
            raise Unwritable("there is no room for an import")
        start = self._text.line_start(first_line(following))
        self._text.write(start, IMPORT, "".join(line + "\n" for line in lines), change)
