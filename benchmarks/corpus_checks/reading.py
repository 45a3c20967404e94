"""Reads the Python in a file with the standard library only, so that it doesn't repeat errors of the codemod."""

from __future__ import annotations

import ast
import io
import json
import os
import re
import tokenize
import warnings
from pathlib import Path
from typing import Iterator, NamedTuple

KINDS = {".py": "python", ".ipynb": "notebook", ".md": "markdown", ".rst": "rst"}
_TOO_LARGE = 8 << 20  # bytes

_COOKIE = re.compile(r"^[ \t\f]*#.*?coding[:=]", re.ASCII)
_OTHER_CELL = re.compile(r"\s*%%(?!time\b|timeit\b|capture\b)")
_MAGIC = re.compile(r"^([ \t]*)(?:%|!|\?|\S+\?{1,2}[ \t]*$)(?:.*\\\n)*.*", re.MULTILINE)
_MAGIC_VALUE = re.compile(r"^([ \t]*[\w, ]+=[ \t]*)[%!].*", re.MULTILINE)

# Python 2's syntax -> Python 3's, in the order of replacement. It is rough, since the result is only parsed, never run.
_PYTHON_2 = (
    (re.compile(r"^([ \t]*(?:[^\n#'\"]*:[ \t]+)?)print[ \t]*>>[ \t]*[^\n,]+,?", re.MULTILINE), r"\1_ = 0,"),
    (re.compile(r"^([ \t]*(?:[^\n#'\"]*[:;][ \t]*)?)print[ \t]*$", re.MULTILINE), r"\1pass"),
    (re.compile(r"^([ \t]*(?:[^\n#'\"]*[:;][ \t]*)?)print\b(?=[ \t]*[^\s=.,)])", re.MULTILINE), r"\1_ = 0,"),
    (re.compile(r"^([ \t]*)exec[ \t]+(?=[\w\"'])", re.MULTILINE), r"\1_ = 0,"),
    (re.compile(r"\bexcept[ \t]+([^:\n]+?)[ \t]*,[ \t]*(\w+)[ \t]*:"), r"except \1 as \2:"),
    (re.compile(r"\braise[ \t]+([\w.]+)[ \t]*,[ \t]*"), r"raise \1, "),
    (re.compile(r"^([ \t]*)raise[ \t]+([\w.]+), ", re.MULTILINE), r"\1_ = \2, "),
    (re.compile(r"(?<![\w.])0([0-7]+)L?\b"), r"0o\1"),
    (re.compile(r"(?<![\w.])(\d+|0[xX][0-9a-fA-F]+)[lL]\b"), r"\1"),
    (re.compile(r"<>"), "!="),
    (re.compile(r"`([^`\n]+)`"), r"(\1)"),
    (re.compile(r"(?<!\w)[uU][rR](?=[\"'])"), "r"),
    (re.compile(r"\blambda[ \t]*\(([\w, \t]+)\)[ \t]*:"), r"lambda \1:"),
    (re.compile(r"(?<=\bdef )(\w+\([^()\n]*)\([^()\n]*\)"), r"\1_pair"),
)


class File(NamedTuple):
    """A file of the corpus.

    Attributes:
        path: The file's path.
        kind: "python", "notebook", "markdown" or "rst".
        repository: The folder of the corpus that contains it.
    """

    path: Path
    kind: str
    repository: str


class Tree(NamedTuple):
    """A parsed file.

    Attributes:
        module: The syntax tree, or None if even the repaired source doesn't parse.
        text: The source that was parsed; for a notebook its code cells, one after another.
        is_python3: True if it parsed without repairs.
    """

    module: ast.Module | None
    text: str
    is_python3: bool


def files(folder: Path, *, docs: bool) -> Iterator[File]:
    """Yields the files of a corpus, in the order of their names, without .git folders and symbolic links."""
    for where, folders, names in os.walk(folder):
        folders[:] = sorted(name for name in folders if name != ".git")
        for name in sorted(names):
            kind = KINDS.get(os.path.splitext(name)[1].lower())
            path = Path(where, name)
            if kind is None or (not docs and kind in ("markdown", "rst")) or path.is_symlink():
                continue
            if path.stat().st_size <= _TOO_LARGE:
                yield File(path, kind, path.relative_to(folder).parts[0])


def tree(source: bytes, kind: str) -> Tree:
    """Parses a Python file or a notebook; if that fails, converts Python 2's syntax roughly and parses again."""
    text = cells(source) if kind == "notebook" else decoded(source)
    module = parsed(text)
    if module is not None:
        return Tree(module, text, True)
    mended = _mended(text)
    return Tree(parsed(mended), mended, False)


def decoded(source: bytes) -> str:
    """Returns a Python file's text, decoded by its encoding declaration or as UTF-8, with Unix line ends."""
    try:
        encoding, _ = tokenize.detect_encoding(io.BytesIO(source).readline)
    except SyntaxError:
        encoding = "latin-1"
    text = source.decode(encoding, errors="replace")
    return text.replace("\r\n", "\n").replace("\r", "\n").lstrip("\ufeff")


def cells(source: bytes) -> str:
    """Returns the Python code cells of a notebook, with `pass` in place of magics; "" if it is no notebook."""
    try:
        notebook = json.loads(source)
    except (ValueError, RecursionError):
        return ""
    if not isinstance(notebook, dict):
        return ""
    sheets = notebook.get("worksheets") or [notebook]
    texts = []
    for sheet in sheets:
        for cell in sheet.get("cells", ()) if isinstance(sheet, dict) else ():
            if not isinstance(cell, dict) or cell.get("cell_type") != "code":
                continue
            lines = cell.get("source", cell.get("input", ""))
            text = "".join(lines) if isinstance(lines, list) else str(lines)
            if not _OTHER_CELL.match(text):
                texts.append(_MAGIC_VALUE.sub(r"\1None", _MAGIC.sub(r"\1pass", text)))
    return "\n".join(texts) + "\n"


def parsed(text: str) -> ast.Module | None:
    """Returns the syntax tree of a text, or None if this Python can't parse it."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            # The text is decoded already, so its encoding declaration must not count.
            return ast.parse("\n".join(_without_cookie(text.split("\n"))))
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return None


def _without_cookie(lines: list[str]) -> list[str]:
    return ["#" if number < 2 and _COOKIE.match(line) else line for number, line in enumerate(lines)]


def _mended(text: str) -> str:
    text = _MAGIC.sub(
        lambda match: match.group(1) + "pass" if match.group()[len(match.group(1))] in "%!" else match.group(), text
    )
    lines = text.split("\n")
    text = "\n".join(line.expandtabs(8) if line[:1] in " \t" else line for line in lines)
    for pattern, instead in _PYTHON_2:
        text = pattern.sub(instead, text)
    return text
