"""The builtins that a file translated from Python 2 gets: `BUILTINS`, with the functions that only it needs."""

from __future__ import annotations
import __future__

import ast
import builtins
import itertools
import math
import operator
import os
import sys
from decimal import ROUND_HALF_UP, Context, Decimal
from functools import lru_cache
from types import CodeType, FrameType
from typing import Any, Callable

from tf1mem.era import before_python3, executed, operators
from tf1mem.era.python2 import RUNTIME_NAME, STRING_FILENAME, is_marked, parsed, translated, translation
from tf1mem.era.python2.runtime_functions import sorted_


def _map(function: Any, first: Any, *others: Any) -> list[Any]:
    rows: Any = itertools.zip_longest(first, *others) if others else ((element,) for element in first)
    if function is None:
        return list(rows) if others else list(first)
    return [function(*row) for row in rows]


def _filter(function: Any, iterable: Any) -> Any:
    kept = builtins.filter(function, iterable)
    if isinstance(iterable, str):
        return "".join(kept)
    return tuple(kept) if isinstance(iterable, tuple) else list(kept)


def _zip(*iterables: Any) -> list[Any]:
    return list(builtins.zip(*iterables))


def _range(*bounds: Any) -> list[int]:
    return list(builtins.range(*bounds))


def _round(number: Any, ndigits: Any = 0) -> float:
    """Returns the nearest number with `ndigits` decimals, as a float; of two equally near, the one further from 0."""
    exact = float(number)
    if not math.isfinite(exact) or ndigits > 330:
        return exact
    if ndigits < -330:
        return 0.0 * exact
    unit = Decimal(1).scaleb(-operator.index(ndigits))
    return float(Decimal(exact).quantize(unit, ROUND_HALF_UP, Context(prec=1200)))


def _input(prompt: Any = "") -> Any:
    frame = sys._getframe(1)
    return eval(builtins.input(prompt), frame.f_globals, frame.f_locals)


def _exec(code: Any, globals: Any = None, locals: Any = None) -> None:
    """Runs code; source text is Python 2, with the `__future__` features of the file that runs it."""
    frame = sys._getframe(1)
    if isinstance(code, (bytes, str)):
        text = code if isinstance(code, bytes) else code.encode("utf-8", "surrogateescape")
        names = frame.f_globals
        future = frozenset(
            name for name in __future__.all_feature_names if names.get(name) is getattr(__future__, name)
        )
        is_guessed = getattr(names.get(RUNTIME_NAME), "__name__", "").endswith(".runtime_functions_if_guessed")
        code = _compiled(text, future, is_guessed)
    _run(code, frame, globals, locals)


@lru_cache(maxsize=256)  # programs execute the same text repeatedly
def _compiled(text: bytes, future: frozenset[str], is_guessed: bool) -> CodeType:
    """Returns a text's code, translated from Python 2 if the text needs it."""
    translated_text = translation(text, STRING_FILENAME, future, is_known=True, is_guessed=is_guessed)
    if translated_text is None:
        return compile(text, STRING_FILENAME, "exec", dont_inherit=True)  # type: ignore[no-any-return]
    tree: Any = translated_text[0]
    executed.redirect(tree, text)
    if not any(getattr(node, "id", "") == RUNTIME_NAME for node in ast.walk(tree)):
        # Without this import, a program that lists its names finds only its own.
        tree.body = [statement for statement in tree.body if not _imports_runtime_functions(statement)]
    return compile(tree, STRING_FILENAME, "exec", dont_inherit=True)  # type: ignore[no-any-return]


def _imports_runtime_functions(statement: ast.stmt) -> bool:
    return isinstance(statement, ast.ImportFrom) and statement.names[0].asname == RUNTIME_NAME


def _execfile(filename: str, globals: Any = None, locals: Any = None) -> None:
    """Runs a file; the file itself decides its Python version."""
    with builtins.open(filename, "rb") as file:
        source = file.read()
    tree: Any = translated(source, filename) if is_marked(source) else None
    try:
        tree = tree or parsed(source, filename)
    except SyntaxError:
        tree = translated(source, filename)
        if tree is None:
            raise
    executed.redirect(tree, source)
    code = compile(tree, filename, "exec", dont_inherit=True)
    _run(code, sys._getframe(1), globals, locals)


def _run(code: Any, frame: FrameType, names: Any, inner_names: Any) -> None:
    """Runs code, by default in the caller's namespace."""
    if names is None:
        names, inner_names = frame.f_globals, frame.f_locals
    names.setdefault("__builtins__", BUILTINS)
    exec(code, names, names if inner_names is None else inner_names)


def _open(name: Any, mode: str = "r", buffering: int = -1, **kwargs: Any) -> Any:
    """Opens a file; in text mode, every byte is written back as it was read."""
    if "b" in mode:
        return builtins.open(name, mode.replace("U", ""), buffering, **kwargs)
    newline = None if "U" in mode or os.linesep != "\n" else "\n"
    if not kwargs:
        kwargs = {"encoding": "utf-8", "errors": "surrogateescape", "newline": newline}
    if buffering == 0:
        buffering = 1  # text can't be unbuffered
    return builtins.open(name, mode.replace("U", "") or "r", buffering, **kwargs)


BUILTINS: dict[str, Any] = {
    **vars(builtins),
    **{repair.name: repair.value() for repair in before_python3.REPAIRS if repair.owner == "builtins"},
    operators.NAME: operators,
    "exec": _exec,
    "execfile": _execfile,
    "file": before_python3.file_type(_open),
    "filter": _filter,
    "input": _input,
    "map": _map,
    "open": _open,
    "range": _range,
    "round": _round,
    "sorted": sorted_,
    "zip": _zip,
}


def builtin(name: str, look: Callable[[], Any]) -> Any:
    """Returns the value of a builtin's name in Python 2, where the scope's own builtins are Python 3's.

    Args:
        name: The builtin's name: "map".
        look: Looks the name up in the program's scope.
    """
    try:
        value = look()
    except NameError:
        return BUILTINS[name]
    return BUILTINS[name] if value is getattr(builtins, name, BUILTINS) else value
