"""Extracts the Python of source files, notebooks, Markdown and reStructuredText, and maps edits back."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from tf1mem.codemod.files.extracts import Extract


def extract(source: bytes, kind: str) -> Extract:
    """Returns the Python of a file.

    Args:
        source: The file's bytes.
        kind: "python", "notebook", "markdown" or "rst".

    Raises:
        NotANotebook: The kind is "notebook", but the source is invalid JSON, or has no nbformat 3 or 4.
        ValueError: The kind is unknown.
    """
    if kind == "python":
        from tf1mem.codemod.files.python import PythonFile

        return PythonFile(source)
    if kind == "notebook":
        from tf1mem.codemod.files.notebook import Notebook

        return Notebook(source)
    if kind in ("markdown", "rst"):
        from tf1mem.codemod.files.document import Document

        return Document(source, kind)
    raise ValueError(f"kind is {kind!r}; it is one of python, notebook, markdown, rst")
