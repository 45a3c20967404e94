"""Translates classes, functions, lambdas and except clauses: nodes that bind names or have their own rules."""

from __future__ import annotations

import ast
import re
from functools import partial
from typing import Any, Iterator

from tf1mem.codemod.python3.texts import CLOSING, PLACE, STATEMENT, Unwritable
from tf1mem.codemod.python3.translator import Translator, first_line
from tf1mem.era.python2.meaning import METHODS, declared_global, is_generator, target_of


class Definitions(Translator):
    """Translates nodes that bind names."""

    def visit_ClassDef(self, node: ast.ClassDef) -> None:
        """Translates a class: its metaclass, and special methods that Python 3 calls by other names."""
        names = set()
        for statement in node.body:
            if isinstance(statement, ast.FunctionDef):
                names.add(statement.name)
            elif isinstance(statement, ast.Assign) and isinstance(statement.targets[0], ast.Name):
                names.add(statement.targets[0].id)
                if statement.targets[0].id == "__metaclass__" and not self._is_protected(statement):
                    self._attempt(statement, partial(self._metaclass, node))
        if names & METHODS:
            self._decorate(node, self._helper("class_"), "Python 3 calls methods by other names")
        self.generic_visit(node)

    def _metaclass(self, node: ast.ClassDef, statement: ast.Assign) -> None:
        """Moves the value of `__metaclass__` into the head of its class."""
        change = "a metaclass belongs in the class's head"
        text, start = self._text, self._text.start(node)
        value = text.text[text.start(statement.value) : text.end(statement.value)]
        if not re.fullmatch(r"[\w.]+", value):
            raise Unwritable("__metaclass__ that isn't a name")
        if node.bases:
            text.write(text.end(node.bases[-1]), CLOSING, f", metaclass={value}", change)
        else:
            head = re.compile(r"class\s+\w+(\s*\(\s*\))?").match(text.text, start)
            assert head is not None
            text.write(head.start(1) if head[1] else head.end(), PLACE, f"(metaclass={value})", change, head.end())
        self._put(statement, "__metaclass__ = None" if len(node.body) > 1 else "pass", change)

    def visit_FunctionDef(self, node: ast.FunctionDef) -> None:
        """Translates a function: its parameters, its global statements, and a generator's end by StopIteration."""
        for arg in node.args.args:
            if arg.arg in self._edited.places:
                self._first(node, f"{self._edited.places[arg.arg]} = {arg.arg}", "an argument is unpacked")
        used = [use for use in ast.walk(node) if isinstance(use, ast.Name)]
        for declaration in declared_global(node):
            early = [name for name in declaration.names if any(
                use.id == name and use.lineno < declaration.lineno for use in used
            )]  # fmt: skip
            if early:
                self._first(node, f"global {', '.join(early)}", "a global is declared before its use")
                later = [name for name in declaration.names if name not in early]
                self._put(declaration, f"global {', '.join(later)}" if later else "pass", "a global is declared before")
        if is_generator(node):
            self._generator(node)
        self.generic_visit(node)

    def _generator(self, node: ast.FunctionDef) -> None:
        words = {getattr(part, "id", getattr(part, "attr", "")) for part in ast.walk(node)}
        if words & {"StopIteration", "next"}:
            self._decorate(node, self._helper("generator"), "a StopIteration ends a generator")

    def visit_Lambda(self, node: ast.Lambda) -> None:
        """Translates a lambda with unpacked parameters."""
        paths: dict[str, str] = {}
        for arg in node.args.args:
            if arg.arg in self._edited.places:
                paths.update(_parts(target_of(self._edited.places[arg.arg]), arg.arg))
        if paths:
            stored = {name.id for name in ast.walk(node.body)
                      if isinstance(name, ast.Name) and not isinstance(name.ctx, ast.Load)}  # fmt: skip
            if stored & set(paths):
                raise Unwritable("a lambda that unpacks an argument and binds one of its parts again")
            for use in self._uses(node.body, set(paths)):
                self._put(use, paths[use.id], "an argument is unpacked")
        self.generic_visit(node)

    def _uses(self, node: ast.AST, names: set[str]) -> Iterator[ast.Name]:
        """Yields the uses of names in an expression; a nested lambda may have parameters of the same names."""
        if isinstance(node, ast.Name) and node.id in names:
            yield node
        for child in ast.iter_child_nodes(node):
            is_inner = isinstance(node, ast.Lambda) and child is node.body
            yield from self._uses(child, names - set(self._arguments(node)) if is_inner else names)

    def _arguments(self, node: Any) -> Iterator[str]:
        for part in ast.walk(node.args):
            if isinstance(part, ast.arg):
                place = self._edited.places.get(part.arg)
                yield from [part.arg] if place is None else (name for name, _ in _parts(target_of(place), ""))

    def visit_ExceptHandler(self, node: ast.ExceptHandler) -> None:
        """Translates an except clause: Python 3 deletes the name of an error when its handler ends."""
        self.generic_visit(node)
        if node.name is None:
            return
        place = self._edited.places.get(node.name)
        if place is not None:
            parts = isinstance(target_of(place), (ast.Tuple, ast.List))
            self._first(node, f"{place} = {node.name}{'.args' if parts else ''}", "an error is assigned")
        elif self._is_read_outside(node):
            start = self._text.start(node)
            end = self._text.start(node.body[0])
            header = re.sub(r"#[^\n]*", lambda comment: " " * len(comment[0]), self._text.text[start:end])
            name_match = list(re.finditer(rf"\bas\s+({node.name})\s*:", header))[-1]
            self._text.write(start + name_match.start(1), PLACE, f"{node.name}_", "an error keeps its variable",
                             start + name_match.end(1))  # fmt: skip
            self._first(node, f"{node.name} = {node.name}_", "an error keeps its variable")

    def _is_read_outside(self, handler: ast.ExceptHandler) -> bool:
        """Returns True if the name of a caught error is read in its scope outside of the handlers that bind it."""
        scope = self._scopes[-1][0]
        binding = [
            handling
            for handling in ast.walk(scope)
            if isinstance(handling, ast.ExceptHandler) and handling.name == handler.name
        ]
        inside = {id(part) for each in binding for part in ast.walk(each)}
        return any(
            isinstance(part, ast.Name) and part.id == handler.name and isinstance(part.ctx, ast.Load)
            and id(part) not in inside
            for part in ast.walk(scope)
        )  # fmt: skip

    def _decorate(self, node: Any, decorator: str, change: str) -> None:
        start = self._text.line_start(node.lineno)
        indent = self._text.text[start : self._text.start(node)]
        if indent.strip():
            raise Unwritable(change + ", and another statement precedes it on its line")
        self._text.write(start, STATEMENT, f"{indent}@{decorator}\n", change)

    def _first(self, node: Any, statement: str, change: str) -> None:
        """Writes a statement as the first of a body, after a docstring."""
        body = node.body
        if len(body) > 1 and _is_text(body[0]) and not isinstance(node, ast.ExceptHandler):
            body = body[1:]
        first = body[0]
        start = self._text.line_start(first_line(first))
        indent = re.match(r"[ \t]*", self._text.text[start:])
        assert indent is not None
        if start + len(indent[0]) <= min(self._text.start(first), start + len(indent[0])) and not self._text.text[
            start : self._text.start(first)
        ].strip(" \t@"):
            self._text.write(start, STATEMENT, f"{indent[0]}{statement}\n", change)
        else:
            self._text.write(self._text.start(first), STATEMENT, f"{statement}; ", change)


def _is_text(statement: ast.stmt) -> bool:
    return isinstance(statement, ast.Expr) and isinstance(statement.value, ast.Constant)


def _parts(target: Any, path: str) -> Iterator[tuple[str, str]]:
    """Yields the names in a target, each with the expression that reads it."""
    if isinstance(target, ast.Name):
        yield target.id, path
    for number, part in enumerate(getattr(target, "elts", ())):
        yield from _parts(part, f"{path}[{number}]")
