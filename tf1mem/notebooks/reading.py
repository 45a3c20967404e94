"""Reads a notebook's code cells from its JSON.

nbformat 4 stores a cell's text as `source`, nbformat 3 as `input` (in `worksheets`), each as one string or as a list of
lines: https://nbformat.readthedocs.io/en/latest/format_description.html.
"""

from __future__ import annotations

import json
import re
from typing import Any, Iterable, Iterator, NamedTuple

from tf1mem.errors import Tf1memError

# The names of kernels that don't run Python, and whose notebooks may not name their language.
_OTHER_KERNELS = re.compile(r"ir\b|julia|swift|scala|bash|sos|javascript|octave", re.IGNORECASE)
# The language's version, such as "3.7.1", and the kernel's name, such as "python3".
_VERSION = re.compile(r"([23])\.")
_KERNEL = re.compile(r"python([23])")
# Parts of the names of languages that are Python, such as "pyspark" and "sagemath".
_PYTHON_LANGUAGES = ("python", "spark", "sage", "cython")


class NotANotebook(Tf1memError, ValueError):  # noqa: N818 - it states what the file is
    """A file ends in .ipynb, but isn't a notebook of nbformat 3 or 4."""


class Cell(NamedTuple):
    """A code cell with a source.

    Attributes:
        number: The index among all code cells, from 1. It equals IPython's In[number] if all cells are run in order.
        source: The source as in the JSON: a string or a list of strings, or any other value in an invalid notebook.
    """

    number: int
    source: Any

    @property
    def texts(self) -> list[str] | None:
        """The parts of the source, often lines, or None if nbformat doesn't allow its type."""
        texts = [self.source] if isinstance(self.source, str) else self.source
        is_known = isinstance(texts, list) and all(isinstance(text, str) for text in texts)
        return texts if is_known else None


class Contents(NamedTuple):
    """The code of a notebook.

    Attributes:
        version: The nbformat, 3 or 4.
        is_python: False if the metadata names another language than Python.
        says_python: The Python version in the metadata, 2 or 3; None if it names neither, or both.
        cells: An entry for every cell, in order: the `Cell`, or None for text and for code that isn't Python.
    """

    version: int
    is_python: bool
    says_python: int | None
    cells: list[Cell | None]


def read(source: bytes) -> Contents:
    """Reads a notebook of nbformat 3 or 4.

    Args:
        source: The file's bytes.

    Returns:
        The notebook's cells and its metadata on the language.

    Raises:
        NotANotebook: The file isn't valid JSON in UTF-8, isn't a notebook, or is of another nbformat.
    """
    try:
        notebook = json.loads(source.decode("utf-8-sig"))
    except UnicodeDecodeError:
        raise not_a_notebook("isn't UTF-8") from None
    except json.JSONDecodeError as error:
        raise not_a_notebook(f"isn't valid JSON: line {error.lineno}, column {error.colno}: {error.msg}") from None
    except (ValueError, RecursionError) as error:
        raise not_a_notebook(f"can't be read as JSON: {error}") from None
    version = notebook.get("nbformat") if isinstance(notebook, dict) else None
    if version is None:
        raise not_a_notebook("isn't a notebook: it has no nbformat")
    if version not in (3, 4) or isinstance(version, bool):
        raise not_a_notebook(f"is of nbformat {version!r}; 3 and 4 are read")
    key = "cells" if version == 4 else "worksheets"
    if not isinstance(notebook.get(key), list):
        raise not_a_notebook(f"isn't a notebook: it has no list of {key}")
    language, kernel = _metadata(notebook)
    is_python = _is_python(language, kernel)
    cells = list(_code_cells(_cells(notebook), source_key(version) if is_python else ""))
    return Contents(version, is_python, _says_python(language, kernel), cells)


def source_key(version: int) -> str:
    """Returns the JSON key of a cell's source in an nbformat, 3 or 4."""
    return "source" if version == 4 else "input"


def not_a_notebook(wrong: str) -> NotANotebook:
    """Returns the error for a file that isn't a notebook; `wrong` says why, such as "isn't UTF-8"."""
    return NotANotebook("the notebook", wrong, "Open it in Jupyter and save it again, or leave it out")


def _is_python(language: dict[str, Any], kernel: dict[str, Any]) -> bool:
    """Returns False if the metadata, as `_metadata` returns it, names another language or its kernel."""
    name = language.get("name") or kernel.get("language")
    if isinstance(name, str):
        return any(word in name.lower() for word in _PYTHON_LANGUAGES)
    return _OTHER_KERNELS.match(str(kernel.get("name", ""))) is None


def _says_python(language: dict[str, Any], kernel: dict[str, Any]) -> int | None:
    """Returns the Python version of the metadata, 2 or 3; None if language and kernel name none, or not the same."""
    matches = _VERSION.match(str(language.get("version"))), _KERNEL.fullmatch(str(kernel.get("name")))
    numbers = {int(match[1]) for match in matches if match}
    return numbers.pop() if len(numbers) == 1 else None


def _code_cells(cells: Iterable[Any], key: str) -> Iterator[Cell | None]:
    """Yields the code cells in Python, and None in place of each other cell.

    Args:
        cells: The cells as in the JSON.
        key: The key of their source; "" for a notebook without Python, where all cells become None.
    """
    number = 0
    for cell in cells:
        is_code = isinstance(cell, dict) and cell.get("cell_type") == "code"
        number += is_code
        is_python_cell = is_code and str(cell.get("language", "python")).lower().startswith("python")
        yield Cell(number, cell[key]) if is_python_cell and key and key in cell else None


def _metadata(notebook: dict[str, Any]) -> tuple[dict[str, Any], dict[str, Any]]:
    """Returns a notebook's metadata on its language and on its kernel; an empty dict for either that is missing."""
    metadata = notebook.get("metadata")
    metadata = metadata if isinstance(metadata, dict) else {}
    language, kernel = (
        value if isinstance(value, dict) else {} for value in map(metadata.get, ("language_info", "kernelspec"))
    )
    return language, kernel


def _cells(notebook: dict[str, Any]) -> Iterator[Any]:
    if notebook["nbformat"] == 4:
        yield from notebook["cells"]
        return
    for worksheet in notebook["worksheets"]:
        if isinstance(worksheet, dict) and isinstance(worksheet.get("cells"), list):
            yield from worksheet["cells"]
