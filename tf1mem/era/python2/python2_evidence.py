"""Decides whether a file that Python 3 compiles is Python 2, by the names, modules and calls in it."""

from __future__ import annotations

import ast
import io
import re
import tokenize
import warnings
from typing import Any, Collection, Iterator

from tf1mem.era import before_python3
from tf1mem.era.python2 import BUILTINS_ALONE, SHEBANG_3, STRING_FILENAME, parsed
from tf1mem.era.python2.meaning import NAMED, is_of_python3
from tf1mem.era.scopes import SCOPES, bound_in, tried_in

# Owner and name of everything that only Python 2 had.
_GONE = {
    (repair.owner, repair.name)
    for repair in before_python3.REPAIRS
    if repair.is_in_need is None and not repair.is_method
}
# Names in programs that support both Pythons, such as PY2 and version_info; not numpy2, copy2.
_NAMES_PYTHON = re.compile(
    r"(?i:(?<![a-z])py_?(?:[23]|version)|is_?py_?[23]|python_?(?:[23]|version)|version_info|hexversion)"
    r"|[a-z]P[yY]_?[23]|^__builtins__$"
)
# Modules, and members of modules and classes, that show a program for both Pythons, or for Python 3 alone.
_MODULES_OF_PYTHON_3 = frozenset(
    "asyncio builtins concurrent configparser copyreg dbm enum future html http importlib ipaddress past pathlib queue "
    "reprlib six socketserver statistics tkinter tracemalloc typing winreg xmlrpc".split()
)
_SUBMODULES_OF_PYTHON_3 = ("collections.abc", "urllib.error", "urllib.parse", "urllib.request", "unittest.mock")
_MEMBERS_OF_PYTHON_3 = frozenset(
    "collections.ChainMap contextlib.ExitStack contextlib.redirect_stdout contextlib.suppress functools.lru_cache "
    "functools.singledispatch inspect.getfullargspec inspect.signature int.from_bytes itertools.accumulate "
    "itertools.zip_longest math.inf math.isclose math.nan os.replace os.scandir shutil.disk_usage "
    "shutil.get_terminal_size shutil.which str.maketrans subprocess.DEVNULL subprocess.TimeoutExpired subprocess.run "
    "sys.version tempfile.TemporaryDirectory time.monotonic time.perf_counter time.process_time".split()
)
_METHODS_OF_PYTHON_3 = frozenset("__bool__ __next__ __truediv__ to_bytes".split())
# Function -> arguments that it has in Python 3 alone.
_ARGUMENTS = {
    "open": frozenset(("closefd", "encoding", "errors", "file", "newline", "opener")),
    "max": frozenset(("default",)),
    "min": frozenset(("default",)),
    "bytes": frozenset(("encoding", "errors")),
    "str": frozenset(("encoding", "errors")),
}
# Builtins that return iterators in Python 3, and lists in Python 2.
_LAZY = frozenset(("filter", "map", "zip"))
# Text that may be a number such as 1_000; the tokens decide.
_UNDERSCORED = re.compile(rb"(?<![\w])(?:\d|\.\d)[\w.]*_")


def is_python2(tree: ast.Module, source: bytes) -> bool:
    """Returns True if a file is Python 2 though Python 3 compiles it.

    Such a file uses a builtin that only Python 2 had, without a version test, and nothing in it shows Python 3: no
    syntax, no module, no `from __future__ import division`.

    Args:
        tree: The file's tree, as Python 3 parses it.
        source: The file's bytes.
    """
    lines = {line for line, name, _ in remaining(tree) if name in BUILTINS_ALONE}
    if not lines:
        return False
    tried = set(tried_in(tree))
    if any(id(node) in tried and getattr(node, "id", "") in BUILTINS_ALONE for node in ast.walk(tree)):
        return False
    imports = (node for node in tree.body if isinstance(node, ast.ImportFrom) and node.module == "__future__")
    future = {alias.name for node in imports for alias in node.names}
    fails_at_once = bool(lines & set(_run_at_once(tree)))
    return "division" not in future and not speaks_of_python3(tree, source, future, prints_tuples=fails_at_once)


def is_python3_alone(source: bytes) -> bool:
    """Returns True for a source that Python 3 compiles and Python 2 doesn't, whichever Python a `#!` line names."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            tree = parsed(source, STRING_FILENAME)
    except (SyntaxError, ValueError, RecursionError):
        return False
    if is_of_python3(tree) or _has_underscored_number(source):
        return True
    imports = (node for node in tree.body if isinstance(node, ast.ImportFrom) and node.module == "__future__")
    if any(alias.name == "print_function" for node in imports for alias in node.names):
        return False
    nodes: list[Any] = list(ast.walk(tree))
    statements = {(node.lineno, node.col_offset) for node in nodes if isinstance(node, ast.Expr)}
    return any(_prints_as_python3(node, statements, prints_tuples=True) for node in nodes)


def speaks_of_python3(tree: ast.Module, source: bytes, future: Collection[str], *, prints_tuples: bool = False) -> bool:
    """Returns True if anything in a source that Python 3 compiles shows that its author knew Python 3.

    Args:
        tree: The source's tree, as Python 3 parses it.
        source: The source's bytes.
        future: Features of `__future__` that are on.
        prints_tuples: True if the source can't run under Python 3 anyway: then `print(a, b)` is Python 2's statement,
            which prints a tuple, and no sign of Python 3.
    """
    if is_of_python3(tree) or SHEBANG_3.match(source) or _has_underscored_number(source):
        return True
    nodes: list[Any] = list(ast.walk(tree))
    statements = {(node.lineno, node.col_offset) for node in nodes if isinstance(node, ast.Expr)}
    assigned = [node for node in nodes if isinstance(node, ast.Assign) and _called(node.value) in _LAZY]
    lazy = {_name_of(target) for node in assigned for target in node.targets} - {""}
    return any(
        _is_sign_of_python3(node)
        or ("print_function" not in future and _prints_as_python3(node, statements, prints_tuples))
        or (
            _called(node) == "next"
            and any(_called(argument) in _LAZY or _name_of(argument) in lazy for argument in node.args)
        )
        for node in nodes
    )


def is_certainly_python3(tree: ast.Module, source: bytes, future: Collection[str]) -> bool:
    """Returns True if a source that Python 3 compiles can't be Python 2, which would refuse it or a call in it.

    Args:
        tree: The source's tree, as Python 3 parses it.
        source: The source's bytes.
        future: Features of `__future__` that are on.
    """
    if is_of_python3(tree) or "annotations" in future or _has_underscored_number(source):
        return True
    prints = "print_function" not in future
    return any(
        isinstance(node, ast.Call)
        and (
            (_called(node) == "super" and not node.args)
            or bool(
                {keyword.arg for keyword in node.keywords} & ({"exist_ok"} | _ARGUMENTS.get(_called(node), frozenset()))
            )
            or (prints and _called(node) == "print" and bool(node.keywords or _starred(node)))
        )
        for node in ast.walk(tree)
    )


def _starred(call: ast.Call) -> bool:
    return any(isinstance(argument, ast.Starred) for argument in call.args)


def _run_at_once(tree: ast.Module) -> Iterator[int]:
    """Yields the lines of the names that the module reads outside of functions and branches, whenever it runs."""
    for statement in tree.body:
        run = statement.iter if isinstance(statement, ast.For) else statement
        if isinstance(run, (ast.Assign, ast.expr, ast.Expr)):
            nodes = list(ast.walk(run))
            if not any(isinstance(node, (ast.BoolOp, ast.IfExp, *SCOPES)) for node in nodes):
                yield from (node.lineno for node in nodes if isinstance(node, ast.Name))


def _has_underscored_number(source: bytes) -> bool:
    if not _UNDERSCORED.search(source):
        return False
    try:
        tokens = list(tokenize.tokenize(io.BytesIO(source).readline))
    except (SyntaxError, tokenize.TokenError):
        return False
    return any(token.type == tokenize.NUMBER and "_" in token.string for token in tokens)


def remaining(tree: ast.Module) -> Iterator[tuple[int, str, bool]]:
    """Yields the names and modules of Python 2 that a file uses without a version test.

    Args:
        tree: The file's tree, as Python 3 parses it.

    Yields:
        (line, name, is_module) in the order of the source. A module may also be a file of the program, with a name that
            Python 2 had.
    """
    guarded = set(tried_in(tree))  # ids of nodes that depend on the Python version
    for node in ast.walk(tree):
        if isinstance(node, (ast.If, ast.IfExp, ast.BoolOp)):
            tests = node.values if isinstance(node, ast.BoolOp) else [node.test]
            if any("version" in name or _NAMES_PYTHON.search(name) for test in tests for name in _names_in(test)):
                guarded.update(map(id, ast.walk(node)))
        elif isinstance(node, ast.Try) and any(id(statement) in guarded for statement in node.body):
            guarded.update(id(inside) for handler in node.handlers for inside in ast.walk(handler))
    scopes = [node for node in ast.walk(tree) if isinstance(node, (ast.Module, *SCOPES))]
    bound = {name for scope in scopes for name in bound_in(scope, set())}
    uses = [use for node in ast.walk(tree) if id(node) not in guarded for use in _uses(node, bound)]
    yield from sorted(uses)


def _names_in(tree: ast.AST) -> Iterator[str]:
    return (str(getattr(node, "id", getattr(node, "attr", ""))) for node in ast.walk(tree))


def _uses(node: Any, bound: set[str]) -> Iterator[tuple[int, str, bool]]:
    """Yields the line, the name, and True for a module, for each name of Python 2 that a node uses.

    Args:
        node: A node of a file's syntax tree.
        bound: The names that the file binds itself; "*" for a star import.
    """
    if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load) and ("builtins", node.id) in _GONE:
        if not bound & {node.id, "*"}:  # a star import may have bound it
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


def _is_sign_of_python3(node: Any) -> bool:
    """Returns True if a node shows that its author knew Python 3."""
    if any(_NAMES_PYTHON.search(str(getattr(node, name, ""))) for name in NAMED):
        return True
    if isinstance(node, ast.Import):
        return any(_is_module_of_python3(alias.name) for alias in node.names)
    if isinstance(node, ast.ImportFrom):
        whole = [f"{node.module}.{alias.name}" for alias in node.names]
        return not node.level and any(path in _MEMBERS_OF_PYTHON_3 or _is_module_of_python3(path) for path in whole)
    if isinstance(node, ast.alias):
        return (node.asname or node.name) in BUILTINS_ALONE
    if isinstance(node, ast.Assign):
        return any(_name_of(part) in BUILTINS_ALONE for part in (node.value, *node.targets))
    if isinstance(node, ast.Call):
        return _is_call_of_python3(node)
    name = getattr(node, "attr", getattr(node, "name", _name_of(node)))
    return name in _METHODS_OF_PYTHON_3 or f"{_name_of(getattr(node, 'value', None))}.{name}" in _MEMBERS_OF_PYTHON_3


def _is_call_of_python3(node: ast.Call) -> bool:
    name = _called(node)
    words = {keyword.arg for keyword in node.keywords}
    return (
        "exist_ok" in words
        or bool(words & _ARGUMENTS.get(name, frozenset()))
        or (name == "super" and not node.args)
        or (name in ("float", "int", "str") and any(_called(argument) == "input" for argument in node.args))
        or _called(getattr(node.func, "value", None)) == "input"  # input().split()
    )


def _prints_as_python3(node: Any, statements: set[tuple[int, int]], prints_tuples: bool) -> bool:
    """Returns True for a `print` that isn't Python 2's statement.

    Args:
        node: Any node.
        statements: Positions (line, column) of the expressions that are statements.
        prints_tuples: False if a call with several values also counts, since Python 2 would print it as a tuple.
    """
    if _called(node) == "print":
        is_call = bool(node.keywords) or any(isinstance(argument, ast.Starred) for argument in node.args)
        return is_call or (len(node.args) != 1 and not prints_tuples)
    return _name_of(node) == "print" and (node.lineno, node.col_offset) not in statements


def _called(node: Any) -> str:
    """Returns the name of the called function; "" if it has none."""
    return _name_of(node.func) if isinstance(node, ast.Call) else ""


def _name_of(node: Any) -> str:
    return node.id if isinstance(node, ast.Name) else ""


def _is_module_of_python3(module: str) -> bool:
    is_part = any(f"{module}.".startswith(submodule + ".") for submodule in _SUBMODULES_OF_PYTHON_3)
    return is_part or module.partition(".")[0] in _MODULES_OF_PYTHON_3
