"""Rewrites the program's own files and texts that are executed or loaded by path, and not imported.

In the program's own files, `exec(…)`, `eval(…)` and `compile(…)` pass their text through here. So do Python's file
loaders, and modules of the standard library that compile source for their callers, such as runpy and doctest.
"""

from __future__ import annotations
import __future__

import ast
import os
import re
import sys
from functools import lru_cache, partial
from importlib.machinery import SourceFileLoader
from types import CodeType
from typing import Any

from tf1mem.era import executed
from tf1mem.runner import imports_by_name
from tf1mem.runner.imports_by_name import may_import, rewrite_calls
from tf1mem.runner.policy import Policy
from tf1mem.runner.program_imports import compile_rewritten, redirect
from tf1mem.runner.ready import for_any_names, starting

# Modules that compile a file or text for their caller.
COMPILING = ("runpy", "doctest", "cProfile", "profile", "trace", "pdb", "timeit")
_IMPORTLIB = "<frozen importlib._bootstrap_external>"
_STRING = "<string>"
_FUTURE = 0  # the compiler flags of all imports from __future__
for _name in __future__.all_feature_names:
    _FUTURE |= getattr(__future__, _name).compiler_flag
# The encoding declaration, which Python looks for in the first two lines.
_COOKIE = re.compile(r"\A((?:[^\n]*\n)?[ \t\f]*#.*?cod)ing(?=[:=])")

# The policy of this process, once there is one.
_policies: list[Policy] = []


def follow(policy: Policy) -> None:
    """Rewrites the files and texts that are compiled from here on.

    Args:
        policy: Decides what to rewrite.
    """
    _policies[:] = [policy]
    imports_by_name.follow(policy.roots)
    executed.redirect = partial(_redirect, policy)
    if hasattr(SourceFileLoader.get_code, "tf1mem"):
        return
    original = SourceFileLoader.get_code
    # The wrapper's frame looks like importlib's, which Python leaves out of tracebacks.
    names: dict[str, Any] = {"own": _code_of_loader, "original": original}
    text = "def get_code(self, fullname):\n    code = own(self, fullname)\n"
    text += "    return original(self, fullname) if code is None else code\n"
    exec(compile(text, _IMPORTLIB, "exec"), names)
    get_code = names["get_code"]
    get_code.tf1mem = True
    SourceFileLoader.get_code = get_code  # type: ignore[method-assign]


def follow_module(compiling: Any) -> None:
    """Makes a module of `COMPILING` use the `compile` of this module.

    Args:
        compiling: The module.
    """
    vars(compiling).update(compile=_compiled)


def known(filename: str) -> None:
    """Records that a file, about to be loaded, needs no change."""
    _known.add(filename)


_known: set[str] = set()  # paths of files that need no change


def _redirect(policy: Policy, tree: ast.Module, source: bytes) -> None:
    redirect(tree, source, policy.roots, policy.repairs)


def _code_of_loader(loader: Any, fullname: str) -> CodeType | None:
    """Returns the code of one of the program's files, loaded by path; None if it isn't one or needs no change."""
    path = loader.path
    if path in _known:
        _known.discard(path)
        return None
    policy = _policies[0]
    if not policy.territory.may_own(fullname, [os.path.dirname(path)]) or not policy.territory.owns(fullname, path):
        return None
    try:
        return _code(policy, loader.get_data(path), path)
    except (OSError, SyntaxError, ValueError):
        return None  # Python itself reports it


def _code(policy: Policy, source: bytes, filename: str, flags: int = 0) -> CodeType | None:
    code = compile_rewritten(source, filename, policy.roots, policy.repairs, flags=flags)
    return None if code is None else for_any_names(code, filename)


def _compiled(source: Any, filename: Any, mode: str, *arguments: Any, **options: Any) -> Any:
    """Replaces the function `compile` in the modules of `COMPILING`."""
    policy = _policies[0]
    code = None
    if mode == "exec" and isinstance(source, (bytes, str)) and not (arguments or options) and isinstance(filename, str):
        path = os.path.abspath(filename)
        if os.path.isfile(path) and policy.territory.owns(os.path.splitext(os.path.basename(path))[0], path):
            try:
                code = _code(policy, _as_bytes(source), filename)
            except (SyntaxError, ValueError):
                code = None
    elif str(filename).startswith("<doctest "):
        test = sys._getframe(1).f_locals.get("test")
        path = str(getattr(test, "filename", None) or "")
        if path and policy.territory.owns(os.path.splitext(os.path.basename(path))[0], os.path.abspath(path)):
            source = _tree(policy, source, filename, mode)
    if code is not None:
        return code
    return compile(source, filename, mode, *arguments, **options)


def _tree(policy: Policy, source: Any, filename: str, mode: str, flags: int = 0) -> Any:
    try:
        tree: Any = compile(source, filename, mode, flags | ast.PyCF_ONLY_AST, True)
    except (SyntaxError, ValueError):
        return source
    redirect(tree, _as_bytes(source), policy.roots, policy.repairs)
    return tree


def own(function: str, text: Any, *, promotes: bool = True) -> Any:
    """Returns the argument for `exec`, `eval` or `compile` in the program's own files, in place of a text.

    Args:
        function: Name of the function: "exec", "eval" or "compile".
        text: The text; code or a tree stays unchanged.
        promotes: True if operators may become calls; False if the text may run with builtins of its own.

    Returns:
        Rewritten code, for `compile` perhaps a tree; or the text, if it needs no change or doesn't compile.
    """
    if not isinstance(text, (bytes, str)) or not _policies:
        return text
    flags = sys._getframe(1).f_code.co_flags & _FUTURE
    try:
        rewritten = _rewritten_text(_policies[0], function, _as_bytes(text), flags, promotes=promotes)
    except (SyntaxError, ValueError, RecursionError):
        return text  # Python itself reports it
    return text if rewritten is None else ast.parse(rewritten) if isinstance(rewritten, str) else rewritten


@lru_cache(maxsize=256)  # programs execute the same text repeatedly
def _rewritten_text(policy: Policy, function: str, source: bytes, flags: int, *, promotes: bool) -> Any:
    """Returns the rewritten code of a text, or for `compile` a line that runs it; None if it needs no change."""
    if function == "eval":
        if not may_import(source, mentions_root=True):
            return None
        tree: Any = compile(source.lstrip(b" \t"), _STRING, "eval", flags | ast.PyCF_ONLY_AST, True)
        return compile(tree, _STRING, "eval", flags, True) if rewrite_calls(tree, policy.roots()) else None
    code = compile_rewritten(source, _STRING, policy.roots, policy.repairs, flags=flags, promotes=promotes)
    if code is None:
        return None
    name = f"{_STRING} {hash(source)}"
    return for_any_names(code, name) if function == "exec" else starting(code, name)


def _as_bytes(text: bytes | str) -> bytes:
    if isinstance(text, bytes):
        return text
    # For a str, Python ignores an encoding declaration.
    return _COOKIE.sub(r"\1ed", text, 1).encode("utf-8", "surrogatepass")
