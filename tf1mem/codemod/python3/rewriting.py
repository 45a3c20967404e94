"""Writes Python 2 as equivalent Python 3: the translations of `tf1mem run`, in the source.

Comments and formatting stay. Python 3 is left alone, and so is source that neither Python accepts.
"""

from __future__ import annotations

import io
import os
import re
import tokenize
import warnings
from codecs import BOM_UTF8
from typing import Any

from tf1mem.codemod.files import extract
from tf1mem.codemod.files.extracts import Extract, Lines, UnplaceableEdit
from tf1mem.codemod.python3 import siblings, syntax
from tf1mem.codemod.python3.meaning import Meaning
from tf1mem.codemod.python3.texts import Text, Unwritable, parsed
from tf1mem.codemod.results import Change, Edit, Remark, Result
from tf1mem.codemod.source.edits import SKIP, apply, in_order
from tf1mem.codemod.source.limits import TOO_DEEP, is_too_deep
from tf1mem.era import python2
from tf1mem.era.python2.meaning import is_of_python3
from tf1mem.era.python2.python2_evidence import remaining
from tf1mem.era.python2.syntax import Edited
from tf1mem.notebooks.reading import NotANotebook

CODE = "TFM003"
_REMEDY = "Write it by hand."
_SHEBANG = re.compile(r"(#!.*\bpython)2(\.\d+)?\b")


def rewrite(source: bytes, kind: str, path: str | None = None) -> Result:
    """Writes one file in Python 2 as Python 3. It touches no file.

    Args:
        source: The file's bytes.
        kind: "python" or "notebook"; other kinds are left alone.
        path: Path of the file, to find the modules beside it; None if there is none.
    """
    if kind not in ("python", "notebook"):
        return Result(source)
    try:
        whole = extract(source, kind)
    except NotANotebook as error:
        return Result(source, (), (Remark(CODE, 1, 1, error.wrong, error.remedy),))
    try:
        if is_too_deep(whole.python):
            raise RecursionError
        return _File(whole, source, path).result()
    except (MemoryError, RecursionError):
        return Result(source, (), (Remark(CODE, 1, 1, TOO_DEEP, _REMEDY),))


def _refused(source: bytes | str) -> SyntaxError | None:
    """Returns Python 3's error for a source; None if it compiles."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            compile(source, "<source>", "exec", dont_inherit=True)
    except SyntaxError as error:
        return error
    except ValueError as error:
        return SyntaxError(str(error))
    return None


def _line_of(lines: list[str], number: int) -> int:
    """Returns the number of the original line that a new line comes from."""
    for place, text in enumerate(lines, 1):
        number -= text.count("\n")
        if number <= 0:
            return place
    return len(lines)


class _File:
    """A file in translation to Python 3.

    Args:
        whole: The extract of the Python in the file.
        source: The file's bytes.
        path: Path of the file.
    """

    def __init__(self, whole: Extract, source: bytes, path: str | None) -> None:
        self._whole, self._source = whole, source
        self._file = os.path.abspath(path) if path else ""
        folder = os.path.dirname(self._file)
        self._path = folder
        self._folder = folder if os.path.isfile(os.path.join(folder, "__init__.py")) else None
        self._remarks: list[Remark] = []
        self._starts = [0]
        for line_end in re.finditer(rb"\r\n|\r|\n", whole.python):
            self._starts.append(line_end.end())
        ends = [*self._starts[1:], len(whole.python)]
        self._protected = {
            number for number, (start, end) in enumerate(zip(self._starts, ends), 1)
            if SKIP.search(whole.python, start, end)
        }  # fmt: skip

    def result(self) -> Result:
        """Returns the result of the translation."""
        python = self._whole.python
        error = _refused(python)
        is_notebook = self._whole.kind == "notebook"
        if error is None and not (self._whole.is_python2 if is_notebook else python2.is_marked(python)):
            return self._python3_result()
        if error is not None and is_notebook and not self._whole.is_python2:
            why = f"the notebook isn't all Python 2, and Python 3 refuses this ({error.msg})"
            return self._unchanged(error.lineno or 1, why)
        try:
            encoding = tokenize.detect_encoding(io.BytesIO(python.replace(b"\r", b"\n")).readline)[0]
            text = python.decode(encoding)
        except (SyntaxError, UnicodeDecodeError) as undecodable:
            return self._unchanged(1, f"it can't be decoded ({undecodable})")
        rows = re.split(r"(\r\n|\r|\n)", text)
        edited = syntax.written("\n".join(rows[::2]))
        if edited is None:
            if error is None:
                return Result(self._source)
            return self._unchanged(error.lineno or 1, f"neither Python 2 nor Python 3 accepts it ({error.msg})")
        edited = self._with_protected(edited, rows[::2])
        try:
            try:
                tree = parsed(edited.text)
            except TabError:
                edited = edited.without_tabs()
                tree = parsed(edited.text)
        except SyntaxError as refused:
            if refused.lineno in self._protected:
                return self._unchanged(
                    refused.lineno, f"a comment protects a line that Python 3 refuses ({refused.msg})"
                )
            return self._unchanged(refused.lineno or 1, f"Python 3 accepts no translation of it ({refused.msg})")
        if is_of_python3(tree):
            if error is None:
                return self._python3_result()
            return self._unchanged(error.lineno or 1, "it mixes Python 2's syntax with Python 3's")
        translation = Text(edited.text)
        try:
            way = siblings.way(self._file) if self._folder else siblings.RELATIVE
            Meaning(
                translation, tree, edited, self._folder, way=way, protected=self._protected, leave=self._leave
            ).write()
        except Unwritable as unwritable:
            return self._unchanged(1, str(unwritable))
        lines = translation.written()
        shebang = _SHEBANG.match(lines[0])
        if shebang:
            lines[0] = shebang[1] + "3" + lines[0][shebang.end() :]
        refusal = _refused("".join(lines))
        if refusal is not None:
            place = _line_of(lines, refusal.lineno) if refusal.lineno else 1
            return self._unchanged(place, f"the result would not compile ({refusal.msg})")
        remarks: dict[int, list[str]] = {}
        for piece in translation.pieces:
            remarks.setdefault(translation.line_of(piece.start), []).append(piece.change)
        return self._changed(rows, lines, remarks, "utf-8" if encoding == "utf-8-sig" else encoding)

    def _python3_result(self) -> Result:
        """Returns the result for a file that stays, with a remark for its first use of a removed name."""
        for line, name, is_module in remaining(parsed(self._whole.python)):
            if line not in self._protected and not (is_module and self._is_own(name)):
                return self._unchanged(line, f"{name} exists only in Python 2, but the file is otherwise Python 3")
        return Result(self._source)

    def _is_own(self, module: str) -> bool:
        """Returns True if a module lies in a folder above the file, from where a program may be started."""
        folder = self._path
        while folder:
            if any(os.path.exists(os.path.join(folder, module + end)) for end in (".py", "")):
                return True
            folder = os.path.dirname(folder) if os.path.dirname(folder) != folder else ""
        return False

    def _with_protected(self, edited: Edited, rows: list[str]) -> Edited:
        """Returns the edited text with the lines restored that a comment keeps."""
        lines = edited.text.split("\n")
        for number in self._protected & edited.changes:
            lines[number - 1] = rows[number - 1]
        return edited._replace(text="\n".join(lines))

    def _leave(self, node: Any, message: str) -> None:
        self._remarks.append(self._left_unchanged(node.lineno, message))

    def _left_unchanged(self, line: int, message: str) -> Remark:
        place = self._starts[min(line, len(self._starts)) - 1]
        row, column, cell = self._whole.locate(place)
        return Remark(CODE, row, column, f"left unchanged: {message}", _REMEDY, cell)

    def _unchanged(self, line: int, message: str) -> Result:
        return Result(self._source, (), (self._left_unchanged(line, message),))

    def _changed(self, rows: list[str], lines: list[str], remarks: dict[int, list[str]], encoding: str) -> Result:
        """Returns the result with the translated lines, one change for each line that differs."""
        edits: list[tuple[int, Edit]] = []
        common = max(rows[1::2], key=rows.count, default="\n")
        for number, (old, new) in enumerate(zip(rows[::2], lines), 1):
            end = rows[2 * number - 1] if 2 * number - 1 < len(rows) else common
            text = new[:-1].replace("\n", end)
            if text != old:
                start = self._starts[number - 1]
                start += 3 if not start and self._whole.python.startswith(BOM_UTF8) else 0
                old_text = old if new else old + end
                edits.append((number, Edit(start, start + len(old_text.encode(encoding)), text.encode(encoding))))
        try:
            placed = self._whole.place([edit for _, edit in edits])
        except UnplaceableEdit as error:
            return self._unchanged(1, str(error))
        changes = []
        for (number, edit), own in zip(edits, placed):
            line, column, cell = self._whole.locate(edit.start)
            change = "; ".join(dict.fromkeys(remarks.get(number, ()))) or "Python 3's syntax"
            changes.append(Change(CODE, line, column, change, (own,), cell))
        metadata_edits = self._whole.python3_metadata_edits() if self._whole.is_python2 else []
        for edit in metadata_edits:
            line, column = Lines(self._source).find(edit.start)
            changes.append(Change(CODE, line, column, "the notebook is Python 3", (edit,)))
        return Result(apply(self._source, in_order([*placed, *metadata_edits])), tuple(changes), tuple(self._remarks))
