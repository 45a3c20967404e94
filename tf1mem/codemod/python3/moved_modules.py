"""Translates imports of modules that have moved, or that lie beside the file, and uses of names that modules lost."""

from __future__ import annotations

import ast
import re
from typing import Any

from tf1mem.codemod.python3.siblings import ABSOLUTE, EITHER, RELATIVE
from tf1mem.codemod.python3.texts import OPENING, PLACE, Unwritable
from tf1mem.codemod.python3.translator import Translator
from tf1mem.codemod.python3.words import HOME
from tf1mem.era import before_python3
from tf1mem.era.own_package import is_beside
from tf1mem.era.repairs import Moved, Repair

_REPAIRS = {(repair.owner, repair.name): repair for repair in before_python3.REPAIRS if repair.owner != "builtins"}
_PICKLES = ("pickle", "cPickle")
_BOTH = "the file is loaded as a script and as part of its package"


class Modules(Translator):
    """Translates imports, and attributes of modules."""

    def visit_Attribute(self, node: ast.Attribute) -> None:
        """Translates a name that a module has lost."""
        owner = self._module(getattr(node.value, "id", ""))
        owner = "pickle" if owner in _PICKLES else owner
        repair = _REPAIRS.get((owner, node.attr))
        if owner and repair is not None and id(node) not in self._tries:
            self._attribute(node, owner, repair)
        self.generic_visit(node)

    def _attribute(self, node: ast.Attribute, owner: str, repair: Repair) -> None:
        """Writes today's name of a module's member; one that is gone comes from the helpers."""
        path = _path(repair)
        module, _, name = path.rpartition(".")
        change = f"{repair.what} is {path.replace('builtins.', '')}"
        root = path.partition(".")[0]
        if module == owner:
            end = self._text.end(node)
            self._text.write(end - len(node.attr), PLACE, name, change, end)
        elif path.startswith("builtins.") and path.split(".")[1] not in self._bound:
            self._put(node, path.partition(".")[2], change)
            self._replaced.add(id(node.value))
        elif isinstance(repair.home, str) and module and (root not in self._bound or self._module(root) == root):
            self._put(node, path, change)
            self._replaced.add(id(node.value))
            self._homes.setdefault(owner, set()).add(module)
        else:
            self._put(node.value, self._helper(owner), f"{repair.what} is kept")
            self._replaced.add(id(node.value))

    def _import(self, node: ast.Import) -> None:
        """Translates `import a, b as c`."""
        new = [statement for alias in node.names for statement in self._imported_as(alias)]
        if new == ["import " + _alias(alias) for alias in node.names]:
            return
        if self._way == EITHER and any(self._is_beside(alias.name) for alias in node.names):
            plain = [
                line for alias in node.names
                for line in (["import " + _alias(alias)] if self._is_beside(alias.name) else self._imported_as(alias))
            ]  # fmt: skip
            self._write_either(node, new)
            self._put(node, ("\n" + self._indent(node) + "    ").join(plain), _BOTH)
            return
        start, end = self._text.start(node), self._text.end(node)
        is_line = start == self._text.line_start(node.lineno) and self._text.text[end : end + 1] == "\n"
        if new or not is_line:
            self._put(node, self._separator(node).join(new) or "pass", "modules have moved")
        else:
            self._text.write(start, PLACE, "", "modules have moved", end + 1)

    def _imported_as(self, alias: ast.alias) -> list[str]:
        """Returns the statements that replace one name of an import statement, none if nothing needs it any more."""
        name, bound = alias.name, alias.asname or alias.name
        as_is = "import " + _alias(alias)
        if self._is_beside(name):
            if self._way == ABSOLUTE:
                return [as_is]
            owner, _, leaf = name.rpartition(".")
            if not owner or alias.asname:
                return [f"from .{owner} import {_alias(ast.alias(leaf, alias.asname))}"]
            # The import binds the first name, and loads the last module.
            top = name.partition(".")[0]
            bound = name.replace(".", "_")
            while bound in self._bound:
                bound += "_"
            return [f"from . import {top}", f"from .{owner} import {leaf} as {bound}"]
        if id(alias) in self._tries:
            return [as_is]
        repair = _REPAIRS.get(("", name))
        homes = sorted(self._homes.get(name, ()))
        is_gone = repair is not None and not isinstance(repair.home, Moved)
        if is_gone and self._is_used(bound):
            new = [f"from {HOME} import {_alias(alias)}"]
        elif repair is not None and isinstance(repair.home, Moved):
            new = ["import " + _alias(ast.alias(repair.home.today, bound if bound != repair.home.today else None))]
        elif is_gone or (homes and not self._is_used(bound)):
            new = []
        else:
            new = [as_is]
        return [*new, "import " + ", ".join(homes)] if homes else new

    def _is_used(self, name: str) -> bool:
        """Returns True if the file still uses a module by its name."""
        return any(
            isinstance(node, ast.Name) and node.id == name and id(node) not in self._replaced
            for node in ast.walk(self._tree)
        )

    def _import_from(self, node: ast.ImportFrom) -> None:
        """Translates `from a import b`."""
        module = node.module or ""
        if node.level or not module:
            return
        if self._is_beside(module):
            if self._way == EITHER:
                names = ", ".join(map(_alias, node.names))
                self._write_either(node, [f"from .{module} import {names}"])
            elif self._way == RELATIVE:
                self._put_module(node, "." + module)
            return
        if id(node) in self._tries:
            return
        home = _REPAIRS.get(("", module))
        today = home.home.today if home is not None and isinstance(home.home, Moved) else module
        groups: dict[str, list[str]] = {}
        for alias in node.names:
            owner = "pickle" if module in _PICKLES else module
            repair = _REPAIRS.get((owner, alias.name))
            where, new = today, _alias(alias)
            if repair is not None:
                path = _path(repair)
                home_module, _, leaf = path.rpartition(".")
                bound = alias.asname or alias.name
                if not home_module or home_module.startswith("builtins."):
                    where, new = "", f"{bound} = {self._helper(owner)}.{alias.name}"
                else:
                    where, new = home_module, _alias(ast.alias(leaf, bound if bound != leaf else None))
            groups.setdefault(where, []).append(new)
        if set(groups) == {module}:
            return
        if set(groups) == {today}:
            self._put_module(node, today)
            return
        lines = [f"from {where} import {', '.join(names)}" for where, names in groups.items() if where]
        self._put(node, self._separator(node).join([*lines, *groups.get("", [])]), "modules have moved")

    def _put_module(self, node: ast.ImportFrom, module: str) -> None:
        start = self._text.start(node)
        match = re.compile(r"from\s+([\w.]+)").match(self._text.text, start)
        assert match is not None
        self._text.write(match.start(1), PLACE, module, f"{node.module} is {module}", match.end(1))

    def _is_beside(self, module: str) -> bool:
        return (
            bool(self._folder) and "absolute_import" not in self._edited.future and is_beside(module, str(self._folder))
        )

    def _write_either(self, node: ast.stmt, relative: list[str]) -> None:
        """Adds another import for a file that is loaded as a part of its package; the import itself stays."""
        start, indent = self._text.start(node), self._indent(node)
        end = self._text.end(node)
        remainder = self._text.text[end : self._text.text.index("\n", end)]
        if indent.strip() or not re.fullmatch(r"\s*(#.*)?", remainder):
            raise Unwritable("an import of a module beside the file shares its line with another statement")
        deeper = "\n" + indent + "    "
        lines = f"if __package__:{deeper}{deeper.join(relative)}\n{indent}else:{deeper}"
        self._text.write(start, OPENING, lines, _BOTH)

    def _indent(self, node: ast.stmt) -> str:
        """Returns the text before a statement on its line."""
        return self._text.text[self._text.line_start(node.lineno) : self._text.start(node)]

    def _separator(self, node: ast.stmt) -> str:
        """Returns the text between two statements that replace one."""
        indent = self._indent(node)
        return "; " if indent.strip() else "\n" + indent


def _alias(alias: ast.alias) -> str:
    return alias.name if alias.asname is None else f"{alias.name} as {alias.asname}"


def _path(repair: Repair) -> str:
    """Returns today's path of a removed name: "builtins.zip"; "" without one, or if only some calls need the repair."""
    home: Any = repair.home
    if isinstance(home, str):
        return home
    if repair.is_in_need is not None:
        return ""
    module = getattr(home, "__module__", None) or getattr(getattr(home, "__objclass__", None), "__module__", "builtins")
    name = getattr(home, "__qualname__", "")
    is_named = name.isidentifier() or (module == "builtins" and name.replace(".", "").isidentifier())
    return f"{module}.{name}" if is_named and not name.startswith("_") else ""
