"""What only Python 2 had, in a file that Python 3 compiles, and whether the file is Python 2 for it."""

from __future__ import annotations

import ast
import io
import re
import tokenize
import warnings
from typing import Any, Collection, Iterator

from tf1mem.era import before_python3
from tf1mem.era.python2 import BUILTINS_ALONE, SHEBANG_3, TEXT, parsed
from tf1mem.era.python2.meaning import NAMED, is_of_python3
from tf1mem.era.scopes import SCOPES, bound_in, tried_in

_GONE = {(one.owner, one.name) for one in before_python3.REPAIRS if one.is_in_need is None and not one.is_method}
# Names of who knows of both Pythons; not numpy2, copy2.
_NAMES_PYTHON = re.compile(
    r"(?i:(?<![a-z])py_?(?:[23]|version)|is_?py_?[23]|python_?(?:[23]|version)|version_info|hexversion)"
    r"|[a-z]P[yY]_?[23]|^__builtins__$"
)
# What a file imports or asks that knows of both Pythons, or of Python 3 alone.
_MODULES_OF_PYTHON_3 = frozenset(
    "asyncio builtins concurrent configparser copyreg dbm enum future html http importlib ipaddress past pathlib queue "
    "reprlib six socketserver statistics tkinter tracemalloc typing winreg xmlrpc".split()
)
_SUBMODULES_OF_PYTHON_3 = ("collections.abc", "urllib.error", "urllib.parse", "urllib.request", "unittest.mock")
_OF_LIBRARY = frozenset(
    "collections.ChainMap contextlib.ExitStack contextlib.redirect_stdout contextlib.suppress functools.lru_cache "
    "functools.singledispatch inspect.getfullargspec inspect.signature int.from_bytes itertools.accumulate "
    "itertools.zip_longest math.inf math.isclose math.nan os.replace os.scandir shutil.disk_usage "
    "shutil.get_terminal_size shutil.which str.maketrans subprocess.DEVNULL subprocess.TimeoutExpired subprocess.run "
    "sys.version tempfile.TemporaryDirectory time.monotonic time.perf_counter time.process_time".split()
)
_METHODS_OF_PYTHON_3 = frozenset("__bool__ __next__ __truediv__ to_bytes".split())
# Arguments that Python 3's functions know alone.
_ARGUMENTS = {
    "open": frozenset(("closefd", "encoding", "errors", "file", "newline", "opener")),
    "max": frozenset(("default",)),
    "min": frozenset(("default",)),
    "bytes": frozenset(("encoding", "errors")),
    "str": frozenset(("encoding", "errors")),
}
_LAZY = frozenset(("filter", "map", "zip"))
# What may be a number as 1_000 is.
_UNDERSCORED = re.compile(rb"(?<![\w])(?:\d|\.\d)[\w.]*_")


def is_python2(tree: ast.Module, source: bytes) -> bool:
    """Whether a file is Python 2 though Python 3 compiles it.

    It asks for a builtin that only Python 2 had, without a look which Python it runs on, and nothing in it speaks of
    Python 3: no syntax, no module, no `division` from `__future__`.

    Args:
        tree: Its tree, as Python 3 parses it.
        source: Its bytes.
    """
    asks = {line for line, name, _ in remaining(tree) if name in BUILTINS_ALONE}
    if not asks:
        return False
    tried = set(tried_in(tree))
    if any(id(node) in tried and getattr(node, "id", "") in BUILTINS_ALONE for node in ast.walk(tree)):
        return False
    imports = (node for node in tree.body if isinstance(node, ast.ImportFrom) and node.module == "__future__")
    future = {alias.name for node in imports for alias in node.names}
    fails_at_once = bool(asks & set(_run_at_once(tree)))
    return "division" not in future and not speaks_of_python3(tree, source, future, shows_tuples=fails_at_once)


def is_python3_alone(source: bytes) -> bool:
    """Returns True for a source that Python 3 compiles and Python 2 doesn't, whatever its first line says."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            tree = parsed(source, TEXT)
    except (SyntaxError, ValueError, RecursionError):
        return False
    if is_of_python3(tree) or _has_underscored_number(source):
        return True
    imports = (node for node in tree.body if isinstance(node, ast.ImportFrom) and node.module == "__future__")
    if any(alias.name == "print_function" for node in imports for alias in node.names):
        return False
    nodes: list[Any] = list(ast.walk(tree))
    statements = {(node.lineno, node.col_offset) for node in nodes if isinstance(node, ast.Expr)}
    return any(_prints_as_python3(node, statements, shows_tuples=True) for node in nodes)


def speaks_of_python3(tree: ast.Module, source: bytes, future: Collection[str], *, shows_tuples: bool = False) -> bool:
    """Whether anything in a source that Python 3 compiles says that its author knew of Python 3.

    Args:
        tree: Its tree, as Python 3 parses it.
        source: Its bytes.
        future: What holds of `__future__`.
        shows_tuples: It can't run under Python 3: where its print has several values, it showed them as a tuple.
    """
    if is_of_python3(tree) or SHEBANG_3.match(source) or _has_underscored_number(source):
        return True
    nodes: list[Any] = list(ast.walk(tree))
    statements = {(node.lineno, node.col_offset) for node in nodes if isinstance(node, ast.Expr)}
    made = [node for node in nodes if isinstance(node, ast.Assign) and _called(node.value) in _LAZY]
    lazy = {_id(target) for node in made for target in node.targets} - {""}
    return any(
        _speaks_of_python3(node)
        or ("print_function" not in future and _prints_as_python3(node, statements, shows_tuples))
        or (_called(node) == "next" and any(_called(one) in _LAZY or _id(one) in lazy for one in node.args))
        for node in nodes
    )


def is_certainly_python3(tree: ast.Module, source: bytes, future: Collection[str]) -> bool:
    """Returns True if a source that Python 3 compiles can't be Python 2: that would refuse it, or a call in it.

    Args:
        tree: Its tree, as Python 3 parses it.
        source: Its bytes.
        future: What holds of `__future__`.
    """
    if is_of_python3(tree) or "annotations" in future or _has_underscored_number(source):
        return True
    prints = "print_function" not in future
    return any(
        isinstance(node, ast.Call)
        and (
            (_called(node) == "super" and not node.args)
            or bool({one.arg for one in node.keywords} & ({"exist_ok"} | _ARGUMENTS.get(_called(node), frozenset())))
            or (prints and _called(node) == "print" and bool(node.keywords or _starred(node)))
        )
        for node in ast.walk(tree)
    )


def _starred(call: ast.Call) -> bool:
    return any(isinstance(one, ast.Starred) for one in call.args)


def _run_at_once(tree: ast.Module) -> Iterator[int]:
    """The lines that run whenever the file does, whatever holds."""
    for statement in tree.body:
        run = statement.iter if isinstance(statement, ast.For) else statement
        if isinstance(run, (ast.Assign, ast.expr, ast.Expr)):
            nodes = list(ast.walk(run))
            if not any(isinstance(one, (ast.BoolOp, ast.IfExp, *SCOPES)) for one in nodes):
                yield from (one.lineno for one in nodes if isinstance(one, ast.Name))


def _has_underscored_number(source: bytes) -> bool:
    if not _UNDERSCORED.search(source):
        return False
    try:
        tokens = list(tokenize.tokenize(io.BytesIO(source).readline))
    except (SyntaxError, tokenize.TokenError):
        return False
    return any(one.type == tokenize.NUMBER and "_" in one.string for one in tokens)


def remaining(tree: ast.Module) -> Iterator[tuple[int, str, bool]]:
    """The names and modules that a file asks for without a look which Python it runs on.

    Args:
        tree: The file's, which Python 3 compiles.

    Yields:
        In the order of the source, the line, the name, and whether it is a module's, which the program may have itself.
    """
    looked_at = set(tried_in(tree))
    for node in ast.walk(tree):
        if isinstance(node, (ast.If, ast.IfExp, ast.BoolOp)):
            asked = node.values if isinstance(node, ast.BoolOp) else [node.test]
            if any("version" in name or _NAMES_PYTHON.search(name) for one in asked for name in _names_in(one)):
                looked_at.update(map(id, ast.walk(node)))
        elif isinstance(node, ast.Try) and any(id(one) in looked_at for one in node.body):
            looked_at.update(id(one) for handler in node.handlers for one in ast.walk(handler))
    scopes = [node for node in ast.walk(tree) if isinstance(node, (ast.Module, *SCOPES))]
    own = {name for scope in scopes for name in bound_in(scope, set())}
    found = [one for node in ast.walk(tree) if id(node) not in looked_at for one in _asked(node, own)]
    yield from sorted(found)


def _names_in(tree: ast.AST) -> Iterator[str]:
    return (str(getattr(node, "id", getattr(node, "attr", ""))) for node in ast.walk(tree))


def _asked(node: Any, own: set[str]) -> Iterator[tuple[int, str, bool]]:
    if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load) and ("builtins", node.id) in _GONE:
        if not own & {node.id, "*"}:  # a star may have brought it
            yield node.lineno, node.id, False
    elif isinstance(node, ast.Import):
        for alias in node.names:
            if ("", alias.name) in _GONE:
                yield node.lineno, alias.name, True
    elif isinstance(node, ast.ImportFrom) and not node.level:
        if ("", node.module) in _GONE:
            yield node.lineno, str(node.module), True
        else:
            for alias in node.names:
                if (node.module, alias.name) in _GONE:
                    yield node.lineno, f"{node.module}.{alias.name}", False


def _speaks_of_python3(node: Any) -> bool:
    if any(_NAMES_PYTHON.search(str(getattr(node, name, ""))) for name in NAMED):
        return True
    if isinstance(node, ast.Import):
        return any(_is_of_python3(alias.name) for alias in node.names)
    if isinstance(node, ast.ImportFrom):
        whole = [f"{node.module}.{alias.name}" for alias in node.names]
        return not node.level and any(one in _OF_LIBRARY or _is_of_python3(one) for one in whole)
    if isinstance(node, ast.alias):
        return (node.asname or node.name) in BUILTINS_ALONE
    if isinstance(node, ast.Assign):
        return any(_id(one) in BUILTINS_ALONE for one in (node.value, *node.targets))
    if isinstance(node, ast.Call):
        return _is_call_of_python3(node)
    name = getattr(node, "attr", getattr(node, "name", _id(node)))
    return name in _METHODS_OF_PYTHON_3 or f"{_id(getattr(node, 'value', None))}.{name}" in _OF_LIBRARY


def _is_call_of_python3(node: ast.Call) -> bool:
    name = _called(node)
    words = {one.arg for one in node.keywords}
    return (
        "exist_ok" in words
        or bool(words & _ARGUMENTS.get(name, frozenset()))
        or (name == "super" and not node.args)
        or (name in ("float", "int", "str") and any(_called(one) == "input" for one in node.args))
        or _called(getattr(node.func, "value", None)) == "input"  # input().split()
    )


def _prints_as_python3(node: Any, statements: set[tuple[int, int]], shows_tuples: bool) -> bool:
    """Whether it is a print that was no statement of Python 2, or showed a tuple."""
    if _called(node) == "print":
        is_call = bool(node.keywords) or any(isinstance(one, ast.Starred) for one in node.args)
        return is_call or (len(node.args) != 1 and not shows_tuples)
    return _id(node) == "print" and (node.lineno, node.col_offset) not in statements


def _called(node: Any) -> str:
    """The name that a call calls."""
    return _id(node.func) if isinstance(node, ast.Call) else ""


def _id(node: Any) -> str:
    return node.id if isinstance(node, ast.Name) else ""


def _is_of_python3(module: str) -> bool:
    is_part = any(f"{module}.".startswith(one + ".") for one in _SUBMODULES_OF_PYTHON_3)
    return is_part or module.partition(".")[0] in _MODULES_OF_PYTHON_3
