"""Rewrites a program's imports of TensorFlow, and compiles its source with these and the repairs.

Trees are changed in place, and every node keeps its line and column, so that tracebacks, `inspect` and debuggers show
the file as its author wrote it.
"""

from __future__ import annotations

import ast
import logging
import os
import re
import sys
import warnings
from functools import partial
from types import CodeType
from typing import AbstractSet, Any, Callable, Iterable

from tf1mem.era import mentioned, promotes_by_dtype, python2
from tf1mem.era.python2 import program
from tf1mem.era.statements import blocks, located
from tf1mem.runner import imports_by_name
from tf1mem.runner.imports_by_name import literal
from tf1mem.runner.module_names import HOME, ROOTS, new_name
from tf1mem.runner.tensor_types import may_name_tensors, rewrite_types

log = logging.getLogger("tf1mem")

Roots = Callable[[], AbstractSet[str]]

# Words of files that may import a root.
_MENTIONS = (b"tensorflow", b"keras", b"tf_slim", b"gym", b"pkg_resources", b"tensorboard")

# Operators of numbers, and functions that use them.
_OPERATES = rb"[\w)\]]\s*(?:[-+*/%&^|<>]|[=!]=)|\b(?:divmod|pow|sum)\("
# Calls that execute or compile a text.
_EXECUTES = rb"(?<![\w.])(?:exec\b|(?:eval|compile)[ \t]*\()"
_EXECUTING = frozenset(("exec", "eval", "compile"))


def compile_rewritten(
    source: bytes,
    filename: str,
    roots: Roots,
    repairs: bool,
    is_known: bool = False,
    *,
    flags: int = 0,
    promotes: bool = True,
) -> CodeType | None:
    """Compiles a module with rewritten imports and repaired uses of what newer libraries lack.

    A module that is Python 2 is translated first.

    Args:
        source: The module's bytes, in whatever encoding they declare.
        filename: Filename for tracebacks.
        roots: Returns the roots (keys of `ROOTS`) to rewrite. Called only if the source mentions one.
        repairs: True to repair uses of what newer libraries lack.
        is_known: True if Python 3 is known to compile the module, or will compile it next.
        flags: Compiler flags of `__future__` features that are on, besides the module's own imports.
        promotes: True if operators may become calls, which need a name among the builtins.

    Returns:
        The code; None if nothing needs a change, by the words in the source.

    Raises:
        SyntaxError: Python's own error for the file.
    """
    edits = _edits(source, roots, repairs, filename, promotes=promotes)
    is_part = repairs and program.takes(source, filename)
    is_python2 = repairs and (is_part or python2.is_marked(source))
    if not (edits or is_python2) and (is_known or not repairs):
        return None
    try:
        if edits:
            return _with_room(lambda: _compile(source, filename, edits, repairs, is_python2, flags, is_part=is_part))
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # Python itself will show them
            code = _compile(source, filename, edits, repairs, is_python2, flags, is_part=is_part)
        return code if python2.is_translated(code) else None
    except RecursionError:
        if not edits:
            return None
        log.warning(
            "%s runs unchanged: its expressions nest too deeply to be rewritten. "
            "If it imports TensorFlow, write `import tf1mem.v1 as tf` in it.",
            filename,
        )
        return None


def redirect(tree: ast.Module, source: bytes, roots: Roots, repairs: bool) -> None:
    """Makes all changes of `compile_rewritten` in a module's tree, in place.

    Args:
        tree: The module's syntax tree.
        source: The source of the tree.
        roots: Returns the roots (keys of `ROOTS`) to rewrite. Called only if the source mentions one.
        repairs: True to repair uses of what newer libraries lack.
    """
    for edit in _edits(source, roots, repairs):
        edit(tree)


def rewrite(tree: ast.Module, roots: AbstractSet[str]) -> bool:
    """Points the imports of `tree` at tf1mem.v1, in place.

    Args:
        tree: A module's syntax tree.
        roots: The roots (keys of `ROOTS`) to rewrite.

    Returns:
        True if anything was changed.
    """
    changed = False
    for block in blocks(tree):
        for position in range(len(block) - 1, -1, -1):
            statement = block[position]
            if isinstance(statement, ast.Import):
                names = [new for alias in statement.names for new in _import(alias, roots)]
                changed |= names != statement.names
                statement.names = names
            elif isinstance(statement, ast.ImportFrom) and not statement.level:
                replacement = _import_from(statement, roots)
                changed |= replacement != [statement]
                block[position : position + 1] = replacement
    return changed


def rewrite_texts(tree: ast.Module, *, may_restrict: bool = False) -> None:
    """Makes the texts that a module executes, by `exec` and its like, pass through `executed_texts`, in place.

    Args:
        tree: A module's syntax tree.
        may_restrict: True if the module may execute them with builtins of its own.
    """
    nodes: list[Any] = list(ast.walk(tree))
    bound = {getattr(node, "asname", None) or getattr(node, "name", "") for node in nodes}
    bound |= {node.id for node in nodes if isinstance(node, ast.Name) and not isinstance(node.ctx, ast.Load)}
    bound |= {node.arg for node in nodes if isinstance(node, ast.arg)}
    if python2.RUNTIME_NAME in bound:
        return  # Python 2's builtins do it
    for node in nodes:
        name = getattr(node.func, "id", "") if isinstance(node, ast.Call) else ""
        if name in _EXECUTING - bound and node.args and not isinstance(node.args[0], ast.Starred):
            if name == "compile" and not _is_for_exec(node):
                continue
            arguments = f"{name!r}, promotes={not may_restrict}"
            text = f"__import__('tf1mem.runner.executed_texts', fromlist=['']).own({arguments})"
            call = located(node.args[0], ast.parse(text, mode="eval").body)
            call.args.append(node.args[0])
            node.args[0] = call


def _is_for_exec(call: ast.Call) -> bool:
    modes = [*call.args[2:3], *(keyword.value for keyword in call.keywords if keyword.arg == "mode")]
    return [literal(mode) for mode in modes] == ["exec"]


def _edits(
    source: bytes, roots: Roots, repairs: bool, filename: str = "", *, promotes: bool = True
) -> list[Callable[[ast.Module], object]]:
    """Returns the edits that a module may need: a cheap test, which errs on the safe side."""
    edits: list[Callable[[ast.Module], object]] = []
    if repairs and b"serialized_pb" in source:
        from tf1mem.era import generated

        if generated.is_refused(source):
            edits.append(generated.build_from_description)
    mentions_root = any(name in source for name in _MENTIONS)
    may_import = imports_by_name.may_import(source, mentions_root=mentions_root)
    active_roots = roots() if mentions_root or may_import else None
    if active_roots and mentions_root:
        edits.append(partial(rewrite, roots=active_roots))
        if may_name_tensors(source):
            edits.append(rewrite_types)
    if active_roots and may_import:
        edits.append(partial(imports_by_name.rewrite_calls, roots=active_roots))
    if repairs and b"import" in source and os.path.isfile(os.path.join(os.path.dirname(filename), "__init__.py")):
        from tf1mem.era.beside import find_beside, imported_from_beside

        beside = imported_from_beside(source, filename)
        if beside:
            edits.append(partial(find_beside, names=beside))
    if re.search(_EXECUTES, source):
        edits.append(partial(rewrite_texts, may_restrict=b"__builtins__" in source))
    libraries = mentioned(source) if repairs else []
    if libraries:
        from tf1mem.era.repairs import needed_repairs

        possible = list(needed_repairs(source, libraries))
        if possible:
            from tf1mem.era.rewriting import repair

            edits.append(partial(repair, repairs=possible))
    if "pandas" in libraries:
        from tf1mem.era import pandas

        if pandas.is_3:
            edits.append(partial(pandas.warn_of_3, filename=filename))
    if promotes and repairs and re.search(_OPERATES, source) and promotes_by_dtype():
        from tf1mem.era.operator_calls import promote

        edits.append(promote)
    return edits


def _compile(  # noqa: PLR0917
    source: bytes,
    filename: str,
    edits: Iterable[Callable[[ast.Module], object]],
    repairs: bool,
    is_python2: bool,
    flags: int,
    *,
    is_part: bool,
) -> CodeType:
    """Compiles a module; translates it first if it is Python 2, and otherwise after a SyntaxError."""
    try:
        tree: Any = python2.translated(source, filename, is_known=is_part) if is_python2 else None
        if tree is None:
            tree = compile(source, filename, "exec", ast.PyCF_ONLY_AST | flags, dont_inherit=True)
        return _edited_code(tree, filename, edits, flags)
    except SyntaxError:
        tree = python2.translated(source, filename) if repairs else None
        if tree is None:
            raise
    return _edited_code(tree, filename, edits)


def _edited_code(tree: Any, filename: str, edits: Iterable[Callable[[ast.Module], object]], flags: int = 0) -> CodeType:
    for edit in edits:
        edit(tree)
    code: CodeType = compile(tree, filename, "exec", flags, dont_inherit=True)
    return code


def _with_room(work: Callable[[], CodeType]) -> CodeType:
    """Returns the result of `work`, called again with a higher recursion limit if it recurses too deep."""
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


def _import(alias: ast.alias, roots: AbstractSet[str]) -> Iterable[ast.alias]:
    """Returns the names that replace one name of an `import`."""
    target = new_name(alias.name, roots)
    if target is None:
        return [alias]
    if alias.asname:
        return [ast.copy_location(ast.alias(target, alias.asname), alias)]
    # `import tensorflow.x.y` binds the root's name and makes sure that x.y is there. Binding that name twice
    # does both and leaves no other name behind.
    root = alias.name.partition(".")[0]
    home = ROOTS[root]
    submodule = [] if target == home else [ast.copy_location(ast.alias(target, root), alias)]
    return [*submodule, ast.copy_location(ast.alias(home, root), alias)]


def _import_from(statement: ast.ImportFrom, roots: AbstractSet[str]) -> list[ast.stmt]:
    """Returns the statements that replace a `from … import`."""
    assert statement.module is not None
    # `from tensorflow.compat import v1, v2, as_str`: three names that lead to three different places.
    groups: list[ast.ImportFrom] = []
    for alias in statement.names:
        module: str | None = new_name(statement.module, roots)
        whole = new_name(statement.module + "." + alias.name, roots)
        if whole is None:
            module = statement.module
        elif whole == HOME or module is None:
            module = whole.rpartition(".")[0]  # from tf1mem import v1
        if groups and groups[-1].module == module:
            groups[-1].names.append(alias)
        else:
            groups.append(ast.copy_location(ast.ImportFrom(module, [alias], 0), statement))
    unchanged = [group.module for group in groups] == [statement.module]
    return [statement] if unchanged else list(groups)
