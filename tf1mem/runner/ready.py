"""Code that is ready, and the builtins that it is to run with."""

from __future__ import annotations

from importlib.machinery import ModuleSpec
from types import CodeType, ModuleType
from typing import Any, Callable

from tf1mem.era.python2 import is_translated


def give_builtins(names: dict[str, Any], code: CodeType) -> None:
    """Gives a module's names the builtins that its code was written for, if they aren't Python's own.

    Args:
        names: The module's names, before the code runs.
        code: Its code.
    """
    if is_translated(code):
        from tf1mem.era.python2.names import BUILTINS

        names["__builtins__"] = BUILTINS


class Ready:
    """What a loader is besides, if it has the code of its one module.

    Args:
        code: The code.
    """

    def __init__(self, code: CodeType) -> None:
        self._code = code
        self._is_created = False

    def create_module(self, spec: ModuleSpec) -> ModuleType:
        """The module, without anything but its builtins."""
        self._is_created = True
        module = ModuleType(spec.name)
        give_builtins(vars(module), self._code)
        return module

    def get_code(self, fullname: str) -> CodeType:
        """The code; what asks for it before there is a module is runpy, which makes one itself."""
        return self._code if self._is_created else for_any_names(self._code, fullname)


def for_any_names(code: CodeType, name: str) -> CodeType:
    """Code that does the same among names whose builtins are Python's.

    Args:
        code: The code of a module.
        name: What it is known by.
    """
    if not is_translated(code):
        return code
    return compile(starting(code, name), _FILE, "exec")


def starting(code: CodeType, name: str) -> str:
    """A line that runs code among the names where it stands, whatever their builtins.

    Args:
        code: The code of a module.
        name: What it is known by.
    """
    _waiting[name] = code
    return f"__import__({__name__!r}, fromlist=['']).starter({name!r})(globals())"


# A frame between runpy's and the program's.
_FILE = "<frozen runpy>"
_waiting: dict[str, CodeType] = {}


def starter(name: str) -> Callable[[dict[str, Any]], None]:
    """What runs such code among the names that it is given.

    Args:
        name: What the code is known by.
    """
    given = {"code": _waiting[name], "give_builtins": give_builtins}
    start: Callable[[dict[str, Any]], None] = eval(
        compile("lambda names: (give_builtins(names, code), exec(code, names))", _FILE, "eval"), given
    )
    return start
