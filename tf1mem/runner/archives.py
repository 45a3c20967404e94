"""The program's own modules that lie in a zip file."""

from __future__ import annotations

import importlib.abc
from types import CodeType
from typing import Any


class RewrittenMember(importlib.abc.InspectLoader):
    """Loads one module of an archive from code that is ready; all else is the archive's own importer's.

    Args:
        archive: The `zipimport.zipimporter` that found the module.
        code: The rewritten code.
    """

    def __init__(self, archive: Any, code: CodeType) -> None:
        self._archive = archive
        self._code = code

    def get_code(self, fullname: str) -> CodeType:
        """The rewritten code."""
        return self._code

    def get_source(self, fullname: str) -> str | None:
        """The source as its author wrote it."""
        source: str | None = self._archive.get_source(fullname)
        return source

    def is_package(self, fullname: str) -> bool:
        """Whether the module is a package."""
        return bool(self._archive.is_package(fullname))

    def __getattr__(self, name: str) -> Any:
        return getattr(self._archive, name)
