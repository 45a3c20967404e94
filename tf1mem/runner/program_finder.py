"""The import hook: the program's own modules get code whose imports lead to tf1mem.v1."""

from __future__ import annotations

import os
import struct
import sys
import zipimport
from importlib.machinery import ModuleSpec, SourceFileLoader
from importlib.util import MAGIC_NUMBER
from types import CodeType, ModuleType
from typing import Any, Callable, Sequence

from tf1mem.runner import executed_texts
from tf1mem.runner.policy import Policy
from tf1mem.runner.program_imports import compile_rewritten
from tf1mem.runner.ready import CompiledLoader

Observer = Callable[[ModuleType], None]


class RewrittenFile(CompiledLoader, SourceFileLoader):  # type: ignore[misc]
    """Loads one module from compiled code.

    Python's own loader does everything else. Its frames are the only ones between the import and the module, and Python
    leaves those out of tracebacks. The code never touches a .pyc file.
    """

    def __init__(self, fullname: str, path: str, code: CodeType) -> None:
        CompiledLoader.__init__(self, code)
        SourceFileLoader.__init__(self, fullname, path)


class ObservedFile(SourceFileLoader):
    """Loads a module that isn't the program's, and then calls `observer` with it."""

    def __init__(self, fullname: str, path: str, observer: Observer) -> None:
        super().__init__(fullname, path)
        self._observer = observer

    def exec_module(self, module: ModuleType) -> None:
        """Executes the module, then calls the observer."""
        super().exec_module(module)
        self._observer(module)


class _ObservedFrozen:
    """Loads a frozen module, and then calls `observer` with it; Python's loader does everything else."""

    def __init__(self, loader: Any, observer: Observer) -> None:
        self._loader = loader
        self._observer = observer

    def exec_module(self, module: ModuleType) -> None:
        """Executes the module, then calls the observer."""
        self._loader.exec_module(module)
        self._observer(module)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._loader, name)


class ProgramFinder:
    """A finder for the front of `sys.meta_path`, which swaps the loaders of the program's own modules.

    A module whose source does not compile keeps Python's loader, which then raises Python's own error.

    Args:
        policy: Decides what to rewrite.
        observers: Functions to call with a loaded module, by the module's name.
    """

    def __init__(self, policy: Policy, observers: dict[str, Observer]) -> None:
        self.policy = policy
        self._observers = observers
        self._aliases: dict[str, str] = {}

    def install(self) -> None:
        """Puts the finder in front, and calls the observers of modules that are loaded already."""
        sys.meta_path.insert(0, self)  # type: ignore[arg-type]
        for name, observer in self._observers.items():
            if name in sys.modules:
                observer(sys.modules[name])

    def alias(self, name: str, filename: str) -> None:
        """Makes `name` importable from `filename`, which need not be on the path."""
        self._aliases[name] = filename

    def find_spec(
        self, fullname: str, path: Sequence[str] | None = None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        """Finds a module as the finders behind this one do (see `importlib.abc.MetaPathFinder`)."""
        if fullname == "tensorflow":
            self.policy.before_tensorflow()
        if fullname in self._aliases:
            return self._rewritten(_file_spec(fullname, self._aliases[fullname]))
        observer = self._observers.get(fullname)
        if observer is None and path is not None and not self.policy.territory.may_own(fullname, path):
            return None  # installed: the next finders handle it
        spec = self._find_by_others(fullname, path, target)
        if spec is None or spec.loader is None:
            return spec
        if observer is not None:
            if type(spec.loader) is SourceFileLoader:
                spec.loader = ObservedFile(fullname, spec.loader.path, observer)
            elif spec.origin == "frozen":
                spec.loader = _ObservedFrozen(spec.loader, observer)  # type: ignore[assignment]
            return spec
        return self._rewritten(spec)

    def _find_by_others(
        self, fullname: str, path: Sequence[str] | None, target: ModuleType | None
    ) -> ModuleSpec | None:
        finders: list[Any] = list(sys.meta_path)
        behind = finders[finders.index(self) + 1 :] if self in finders else finders
        for finder in behind:
            find_spec = getattr(finder, "find_spec", None)
            spec: ModuleSpec | None = find_spec(fullname, path, target) if find_spec else None
            if spec is not None:
                return spec
        return None

    def _rewritten(self, spec: ModuleSpec) -> ModuleSpec:
        """Returns a module's spec, with rewritten code if the module is the program's own and needs a change."""
        loader: Any = spec.loader
        is_file = type(loader) is SourceFileLoader
        if not (is_file or isinstance(loader, zipimport.zipimporter)) or not spec.origin:
            return spec
        if spec.name not in self._aliases and not self.policy.territory.owns(spec.name, spec.origin):
            return spec
        try:
            source = loader.get_data(spec.origin)
            code = compile_rewritten(
                source, spec.origin, self.policy.roots, self.policy.repairs, is_file and _is_compiled(spec)
            )
        except (OSError, SyntaxError, ValueError):
            return spec
        if code is None and is_file:
            executed_texts.known(spec.origin)
        if code is not None:
            if is_file:
                spec.loader = RewrittenFile(spec.name, spec.origin, code)
            else:
                from tf1mem.runner.archives import RewrittenMember

                spec.loader = RewrittenMember(loader, code)
        return spec


def _is_compiled(spec: ModuleSpec) -> bool:
    """Returns True if Python has current bytecode of a file: then it is Python 3, and needs no second look."""
    if spec.cached is None or spec.origin is None:
        return False
    try:
        with open(spec.cached, "rb") as file:
            head = file.read(16)
        status = os.stat(spec.origin)
    except OSError:
        return False
    mtime, size = (int(number) & 0xFFFFFFFF for number in (status.st_mtime, status.st_size))
    return head == MAGIC_NUMBER + struct.pack("<3I", 0, mtime, size)


def _file_spec(name: str, filename: str) -> ModuleSpec:
    spec = ModuleSpec(name, SourceFileLoader(name, filename), origin=filename)
    spec.has_location = True
    return spec
