"""Runs the compiled code of the program's modules with the builtins that the code was written for."""

from __future__ import annotations

from importlib.machinery import ModuleSpec
from types import CodeType, ModuleType
from typing import Any, Callable

from tf1mem.era.python2 import is_translated


def give_builtins(names: dict[str, Any], code: CodeType) -> None:
    """Puts the builtins that code was written for into a module's names, if they aren't Python's own.

    Args:
        names: The module's names, before the code runs.
        code: The compiled code of the module.
    """
    if is_translated(code):
        from tf1mem.era.python2.names import BUILTINS

        names["__builtins__"] = BUILTINS


class CompiledLoader:
    """A mixin for loaders that already hold the compiled code of their one module.

    Args:
        code: The compiled code.
    """

    def __init__(self, code: CodeType) -> None:
        self._code = code
        self._is_created = False

    def create_module(self, spec: ModuleSpec) -> ModuleType:
        """Returns an empty module with the code's builtins."""
        self._is_created = True
        module = ModuleType(spec.name)
        give_builtins(vars(module), self._code)
        return module

    def get_code(self, fullname: str) -> CodeType:
        """Returns the module's code, for the namespace in which it will run.

        If `create_module` wasn't called, runpy makes the module itself, with Python's builtins: see `for_any_names`.
        """
        return self._code if self._is_created else for_any_names(self._code, fullname)


def for_any_names(code: CodeType, name: str) -> CodeType:
    """Returns code that has the same effect in a namespace with Python's own builtins.

    Args:
        code: The code of a module.
        name: The key under which the code waits, for `starter`.
    """
    if not is_translated(code):
        return code
    return compile(starting(code, name), _FILE, "exec")


def starting(code: CodeType, name: str) -> str:
    """Returns a line of Python that runs the code in the namespace of the line, which may have any builtins.

    Args:
        code: The code of a module.
        name: The key under which the code waits, for `starter`.
    """
    _waiting[name] = code
    return f"__import__({__name__!r}, fromlist=['']).starter({name!r})(globals())"


# Filename of the code compiled here. Its frame lies between runpy's and the program's; in a traceback it looks like one
# of runpy's.
_FILE = "<frozen runpy>"
# Key -> code that waits until a line of `starting` runs it.
_waiting: dict[str, CodeType] = {}


def starter(name: str) -> Callable[[dict[str, Any]], None]:
    """Returns a function that runs waiting code in a namespace; the line of `starting` calls it.

    Args:
        name: The key under which the code waits.
    """
    namespace = {"code": _waiting[name], "give_builtins": give_builtins}
    start: Callable[[dict[str, Any]], None] = eval(
        compile("lambda names: (give_builtins(names, code), exec(code, names))", _FILE, "eval"), namespace
    )
    return start
