"""The program's own modules inside a zip file."""

from __future__ import annotations

import importlib.abc
from types import CodeType
from typing import Any

from tf1mem.runner.ready import CompiledLoader


class RewrittenMember(CompiledLoader, importlib.abc.InspectLoader):
    """Loads one module of an archive from compiled code; the archive's own importer does everything else.

    Args:
        archive: The `zipimport.zipimporter` that found the module.
        code: The rewritten code.
    """

    def __init__(self, archive: Any, code: CodeType) -> None:
        super().__init__(code)
        self._archive = archive

    def get_source(self, fullname: str) -> str | None:
        """Returns the source as its author wrote it."""
        source: str | None = self._archive.get_source(fullname)
        return source

    def is_package(self, fullname: str) -> bool:
        """Returns True if the module is a package."""
        return bool(self._archive.is_package(fullname))

    def __getattr__(self, name: str) -> Any:
        return getattr(self._archive, name)
