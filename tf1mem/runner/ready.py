"""Compiled code of a module, and the builtins that it runs with."""

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


class Ready:
    """A mixin of loaders that have the compiled code of one module.

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
        """Returns the code; before there is a module, runpy asks for it, and makes the module itself."""
        return self._code if self._is_created else for_any_names(self._code, fullname)


def for_any_names(code: CodeType, name: str) -> CodeType:
    """Returns code with the same effect in a namespace with Python's builtins.

    Args:
        code: The code of a module.
        name: Key of the code among those that wait to run.
    """
    if not is_translated(code):
        return code
    return compile(starting(code, name), _FILE, "exec")


def starting(code: CodeType, name: str) -> str:
    """Returns a line that runs code in the namespace around it, whatever its builtins.

    Args:
        code: The code of a module.
        name: Key of the code among those that wait to run.
    """
    _waiting[name] = code
    return f"__import__({__name__!r}, fromlist=['']).starter({name!r})(globals())"


# The name of a frame between runpy's and the program's.
_FILE = "<frozen runpy>"
_waiting: dict[str, CodeType] = {}


def starter(name: str) -> Callable[[dict[str, Any]], None]:
    """Returns a function that runs waiting code in a namespace.

    Args:
        name: Key of the code.
    """
    namespace = {"code": _waiting[name], "give_builtins": give_builtins}
    start: Callable[[dict[str, Any]], None] = eval(
        compile("lambda names: (give_builtins(names, code), exec(code, names))", _FILE, "eval"), namespace
    )
    return start
